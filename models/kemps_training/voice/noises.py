"""What else is heard at a table: music, clatter, noise; computed, never recorded. Babble is the bank's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from kemps_vision.hearing.features import RATE

Wave = NDArray[np.float32]


def coloured(length: int, rng: np.random.Generator) -> Wave:
    """Noise between white and brown, as of fans, traffic and rain; its level may swell."""
    spectrum = np.fft.rfft(rng.normal(size=length))
    hz = np.maximum(20.0, np.fft.rfftfreq(length, 1 / RATE))
    shaped = np.fft.irfft(spectrum * hz ** -float(rng.uniform(0.0, 1.2)), length)
    swell = 1 + 0.5 * np.sin(2 * np.pi * (np.arange(length) / RATE * rng.uniform(0.05, 1.5) + rng.random()))
    return _levelled(shaped * swell)


def clatter(length: int, rng: np.random.Generator) -> Wave:
    """Glasses, cards, chairs and knocks: short bursts that ring."""
    sound = rng.normal(size=length) * 1e-3
    at = int(rng.exponential(0.15) * RATE)
    while at < length:
        size = min(length - at, int(RATE * rng.uniform(0.02, 0.4)))
        sound[at : at + size] += _burst(size, rng) * rng.uniform(0.1, 1.0)
        at += int(rng.exponential(0.3) * RATE) + 200
    return _levelled(sound)


def _burst(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    times = np.arange(size) / RATE
    fading = np.exp(-times / rng.uniform(0.004, 0.12))
    if rng.random() < 0.5:  # rings: glass, metal, wood
        tones = sum(
            np.sin(2 * np.pi * hz * times + rng.uniform(0, 6)) / (1 + place)
            for place, hz in enumerate(rng.uniform(250, 6500, int(rng.integers(1, 6))))
        )
        return np.asarray(fading * tones)
    return np.asarray(fading * lfilter([1.0], [1.0, -float(rng.uniform(-0.5, 0.97))], rng.normal(size=size)))


def music(length: int, rng: np.random.Generator) -> Wave:
    """Chords, a bass, a tune and a drum at one tempo, in a tone of chance."""
    beat = int(RATE * 60 / rng.uniform(70, 170))
    root = float(rng.uniform(90, 200))
    scale = np.array([0, 2, 4, 5, 7, 9, 11]) if rng.random() < 0.5 else np.array([0, 2, 3, 5, 7, 8, 10])
    rolloff = float(rng.uniform(0.8, 2.2))
    sound = np.zeros(length + beat * 4)
    for count, at in enumerate(range(0, length, beat)):
        degree = int(rng.integers(7))
        if count % 4 == 0:
            for third in (0, 2, 4):
                _play(sound, at, beat * 4, _note(root, scale, degree + third), 0.25, rolloff, rng)
        _play(sound, at, beat, _note(root / 2, scale, degree), 0.5, rolloff + 0.5, rng)
        for part in range(int(rng.integers(1, 4))):
            tune = _note(root * 2, scale, int(rng.integers(14)))
            _play(sound, at + part * beat // 3, beat // 2, tune, 0.4, rolloff, rng)
        hit = rng.normal(size=beat // 4) * np.exp(-np.arange(beat // 4) / (0.02 * RATE)) * rng.uniform(0, 0.8)
        sound[at : at + len(hit)] += hit
    return _levelled(sound[:length])


def _note(root: float, scale: NDArray[np.int64], degree: int) -> float:
    return float(root * 2 ** ((scale[degree % 7] + 12 * (degree // 7)) / 12))


def _play(
    sound: NDArray[np.float64],
    at: int,
    size: int,
    hz: float,
    loud: float,
    rolloff: float,
    rng: np.random.Generator,
) -> None:
    size = min(size, len(sound) - at)
    if size <= 0:
        return
    times = np.arange(size) / RATE
    shape = np.minimum(1, times / 0.01) * np.exp(-times / rng.uniform(0.15, 1.0))
    phase = 2 * np.pi * hz * times + 0.03 * np.sin(2 * np.pi * 5 * times)
    tone = sum(np.sin(phase * k) / k**rolloff for k in range(1, min(9, int(7000 / hz) + 1)))
    sound[at : at + size] += loud * shape * tone


def _levelled(sound: NDArray[np.float64]) -> Wave:
    return np.asarray(sound * (0.1 / (np.sqrt(np.mean(sound**2)) + 1e-9)), np.float32)


KINDS: Final[dict[str, Callable[[int, np.random.Generator], Wave]]] = {
    "noise": coloured,
    "clatter": clatter,
    "music": music,
}
