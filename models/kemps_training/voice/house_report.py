"""How well a house's word is heard that players have said three times: by words that nothing learnt from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.errors import FetchError
from kemps_training.voice import rooms
from kemps_training.voice.bank import Bank
from kemps_training.voice.engines import speak
from kemps_training.voice.noise_store import babble
from kemps_training.voice.noises import KINDS
from kemps_training.voice.onsets import LEAD, trimmed
from kemps_training.voice.styles import restyled
from kemps_training.voice.tuning import read_wav
from kemps_training.voice.voices import TEST, Voice, all_voices
from kemps_training.voice.word_bank import HELD_OUT, said_by
from kemps_vision.errors import EnrolmentError
from kemps_vision.hearing.detector import calls_in
from kemps_vision.hearing.enrolling import enrolled
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.house_listener import HouseListener
from kemps_vision.hearing.house_words import HouseWord
from kemps_vision.hearing.likeness import Likeness, shipped_likeness
from kemps_vision.hearing.listener import STRIDE, Ear, shipped_listener
from kemps_vision.hearing.takes import Take, takes_in

Wave = NDArray[np.float32]
TAKES: Final = 3
CALLS: Final = 3  # of each voice and level
LEVELS_DB: Final = (20, 10)
TABLES: Final = (
    ("espeak-Andrea", "pico-en-GB", "festival-czech_ph", "piper-joe"),
    ("espeak-robert", "espeak-f2", "pico-en-US", "pico-de-DE"),
)
"""Who sits together; each table learns each word anew."""
NEAR_MS: Final = 400.0
SPOILT: Final = {"talk": 6, "near": 3, "noise": 4}
"""Files of five minutes of the report's folder in which the word is not said."""
_TAKE_DB: Final = 25
_SEED: Final = 41


@dataclass(frozen=True, slots=True, eq=False)
class Saying:
    """A voice saying a word, with its onset in ms; of a take the level is `_TAKE_DB`."""

    voice: str
    word: str
    level_db: int
    at_ms: float
    sound: Wave


class OnlyHouse:
    """A listener that hears nothing, so that only the house's words are told beside it."""

    def __init__(self) -> None:
        self.ear: Ear = shipped_listener().ear

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """No heat anywhere."""
        places = max(0, (len(rows) - self.ear.reach) // STRIDE + 1)
        return np.zeros((len(self.ear.calls) + 1, places), np.float32)


def house_report(bank: Bank, folder: Path) -> dict[str, Any]:
    """Recall of those who said the word and of others, and false calls an hour, for each word and in all.

    Args:
        bank: The voices of the report, for the babble.
        folder: Its sounds of talk, near words and noise.
    """
    likeness = shipped_likeness()
    rows: list[dict[str, Any]] = []
    for text in HELD_OUT:
        sayings = list(_sayings(text, bank))
        for seats in TABLES:
            word, refused, shares = _table_word(text, sayings, seats, likeness)
            row: dict[str, Any] = {"word": text, "refused": refused, "promised": shares}
            if word is not None:
                row |= _measured(word, sayings, seats, likeness, folder)
            rows.append(row)
            print(row, flush=True)
    return {"tables": rows, "all": _in_all(rows), "weights": likeness.checksum}


def _sayings(text: str, bank: Bank) -> Iterator[Saying]:
    rng = np.random.default_rng([_SEED, HELD_OUT.index(text)])
    for voice in (voice for voice in all_voices() if voice.group == TEST):
        levels = [_TAKE_DB] * TAKES + [level for level in LEVELS_DB for _ in range(CALLS)]
        for level, word in zip(levels, _spoken(voice, text, len(levels), rng), strict=True):
            if len(word) >= 2000:
                yield _placed(voice, text, level, word, bank, rng)


def _spoken(voice: Voice, text: str, count: int, rng: np.random.Generator) -> list[Wave]:
    try:
        return [trimmed(raw) for raw in speak(voice, [said_by(voice, text, rng) for _ in range(count)])]
    except FetchError:  # a voice that lacks the word's sounds
        return [np.zeros(0, np.float32)] * count


def _placed(voice: Voice, text: str, level: int, word: Wave, bank: Bank, rng: np.random.Generator) -> Saying:
    is_take, onset = level == _TAKE_DB, LEAD
    if not is_take and rng.random() < 0.5:
        word, onset = restyled(word, rng)
    word = word * (0.1 / (float(np.sqrt(np.mean(word**2))) + 1e-6))
    heard = rooms.in_room(word, rooms.room(rng))
    sound = np.zeros(int((2.8 if is_take else 4.0) * RATE), np.float32)
    at = int(rng.uniform(0.8, 1.0 if is_take else 2.0) * RATE)
    end = min(len(sound), at - onset + len(heard))
    sound[at - onset : end] += heard[: end - at + onset]
    kind = "noise" if is_take else str(rng.choice([*KINDS, "babble"]))
    noise = babble(bank, len(sound), rng) if kind == "babble" else KINDS[kind](len(sound), rng)
    sound = sound + noise * 10 ** (-level / 20)
    sound *= float(rng.uniform(0.1, 0.9)) / max(1e-6, float(np.abs(sound).max()))
    return Saying(voice.key, text, level, 1000 * at / RATE, np.asarray(sound, np.float32))


def _table_word(
    text: str, sayings: Sequence[Saying], seats: Sequence[str], likeness: Likeness
) -> tuple[HouseWord | None, int, list[float]]:
    """The word as those at a table said it, how many of them were refused, and what was promised to each."""
    word: HouseWord | None = None
    refused, shares = 0, list[float]()
    for seat in seats:
        takes = [one for one in sayings if one.voice == seat and one.level_db == _TAKE_DB]
        if len(takes) < TAKES:
            continue  # a voice that lacks the word's sounds
        try:
            learnt = enrolled(text, [_take(one) for one in takes], seat, likeness, before=word)
        except EnrolmentError:
            refused += 1
            continue
        shares.append(round(learnt.share, 2))
        if learnt.stands_out:
            word = learnt.word
        else:
            refused += 1
    return word, refused, shares


def _take(saying: Saying) -> Take:
    return max(takes_in(saying.sound, saying.voice), key=lambda take: take.end - take.onset)


def _measured(
    word: HouseWord, sayings: Sequence[Saying], seats: Sequence[str], likeness: Likeness, folder: Path
) -> dict[str, Any]:
    listener = HouseListener(OnlyHouse(), likeness, [("kemps", word)])
    found: dict[str, list[bool]] = {}
    errors: list[float] = []
    for one in sayings:
        if one.level_db == _TAKE_DB or (one.voice in seats and one.voice not in word.players):
            continue
        who = "players" if one.voice in seats else "others"
        near = [call.at_ms - one.at_ms for call in calls_in(one.sound, listener)]
        near = [error for error in near if abs(error) <= NEAR_MS]
        found.setdefault(f"{who} {one.level_db}", []).append(bool(near))
        errors += [min(near, key=abs)] if near else []
    alarms: dict[str, list[float]] = {}
    for name, files in SPOILT.items():
        paths = sorted(folder.glob("*_00.wav" if name == "noise" else f"{name}_0*.wav"))
        chosen = [path for path in paths if name != "noise" or path.stem.split("_")[0] in {*KINDS, "babble"}]
        sounds = [read_wav(path) for path in chosen[:files]]
        count = sum(len(calls_in(sound, listener)) for sound in sounds)
        alarms[name] = [count, round(sum(map(len, sounds)) / RATE / 3600, 4)]
    return {
        "found": {name: [sum(hits), len(hits)] for name, hits in found.items()},
        "alarms": alarms,
        "players": list(word.players),
        "errors_ms": [round(error, 1) for error in errors],
    }


def _in_all(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    measured = [row for row in rows if "found" in row]
    names = sorted({name for row in measured for name in row["found"]})
    totals = {name: np.sum([row["found"].get(name, [0, 0]) for row in measured], axis=0) for name in names}
    errors = np.abs([error for row in measured for error in row["errors_ms"]])
    alarms = {name: np.sum([row["alarms"][name] for row in measured], axis=0) for name in SPOILT}
    return {
        "recall": {name: round(float(hits / count), 4) for name, (hits, count) in totals.items()},
        "of": {name: int(count) for name, (_, count) in totals.items()},
        "false_an_hour": {name: round(float(count / hours), 2) for name, (count, hours) in alarms.items()},
        "refused": sum(row["refused"] for row in rows),
        "learnt": sum(len(row["players"]) for row in measured),
        "onset_ms": [round(float(value), 1) for value in np.quantile(errors, [0.5, 0.95])]
        if len(errors)
        else [],
    }
