"""The clips of made-up people that the followers of people are measured on, drawn once and kept.

Their seeds, from ``FIRST_SEED`` on, were used for nothing else: no threshold was chosen with them in sight.
Those that were looked at to mend what they showed are ``SEEN``, and no longer among them.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import platformdirs

from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.errors import KempsServerError

FIRST_SEED: Final = 70_001
FPS: Final = 15
SEEN: Final = frozenset({*range(70_022, 70_027), 70_034, 70_035, 70_036, 70_042, 70_043, 70_046, 70_050})
TABLE_SCRIPTS: Final = frozenset({"idle", "reaches", "contacts", "near_misses", "passes", "hidden", "fouls"})


@dataclass(frozen=True, slots=True)
class Series:
    """So many clips of one script, each with a seed of its own.

    Attributes:
        script: One of ``kemps_scenes.bodies.scripts``.
        count: How many clips.
        seconds: How long each is.
        people: How many are in the picture; at a table always four.
        distance_m: From the camera to the faces.
        size: Width and height of the picture, px.
    """

    script: str
    count: int
    seconds: int
    people: int = 4
    distance_m: float = 2.2
    size: tuple[int, int] = (1280, 720)


_ROW: Final = (1600, 560)  # four faces 75 to 95 px wide, as at 2.7 m from a 1080p camera
SERIES: Final = (
    Series("winks", 4, 30, people=2, distance_m=1.2),
    Series("winks", 1, 30, size=_ROW),
    Series("talk", 6, 60, size=_ROW),
    Series("talk", 3, 60, people=2, distance_m=1.3),
    Series("signals", 2, 40, people=2, distance_m=1.3),
    Series("still", 1, 32, size=_ROW),
    Series("still", 1, 32, people=1, distance_m=1.0),
    Series("grimaces", 1, 40, people=2, distance_m=1.2),
    Series("nods", 1, 40, people=2, distance_m=1.3),
    Series("hands_on_faces", 1, 40, people=2, distance_m=1.3),
    Series("reaches", 12, 30),
    Series("contacts", 8, 25),
    Series("near_misses", 4, 25),
    Series("hidden", 4, 25),
    Series("fouls", 2, 30),
    Series("passes", 1, 25),
    Series("idle", 1, 62),
    # In the place of those that were seen.
    Series("reaches", 6, 30),
    Series("contacts", 4, 25),
    Series("near_misses", 2, 25),
    Series("hidden", 3, 25),
    Series("fouls", 1, 30),
)


@dataclass(frozen=True, slots=True)
class BodyClip:
    """One clip to be: a script, a seed, and what it is played with."""

    script: str
    seed: int
    seconds: int
    people: int
    distance_m: float
    size: tuple[int, int]

    @property
    def name(self) -> str:
        """Such as ``talk-70004``."""
        return f"{self.script}-{self.seed}"

    @property
    def is_of_table(self) -> bool:
        """Whether it is seen by the table camera, not by one for faces."""
        return self.script in TABLE_SCRIPTS


@dataclass(frozen=True, slots=True)
class DrawnClip:
    """The files of a clip that was drawn."""

    clip: BodyClip
    video: Path
    truth_file: Path
    table: Path

    def truth(self) -> dict[str, Any]:
        """What happens in it, as ``kemps_scenes/bodies/README.md`` tells."""
        truth: dict[str, Any] = json.loads(self.truth_file.read_text("utf-8"))
        return truth


@cache
def body_clips() -> tuple[BodyClip, ...]:
    """All clips, so mixed that any beginning of the list has its share of every script."""
    every = [series for series in SERIES for _ in range(series.count)]
    clips = [
        BodyClip(one.script, FIRST_SEED + place, one.seconds, one.people, one.distance_m, one.size)
        for place, one in enumerate(every)
        if FIRST_SEED + place not in SEEN
    ]
    count, met = Counter(clip.script for clip in clips), Counter[str]()
    placed: list[tuple[float, int, BodyClip]] = []
    for clip in clips:
        placed.append(((met[clip.script] + 0.5) / count[clip.script], clip.seed, clip))
        met[clip.script] += 1
    return tuple(clip for _, _, clip in sorted(placed, key=lambda one: one[:2]))


def chosen_clips(minutes: float) -> tuple[BodyClip, ...]:
    """The first clips that last so many minutes together, at least one; all for 0."""
    if not minutes:
        return body_clips()
    chosen: list[BodyClip] = []
    for clip in body_clips():
        chosen.append(clip)
        if sum(one.seconds for one in chosen) >= 60 * minutes:
            break
    return tuple(chosen)


def is_drawn(clip: BodyClip, folder: Path) -> bool:
    """Whether the clip's files lie in ``folder``, made by this version of the code."""
    return _files(clip, folder).truth_file.is_file()


def people_folder() -> Path:
    """Where clips and results are kept: below what ``KEMPS_CACHE`` names, or in the user's cache folder."""
    own = os.environ.get("KEMPS_CACHE")
    return (Path(own) if own else Path(platformdirs.user_cache_dir("kemps"))) / "bench" / "people"


def drawn(clip: BodyClip, folder: Path) -> DrawnClip:
    """The clip's files in ``folder``, drawn unless they lie there, made by this version of the code.

    Raises:
        KempsServerError: The renderer is not here, because it is not part of the installed package.
        OSError: The files cannot be written.
    """
    try:
        from kemps_scenes.bodies.scripts import Setting, sitting  # noqa: PLC0415 - the wheel has no samples
    except ImportError:
        raise KempsServerError(
            "made-up people need the project's checkout; there run: pip install -e . (or omit --rendered)"
        ) from None
    found = _files(clip, folder)
    if found.truth_file.is_file():
        return found
    folder.mkdir(parents=True, exist_ok=True)
    width, height = clip.size
    setting = Setting(
        seed=clip.seed,
        seconds=clip.seconds,
        people=clip.people,
        distance_m=clip.distance_m,
        width=width,
        height=height,
        fps=FPS,
    )
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        sitting(clip.script, setting).write(Path(aside) / "clip.mp4")
        found.video.parent.mkdir(exist_ok=True)
        # The truth comes last: a clip without it is drawn again.
        for path in (found.video, found.table, found.truth_file):
            shutil.move(str(Path(aside) / path.name), path)
    return found


def _files(clip: BodyClip, folder: Path) -> DrawnClip:
    own = folder / f"{clip.name}-{_version(clip)}"
    return DrawnClip(clip, own / "clip.mp4", own / "clip.json", own / "clip.table.toml")


def _version(clip: BodyClip) -> str:
    width, height = clip.size
    played = f"{clip.seconds}s{clip.people}x{clip.distance_m:g}m{width}x{height}"
    return f"{played}-{code_fingerprint('kemps_scenes.bodies.scripts')}"
