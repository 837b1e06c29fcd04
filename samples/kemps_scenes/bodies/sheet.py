"""A sheet of made-up people: a row each, with their expressions side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from kemps_scenes.bodies.expressions import EXPRESSIONS
from kemps_scenes.bodies.figure import Look, figure_of
from kemps_scenes.bodies.lens import Lamp, Lens
from kemps_scenes.bodies.painter import Painter, Picture
from kemps_scenes.bodies.posture import Posture, Sitter
from kemps_scenes.bodies.scenery import room

SHOWN: Final = ("", "wink_left", "blink", "brow_raise", "frown", "look_left", "mouth_open", "pout", "smile")
_CELL_PX: Final = 240


def people_sheet(seeds: Sequence[int], expressions: Sequence[str] = SHOWN) -> Picture:
    """The sheet, RGB; an empty expression is the face at rest."""
    lens = Lens((0.0, -0.9, 0.52), (0.0, 0.0, 0.45), fov_deg=22.0, width=2 * _CELL_PX, height=2 * _CELL_PX)
    rows = []
    with Painter(lens.width, lens.height) as painter:
        for seed in seeds:
            sitter = Sitter(figure_of(Look.random(seed)), (0.0, 0.0), -90.0)
            cells = []
            for name in expressions:
                made = EXPRESSIONS[name] if name else None
                posture = Posture(made.units, made.yaw, made.pitch, made.roll) if made else Posture()
                backdrop = room(lens.width, lens.height, seed % 8)
                pixels = painter.draw(lens, Lamp(middle=(0, 0, 0.3)), [sitter.placed(posture)], (), backdrop)
                cells.append(cv2.resize(pixels, (_CELL_PX, _CELL_PX), interpolation=cv2.INTER_AREA))
            rows.append(np.hstack(cells))
    return np.asarray(np.vstack(rows), np.uint8)
