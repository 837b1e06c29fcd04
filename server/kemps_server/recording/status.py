"""What the cameras and the recording of a running game do: ``live.json`` in its folder, and a line."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

STATUS: Final = "live.json"
EVERY_MS: Final = 1000
SMOOTHING: Final = 0.2  # about the last five frames

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraStatus:
    """One camera of a running game."""

    name: str
    state: str  # open, lost, ended, or closed
    used: int  # frames
    dropped: int  # frames for which there was no time
    silent_ms: int
    skew_ms: int | None = None  # behind the table camera; None when it was never measured


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStatus:
    """A running game at ``at_ms`` of its clock.

    Attributes:
        latency_ms: From a frame's capture until its events stood in the journal, of late.
        recording: ``on``, ``full``, ``failed`` or ``off``.
        recorded_bytes: What the video takes.
        is_running: False once the game has ended.
    """

    at_ms: int
    latency_ms: int
    cameras: tuple[CameraStatus, ...]
    recording: str
    recorded_bytes: int = 0
    is_running: bool = True

    def line(self) -> str:
        """For the progress line."""
        lost = [camera.name for camera in self.cameras if camera.state == "lost"]
        parts = [f"{self.latency_ms} ms behind"]
        dropped = sum(camera.dropped for camera in self.cameras)
        parts += [f"{dropped} frames dropped"] if dropped else []
        parts += [f"LOST: {', '.join(lost)}"] if lost else []
        parts.append(
            f"recorded {self.recorded_bytes / 1e6:.0f} MB"
            if self.recording == "on"
            else f"recording: {self.recording}"
        )
        return " · ".join(parts)


class Meter:
    """How long after its capture a frame's events stood in the journal; times in ms."""

    def __init__(self) -> None:
        self.smooth_ms = 0.0

    def frame(self, at_ms: int, latency_ms: int) -> None:
        """A frame of the table camera has been worked through."""
        del at_ms
        self.smooth_ms += SMOOTHING * (latency_ms - self.smooth_ms)

    def event(self, latency_ms: int) -> None:
        """An event stands in the journal, so long after the capture of the frame that settled it."""


class StatusFile:
    """``live.json``, written anew now and then; readers never see half of it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATUS
        self._last_ms: int | None = None
        self._is_told = False

    def is_due(self, at_ms: int) -> bool:
        """Whether a second has passed."""
        return self._last_ms is None or at_ms - self._last_ms >= EVERY_MS

    def write(self, status: LiveStatus) -> None:
        """Replace the file; what cannot be written is told once and left out."""
        self._last_ms = status.at_ms
        row: dict[str, Any] = asdict(status)
        new = self._path.with_name(f".{STATUS}.new")
        try:
            new.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
            new.replace(self._path)
        except OSError as error:
            if not self._is_told:
                self._is_told = True
                _log.warning(
                    "%s cannot be written: %s; the game goes on", self._path, error.strerror or error
                )
