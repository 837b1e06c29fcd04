"""The cards of a sweep: spans of a recording in which nothing moves, each with the frames to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import Pixels
from kemps_vision.frame import Frame

MIN_REST_MS: Final = 350
"""How long a card must lie still to count; a card dealt at a steady pace lies for a second."""

_WIDTH: Final = 480  # px at which frames are compared: a pip of a card 100 px long is 5 px there
_CHANGED: Final = 22  # grey levels: noise has 2 to 4, and the light's flicker is taken out before
_MOVING_PX: Final = 40  # changed px from frame to frame while something moves; noise alone gives under 5
_OTHER_PX: Final = 18  # from rest to rest: two cards of one suit differ in an index and a pip at least
_KEPT: Final = 6  # frames of a rest

Grey = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """A span in which nothing moved.

    Attributes:
        frames: Up to six pictures from all over it, in order; RGB uint8 (h, w, 3).
        at_ms: When it began.
        changed: (h, w) of a picture 480 px wide: what differs from the rest before; None for the first.
    """

    frames: tuple[Pixels, ...]
    at_ms: int
    changed: NDArray[np.bool_] | None


def rests(frames: Iterable[Frame]) -> Iterator[Rest]:
    """The rests of a recording that show something else than the one before, in order.

    A rest goes out when it ends. A hand that passes over a card and leaves it as it was ends none.
    """
    before: Grey | None = None
    for kept, small, at_ms in _still_spans(frames):
        changed = None if before is None else _changes(small, before)
        if changed is None or np.count_nonzero(changed) >= _OTHER_PX:
            yield Rest(kept, at_ms, changed)
        before = small


def _still_spans(frames: Iterable[Frame]) -> Iterator[tuple[tuple[Pixels, ...], Grey, int]]:
    """Frames to keep, the mean small picture and the start of each span without movement."""
    span = _Span()
    last: Grey | None = None
    for frame in frames:
        small = _small(frame.pixels)
        if last is None or small.shape != last.shape or _moves(small, last):
            if span.lasted:
                yield span.kept, span.mean, span.from_ms
            span = _Span()
        else:
            span.add(frame, small)
        last = small
    if span.lasted:
        yield span.kept, span.mean, span.from_ms


class _Span:
    """Frames without movement; a card may lie there for a minute, so only some pictures are kept."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []
        self._every = 1
        self._count = 0
        self._total: Grey | None = None
        self.from_ms = self._until_ms = 0

    def add(self, frame: Frame, small: Grey) -> None:
        if self._count == 0:
            self.from_ms = frame.at_ms
        self._until_ms = frame.at_ms
        self._total = small if self._total is None else self._total + small
        if self._count % self._every == 0:
            self._frames.append(frame)
        self._count += 1
        if len(self._frames) > 2 * _KEPT:
            self._frames, self._every = self._frames[::2], self._every * 2

    @property
    def lasted(self) -> bool:
        return self._count > 1 and self._until_ms - self.from_ms >= MIN_REST_MS

    @property
    def kept(self) -> tuple[Pixels, ...]:
        rows = np.unique(np.linspace(0, len(self._frames) - 1, _KEPT).round().astype(int))
        return tuple(self._frames[int(row)].pixels for row in rows)

    @property
    def mean(self) -> Grey:
        assert self._total is not None  # noqa: S101 - a span that lasted has frames
        return np.asarray(self._total / np.float32(self._count), np.float32)


def _small(pixels: Pixels) -> Grey:
    """Grey, 480 px wide, without the level of the light."""
    height = max(1, round(pixels.shape[0] * _WIDTH / pixels.shape[1]))
    grey = cv2.resize(
        cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (_WIDTH, height), interpolation=cv2.INTER_AREA
    )
    return np.asarray(grey, np.float32) * np.float32(110 / max(float(grey.mean()), 1.0))


def _moves(small: Grey, last: Grey) -> bool:
    return int(np.count_nonzero(_changes(small, last))) >= _MOVING_PX


def _changes(small: Grey, last: Grey) -> NDArray[np.bool_]:
    return np.asarray(cv2.absdiff(cv2.blur(small, (2, 2)), cv2.blur(last, (2, 2))) > _CHANGED)
