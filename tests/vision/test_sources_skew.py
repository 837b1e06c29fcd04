"""A lamp that is switched tells how far the clocks of two cameras are apart."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.frame import Frame, Image
from kemps_vision.sources.frames_index import Gap
from kemps_vision.sources.skew import LightSteps, SkewGuard

ON_MS, OFF_MS = 1000, 3000
RNG = np.random.default_rng(3)
ROOM = RNG.integers(60, 200, (90, 160, 3)).astype(np.float64)


def picture(at_ms: float, *, level: float = 0.6) -> Image:
    """The room with the lamp on between two times, with a little noise."""
    light = 1.0 if ON_MS <= at_ms < OFF_MS else level
    noise = RNG.normal(0, 2, ROOM.shape)
    return np.clip(ROOM * light + noise, 0, 255).astype(np.uint8)


def frames(camera: str, every_ms: int, behind_ms: int = 0, until_ms: int = 4500) -> list[Frame]:
    return [
        Frame(camera, n, at_ms, picture(at_ms - behind_ms))
        for n, at_ms in enumerate(range(0, until_ms, every_ms))
    ]


def told(guard: SkewGuard, behind_ms: int) -> list[Frame]:
    both = frames("table", 66) + frames("faces", 70, behind_ms)
    return [frame for frame in sorted(both, key=lambda one: one.at_ms) if guard.admits(frame)]


def test_a_lamp_is_a_step_up_and_a_step_down_at_its_time() -> None:
    eyes = LightSteps()
    steps = [step for frame in frames("table", 66) if (step := eyes.see(frame.at_ms, frame.pixels))]
    assert [step.is_brighter for step in steps] == [True, False]
    assert abs(steps[0].at_ms - ON_MS) <= 33
    assert abs(steps[1].at_ms - OFF_MS) <= 33


def test_a_body_before_half_the_camera_is_no_step() -> None:
    eyes = LightSteps()
    seen = []
    for n in range(20):
        pixels = picture(0)
        if n >= 10:
            pixels[:, :90] = 20
        seen.append(eyes.see(n * 66, pixels))
    assert seen == [None] * 20


@pytest.mark.parametrize("behind_ms", [0, 30, -30])
def test_cameras_less_than_a_frame_apart_are_joined(behind_ms: int) -> None:
    guard = SkewGuard("table", {"faces": 0})
    assert len(told(guard, behind_ms)) == len(frames("table", 66)) + len(frames("faces", 70))
    assert guard.notes == []
    assert guard.gaps(4500) == []
    assert abs(guard.measured["faces"] - behind_ms) <= 70


@pytest.mark.parametrize("behind_ms", [250, -400])
def test_a_camera_that_is_further_apart_is_left_out_and_the_line_says_what_to_set(behind_ms: int) -> None:
    guard = SkewGuard("table", {"faces": 20})
    left = told(guard, behind_ms)
    last_ms = max(frame.at_ms for frame in left if frame.camera == "faces")
    assert OFF_MS - 70 <= last_ms + 70 <= OFF_MS + max(behind_ms, 70) + 70
    assert [frame for frame in left if frame.camera == "table"]
    (note,) = guard.notes
    offset = int(note.split("offset_ms = ")[1].split()[0])
    assert abs(offset - 20 - behind_ms) <= 70
    ((gap),) = guard.gaps(4500)
    assert gap == Gap("faces", gap.at_ms, 4500)


def test_a_right_offset_makes_them_one() -> None:
    guard = SkewGuard("table", {"faces": 250})
    moved = [Frame("faces", f.index, f.at_ms - 250, f.pixels) for f in frames("faces", 70, 250)]
    both = sorted([*frames("table", 66), *(f for f in moved if f.at_ms >= 0)], key=lambda one: one.at_ms)
    assert all(guard.admits(frame) for frame in both)
    assert guard.notes == []
