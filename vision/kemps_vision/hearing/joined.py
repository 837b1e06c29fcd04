"""Several sources of sound as one: a channel for each seat's microphone, and one for every other source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.errors import SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.sources import SoundBlock, SoundHealth, SoundSource

WAITING_S: Final = 4.0  # that one source may lag behind another before it is silence


class JoinedSound:
    """The sounds of several devices side by side, laid onto one clock sample by sample.

    Args:
        sources: Each with the seats of its channels; one without seats is mixed to a single channel.

    Raises:
        SourceError: There are not as many channels as seats.
    """

    def __init__(self, sources: Sequence[tuple[SoundSource, Sequence[Seat]]]) -> None:
        for source, seats in sources:
            if seats and len(seats) != source.channels:
                raise SourceError(
                    f"{source.name}: has {source.channels} channels, "
                    f"but {len(seats)} seats were given for them"
                )
        self._sources = [source for source, _ in sources]
        self._worn = [tuple(seats) for _, seats in sources]
        self.seats: tuple[Seat | None, ...] = tuple(
            seat for seats in self._worn for seat in (seats or (None,))
        )
        """Whose microphone each channel is; None for one that hears everybody."""
        self.channels = len(self.seats)
        self.name = ", ".join(source.name for source in self._sources)
        self.is_live = any(source.is_live for source in self._sources)

    @property
    def health(self) -> SoundHealth:
        """The worst that was measured of any."""
        every = [source.health for source in self._sources]
        drifts = [one.drift_ppm for one in every if one.drift_ppm is not None]
        return SoundHealth(
            gaps=sum(one.gaps for one in every),
            missing_ms=max((one.missing_ms for one in every), default=0.0),
            off_ms=max((abs(one.off_ms) for one in every), default=0.0),
            drift_ppm=max(drifts, key=abs, default=None),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        return tuple(note for source in self._sources for note in source.notes)

    def close(self) -> None:
        """Release all; may be called twice."""
        for source in self._sources:
            source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[SoundBlock]:
        """What all of them have told; one that has ended is silent from then on."""
        rows = [_Row(source, seats) for source, seats in zip(self._sources, self._worn, strict=True)]
        for row in rows:
            row.read()
        at = min((row.begin for row in rows if len(row.kept)), default=0)
        while True:
            until = max((row.end for row in rows), default=at)
            going = [row for row in rows if not row.is_over]
            if going:
                slowest = min(going, key=lambda row: row.end)
                until = max(slowest.end, until - round(WAITING_S * RATE))
            if until > at:
                parts = [row.taken(at, until) for row in rows]
                yield SoundBlock(1000 * at / RATE, np.concatenate(parts, axis=1), self.health.off_ms)
                at = until
            if not going:
                return
            slowest.read()


class _Row:
    """One source: what of it was read and not taken yet, on the common clock's samples."""

    def __init__(self, source: SoundSource, seats: Sequence[Seat]) -> None:
        self._blocks = iter(source)
        self._is_mixed = not seats
        self.kept: NDArray[np.float32] = np.zeros((0, len(seats) or 1), np.float32)
        self.begin = 0
        self.is_over = False
        self._is_placed = False

    @property
    def end(self) -> int:
        return self.begin + len(self.kept)

    def read(self) -> None:
        """One more block, or the end."""
        block = next(self._blocks, None)
        if block is None:
            self.is_over = True
            return
        samples = block.samples.mean(axis=1, keepdims=True) if self._is_mixed else block.samples
        if not self._is_placed:  # a source has no holes, so that only its first block has to be placed
            self._is_placed, self.begin = True, round(block.at_ms * RATE / 1000)
        self.kept = np.concatenate([self.kept, samples])

    def taken(self, begin: int, until: int) -> NDArray[np.float32]:
        """The samples of a span (n, channels), with silence where there is none; they are let go of."""
        part = np.zeros((until - begin, self.kept.shape[1]), np.float32)
        first, last = max(begin, self.begin), min(until, self.end)
        if last > first:
            part[first - begin : last - begin] = self.kept[first - self.begin : last - self.begin]
        gone = max(0, min(until, self.end) - self.begin)
        self.kept, self.begin = self.kept[gone:], self.begin + gone
        return part
