"""How a clean word is made another person's, shouted, or far away: by signal processing alone."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from kemps_training.voice.onsets import LEAD

Wave = NDArray[np.float32]
_TILT: Final = 0.9


def restyled(sound: Wave, rng: np.random.Generator) -> tuple[Wave, int]:
    """The word by a longer or shorter throat, sometimes shouted; and the sample of its onset."""
    factor = float(np.exp(rng.uniform(-0.17, 0.17)))
    sound = _resampled(sound, factor)
    if rng.random() < 0.45:
        sound = shouted(sound, rng)
    return sound, round(LEAD / factor)


def shouted(sound: Wave, rng: np.random.Generator) -> Wave:
    """With the strong upper harmonics and the flattened peaks of a raised voice."""
    sharp = lfilter([1.0, -_TILT], [1.0], sound)
    share = rng.uniform(0.3, 1.0)
    loud = (1 - share) * sound + share * sharp * 2.5
    loud = np.tanh(loud * rng.uniform(1.5, 6.0) / max(1e-4, float(np.abs(loud).max())))
    return np.asarray(loud, np.float32)


def _resampled(sound: Wave, factor: float) -> Wave:
    """Played ``factor`` times as fast: higher in pitch and formants, and shorter."""
    places = np.arange(0, len(sound) - 1, factor)
    return np.asarray(np.interp(places, np.arange(len(sound)), sound), np.float32)
