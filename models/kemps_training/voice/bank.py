"""The bank: every voice's words and sentences, clean, in a file for each voice; made once and kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.errors import WorkspaceError
from kemps_training.voice import talk
from kemps_training.voice.engines import Spoken, speak
from kemps_training.voice.onsets import trimmed
from kemps_training.voice.voices import TRAIN, Voice, all_voices
from kemps_training.voice.words import Word, calls, near_words

CALL, NEAR, TALK = "call", "near", "talk"


@dataclass(frozen=True, slots=True)
class Amount:
    """How many of each kind a voice says in each of its languages; jumbles only if learnt from."""

    calls: int
    near: int
    talk: int
    jumbles: int = 0


# A voice of espeak-ng is one of many that are much alike, others are rare: they say more. Most false calls
# come of words of talk that meet as in no sentence learnt from, so the fast engine says many jumbled ones.
AMOUNTS: Final = {"espeak": Amount(4, 24, 4, 16), "other": Amount(24, 90, 24)}
SMOKE: Final = {"espeak": Amount(1, 2, 1), "other": Amount(2, 4, 2)}


@dataclass(frozen=True, slots=True)
class Said:
    """One clean sound of a bank: who says what; ``call`` is empty unless it is one."""

    voice: str
    engine: str
    language: str
    kind: str
    call: str
    text: str
    is_known: bool
    start: int
    length: int


class Bank:
    """All sounds of one group of voices."""

    def __init__(self, folder: Path) -> None:
        self.said: list[Said] = []
        self._sounds: dict[str, NDArray[np.int16]] = {}
        for path in sorted(folder.glob("*.json")):
            self._sounds[path.stem] = np.load(path.with_suffix(".npy"), mmap_mode="r")
            self.said += [Said(**row) for row in json.loads(path.read_text(encoding="utf-8"))]
        if not self.said:
            raise WorkspaceError(f"no voices in {folder}; run `python -m kemps_training.voice bank` first")

    def sound(self, said: Said) -> NDArray[np.float32]:
        """The clean sound; a word's onset is at sample `onsets.LEAD`."""
        whole = self._sounds[f"{said.engine}-{said.voice}"]
        return whole[said.start : said.start + said.length].astype(np.float32) / np.float32(32768)

    def of(self, kind: str, **only: object) -> list[Said]:
        """Those of a kind; ``only`` names fields that must be so."""
        return [
            one
            for one in self.said
            if one.kind == kind and all(getattr(one, name) == value for name, value in only.items())
        ]


def fill_bank(folder: Path, group: str, amounts: dict[str, Amount], workers: int = 1) -> int:
    """Makes the files of those voices of a group that have none yet; returns how many voices there are."""
    voices = [voice for voice in all_voices() if voice.group == group]
    folder.mkdir(parents=True, exist_ok=True)
    missing = [voice for voice in voices if not (folder / f"{voice.key}.json").exists()]
    missing.sort(key=lambda voice: voice.engine == "espeak")  # the rare voices first
    with ThreadPoolExecutor(workers) as executor:
        for voice in executor.map(lambda voice: _fill(folder, voice, amounts), missing):
            print(f"bank: {voice.key}", flush=True)
    return len(voices)


def _fill(folder: Path, voice: Voice, amounts: dict[str, Amount]) -> Voice:
    amount = amounts["espeak" if voice.engine == "espeak" else "other"]
    wishes = wishes_of(voice, amount)
    sounds: list[NDArray[np.int16]] = []
    rows: list[Said] = []
    at = 0
    for (kind, wish), raw in zip(wishes, speak(voice, [wish for _, wish in wishes]), strict=True):
        sound = trimmed(raw)
        if len(sound) < 2000:
            continue
        levels = sound * (0.5 / max(1e-4, float(np.abs(sound).max())))
        sounds.append(np.round(levels * 32767).astype(np.int16))
        rows.append(_row(voice, kind, wish, at, len(sound)))
        at += len(sound)
    np.save(folder / f"{voice.key}.npy", np.concatenate(sounds))
    (folder / f"{voice.key}.json").write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")
    return voice


def _row(voice: Voice, kind: str, wish: Spoken, start: int, length: int) -> Said:
    word = wish.word
    return Said(
        voice=voice.name,
        engine=voice.engine,
        language=wish.language,
        kind=kind,
        call=word.call if word else "",
        text=" ".join(word.phones) if word else wish.text,
        is_known=word.is_known if word else True,
        start=start,
        length=length,
    )


def wishes_of(voice: Voice, amount: Amount) -> list[tuple[str, Spoken]]:
    """What a voice is to say, always the same for the same voice and amount."""
    rng = np.random.default_rng(list(voice.key.encode()))
    wishes: list[tuple[str, Spoken]] = []
    for language in voice.languages:
        for call in ("kemps", "stop"):
            words = [word for word in calls(language) if word.call == call]
            count = amount.calls if words else 0
            wishes += [(CALL, _said(_pick(words, rng), language, rng)) for _ in range(count)]
        wishes += [(NEAR, _said(_near(language, voice, rng), language, rng)) for _ in range(amount.near)]
        for _ in range(amount.talk):
            spoken = Spoken(language, None, talk.sentence(language, rng), *_manner(rng))
            wishes.append((TALK, spoken))
        for _ in range(amount.jumbles if voice.group == TRAIN else 0):
            wishes.append((TALK, Spoken(language, None, talk.jumble(language, rng), *_manner(rng))))
    return wishes


def _near(language: str, voice: Voice, rng: np.random.Generator) -> Word:
    """A listed word or, as often, a made one; voices that learn say only those that may be known."""
    is_listed = bool(rng.random() < 0.5)
    words = near_words(language)
    words = tuple(word for word in words if word.is_listed == is_listed) or words
    return _pick([word for word in words if voice.group != TRAIN or word.is_known], rng)


def _said(word: Word, language: str, rng: np.random.Generator) -> Spoken:
    return Spoken(language, word, "", *_manner(rng))


def _manner(rng: np.random.Generator) -> tuple[float, float, int]:
    speed = float(np.exp(rng.normal(0.0, 0.16)))
    pitch = float(np.clip(np.exp(rng.normal(0.12, 0.25)), 0.6, 1.9))
    return float(np.clip(speed, 0.65, 1.6)), pitch, int(rng.integers(1 << 30))


def _pick(words: Sequence[Word], rng: np.random.Generator) -> Word:
    return words[int(rng.integers(len(words)))]
