"""The words of a house that its players have said, and the folder that keeps them: features, no sound."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import platformdirs

from kemps_vision.errors import ReaderError
from kemps_vision.hearing.likeness import Marks

_ENDING: Final = ".word.npz"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class HouseWord:
    """A word as players have said it.

    Attributes:
        text: The word, as the house rules write it.
        marks: What the network made of each player's takes, (players, 48), rows of length 1.
        players: Whose they are.
        least: How alike to one of them a sound must be to be that word, 1 at most.
        network: The checksum of the network that the marks are of.
    """

    text: str
    marks: Marks
    players: tuple[str, ...]
    least: float
    network: str

    def likeness(self, marks: Marks) -> Marks:
        """How alike the word is to what begins at each place, 1 at most."""
        return np.asarray((marks @ self.marks.T).max(axis=1, initial=-1.0), np.float32)


def default_folder() -> Path:
    """Where words are kept unless told otherwise: ``words`` in the user's data folder."""
    return Path(platformdirs.user_data_dir("kemps", appauthor=False)) / "words"


class WordStore:
    """The words in a folder, a file each."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def has_words(self) -> bool:
        """Whether any word was learnt."""
        return self.folder.is_dir() and any(self.folder.glob(f"*{_ENDING}"))

    def words(self, network: str) -> list[HouseWord]:
        """All words that were learnt for a network, by name.

        Raises:
            ReaderError: A file is damaged, or was learnt for another network; the text says what to do.
        """
        words = [_read(path) for path in sorted(self.folder.glob(f"*{_ENDING}"))]
        for word in words:
            if word.network != network:
                raise ReaderError(
                    f"{word.text!r} was learnt with an earlier network; let it be said again: "
                    f"{_again(word.text)}"
                )
        return words

    def load(self, text: str) -> HouseWord | None:
        """The word of that text, or None if nobody has said it yet.

        Raises:
            ReaderError: Its file is damaged, or the text can be no word.
        """
        path = self._path(text)
        return _read(path) if path.exists() else None

    def save(self, word: HouseWord) -> Path:
        """Writes a word, in place of an earlier one; all of it or nothing.

        Raises:
            ReaderError: It cannot be written.
        """
        path = self._path(word.text)
        aside = path.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(_packed(word))
            aside.replace(path)
        except OSError as error:
            raise ReaderError(f"{path}: cannot be written ({error.strerror or error})") from None
        return path

    def remove(self, text: str) -> None:
        """Deletes a word.

        Raises:
            ReaderError: There is none, or its file cannot be deleted.
        """
        path = self._path(text)
        try:
            path.unlink()
        except FileNotFoundError:
            known = ", ".join(sorted(_read(one).text for one in self.folder.glob(f"*{_ENDING}"))) or "none"
            raise ReaderError(f"nobody has said {text!r} here; there are: {known}") from None
        except OSError as error:
            raise ReaderError(f"{path}: cannot be removed ({error.strerror or error})") from None

    def _path(self, text: str) -> Path:
        name = folded(text)
        if not name or len(name) > 40:
            raise ReaderError(f"{text!r}: give a word of up to 40 letters, as the house rules write it")
        return self.folder / f"{name}{_ENDING}"


def folded(text: str) -> str:
    """A word for comparing: its letters and digits, small.

    >>> folded("Stop-Canes!")
    'stopcanes'
    """
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _packed(word: HouseWord) -> bytes:
    about = {
        "version": _VERSION,
        "text": word.text,
        "players": list(word.players),
        "least": word.least,
        "network": word.network,
    }
    out = io.BytesIO()
    np.savez_compressed(out, marks=word.marks.astype(np.float32), about=np.array(json.dumps(about)))
    return out.getvalue()


def _read(path: Path) -> HouseWord:
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as parts:
            about, marks = json.loads(str(parts["about"])), np.asarray(parts["marks"], np.float32)
        word = HouseWord(
            text=str(about["text"]),
            marks=marks,
            players=tuple(map(str, about["players"])),
            least=float(about["least"]),
            network=str(about["network"]),
        )
        if about["version"] != _VERSION or marks.ndim != 2 or len(marks) != len(word.players):
            raise ValueError("it is of another kind")
    except OSError as error:
        raise ReaderError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        name = path.name.removesuffix(_ENDING)
        raise ReaderError(
            f"{path}: is damaged; delete it, and let the word be said again: {_again(name)}"
        ) from None
    return word


def _again(text: str) -> str:
    return f"kemps listen mic --enrol '{text}'"
