"""How fast clips of made-up people are made: frames a second of processor time, noise and truth included."""

from __future__ import annotations

import time
from typing import Final

from kemps_scenes.bodies.scripts import Setting, sitting

_CASES: Final = {
    "a face at 1 m": ("signals", Setting(seed=3, seconds=2.0, people=1, distance_m=1.0)),
    "a face at 2 m": ("signals", Setting(seed=3, seconds=2.0, people=1, distance_m=2.0)),
    "four faces at 2.2 m": ("signals", Setting(seed=3, seconds=2.0, people=4, distance_m=2.2)),
    "a table of four": ("fouls", Setting(seed=3, seconds=2.0)),
}


def speeds() -> dict[str, float]:
    """Frames of 1280x720 a second of processor time, by what they show.

    Meshes and graphics are made before the clock starts. The software OpenGL uses all processors; set
    ``LP_NUM_THREADS=1`` and ``OMP_NUM_THREADS=1`` for one.
    """
    found = {}
    for name, (script, setting) in _CASES.items():
        frames = sitting(script, setting).frames()
        next(frames)
        start = time.process_time()
        count = sum(1 for _ in frames)
        found[name] = round(count / (time.process_time() - start), 1)
    return found
