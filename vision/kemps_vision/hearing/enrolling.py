"""A house's word from a few takes of it: what makes it that word, and how well it stands out from talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_vision.errors import EnrolmentError
from kemps_vision.hearing.features import HOP, RATE, WINDOW, Sound, features
from kemps_vision.hearing.house_words import HouseWord
from kemps_vision.hearing.likeness import Likeness, Marks
from kemps_vision.hearing.listener import STRIDE
from kemps_vision.hearing.takes import Take, enough

TAKES: Final = 3
FALSE_AN_HOUR: Final = 1.0
"""So often talk may be taken for the word, by the talk that the network brings along."""
LEAST_ALIKE: Final = 0.35  # takes of different words are below it
LEAST_SHARE: Final = 0.5
"""Of its own takes in noise, so many must be heard, or the word does not stand out."""
TRIED_DB: Final = (20.0, 15.0, 10.0)
MOVED: Final = 12  # places before and after the onset that was found, where the word may begin
TAIL: Final = 40  # so many of the most alike places of talk tell how rare more alike ones are
_SEED: Final = 3


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A word that was learnt, and of how many trials with its own takes in noise it was heard in how many."""

    word: HouseWord
    trials: int
    heard: int

    @property
    def share(self) -> float:
        """The share of its own takes in noise that were heard."""
        return self.heard / max(1, self.trials)

    @property
    def stands_out(self) -> bool:
        """Whether it can be used."""
        return self.share >= LEAST_SHARE


def enrolled(
    text: str,
    takes: Sequence[Take],
    player: str,
    likeness: Likeness,
    *,
    before: HouseWord | None = None,
    others: Sequence[HouseWord] = (),
) -> Enrolled:
    """The word of some takes by one player, beside what other players have said before.

    Args:
        text: The word.
        takes: Three or more.
        player: Who said them; what the same player said before is replaced.
        likeness: Compares words.
        before: The word as others have said it.
        others: Words that mean the other call.

    Raises:
        EnrolmentError: There are too few, they are not of one word, or it sounds too much like another.
    """
    enough(takes, TAKES, text)
    places = _one_word([_marks_about(take, likeness) for take in takes], text, likeness.nothing)
    mark = _middle([marks[place] for marks, place in places])
    known = {} if before is None else dict(zip(before.players, before.marks, strict=True))
    known[player] = mark
    marks = np.stack(list(known.values()))
    least = least_likeness(marks, likeness)
    word = HouseWord(text, marks, tuple(known), least, likeness.checksum)
    _check_others(word, mark, others)
    trials, heard = _tried(takes, [place for _, place in places], word, player, likeness)
    return Enrolled(word, trials, heard)


def least_likeness(marks: Marks, likeness: Likeness) -> float:
    """How alike a sound must be so that talk is taken for the word only `FALSE_AN_HOUR` times.

    The few places that decide are a matter of chance, so the tail is fitted: alike ones grow rarer by a power
    of e.
    """
    alike = np.sort((likeness.background @ marks.T).max(axis=1))[::-1]
    base, most = float(alike[TAIL]), alike[:TAIL]
    slope = max(1e-3, float(np.mean(most - base)))
    allowed = max(1e-3, FALSE_AN_HOUR * likeness.hours)
    return float(np.clip(base + slope * np.log(TAIL / allowed), 0.3, 0.98))


def _marks_about(take: Take, likeness: Likeness, noise_db: float | None = None, seed: int = 0) -> Marks:
    """What begins at each place from `MOVED` before a take's onset to as many after it."""
    sound = take.sound if noise_db is None else _in_noise(take, noise_db, seed)
    silence = np.zeros(HOP * (likeness.past + STRIDE * MOVED), np.float32)
    whole = np.concatenate([silence, sound, np.zeros(HOP * likeness.reach + WINDOW, np.float32)])
    first = (len(silence) + take.onset) // HOP - likeness.past - STRIDE * MOVED
    rows = features(whole)[first : first + likeness.reach + 2 * STRIDE * MOVED]
    return likeness.marks(rows)


def _in_noise(take: Take, snr_db: float, seed: int) -> Sound:
    """A take with the hiss of a room, whose level is by so many dB below the take's own."""
    rng = np.random.default_rng([_SEED, seed])
    spectrum = np.fft.rfft(rng.normal(size=len(take.sound)))
    hz = np.maximum(50.0, np.fft.rfftfreq(len(take.sound), 1 / RATE))
    hiss = np.fft.irfft(spectrum / np.sqrt(hz), len(take.sound))
    said = take.sound[take.onset : take.end]
    level = float(np.sqrt(np.mean(said**2))) / float(np.sqrt(np.mean(hiss**2)) + 1e-12)
    return np.asarray(take.sound + hiss * level * 10 ** (-snr_db / 20), np.float32)


def _one_word(every: Sequence[Marks], text: str, nothing: Marks) -> list[tuple[Marks, int]]:
    """The takes with the place of each at which they are most alike, which is where the word begins.

    Beside the word is nothing, which is alike, too: a place counts by how little it is like that.
    """
    places = _most_alike(every[0], every[1], nothing)
    for _ in range(3):
        middle = _middle([marks[place] for marks, place in zip(every, places, strict=False)])
        places = [int(np.argmax(marks @ (middle - nothing))) for marks in every]
    chosen = np.stack([marks[place] for marks, place in zip(every, places, strict=True)])
    alike = chosen @ chosen.T
    for number in range(len(every)):
        if float(np.median(np.delete(alike[number], number))) < LEAST_ALIKE:
            raise EnrolmentError(
                f"take {number + 1} of {text!r} sounds unlike the others; say the same word each time, "
                "and nothing else"
            )
    return list(zip(every, places, strict=True))


def _most_alike(one: Marks, other: Marks, nothing: Marks) -> list[int]:
    """The places of two takes that are most alike and least like nothing."""
    alike = one @ other.T - 0.5 * ((one @ nothing)[:, None] + (other @ nothing)[None])
    return [int(place) for place in np.unravel_index(int(np.argmax(alike)), alike.shape)]


def _check_others(word: HouseWord, mark: Marks, others: Sequence[HouseWord]) -> None:
    for other in others:
        if (
            float(other.likeness(mark[None])[0]) >= other.least
            or float((other.marks @ mark).max()) >= word.least
        ):
            raise EnrolmentError(
                f"{word.text!r} sounds too much like {other.text!r}, which means the other call; "
                "choose another word"
            )


def _tried(
    takes: Sequence[Take], places: Sequence[int], word: HouseWord, player: str, likeness: Likeness
) -> tuple[int, int]:
    """Trials with each take in noise, by what the player's other takes and other players have said."""
    clean = [_marks_about(take, likeness)[place] for take, place in zip(takes, places, strict=True)]
    rest = [mark for name, mark in zip(word.players, word.marks, strict=True) if name != player]
    trials = heard = 0
    for number, take in enumerate(takes):
        known = np.stack([_middle([*clean[:number], *clean[number + 1 :]]), *rest])
        for snr_db in TRIED_DB:
            marks = _marks_about(take, likeness, snr_db, number)
            trials += 1
            heard += float((marks @ known.T).max()) >= word.least
    return trials, heard


def _middle(marks: Sequence[Marks]) -> Marks:
    total = np.sum(marks, axis=0)
    return np.asarray(total / max(1e-6, float(np.linalg.norm(total))), np.float32)
