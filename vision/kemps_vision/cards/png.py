"""PNG files before they are unpacked: libpng prints a line of its own about whatever it dislikes in one."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

PNG_START: Final = b"\x89PNG\r\n\x1a\n"

_KEPT: Final = (b"IHDR", b"PLTE", b"tRNS", b"eXIf", b"IDAT", b"IEND")
_AROUND: Final = 12  # bytes of a chunk beside what it holds: length, kind, checksum


def bare_png(data: bytes) -> bytes:
    """A PNG file with its picture and how it was held, without profiles, texts and the like.

    Args:
        data: The file, from its signature on.

    Raises:
        ValueError: It is cut off, or a chunk does not have the checksum that it tells.
    """
    return PNG_START + b"".join(chunk for kind, chunk in _chunks(data) if kind in _KEPT)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The kinds of the chunks with the whole of each, to the end of the picture."""
    at, kind = len(PNG_START), b""
    while kind != b"IEND":
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        chunk = data[at : at + _AROUND + length]
        if len(chunk) < _AROUND + length or zlib.crc32(chunk[4:-4]) != int.from_bytes(chunk[-4:], "big"):
            raise ValueError(f"chunk {kind!r} at byte {at} is not whole")
        if at == len(PNG_START) and kind != b"IHDR":
            raise ValueError(f"begins with a chunk {kind!r}")
        yield kind, chunk
        at += len(chunk)
