"""Stills from files: RGB, upright as the camera was held, or one line that says why not."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kemps_vision.cards.png import PNG_START, bare_png
from kemps_vision.cards.reading import Pixels
from kemps_vision.errors import ImageError

MAX_MEGAPIXELS: Final = 200
"""Larger pictures are refused before they are unpacked; the largest phone cameras give 200."""
MAX_BYTES: Final = 1 << 30
"""Longer files are refused, whatever they hold."""

_HEIF_BRANDS: Final = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
_JPEG_SIZES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def load_still(path: Path) -> Pixels:
    """The picture in a file as (h, w, 3) RGB, turned as its EXIF orientation says; transparency is dropped.

    Raises:
        ImageError: There is no such file, or it is no picture that can be read.
    """
    data = _bytes_of(path)
    if size := _size_in_header(data):
        _refuse_huge(path, *size)
    if data.startswith(PNG_START):
        data = _sound(path, data)
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error as error:
        raise ImageError(f"{path}: the picture is damaged or too large to unpack") from error
    if pixels is None:
        raise ImageError(f"{path}: {_why_not(data)}")
    return np.ascontiguousarray(pixels, dtype=np.uint8)


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)  # /dev/zero has no end
    except FileNotFoundError:
        raise ImageError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ImageError(f"{path}: is a folder; name the pictures in it, for example {path}/*.jpg") from None
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror})") from None
    if len(data) > MAX_BYTES:
        raise ImageError(f"{path}: is longer than {MAX_BYTES >> 20} MB; no picture that can be read is")
    if not data:
        raise ImageError(f"{path}: the file is empty (0 bytes); copy it again")
    return data


def _sound(path: Path, data: bytes) -> bytes:
    try:
        return bare_png(data)
    except ValueError as error:
        raise ImageError(f"{path}: {_why_not(data)}") from error


def _refuse_huge(path: Path, width: int, height: int) -> None:
    if width * height > MAX_MEGAPIXELS * 1_000_000:
        raise ImageError(
            f"{path}: {width}x{height} px is more than {MAX_MEGAPIXELS} megapixels; make the picture smaller"
        )


def _why_not(data: bytes) -> str:
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return "HEIC pictures cannot be read; save it as JPEG (iPhone: Camera, Formats, Most Compatible)"
    if data[4:8] == b"ftyp" or data[:4] == b"\x1aE\xdf\xa3":
        return "is a video, not a picture; use kemps observe for recordings, or give it the ending of a video"
    if data.startswith((PNG_START, b"\xff\xd8")):
        return "the picture is damaged or incomplete; copy it again"
    return "is no picture that can be read; JPEG, PNG, WebP, TIFF and BMP can"


def _size_in_header(data: bytes) -> tuple[int, int] | None:
    """Width and height told by a PNG's or JPEG's header, so that a tiny file cannot ask for gigabytes."""
    if data.startswith(PNG_START) and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _JPEG_SIZES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None
