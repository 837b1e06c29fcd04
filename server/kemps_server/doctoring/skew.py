"""Whether the clocks of several cameras agree, told by a lamp that all of them see switched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final

from kemps_server.doctoring.findings import Finding, Level
from kemps_vision.frame import FrameSource
from kemps_vision.sources.skew import SkewGuard
from kemps_vision.sources.together import Together
from kemps_vision.zones import CameraZones

WATCHED_MS: Final = 8_000
WATCHED_FILE_MS: Final = 60_000
USUAL_FPS: Final = 30.0

Open = Callable[[str, str], FrameSource]
Clock = tuple[int | None, float]
"""By how many ms a camera is behind the table's, None where no lamp was switched; how long its frame is."""


def check_skew(cameras: Sequence[tuple[CameraZones, str]], open_named: Open) -> list[Finding]:
    """A finding for each camera beside the table's: by how much its times are off; see ``measure_skew``."""
    measured = measure_skew(cameras, open_named)
    return [told_skew(camera, *measured[camera.name]) for camera, _ in cameras if camera.name in measured]


def measure_skew(cameras: Sequence[tuple[CameraZones, str]], open_named: Open) -> dict[str, Clock]:
    """The clocks of the cameras beside the table's, by name, told by a lamp that is switched.

    Args:
        cameras: Each with its source; the table's among them, or nothing is measured.
        open_named: Opens a source for the camera of that name.

    Raises:
        SourceError: A source cannot be opened.
    """
    table = next((one for one in cameras if one[0].role == "table"), None)
    others = [one for one in cameras if one is not table]
    if table is None or not others:
        return {}
    guard = SkewGuard(table[0].name, {camera.name: camera.offset_ms for camera, _ in others})
    with ExitStack() as opened:
        main = opened.enter_context(open_named(table[1], table[0].name))
        beside = [
            (opened.enter_context(open_named(where, camera.name)), camera.offset_ms)
            for camera, where in others
        ]
        frame_ms = {
            camera.name: 1000 / max(1.0, source.info.fps or USUAL_FPS)
            for (camera, _), (source, _) in zip(others, beside, strict=True)
        }
        most_ms = WATCHED_MS if main.info.is_live else WATCHED_FILE_MS
        for frame in Together(main, beside):
            guard.admits(frame)
            if frame.at_ms >= most_ms:
                break
    measured = guard.measured
    return {name: (measured.get(name), length) for name, length in frame_ms.items()}


def told_skew(
    camera: CameraZones, behind_ms: int | None, frame_ms: float, *, is_written: bool = False
) -> Finding:
    """What a measured skew means, None: no lamp was switched; ``is_written``: the file says it already."""
    about = f"clock of {camera.name}"
    if behind_ms is None:
        says = "it was not seen how far it is from the table camera's"
        return Finding(Level.NOTE, about, says, "switch the lamp off and on again while this runs")
    where = "behind" if behind_ms > 0 else "ahead of"
    says = f"it is {abs(behind_ms)} ms {where} the table camera's, a frame is {frame_ms:.0f} ms"
    if abs(behind_ms) <= frame_ms:
        return Finding(Level.OK, about, says)
    if is_written:
        return Finding(Level.OK, about, f"{says}; written as its offset_ms")
    offset = camera.offset_ms + behind_ms
    todo = f"set offset_ms = {offset} for {camera.name} in table.toml, or it is left out of the game"
    return Finding(Level.FIX, about, says, todo)
