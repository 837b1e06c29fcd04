"""What was not observed of a game that goes on after its observer was killed or stopped."""

from __future__ import annotations

from pathlib import Path

from kemps_rules.events import NotObserved
from kemps_server.observers.standing import Standing
from kemps_vision.errors import SourceError
from kemps_vision.interpret.centre import HOLD_LONGEST_MS
from kemps_vision.sources.frames_index import FRAMES_INDEX, End, Used, read_frames_index
from kemps_vision.zones import TableConfig


def gaps_of(folder: Path, config: TableConfig, standing: Standing, now_ms: int) -> list[NotObserved]:
    """What was not observed of a game that goes on: from the last frame that is sure to have been told."""
    from_ms = _observed_until(folder, standing) if standing.goes_on else now_ms
    if now_ms <= from_ms:
        return []
    return [
        NotObserved(
            at_ms=from_ms,
            until_ms=now_ms,
            camera=camera.name,
            role="faces" if camera.role == "faces" else "",
        )
        for camera in config.cameras or [config.table_camera]
    ]


def _observed_until(folder: Path, standing: Standing) -> int:
    """Until when all that was seen is told.

    What an observer that was killed still held back is lost with it.
    """
    last_ms: int | None = None
    is_whole = False
    try:
        for entry in read_frames_index(folder / FRAMES_INDEX):
            if isinstance(entry, Used | End):
                last_ms, is_whole = entry.at_ms, isinstance(entry, End)
    except SourceError:  # nothing was recorded, or the list ends where the disk was full
        last_ms = None
    if last_ms is None:
        last_ms, is_whole = standing.last_ms, False
    return last_ms if is_whole else max(0, last_ms - HOLD_LONGEST_MS)
