"""Learnt decks on disk: one file a deck, arrays and a note, nothing that could run."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import platformdirs
from numpy.typing import NDArray

from kemps_models.registry import load_manifest
from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.printing import IndexPrint
from kemps_vision.cards.reader import ANY_DECK
from kemps_vision.enrolment.deck import EnrolledDeck, Score
from kemps_vision.enrolment.faces import FACE_HEIGHT, FACE_WIDTH, FaceBook
from kemps_vision.enrolment.head import OUTPUTS, Head
from kemps_vision.errors import ReaderError

_ENDING: Final = ".deck.npz"
_VERSION: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,59}")


def default_folder() -> Path:
    """Where decks are kept unless told otherwise: ``decks`` in the user's data folder."""
    return Path(platformdirs.user_data_dir("kemps", appauthor=False)) / "decks"


def classifier_checksum() -> str:
    """The checksum of the committed classifier, which a deck's head goes with."""
    return load_manifest()["cards_classifier.onnx"].sha256


class DeckStore:
    """The learnt decks in a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def names(self) -> list[str]:
        """The names of the decks, sorted; none when there is no folder.

        Raises:
            ReaderError: There is a file where the folder should be.
        """
        self._check_folder()
        if not self.folder.is_dir():
            return []
        return sorted(path.name.removesuffix(_ENDING) for path in self.folder.glob(f"*{_ENDING}"))

    def save(self, name: str, deck: EnrolledDeck) -> Path:
        """Writes a deck, in place of one of that name, and gives the file; all of it or nothing.

        Raises:
            ReaderError: The name cannot be a file's, or the file cannot be written.
        """
        path = self._path(name)
        aside = path.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(_packed(deck))
            aside.replace(path)
        except OSError as error:
            raise ReaderError(f"{path}: cannot be written ({error.strerror or error})") from None
        return path

    def load(self, name: str) -> EnrolledDeck:
        """A deck by its name.

        Raises:
            ReaderError: There is none of that name, its file is damaged, or it was learnt for other weights.
        """
        path = self._path(name)
        self._check_folder()
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            known = ", ".join([ANY_DECK, *self.names()])
            raise ReaderError(
                f"no deck {name!r}; known: {known}; learn it with: kemps enrol SOURCE --deck '{name}'"
            ) from None
        except OSError as error:
            raise ReaderError(f"{path}: cannot be read ({error.strerror or error})") from None
        try:
            deck = _unpacked(data)
        except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ReaderError(
                f"{path}: the deck {name!r} is damaged; learn it again: kemps enrol SOURCE --deck '{name}'"
            ) from error
        if deck.head is not None and deck.classifier != classifier_checksum():
            raise ReaderError(
                f"the deck {name!r} was learnt with an earlier card classifier; learn it again: "
                f"kemps enrol SOURCE --deck '{name}'"
            )
        return deck

    def remove(self, name: str) -> None:
        """Deletes a deck.

        Raises:
            ReaderError: There is none of that name, or its file cannot be deleted.
        """
        path = self._path(name)
        self._check_folder()
        try:
            path.unlink()
        except FileNotFoundError:
            known = ", ".join(self.names()) or "none"
            raise ReaderError(f"no deck {name!r} to remove; there are: {known}") from None
        except OSError as error:
            raise ReaderError(f"{path}: cannot be removed ({error.strerror or error})") from None

    def check_name(self, name: str) -> None:
        """Nothing, when a deck can have this name.

        Raises:
            ReaderError: It cannot.
        """
        self._path(name)

    def _check_folder(self) -> None:
        for place in (self.folder, self.folder.parent):
            if place.exists() and not place.is_dir():
                raise ReaderError(f"{place}: is a file; decks are kept in a folder, name one with --data")

    def _path(self, name: str) -> Path:
        if name == ANY_DECK:
            raise ReaderError(
                f"{ANY_DECK!r} cannot name a deck: it means none in particular; give yours another name"
            )
        if not _NAME.fullmatch(name):
            raise ReaderError(
                f"{name!r} cannot name a deck; use letters, digits, spaces, dots and dashes, at most 60"
            )
        return self.folder / f"{name}{_ENDING}"


def _packed(deck: EnrolledDeck) -> bytes:
    note = {
        "version": _VERSION,
        "sharpness": deck.sharpness,
        "classifier": deck.classifier,
        "index": None if deck.index is None else asdict(deck.index),
        "missing": [str(card) for card in deck.missing],
        "score": None if deck.score is None else asdict(deck.score),
    }
    arrays: dict[str, NDArray[Any]] = {
        "note": np.frombuffer(json.dumps(note).encode(), np.uint8),
        "cards": deck.faces.cards,
        "faces": deck.faces.faces.astype(np.float16),
    }
    if deck.head is not None:
        arrays |= {"weights": deck.head.weights, "bias": deck.head.bias}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _unpacked(data: bytes) -> EnrolledDeck:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        stored = {name: arrays[name] for name in arrays.files}
    note = json.loads(stored["note"].tobytes())
    if note["version"] != _VERSION:
        raise ValueError("another version")
    return EnrolledDeck(
        faces=_faces(stored),
        sharpness=float(note["sharpness"]),
        head=_head(stored) if "weights" in stored else None,
        index=None if note["index"] is None else IndexPrint(**note["index"]),
        classifier=str(note["classifier"]),
        missing=tuple(Card.parse(text) for text in note["missing"]),
        score=None if note["score"] is None else Score(**note["score"]),
    )


def _faces(stored: Mapping[str, NDArray[Any]]) -> FaceBook:
    cards, faces = stored["cards"].astype(np.int64), stored["faces"].astype(np.float32)
    if faces.shape != (len(cards), FACE_HEIGHT, FACE_WIDTH, 3) or np.any(
        (cards < 0) | (cards >= len(DECK_52))
    ):
        raise ValueError("faces of another shape")
    return FaceBook(cards, faces)


def _head(stored: Mapping[str, NDArray[Any]]) -> Head:
    weights, bias = stored["weights"].astype(np.float32), stored["bias"].astype(np.float32)
    if weights.ndim != 2 or weights.shape[1] != OUTPUTS or bias.shape != (OUTPUTS,):
        raise ValueError("a head of another shape")
    return Head(weights, bias)
