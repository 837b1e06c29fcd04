"""Strips of what went wrong in clips of people: of each kind of failure a share, clip by clip."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kemps_server.bench.people_clips import BodyClip, drawn
from kemps_server.bench.people_sheet import strips_of
from kemps_vision.cards.reading import Pixels

MOST: Final = 45  # strips of faces, and as many of tables
A_CLIP: Final = 6

Failures = Sequence[Mapping[str, Any]]


def shared_strips(folder: Path, failures: Failures) -> list[Pixels]:
    """Strips of the clips of the other renderer in a folder."""
    strips: list[Pixels] = []
    for name in sorted({failure["clip"] for failure in failures}):
        truth = json.loads((folder / f"{name}.json").read_text("utf-8"))
        some = [failure for failure in failures if failure["clip"] == name]
        strips += strips_of(some, folder / f"{name}.mp4", truth, A_CLIP)
    return strips


def body_strips(clips: Sequence[BodyClip], rendered: Mapping[str, Any], work: Path) -> list[Pixels]:
    """Strips of clips of made-up people; ``rendered`` are their figures."""
    strips: list[Pixels] = []
    for part in ("faces", "tables"):
        failures: Failures = rendered[part]["failures"]
        drawn_here: list[Pixels] = []
        for clip in clips:
            some = [failure for failure in failures if failure["clip"] == clip.name]
            if not some or len(drawn_here) >= MOST:
                continue
            made = drawn(clip, work / "clips")
            most = min(A_CLIP, MOST - len(drawn_here))
            drawn_here += strips_of(some, made.video, made.truth(), most)
        strips += drawn_here
    return strips
