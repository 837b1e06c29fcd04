"""The observer's side of pictures: what the cameras show now, drawn and written while somebody wants it."""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import cv2

from kemps_rules.seats import Seat
from kemps_server.marking import Album
from kemps_server.observers.pictures import PICTURES, WANTED, WANTED_FOR_S, picture_path
from kemps_vision.draw.table import Banner, draw_table
from kemps_vision.frame import Frame, Image
from kemps_vision.pipeline import Snapshot

EVERY_S: Final = 1.0
LONGEST_PX: Final = 1280
QUALITY: Final = 80

_log = logging.getLogger(__name__)


class Pictures:
    """Writes the pictures of a running game's cameras while somebody wants them."""

    def __init__(self, folder: Path, names: Mapping[Seat, str]) -> None:
        self._folder = folder
        self._names = dict(names)
        self._written: dict[Path, float] = {}
        self._asked_s = 0.0
        self._is_wanted = False

    def used(self, frame: Frame) -> None:
        """A frame of any camera has come."""
        self._write(frame.camera, frame.pixels, is_marked=False)

    def seen(self, frame: Frame, snapshot: Snapshot | None) -> None:
        """A frame of the table has been watched."""
        if snapshot is not None and self._is_due(frame.camera, is_marked=True):
            self._write(frame.camera, marked(snapshot, self._names), is_marked=True)

    def clear(self) -> None:
        """Nothing of what the cameras showed stays: people's faces are on it."""
        shutil.rmtree(self._folder / PICTURES, ignore_errors=True)

    def _write(self, camera: str, pixels: Image, *, is_marked: bool) -> None:
        if not self._is_due(camera, is_marked=is_marked):
            return
        path = picture_path(self._folder, camera, is_marked=is_marked)
        self._written[path] = time.monotonic()
        scale = min(1.0, LONGEST_PX / pixels.shape[1])
        small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        _, data = cv2.imencode(
            ".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
        )
        new = path.with_suffix(f".{os.getpid()}")
        try:
            new.write_bytes(data.tobytes())
            new.replace(path)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            _log.info("no picture of what a camera shows: %s", error)

    def _is_due(self, camera: str, *, is_marked: bool) -> bool:
        now = time.monotonic()
        if now - self._asked_s >= EVERY_S:
            self._asked_s = now
            self._is_wanted = _is_wanted(self._folder)
        path = picture_path(self._folder, camera, is_marked=is_marked)
        return self._is_wanted and now - self._written.get(path, -EVERY_S) >= EVERY_S


def _is_wanted(folder: Path) -> bool:
    try:
        return time.time() - (folder / PICTURES / WANTED).stat().st_mtime < WANTED_FOR_S
    except OSError:
        return False


def marked(snapshot: Snapshot, names: Mapping[Seat, str]) -> Image:
    """The picture with centre, seats and the cards that are followed."""
    album = Album()
    album.see(snapshot.frame, snapshot)
    at_ms = snapshot.frame.at_ms
    return draw_table(
        snapshot.frame.pixels,
        banner=Banner(at_ms=at_ms),
        reading=album.reading(at_ms),
        places=album.places(dict(names)),
        longest_px=LONGEST_PX,
    )
