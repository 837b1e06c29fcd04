"""Calls of a source of sound, as they become known: for `kemps listen`, and to be proposed to a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.events import Called
from kemps_rules.seats import Seat
from kemps_vision.errors import SourceError
from kemps_vision.hearing.callers import CALL_MS, level_db, loudest
from kemps_vision.hearing.deciding import proposed
from kemps_vision.hearing.detector import SAME_CALL_MS, CallDetector, Heard
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.listener import Heats
from kemps_vision.hearing.sources import SoundSource

KEPT_S: Final = 4.0  # of sound, to tell who called
STEP: Final = RATE // 10  # the network is asked ten times a second

Namer = Callable[[float, Sound, float], Seat | None]
"""Who called at a time, given the mixed sound and when that sound begins; None if nobody can tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """The sound round a call, all channels mixed; ``at_ms`` is when it begins, on the source's clock."""

    at_ms: float
    samples: Sound


@dataclass(frozen=True, slots=True)
class HeardCall:
    """A call on the source's clock, and who made it, if that is known."""

    heard: Heard
    seat: Seat | None
    clip: Clip | None = field(default=None, compare=False, repr=False)

    def as_event(self) -> Called:
        """The journal's event, a proposal."""
        return proposed(self.heard, self.seat)


@dataclass(frozen=True, slots=True)
class Listened:
    """A tenth of a second that was listened to: when it ended, and the calls that are certain since."""

    until_ms: float
    calls: tuple[HeardCall, ...]


class Listening:
    """Listens to one source.

    With ``seats``, each channel is that seat's own microphone: each is listened to, and the loudest names the
    caller; a channel whose seat is None hears everybody, and is listened to as well. Without seats, or where
    they do not tell, the channels are mixed and ``namer`` is asked.
    ``at`` is told how far it has come, in ms.

    Raises:
        SourceError: There are not as many channels as seats.
    """

    def __init__(
        self,
        source: SoundSource,
        *,
        seats: Sequence[Seat | None] = (),
        namer: Namer | None = None,
        listener: Heats | None = None,
        least: float = 1.0,
        at: Callable[[float], None] | None = None,
    ) -> None:
        if seats and len(seats) != source.channels:
            raise SourceError(
                f"{source.name}: has {source.channels} channels, but {len(seats)} seats were given for them"
            )
        self._source, self._seats, self._namer, self._at = source, tuple(seats), namer, at
        self._detectors = [CallDetector(listener, least) for _ in (self._seats or ("",))]
        self._waiting: NDArray[np.float32] = np.zeros((0, source.channels), np.float32)
        self._kept: NDArray[np.float32] = np.zeros((0, source.channels), np.float32)
        self._first_ms: float | None = None
        self._off_ms = 0.0
        self._counted = 0
        self._told: list[Heard] = []

    def __iter__(self) -> Iterator[HeardCall]:
        """The calls, in the order in which they become certain, at most 1.6 s after their onsets."""
        for listened in self.steps():
            yield from listened.calls

    def steps(self) -> Iterator[Listened]:
        """The same, a tenth of a second at a time."""
        for block in self._source:
            if self._first_ms is None:
                self._first_ms = block.at_ms
            self._off_ms = block.off_ms
            self._waiting = np.concatenate([self._waiting, block.samples])
            if self._at is not None:
                self._at(block.at_ms)
            while len(self._waiting) >= STEP:
                part, self._waiting = self._waiting[:STEP], self._waiting[STEP:]
                yield self._fed(part, lambda detector, sound: detector.feed(sound))
        yield self._fed(self._waiting, lambda detector, sound: [*detector.feed(sound), *detector.finish()])

    def _fed(self, part: NDArray[np.float32], feed: Callable[[CallDetector, Sound], list[Heard]]) -> Listened:
        self._kept = np.concatenate([self._kept, part])[-round(KEPT_S * RATE) :]
        self._counted += len(part)
        channels = part.T if self._seats else part.mean(axis=1)[None]
        heard = [
            one
            for detector, sound in zip(self._detectors, channels, strict=True)
            for one in feed(detector, np.ascontiguousarray(sound))
        ]
        calls = []
        for one in sorted(heard, key=lambda one: (one.at_ms, -one.score)):
            at_ms = one.at_ms + (self._first_ms or 0.0)
            # Before the first picture there is no game.
            if at_ms >= 0 and not self._is_known(one):
                self._told.append(one)
                calls.append(HeardCall(self._on_clock(one), self._caller(one), self._clip()))
        return Listened((self._first_ms or 0.0) + 1000 * self._counted / RATE, tuple(calls))

    def _is_known(self, one: Heard) -> bool:
        """Whether another microphone heard the same call before."""
        self._told = [other for other in self._told if one.at_ms - other.at_ms < 10 * SAME_CALL_MS]
        return any(
            other.call == one.call and abs(other.at_ms - one.at_ms) < SAME_CALL_MS for other in self._told
        )

    def _on_clock(self, one: Heard) -> Heard:
        first_ms = self._first_ms or 0.0
        return replace(
            one,
            at_ms=one.at_ms + first_ms,
            reported_ms=one.reported_ms + first_ms,
            uncertainty_ms=one.uncertainty_ms + round(self._off_ms),
        )

    def _clip(self) -> Clip:
        kept_ms = 1000 * (self._counted - len(self._kept)) / RATE
        return Clip(kept_ms + (self._first_ms or 0.0), self._kept.mean(axis=1))

    def _caller(self, one: Heard) -> Seat | None:
        if one.is_overlapped:
            return None
        kept_ms = 1000 * (self._counted - len(self._kept)) / RATE
        levels = {
            seat: level_db(self._kept[:, place], one.at_ms, kept_ms)
            for place, seat in enumerate(self._seats)
            if seat is not None
        }
        if levels:
            return loudest(levels)
        if self._namer is None or one.at_ms + CALL_MS < kept_ms:
            return None
        first_ms = self._first_ms or 0.0
        return self._namer(one.at_ms + first_ms, self._kept.mean(axis=1), kept_ms + first_ms)
