"""Stills from files, and one clear line for what is none."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from kemps_vision.cards import stills
from kemps_vision.cards.stills import load_still
from kemps_vision.errors import ImageError

ORANGE = (240, 120, 20)


def a_picture(path: Path, *, size: tuple[int, int] = (60, 40), orientation: int | None = None) -> Path:
    picture = Image.new("RGB", size, ORANGE)
    exif = picture.getexif()
    if orientation is not None:
        exif[0x0112] = orientation
    picture.save(path, exif=exif)
    return path


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tiff"])
def test_pictures_are_rgb(tmp_path: Path, suffix: str) -> None:
    pixels = load_still(a_picture(tmp_path / f"still{suffix}"))
    assert pixels.shape == (40, 60, 3)
    assert pixels.dtype == np.uint8
    assert pixels[20, 30] == pytest.approx(ORANGE, abs=6)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp"])
def test_phone_pictures_stand_as_the_phone_was_held(tmp_path: Path, suffix: str) -> None:
    assert load_still(a_picture(tmp_path / f"still{suffix}", orientation=6)).shape == (60, 40, 3)


def test_grey_pictures_have_three_equal_channels(tmp_path: Path) -> None:
    Image.new("L", (60, 40), 99).save(tmp_path / "grey.png")
    assert np.all(load_still(tmp_path / "grey.png") == 99)


def test_sixteen_bit_and_transparent_pictures_are_read(tmp_path: Path) -> None:
    Image.new("RGBA", (60, 40), (*ORANGE, 0)).save(tmp_path / "alpha.png")
    assert load_still(tmp_path / "alpha.png")[0, 0] == pytest.approx(ORANGE)
    cv2.imwrite(str(tmp_path / "deep.png"), np.full((40, 60, 3), 51_400, np.uint16))
    assert load_still(tmp_path / "deep.png")[0, 0] == pytest.approx((200, 200, 200), abs=2)


def test_what_cannot_be_read_is_told_in_one_line_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "phone.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(40))
    (tmp_path / "clip.mp4").write_bytes(b"\0\0\0\x18ftypisom" + bytes(40))
    whole = a_picture(tmp_path / "whole.jpg", size=(300, 300)).read_bytes()
    (tmp_path / "half.jpg").write_bytes(whole[:80])
    expected = {
        "missing.jpg": "there is no such file",
        "": "is a folder",
        "empty.jpg": "empty",
        "notes.txt": "no picture",
        "phone.heic": "HEIC",
        "clip.mp4": "video",
        "half.jpg": "damaged",
    }
    for name, reason in expected.items():
        with pytest.raises(ImageError, match=reason) as caught:
            load_still(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        assert "\n" not in str(caught.value)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_of_a_broken_or_odd_png_nobody_else_prints_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = a_picture(tmp_path / "whole.png", size=(60, 40)).read_bytes()
    middle = whole.index(b"IDAT") + 9
    broken = {
        "cut.png": whole[:-20],
        "flipped.png": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "head.png": whole[:20],
        "headless.png": whole[:8] + chunk(b"none", bytes([0, 0, 0, 9] * 2)) + whole[8:],
    }
    for name, data in broken.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ImageError, match="damaged or incomplete"):
            load_still(tmp_path / name)
    (tmp_path / "odd.png").write_bytes(whole[:33] + chunk(b"iCCP", b"abc\0\0junk") + whole[33:])
    assert np.array_equal(load_still(tmp_path / "odd.png"), load_still(tmp_path / "whole.png"))
    assert capfd.readouterr().err == ""


def test_a_small_file_cannot_ask_for_gigabytes(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 40_000, 30_000, 8, 0, 0, 0, 0)
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IEND", b""))
    with pytest.raises(ImageError, match="40000x30000 px"):
        load_still(tmp_path / "bomb.png")
    jpeg = bytearray(a_picture(tmp_path / "small.jpg").read_bytes())
    at = jpeg.index(b"\xff\xc0")
    jpeg[at + 5 : at + 9] = struct.pack(">HH", 60_000, 50_000)
    (tmp_path / "bomb.jpg").write_bytes(jpeg)
    with pytest.raises(ImageError, match="50000x60000 px"):
        load_still(tmp_path / "bomb.jpg")


def test_a_file_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stills, "MAX_BYTES", 1 << 20)
    with pytest.raises(ImageError, match="longer than 1 MB"):
        stills.load_still(Path("/dev/zero"))
    (tmp_path / "long.png").write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(ImageError, match="longer than 1 MB"):
        stills.load_still(tmp_path / "long.png")
