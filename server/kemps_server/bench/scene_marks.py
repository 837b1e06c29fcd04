"""What an observer's tracks are worth against the cards that lay there: one mark a card at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

FREE_MS: Final = 1000  # in all, before which a card must have been named
NEAR: Final = 0.6  # card lengths between a track and its card: a lone corner misplaces a card
LOST_MS: Final = 500
GONE_MS: Final = 2500  # so long a track may stay when its card has left
BEFORE_MS: Final = 150  # a card is at rest under the hand before the hand lets go
Points: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Track:
    """A settled card of the observer: its name (None: unread), its place in px, from when to when."""

    card: str | None
    centre: tuple[float, float]
    from_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Mark:
    """One observation, and how it went.

    Attributes:
        card: What lies there.
        place: Where, as the renderer calls it.
        length_px: Its length in the picture.
        from_ms: When it came to lie.
        free_at_ms: When it had lain free for a second in all.
        named_ms: When the right name was settled, None when never.
        wrong: Another name that was settled in its place, or None.
        is_found: Whether it was named in time.
        is_lost: Whether the right track ended while the card went on lying free.
    """

    card: str
    place: str
    length_px: float
    from_ms: int
    free_at_ms: int
    named_ms: int | None
    wrong: str | None
    is_found: bool
    is_lost: bool
    centre: tuple[float, float]

    @property
    def is_failure(self) -> bool:
        """Whether anything about it went wrong."""
        return self.wrong is not None or not self.is_found or self.is_lost

    def as_json(self) -> dict[str, Any]:
        """The mark as plain values."""
        return asdict(self)


def marks_of(
    stays: Sequence[Mapping[str, Any]], tracks: Sequence[Track], frame_ms: float
) -> tuple[list[Mark], list[Track]]:
    """A mark for each stay that lay free for a second, and the tracks that no card explains.

    ``stays`` are as in the truth of a trial. Each track is of the nearest card of its name that lay there
    when it was settled; a track whose name lies nowhere near names the nearest card left over wrongly.
    """
    rights, others = _owned(stays, tracks)
    wrongs, made_up = _misnamed(stays, others, set(rights))
    marks = [
        _mark(stay, rights.get(number, []), wrongs.get(number, []), frame_ms)
        for number, stay in enumerate(stays)
        if len(stay["free_ms"]) * frame_ms >= FREE_MS
    ]
    return marks, made_up


def _owned(
    stays: Sequence[Mapping[str, Any]], tracks: Sequence[Track]
) -> tuple[dict[int, list[Track]], list[Track]]:
    rights: dict[int, list[Track]] = {}
    others: list[Track] = []
    for track in tracks:
        near = [
            number
            for number, stay in enumerate(stays)
            if stay["card"] == track.card and _lies_at(stay, track) and _away(stay, track) < NEAR
        ]
        if near:
            best = min(near, key=lambda number: _away(stays[number], track))
            rights.setdefault(best, []).append(track)
        elif track.card is not None:
            others.append(track)
    return rights, others


def _misnamed(
    stays: Sequence[Mapping[str, Any]], others: Sequence[Track], named: set[int]
) -> tuple[dict[int, list[Track]], list[Track]]:
    wrongs: dict[int, list[Track]] = {}
    made_up: list[Track] = []
    for track in others:
        near = [
            number for number, stay in enumerate(stays) if _lies_at(stay, track) and _away(stay, track) < NEAR
        ]
        # A card already named by another track is not misnamed by this one, unless nothing else is near.
        left = [number for number in near if number not in named] or near
        if left:
            best = min(left, key=lambda number: _away(stays[number], track))
            wrongs.setdefault(best, []).append(track)
        else:
            made_up.append(track)
    return wrongs, made_up


def _mark(stay: Mapping[str, Any], rights: Sequence[Track], wrongs: Sequence[Track], frame_ms: float) -> Mark:
    free = list(stay["free_ms"])
    needed = int(np.ceil(FREE_MS / frame_ms))
    free_at_ms = free[needed - 1] + round(frame_ms)
    named_ms = min((track.from_ms for track in rights), default=None)
    held_until = max((track.until_ms for track in rights), default=0)
    missing = [at_ms for at_ms in free if named_ms is not None and not _is_held(at_ms, rights, named_ms)]
    return Mark(
        card=stay["card"],
        place=stay["place"],
        length_px=stay["length_px"],
        from_ms=stay["from_ms"],
        free_at_ms=free_at_ms,
        named_ms=named_ms,
        wrong=wrongs[0].card if wrongs else None,
        is_found=named_ms is not None and named_ms <= free_at_ms,
        is_lost=len(missing) * frame_ms > LOST_MS and held_until > 0,
        centre=_centre(stay),
    )


def _is_held(at_ms: int, rights: Sequence[Track], named_ms: int) -> bool:
    return at_ms < named_ms or any(track.from_ms <= at_ms <= track.until_ms for track in rights)


def _lies_at(stay: Mapping[str, Any], track: Track) -> bool:
    """Whether the card lay there when the track was settled, or had just been taken."""
    return bool(stay["from_ms"] - BEFORE_MS <= track.from_ms <= stay["until_ms"] + GONE_MS)


def _away(stay: Mapping[str, Any], track: Track) -> float:
    x, y = _centre(stay)
    return float(np.hypot(track.centre[0] - x, track.centre[1] - y)) / float(stay["length_px"])


def _centre(stay: Mapping[str, Any]) -> tuple[float, float]:
    x, y = np.asarray(stay["quad"], np.float64).mean(axis=0)
    return float(x), float(y)
