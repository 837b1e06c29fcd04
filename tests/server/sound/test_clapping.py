"""The offset of a sound by claps that are heard and seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from tests.vision.hearing.conftest import write_sound

from kemps_server.sound.clapping import hands_apart, measured_offset
from kemps_vision.errors import CalibrationError
from kemps_vision.frame import Frame, FrameSource, Image
from kemps_vision.hearing.claps import claps_seen
from kemps_vision.hearing.features import RATE
from kemps_vision.people.landmarks import Box, HandPose

STEP_MS = 33
PALM = 50.0


def hand(x: float) -> HandPose:
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[:, 0] = x
    landmarks[9, 1] = PALM
    return HandPose(landmarks, 0.9, is_left=False)


class Clapper:
    """Pictures of somebody who claps, and hands found in them: none while they cover each other."""

    def __init__(self, claps_ms: list[float]) -> None:
        self.claps_ms = claps_ms

    def __iter__(self) -> Iterator[Frame]:
        for number in range(120):
            yield Frame("table", number, number * STEP_MS, np.zeros((8, 8, 3), np.uint8))

    def read(self, _: Image, __: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        assert at_ms is not None
        away_ms = min(abs(at_ms - clap) for clap in self.claps_ms)
        apart = min(4.0, away_ms / 50) * PALM
        return [hand(0), hand(apart)] if apart > 1.2 * PALM else []


def bangs(times_s: list[float]) -> np.ndarray:
    rng = np.random.default_rng(3)
    sound = rng.normal(0, 1e-3, 4 * RATE)
    for at in times_s:
        burst = rng.normal(size=RATE // 10) * np.exp(-np.arange(RATE // 10) / (0.008 * RATE)) * 0.6
        sound[int(at * RATE) : int(at * RATE) + len(burst)] += burst
    return sound.astype(np.float32)


def test_hands_that_vanish_near_each_other_have_met() -> None:
    clapper = Clapper([1000.0, 2500.0])
    seen = claps_seen(*hands_apart(cast("FrameSource", clapper), clapper, 10_000))
    assert seen == pytest.approx([1000, 2500], abs=STEP_MS)


def test_the_offset_is_that_of_the_claps(tmp_path: Path) -> None:
    clapper = Clapper([1080.0, 2580.0])
    path = write_sound(tmp_path / "room.wav", bangs([1.0, 2.5])[None])
    offset = measured_offset(cast("FrameSource", clapper), str(path), clapper)
    assert offset == pytest.approx(80, abs=STEP_MS)


def test_nobody_clapped_is_one_line(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "room.wav", bangs([])[None])
    clapper = Clapper([1000.0])
    with pytest.raises(CalibrationError, match="clap once"):
        measured_offset(cast("FrameSource", clapper), str(path), clapper)
