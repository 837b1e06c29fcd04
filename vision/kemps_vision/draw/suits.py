"""The four suits as outlines, so that a suit is known by its shape and never by its colour alone."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

# SVG path data in a box of 100 x 100, absolute M, C, L and Z only; a suit may be several overlapping pieces.
SUIT_PATHS: Final = {
    "c": (
        "M50 4 C62.5 4 72 13.5 72 25.5 C72 37.5 62.5 47 50 47 "
        "C37.5 47 28 37.5 28 25.5 C28 13.5 37.5 4 50 4 Z "
        "M27 38 C39 38 48.5 47.5 48.5 59.5 C48.5 71.5 39 81 27 81 "
        "C15 81 5.5 71.5 5.5 59.5 C5.5 47.5 15 38 27 38 Z "
        "M73 38 C85 38 94.5 47.5 94.5 59.5 C94.5 71.5 85 81 73 81 "
        "C61 81 51.5 71.5 51.5 59.5 C51.5 47.5 61 38 73 38 Z "
        "M41 36 L59 36 L61 62 C56 64 54 68 54 74 C54 84 58 91 66 96 "
        "L34 96 C42 91 46 84 46 74 C46 68 44 64 39 62 Z"
    ),
    "d": "M50 3 C59 20 72 37 87 50 C72 63 59 80 50 97 C41 80 28 63 13 50 C28 37 41 20 50 3 Z",
    "h": (
        "M50 95 C45 80 7 60 6 31 C5 14 16 5 28 5 C39 5 47 12 50 23 "
        "C53 12 61 5 72 5 C84 5 95 14 94 31 C93 60 55 80 50 95 Z"
    ),
    "s": (
        "M50 4 C54 22 93 38 93 62 C93 75 83 82 73 82 C65 82 58 78 54 71 C54 83 58 91 66 96 "
        "L34 96 C42 91 46 83 46 71 C42 78 35 82 27 82 C17 82 7 75 7 62 C7 38 46 22 50 4 Z"
    ),
}
_STEPS_A_CURVE: Final = 12


@cache
def suit_outlines(suit: str) -> tuple[NDArray[np.float64], ...]:
    """The closed pieces of a suit (``c d h s``), each (n, 2) in a box of 1 x 1, y down."""
    pieces: list[list[tuple[float, float]]] = []
    command = ""
    numbers: list[float] = []
    for word in SUIT_PATHS[suit].replace("M", " M ").replace("C", " C ").replace("L", " L ").split():
        if word in "MCLZ":
            command, numbers = word, []
            continue
        numbers.append(float(word))
        if len(numbers) == (6 if command == "C" else 2):
            if command == "M":
                pieces.append([])
            pieces[-1].extend(_points(command, pieces[-1], numbers))
            numbers = []
    return tuple(np.asarray(piece, dtype=np.float64) / 100 for piece in pieces)


def _points(
    command: str, piece: list[tuple[float, float]], numbers: list[float]
) -> list[tuple[float, float]]:
    if command != "C":
        return [(numbers[0], numbers[1])]
    curve = np.array([piece[-1], numbers[:2], numbers[2:4], numbers[4:]])
    t = np.linspace(0, 1, _STEPS_A_CURVE + 1)[1:, None]
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    return [(float(x), float(y)) for x, y in weights @ curve]
