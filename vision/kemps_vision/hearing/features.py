"""What the network sees of a sound: the energy in 40 bands of hearing, as logarithms, 100 times a second."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.fft import rfft

Sound = NDArray[np.float32]
"""Mono at 16 kHz, full scale is ±1."""

RATE: Final = 16_000
HOP: Final = 160  # samples from one row to the next: 10 ms
WINDOW: Final = 400
BANDS: Final = 40
LOWEST_HZ: Final = 60.0
HIGHEST_HZ: Final = 7600.0
_FFT: Final = 512
# Below the noise of a 16-bit converter: digital silence and a quiet room look alike.
_FLOOR: Final = 1e-6
# So few that the product below stays on this thread: handing it to others costs more than it takes.
_ROWS_AT_ONCE: Final = 24


def features(sound: Sound) -> NDArray[np.float32]:
    """One row for each 10 ms, 40 wide; row ``n`` is of the window that begins at sample ``160 n``.

    >>> features(np.zeros(400 + 160 * 9, np.float32)).shape
    (10, 40)
    """
    if len(sound) < WINDOW:
        return np.zeros((0, BANDS), np.float32)
    windows = sliding_window_view(sound, WINDOW)[::HOP]
    parts = [_rows(windows[at : at + _ROWS_AT_ONCE]) for at in range(0, len(windows), _ROWS_AT_ONCE)]
    return np.concatenate(parts)


def _rows(windows: NDArray[np.float32]) -> NDArray[np.float32]:
    spectra = rfft(windows * _hann(), _FFT, axis=1)
    energy = (spectra.real**2 + spectra.imag**2).astype(np.float32)
    return np.asarray(np.log(energy @ _bank() + _FLOOR) * 0.25, np.float32)


@cache
def _hann() -> NDArray[np.float32]:
    return np.asarray(np.hanning(WINDOW + 1)[:-1], np.float32)


@cache
def _bank() -> NDArray[np.float32]:
    """Triangles on the mel scale, (257, 40)."""
    edges = _hz(np.linspace(_mel(LOWEST_HZ), _mel(HIGHEST_HZ), BANDS + 2))
    bins = np.fft.rfftfreq(_FFT, 1 / RATE)[:, None]
    up = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    down = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    return np.maximum(0, np.minimum(up, down)).astype(np.float32)


def _mel(hz: float) -> float:
    return float(2595 * np.log10(1 + hz / 700))


def _hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(700 * (10 ** (mel / 2595) - 1))
