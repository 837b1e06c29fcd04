"""The offset of sound and pictures by one clap."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.errors import CalibrationError
from kemps_vision.hearing.claps import claps_heard, claps_seen, offset_ms
from kemps_vision.hearing.features import RATE

from .conftest import tones


def room_with_claps(times_s: list[float]) -> np.ndarray:
    rng = np.random.default_rng(3)
    sound = rng.normal(0, 1e-3, 4 * RATE)
    for at in times_s:
        burst = rng.normal(size=RATE // 10) * np.exp(-np.arange(RATE // 10) / (0.008 * RATE)) * 0.6
        sound[int(at * RATE) : int(at * RATE) + len(burst)] += burst
    return sound.astype(np.float32)


def hands(meet_ms: list[float]) -> tuple[np.ndarray, np.ndarray]:
    times = np.arange(0, 4000, 40.0)
    apart = np.min([np.abs(times - at) / 100 for at in meet_ms] + [np.full(len(times), 2.5)], axis=0)
    return times, apart + 0.2


def test_claps_are_heard_to_the_millisecond_and_a_tone_is_none() -> None:
    assert claps_heard(room_with_claps([1.0, 2.5])) == pytest.approx([1000, 2500], abs=3)
    rng = np.random.default_rng(4)
    assert claps_heard(tones(3.0, [("kemps", 1.0)]) + rng.normal(0, 1e-3, 3 * RATE).astype(np.float32)) == []


def test_hands_that_meet_fast_are_a_clap_and_folded_hands_are_none() -> None:
    times, apart = hands([1080, 2580])
    assert claps_seen(times.tolist(), apart.tolist()) == pytest.approx([1080, 2580], abs=40)
    assert claps_seen(times.tolist(), np.full(len(times), 0.3).tolist()) == []


def test_the_offset_is_what_agrees() -> None:
    assert offset_ms([1000, 2500], [1080, 2584]) == 82
    assert offset_ms([400, 1000, 2500], [1080, 2580]) == 80


def test_claps_that_do_not_fit_are_one_clear_line() -> None:
    with pytest.raises(CalibrationError, match="clap once"):
        offset_ms([1000], [])
    with pytest.raises(CalibrationError, match="do not agree"):
        offset_ms([1000, 2000, 3000, 4000], [1100, 2500, 3300, 4700])
