"""The four suit signs as outlines, and where the pips stand on a card."""

from __future__ import annotations

from typing import Final

import numpy as np

from kemps_scenes.pen import Points, arc


def _mirrored(right: Points) -> Points:
    """A closed outline from its right half, given from top to bottom."""
    left = right[::-1] * np.array([-1.0, 1.0])
    return np.vstack([right, left])


def _bezier(
    a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], d: tuple[float, float]
) -> Points:
    """Points (20, 2) on a cubic Bézier curve."""
    t = np.linspace(0, 1, 20)[:, None]
    p, q, r, s = (np.asarray(point, np.float64) for point in (a, b, c, d))
    return np.asarray((1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t**2 * r + t**3 * s)


_HEART: Final = _mirrored(
    np.vstack(
        [
            _bezier((0, -0.26), (0.08, -0.52), (0.46, -0.60), (0.47, -0.20)),
            _bezier((0.47, -0.20), (0.47, 0.06), (0.14, 0.24), (0, 0.50)),
        ]
    )
)
_DIAMOND: Final = _mirrored(
    np.vstack(
        [
            _bezier((0, -0.50), (0.08, -0.34), (0.24, -0.12), (0.385, 0.0)),
            _bezier((0.385, 0.0), (0.24, 0.12), (0.08, 0.34), (0, 0.50)),
        ]
    )
)
_STEM: Final = _mirrored(
    np.vstack([_bezier((0.03, 0.0), (0.045, 0.28), (0.07, 0.42), (0.21, 0.50)), np.array([[0.0, 0.50]])])
)
_LEAF: Final = _mirrored(
    np.vstack(
        [
            _bezier((0, -0.50), (0.14, -0.24), (0.47, -0.08), (0.47, 0.14)),
            _bezier((0.47, 0.14), (0.46, 0.42), (0.10, 0.38), (0.03, 0.14)),
        ]
    )
)
_LOBES: Final = (
    arc((0.0, -0.265), (0.235, 0.235), 0, 360, 40),
    arc((-0.255, 0.115), (0.235, 0.235), 0, 360, 40),
    arc((0.255, 0.115), (0.235, 0.235), 0, 360, 40),
    np.array([[-0.12, -0.12], [0.12, -0.12], [0.14, 0.14], [-0.14, 0.14]]),
)

SUIT_OUTLINES: Final[dict[str, tuple[Points, ...]]] = {
    "h": (_HEART,),
    "d": (_DIAMOND,),
    "s": (_LEAF, _STEM),
    "c": (*_LOBES, _STEM),
}
"""Each suit's sign as polygons in a box one high round (0, 0), y downwards."""

_L, _M, _R = -1.0, 0.0, 1.0
_COLUMNS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "A": ((_M, 0),),
    "2": ((_M, -1), (_M, 1)),
    "3": ((_M, -1), (_M, 0), (_M, 1)),
    "4": ((_L, -1), (_R, -1), (_L, 1), (_R, 1)),
    "5": ((_L, -1), (_R, -1), (_M, 0), (_L, 1), (_R, 1)),
    "6": ((_L, -1), (_R, -1), (_L, 0), (_R, 0), (_L, 1), (_R, 1)),
    "7": ((_L, -1), (_R, -1), (_M, -0.5), (_L, 0), (_R, 0), (_L, 1), (_R, 1)),
    "8": ((_L, -1), (_R, -1), (_M, -0.5), (_L, 0), (_R, 0), (_M, 0.5), (_L, 1), (_R, 1)),
    "9": (
        (_L, -1),
        (_R, -1),
        (_L, -1 / 3),
        (_R, -1 / 3),
        (_M, 0),
        (_L, 1 / 3),
        (_R, 1 / 3),
        (_L, 1),
        (_R, 1),
    ),
    "T": (
        *((x, y) for y in (-1, -1 / 3, 1 / 3, 1) for x in (_L, _R)),
        (_M, -2 / 3),
        (_M, 2 / 3),
    ),
}

PIP_PLACES: Final = _COLUMNS
"""Where the pips of A–10 stand: x, y from -1 to 1 over the field; those below the middle are turned round."""
