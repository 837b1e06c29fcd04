"""Sounds made by code: onsets, rooms, codecs and noise, with what training relies on."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_training.voice import rooms
from kemps_training.voice.noises import KINDS
from kemps_training.voice.onsets import LEAD, onset_of, trimmed
from kemps_training.voice.styles import restyled
from kemps_vision.hearing.features import RATE


def word(begin_s: float, hum_s: float = 0.0) -> np.ndarray:
    """Noise that begins at a second, after a hum of 100 Hz."""
    rng = np.random.default_rng(5)
    sound = np.zeros(RATE, np.float32)
    begin = int(begin_s * RATE)
    hum = int(hum_s * RATE)
    sound[begin - hum : begin] += 0.05 * np.sin(2 * np.pi * 100 * np.arange(hum) / RATE)
    sound[begin : begin + RATE // 2] += rng.normal(0, 0.2, RATE // 2)
    return sound.astype(np.float32)


@pytest.mark.parametrize("hum_s", [0.0, 0.2])
def test_a_hum_before_a_word_is_not_its_onset(hum_s: float) -> None:
    onset = onset_of(word(0.3, hum_s))
    assert onset is not None
    assert abs(onset - 0.3 * RATE) <= RATE // 200


def test_a_trimmed_word_begins_a_fixed_time_before_its_onset() -> None:
    clean = trimmed(word(0.3))
    onset = onset_of(clean)
    assert onset is not None
    assert abs(onset - LEAD) <= RATE // 200
    assert len(trimmed(np.zeros(RATE, np.float32))) == 0


def test_another_throat_moves_the_onset_by_what_is_told() -> None:
    rng = np.random.default_rng(2)
    clean = trimmed(word(0.3))
    for _ in range(10):
        restyled_sound, at = restyled(clean, rng)
        onset = onset_of(restyled_sound)
        assert onset is not None
        assert abs(onset - at) <= RATE // 100


def test_a_room_rings_but_its_direct_sound_comes_first() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        response = rooms.room(rng)
        assert response[0] == pytest.approx(1.0, abs=0.2)
        assert np.abs(response[1:]).max() < 1.2
        late = float(np.mean(response[-len(response) // 4 :] ** 2))
        early = float(np.mean(response[: len(response) // 4] ** 2))
        assert late < early / 10


@pytest.mark.parametrize("codec", list(rooms.CODECS))
def test_codecs_keep_sound_in_step(codec: str) -> None:
    rng = np.random.default_rng(4)
    clean = np.convolve(rng.normal(0, 0.1, 2 * RATE), np.ones(8) / 8, "same").astype(np.float32)
    clean[: RATE // 2] = 0
    coded = rooms.through_codec(clean, codec)
    assert len(coded) == len(clean)
    size = 1 << 17
    product = np.fft.irfft(np.conj(np.fft.rfft(clean, size)) * np.fft.rfft(coded, size))
    lag = int(np.argmax(product))
    assert min(lag, size - lag) <= RATE // 500


@pytest.mark.parametrize("kind", list(KINDS))
def test_noise_of_a_seed_is_always_the_same_and_of_one_level(kind: str) -> None:
    first, again = (KINDS[kind](RATE * 2, np.random.default_rng(6)) for _ in range(2))
    assert np.array_equal(first, again)
    assert float(np.sqrt(np.mean(first**2))) == pytest.approx(0.1, rel=0.01)
    assert not np.array_equal(first, KINDS[kind](RATE * 2, np.random.default_rng(7)))
