"""A folder of pictures as a source: sorted by name, one every fixed interval."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import cv2
import numpy as np

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState, TimeBasis

STILLS_INTERVAL_MS: Final = 100
PICTURE_ENDINGS: Final = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})


class StillFolder:
    """The pictures of a folder, named in natural order (2 before 10), ``interval_ms`` apart.

    A picture that cannot be read, or has another size than the first, is skipped and counted;
    the others keep their times.
    """

    def __init__(self, folder: Path, *, camera: str = "table", interval_ms: int = STILLS_INTERVAL_MS) -> None:
        self._camera = camera
        self._interval_ms = interval_ms
        self.state = SourceState.OPEN
        self.dropped = 0
        self.skipped = 0
        self._notes: list[str] = []
        self._paths = sorted((path for path in folder.iterdir() if _is_picture(path)), key=_natural)
        if not self._paths:
            raise SourceError(
                f"{folder}: there are no pictures in this folder ({' '.join(sorted(PICTURE_ENDINGS))})"
            )
        first = next((picture for path in self._paths if (picture := _read(path)) is not None), None)
        if first is None:
            raise SourceError(f"{folder}: none of the {len(self._paths)} pictures in this folder can be read")
        self.info = SourceInfo(
            name=folder.name,
            where=str(folder),
            kind="stills",
            width=first.shape[1],
            height=first.shape[0],
            fps=1000 / interval_ms,
            duration_ms=len(self._paths) * interval_ms,
            frame_count=len(self._paths),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The pictures that were left out, a line each."""
        return tuple(self._notes)

    @property
    def lost_spans(self) -> tuple[tuple[int, int | None], ...]:
        """A folder has none."""
        return ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the source; may be called twice."""
        self.state = SourceState.CLOSED

    def __iter__(self) -> Iterator[Frame]:
        """The pictures by name."""
        for index, path in enumerate(self._paths):
            if self.state is not SourceState.OPEN:
                return
            picture = _read(path)
            if picture is None or picture.shape[:2] != (self.info.height, self.info.width):
                self.skipped += 1
                why = "cannot be read" if picture is None else "has another size than the first"
                self._notes.append(f"{path.name}: left out, it {why}")
                continue
            yield Frame(self._camera, index, index * self._interval_ms, picture, TimeBasis.COUNT)
        self.state = SourceState.ENDED


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in PICTURE_ENDINGS and path.is_file() and not path.name.startswith(".")


def _natural(path: Path) -> tuple[tuple[int, int, str], ...]:
    parts = re.split(r"(\d+)", path.name.lower())
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)


def _read(path: Path) -> Image | None:
    # imdecode over bytes: imread cannot open every name on every system, and prints to stderr itself.
    data = np.frombuffer(path.read_bytes(), np.uint8)
    if not data.size:
        return None
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else np.ascontiguousarray(picture[:, :, ::-1]).astype(np.uint8, copy=False)
