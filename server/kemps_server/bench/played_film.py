"""A clip as a camera, for measuring live games without one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from kemps_vision.frame import Image
from kemps_vision.sources import open_source


class PlayedFilm:
    """A clip as a camera: its pictures come at its pace, over and over; who is late misses some.

    Fits ``Webcam`` as what its opener gives.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pictures = self._decoded()
        self._fps = self._rate()
        self._start_s = time.monotonic()
        self._shown = 0

    def open(self, _: str) -> PlayedFilm:
        """For the webcam."""
        return self

    def read(self) -> tuple[bool, Image | None]:
        """The picture that is due, waited for; BGR."""
        due = self._shown + 1
        now = int((time.monotonic() - self._start_s) * self._fps)
        for _ in range(min(now - due, round(self._fps))):  # a camera does not wait for us
            next(self._pictures)
            due += 1
        time.sleep(max(0.0, self._start_s + due / self._fps - time.monotonic()))
        self._shown = due
        pixels = np.ascontiguousarray(next(self._pictures)[:, :, ::-1])
        pixels[:2, :2] = due % 251  # no camera sends the same picture twice; one that does has died
        return True, pixels

    def get(self, prop: int) -> float:
        """The rate."""
        return self._fps if prop == cv2.CAP_PROP_FPS else 0.0

    def release(self) -> None:
        """Nothing to let go."""

    def _decoded(self) -> Iterator[Image]:
        while True:
            with open_source(str(self._path)) as source:
                for frame in source:
                    yield frame.pixels

    def _rate(self) -> float:
        with open_source(str(self._path)) as source:
            return source.info.fps
