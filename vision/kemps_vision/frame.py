"""A picture with its time, and what every source of pictures offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]


class TimeBasis(StrEnum):
    """Where a frame's time comes from."""

    PTS = "pts"  # the time stamp in the file or stream
    COUNT = "count"  # no usable time stamp: one nominal interval after the frame before
    CLOCK = "clock"  # the monotonic clock when the picture was captured


class SourceState(StrEnum):
    """What a source is doing."""

    OPEN = "open"
    LOST = "lost"  # a camera or stream that stopped sending; it is being opened again
    ENDED = "ended"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: RGB uint8 ``(h, w, 3)``, at ``at_ms`` after the first frame of its source."""

    camera: str
    index: int
    at_ms: int
    pixels: Image
    basis: TimeBasis = TimeBasis.PTS


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInfo:
    """What is known of a source before it is watched; sizes are those of the upright picture."""

    name: str
    where: str  # the path, URL or device it was opened by
    kind: str  # "file", "stream", "webcam" or "stills"
    width: int
    height: int
    fps: float
    duration_ms: int | None = None
    frame_count: int | None = None

    @property
    def is_live(self) -> bool:
        """Whether the pictures come as fast as they happen, so that late ones are dropped."""
        return self.kind in {"stream", "webcam"}


class FrameSource(Protocol):
    """Frames in the order of their times, once; close it or use it as a context manager."""

    @property
    def info(self) -> SourceInfo:
        """Name, size and what is known of the length."""
        ...

    @property
    def state(self) -> SourceState:
        """What the source is doing now."""
        ...

    @property
    def dropped(self) -> int:
        """How many frames came too fast to be watched."""
        ...

    @property
    def skipped(self) -> int:
        """How many frames were broken and left out."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each, for people."""
        ...

    @property
    def lost_spans(self) -> tuple[tuple[int, int | None], ...]:
        """Spans ``(from_ms, until_ms)`` in which nothing came; an open one ends with None."""
        ...

    def __iter__(self) -> Iterator[Frame]:
        """The frames from here on."""
        ...

    def close(self) -> None:
        """Release the file or camera; may be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
