"""Hands and forearms as capsules, and the skins and sleeves of eight people.

Millimetres in the arm's own plane: x to the right, y towards the fingertips, z above the plane, the wrist at
(0, 0), a right hand seen from above. ``GRIP_MM`` lies between thumb and fingers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kemps_scenes.pen import Colour

POSTURES: Final = ("rest", "grip", "cover", "hold")
GRIP_MM: Final = (-12.0, 148.0)

# x, y, z and radius at both ends
Capsule = tuple[tuple[float, float, float, float], tuple[float, float, float, float]]


@dataclass(frozen=True, slots=True)
class Skin:
    """The look of one person's arms."""

    tone: Colour
    sleeve: Colour
    cuff: Colour
    bare_mm: float = 45.0  # how much of the forearm the sleeve leaves free


PEOPLE: Final = (
    Skin((224, 172, 140), (52, 78, 128), (74, 102, 156), 40.0),
    Skin((141, 92, 62), (176, 64, 56), (150, 48, 44), 150.0),
    Skin((240, 200, 172), (58, 92, 74), (84, 122, 98), 30.0),
    Skin((198, 140, 98), (196, 190, 178), (170, 164, 152), 90.0),
    Skin((96, 62, 46), (224, 180, 84), (196, 150, 60), 55.0),
    Skin((232, 184, 158), (96, 66, 110), (122, 90, 136), 200.0),
    Skin((176, 120, 84), (60, 62, 70), (84, 86, 96), 35.0),
    Skin((214, 160, 124), (222, 226, 230), (196, 202, 210), 120.0),
)


def _finger(
    base: tuple[float, float], joint: tuple[float, float], tip: tuple[float, float], r: float
) -> list[Capsule]:
    middle = ((joint[0] * 0.45 + tip[0] * 0.55), (joint[1] * 0.45 + tip[1] * 0.55))
    return [
        ((*base, 15, r * 1.12), (*joint, 20, r)),
        ((*joint, 20, r), (*middle, 14, r * 0.92)),
        ((*middle, 14, r * 0.92), (*tip, 6, r * 0.80)),
    ]


PALM: Final[list[Capsule]] = [
    ((-8, -4, 8, 17), (-21, 84, 12, 13)),
    ((0, -4, 10, 20), (0, 90, 14, 13)),
    ((8, -4, 8, 17), (19, 84, 12, 12.5)),
    ((11, 4, 4, 15), (35, 72, 8, 11.5)),
    ((-10, 8, 2, 15), (-32, 48, 4, 13)),
]
FINGERS: Final[dict[str, list[Capsule]]] = {
    "rest": [
        *_finger((-22, 88), (-30, 124), (-33, 158), 9.0),
        *_finger((-1, 94), (-3, 136), (-4, 173), 9.4),
        *_finger((19, 88), (25, 126), (27, 160), 8.8),
        *_finger((36, 75), (47, 104), (52, 131), 7.6),
    ],
    "grip": [
        *_finger((-22, 88), (-27, 126), (-16, 160), 9.0),
        *_finger((-1, 94), (-3, 134), (0, 168), 9.4),
        *_finger((19, 88), (21, 120), (15, 147), 8.8),
        *_finger((36, 75), (40, 100), (33, 123), 7.6),
    ],
    "cover": [
        *_finger((-22, 88), (-23, 126), (-21, 162), 9.2),
        *_finger((-1, 94), (-2, 138), (-1, 176), 9.6),
        *_finger((19, 88), (19, 128), (18, 164), 9.0),
        *_finger((36, 75), (38, 106), (36, 136), 7.8),
    ],
    "hold": [
        *_finger((-22, 88), (-25, 122), (-13, 146), 9.0),
        *_finger((-1, 94), (-2, 128), (4, 152), 9.4),
        *_finger((19, 88), (21, 118), (22, 142), 8.8),
        *_finger((36, 75), (41, 98), (37, 120), 7.6),
    ],
}
THUMBS: Final[dict[str, list[Capsule]]] = {
    "rest": [((-30, 34, 6, 14), (-55, 70, 8, 11)), ((-55, 70, 8, 11), (-62, 104, 4, 8.6))],
    "grip": [
        ((-30, 36, 4, 14), (-50, 78, 4, 11)),
        ((-50, 78, 4, 11), (-34, 122, 0, 9)),
        ((-34, 122, 0, 9), (-20, 143, 0, 8)),
    ],
    "cover": [((-30, 34, 6, 14), (-50, 72, 8, 11)), ((-50, 72, 8, 11), (-47, 106, 4, 8.6))],
    "hold": [
        ((-30, 36, 4, 14), (-52, 74, 4, 11)),
        ((-52, 74, 4, 11), (-40, 112, 0, 9)),
        ((-40, 112, 0, 9), (-24, 136, 0, 8)),
    ],
}
FOREARM: Final[list[Capsule]] = [((0, 4, 8, 24), (0, -130, 14, 33)), ((0, -130, 14, 33), (0, -330, 18, 42))]
