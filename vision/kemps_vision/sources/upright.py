"""Turns decoded pictures the way their display matrix says (phones store them lying)."""

from __future__ import annotations

import struct
from typing import Final

import av
import numpy as np
from av.sidedata.sidedata import SideData

from kemps_vision.frame import Image

UPRIGHT: Final = (1, 0, 0, 1)


def display_axes(frame: av.VideoFrame) -> tuple[int, int, int, int]:
    """The signs ``(a, b, c, d)`` of the frame's display matrix, rounded to right angles.

    A pixel ``(x, y)`` is shown at ``(a x + c y, b x + d y)``, y pointing down
    (libavutil/display.h); without a matrix it is the identity.
    """
    matrix = frame.side_data.get("DISPLAYMATRIX")
    if not isinstance(matrix, SideData):
        return UPRIGHT
    a, b, _, c, d = struct.unpack("=5i", bytes(matrix)[:20])
    if max(abs(a), abs(d)) >= max(abs(b), abs(c)):
        return (int(np.sign(a)) or 1, 0, 0, int(np.sign(d)) or 1)
    return (0, int(np.sign(b)) or 1, int(np.sign(c)) or 1, 0)


def turn(pixels: Image, axes: tuple[int, int, int, int]) -> Image:
    """The picture as it is to be shown; a contiguous array."""
    if axes == UPRIGHT:
        return pixels
    a, b, c, d = axes
    if b or c:
        pixels = pixels.transpose(1, 0, 2)
        a, d = c, b
    return np.ascontiguousarray(pixels[:: d or 1, :: a or 1])
