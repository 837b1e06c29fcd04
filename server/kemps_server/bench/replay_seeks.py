"""Random moments of films whose frames carry their numbers: is the frame shown the one of the moment?"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from kemps_server.bench.numbered_film import HEIGHT, WIDTH, Kind, make_clip, number_in
from kemps_server.bench.served_game import percentile
from kemps_server.film.film import Film
from kemps_vision.sources.files import VideoFile

SCALE: Final = 8  # 768x512
FRAMES: Final = 3000
_UNEVEN: Final = (3000, 1500, 9001, 2999, 700, 30011, 3003)  # ticks of 1/90000 s
_PHONE: Final = {"bf": "3", "preset": "veryfast"}
KINDS: Final = {
    "constant rate": Kind(name="constant.mp4", b_frames=3, gop=250, options=_PHONE, scale=SCALE),
    "variable rate": Kind(
        name="variable.mp4",
        b_frames=3,
        gop=250,
        options=_PHONE,
        scale=SCALE,
        steps=_UNEVEN,
        base=Fraction(1, 90000),
    ),
}
"""Two minutes as a telephone writes them: ten seconds from one key picture to the next, and B-frames."""


@dataclass(frozen=True, slots=True)
class Seeks:
    """Frames sought at random moments.

    Attributes:
        seeks: How many.
        wrong: How many showed another frame than the one on show at the moment.
        p50_ms: Until the picture was there, decoded; half of them.
        p95_ms: 95 of 100.
        index_ms: Until the index of the file was made, once.
    """

    seeks: int
    wrong: int
    p50_ms: float
    p95_ms: float
    index_ms: float


def seek_all(count: int, frames: int = FRAMES) -> dict[str, Seeks]:
    """Seeks in a film of each kind; the truth is the file watched from its beginning."""
    with TemporaryDirectory() as place:
        return {
            name: _seek(Path(place), kind, count, frames, Random(seed))  # noqa: S311 - no secret
            for seed, (name, kind) in enumerate(KINDS.items(), 1)
        }


def _seek(place: Path, kind: Kind, count: int, frames: int, random: Random) -> Seeks:
    clip = make_clip(place, kind, frames)
    folder = place / f"of-{kind.name}"
    folder.mkdir()
    size = [WIDTH * kind.scale, HEIGHT * kind.scale]
    note = {"kind": "file", "name": clip.name, "size": size, "fps": 25.0, "path": str(clip)}
    (folder / "recording.json").write_text(json.dumps(note), encoding="utf-8")
    with VideoFile(str(clip)) as source:
        times = [frame.at_ms for frame in source]
    with Film.beside(folder) as film:
        begun = time.perf_counter()
        until_ms = film.cameras[0].until_ms
        index_ms = 1000 * (time.perf_counter() - begun)
        moments = [random.randint(0, until_ms) for _ in range(count)]
        return _shown(film, times, moments, index_ms)


def _shown(film: Film, times: Sequence[int], moments: Sequence[int], index_ms: float) -> Seeks:
    wrong, took = 0, []
    for moment in moments:
        begun = time.perf_counter()
        frame = film.frame_at("table", moment)
        took.append(1000 * (time.perf_counter() - begun))
        wanted = bisect_right(times, moment) - 1
        wrong += (number_in(frame.pixels), frame.at_ms) != (wanted, times[wanted])
    return Seeks(len(moments), wrong, percentile(took, 0.5), percentile(took, 0.95), index_ms)
