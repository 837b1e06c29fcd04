"""The bands of hearing, and that a stream gives those of the whole."""

from __future__ import annotations

import numpy as np

from kemps_vision.hearing.features import BANDS, HOP, RATE, WINDOW, features


def test_a_row_stands_for_each_ten_milliseconds() -> None:
    rows = features(np.zeros(RATE, np.float32))
    assert rows.shape == ((RATE - WINDOW) // HOP + 1, BANDS)
    assert len(features(np.zeros(WINDOW - 1, np.float32))) == 0


def test_a_tone_is_loud_in_its_band_and_a_louder_one_is_louder_there() -> None:
    times = np.arange(RATE) / RATE
    quiet = features((0.01 * np.sin(2 * np.pi * 1000 * times)).astype(np.float32))[20]
    loud = features((0.1 * np.sin(2 * np.pi * 1000 * times)).astype(np.float32))[20]
    assert int(np.argmax(quiet)) == int(np.argmax(loud)) == 13
    assert abs(loud[13] - quiet[13] - np.log(100) * 0.25) < 0.01


def test_rows_of_a_part_are_those_of_the_whole() -> None:
    sound = np.random.default_rng(1).normal(0, 0.1, 2 * RATE).astype(np.float32)
    assert np.allclose(features(sound)[50:60], features(sound[50 * HOP :])[:10], atol=1e-5)
