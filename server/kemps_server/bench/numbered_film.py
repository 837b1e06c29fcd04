"""Clips whose frames carry their number as blocks of black and white, so that the frame shown can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np

from kemps_vision.frame import Image

BITS: Final = 12
BLOCK: Final = 16
WIDTH: Final = 6 * BLOCK
HEIGHT: Final = 4 * BLOCK


def numbered(number: int) -> Image:
    """A picture that carries a number: BITS blocks, black or white, in two rows; grey below."""
    pixels = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)
    for bit in range(BITS):
        row, column = divmod(bit, 6)
        block = pixels[row * BLOCK : (row + 1) * BLOCK, column * BLOCK : (column + 1) * BLOCK]
        block[:] = 235 if number >> bit & 1 else 16
    pixels[2 * BLOCK :, :, 2] = number * 37 % 200
    return pixels


def number_in(pixels: Image) -> int:
    """The number that a picture carries, of any size."""
    height, width = pixels.shape[:2]
    number = 0
    for bit in range(BITS):
        row, column = divmod(bit, 6)
        y, x = round((row + 0.5) * height / 4), round((column + 0.5) * width / 6)
        number |= int(pixels[y - 2 : y + 3, x - 2 : x + 3].mean() > 126) << bit
    return number


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a clip is made.

    Attributes:
        name: The file; its ending says which container.
        codec: FFmpeg's name of the encoder.
        steps: Ticks between frames, over and over; empty: 40 ms.
        base: A tick in seconds.
        start: The first frame's stamp.
        options: For the encoder.
        gop: Frames from one key picture to the next.
        b_frames: How many frames in a row may lean on later ones.
        scale: How many times as large as the smallest picture.
    """

    name: str = "clip.mp4"
    codec: str = "libx264"
    steps: Sequence[int] = ()
    base: Fraction = Fraction(1, 1000)
    start: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    gop: int = 25
    b_frames: int = 0
    scale: int = 1


def make_clip(folder: Path, kind: Kind, count: int) -> Path:
    """A clip of numbered frames."""
    path = folder / kind.name
    with av.open(str(path), "w") as container:
        stream: av.VideoStream = container.add_stream(kind.codec, rate=25, options=dict(kind.options))  # type: ignore[assignment]  # of a codec for video
        stream.width, stream.height = WIDTH * kind.scale, HEIGHT * kind.scale
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = kind.base
        stream.gop_size, stream.max_b_frames = kind.gop, kind.b_frames
        pts = kind.start
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(_enlarged(numbered(number), kind.scale), format="rgb24")
            frame.pts, frame.time_base = pts, kind.base
            container.mux(stream.encode(frame))
            step = round(Fraction(1, 25) / kind.base)
            pts += kind.steps[number % len(kind.steps)] if kind.steps else step
        container.mux(stream.encode())
    return path


def _enlarged(pixels: Image, times: int) -> Image:
    return np.ascontiguousarray(pixels.repeat(times, axis=0).repeat(times, axis=1))
