"""A listener that hears tones instead of words, so that these tests need no weights and are exact.

A tone of 1 kHz is a Kemps, of 2 kHz a Stop Kemps, of 3 kHz two who call at once. `tones` makes sounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.listener import STRIDE, Ear, Listener

EAR = Ear(("kemps", "stop"), 209, 94, (1.0, 1.0), (0.5, 0.5), 1.0, 0.0, 40)
HZ = {"kemps": 1000.0, "stop": 2000.0, "two": 3000.0}
# The band of `features` in which each tone is loudest.
_BANDS = (13, 21, 26)


class ToneListener:
    """Heat where a tone begins: the rise of its band's energy."""

    ear = EAR

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        places = max(0, (len(rows) - self.ear.reach) // STRIDE + 1)
        heat = np.zeros((3, places), np.float32)
        for channel, band in enumerate(_BANDS):
            for place in range(places):
                at = self.ear.past + STRIDE * place
                new = rows[at + 2]
                rise = new[band] - rows[at - 8 : at - 1, band].max()
                heat[channel, place] = 0.5 if rise > 1.0 and new[band] > new.max() - 0.3 else 0.0
        return heat


@pytest.fixture
def tone_listener() -> Listener:
    return cast("Listener", ToneListener())


def tones(seconds: float, calls: Sequence[tuple[str, float]], loud: float = 0.3) -> Sound:
    """Silence with a tone of 300 ms for each call at its second."""
    sound = np.zeros(int(seconds * RATE), np.float32)
    for call, at_s in calls:
        times = np.arange(int(0.3 * RATE)) / RATE
        begin = int(at_s * RATE)
        tone = loud * np.sin(2 * np.pi * HZ[call] * times) * np.minimum(1, times / 0.01)
        sound[begin : begin + len(times)] += tone.astype(np.float32)
    return sound


def write_sound(
    path: Path,
    channels: NDArray[np.float32],
    *,
    rate: int = RATE,
    codec: str = "pcm_s16le",
    start_s: float = 0.0,
) -> Path:
    """A sound file; ``channels`` is (channels, samples)."""
    layout = {1: "mono", 2: "stereo", 4: "4.0"}[len(channels)]
    with av.open(str(path), "w") as writer:
        stream = cast("av.AudioStream", writer.add_stream(codec, rate=rate, layout=layout))
        for at in range(0, channels.shape[1], 1024):
            part = np.clip(channels[:, at : at + 1024], -1, 1)
            if codec == "pcm_s16le":
                packed = np.round(part.T * 32767).astype(np.int16).reshape(1, -1)
                frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(packed), "s16", layout)
            else:
                frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(part, np.float32), "fltp", layout)
            frame.sample_rate, frame.pts = rate, at + round(start_s * rate)
            for packet in stream.encode(frame):
                writer.mux(packet)
        for packet in stream.encode(None):
            writer.mux(packet)
    return path
