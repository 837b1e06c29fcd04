"""Rooms, microphones and codecs, all computed: nothing here was recorded."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Final, cast

import av
import numpy as np
from av.audio.stream import AudioStream
from numpy.typing import NDArray
from scipy.signal import butter, oaconvolve, sosfilt

from kemps_vision.hearing.features import RATE

Wave = NDArray[np.float32]
SPEED_OF_SOUND: Final = 343.0
EARLY_ORDER: Final = 2  # reflections followed one by one; later ones are noise that dies away
CODECS: Final = {"aac": ("aac", "mp4", 64_000), "opus": ("libopus", "ogg", 32_000)}


def room(rng: np.random.Generator) -> Wave:
    """The impulse response of a made-up living room; its first sample is the direct sound, of height 1."""
    size = rng.uniform([2.5, 2.5, 2.3], [8.0, 7.0, 3.4])
    speaker, microphone = (size * rng.uniform(0.15, 0.85, 3) for _ in range(2))
    absorbs = rng.uniform(0.15, 0.7)
    fades_s = float(rng.uniform(0.12, 0.6))
    response = np.zeros(int(RATE * min(0.45, fades_s)), np.float32)
    direct = float(np.linalg.norm(speaker - microphone))
    for place, bounces in _images(size, speaker):
        away = float(np.linalg.norm(place - microphone))
        at = round((away - direct) / SPEED_OF_SOUND * RATE)
        if 0 <= at < len(response):
            response[at] += (direct / away) * (1 - absorbs) ** (bounces / 2)
    times = np.arange(len(response)) / RATE
    tail = rng.normal(size=len(response)) * 10 ** (-3 * times / fades_s) * (times > 0.01)
    wet = float(rng.uniform(0.02, 0.25)) * direct / 3
    response += (tail * wet / np.sqrt(RATE / 400)).astype(np.float32)
    return response


def _images(size: NDArray[np.float64], speaker: NDArray[np.float64]) -> list[tuple[NDArray[np.float64], int]]:
    """The mirrored places of a speaker in a box, and how many walls each saw."""
    span = range(-EARLY_ORDER, EARLY_ORDER + 1)
    images = []
    for x in span:
        for y in span:
            for z in span:
                if (bounces := abs(x) + abs(y) + abs(z)) > EARLY_ORDER:
                    continue
                cell = np.array([x, y, z])
                mirrored = np.where(cell % 2 == 0, speaker, size - speaker)
                images.append((cell * size + mirrored, bounces))
    return images


def in_room(sound: Wave, response: Wave) -> Wave:
    """The sound as it arrives, its onset where it was."""
    return np.asarray(oaconvolve(sound, response), np.float32)


def through_microphone(sound: Wave, rng: np.random.Generator) -> Wave:
    """With a microphone's band, and now and then overdriven."""
    if rng.random() < 0.35:
        low = float(rng.uniform(40, 300))
        high = float(rng.choice([3400.0, 4500.0, 6000.0, 7600.0]))
        sound = sosfilt(butter(2, [low, high], "bandpass", fs=RATE, output="sos"), sound).astype(np.float32)
    if rng.random() < 0.15:
        most = float(np.abs(sound).max()) * float(rng.uniform(0.15, 0.7))
        sound = np.clip(sound, -most, most)
    return sound


def through_codec(sound: Wave, name: str) -> Wave:
    """Coded and decoded as recordings are; as long as before, and in step."""
    codec, container, bits = CODECS[name]
    file = io.BytesIO()
    with av.open(file, "w", format=container) as writer:
        stream = cast("AudioStream", writer.add_stream(codec, rate=RATE, layout="mono"))
        stream.bit_rate = bits
        frame = av.AudioFrame.from_ndarray(np.clip(sound, -1, 1)[None, :].astype(np.float32), "fltp", "mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, 0, Fraction(1, RATE)
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            writer.mux(packet)
    file.seek(0)
    return _decoded(file, len(sound))


def _decoded(file: io.BytesIO, length: int) -> Wave:
    result = np.zeros(length, np.float32)
    resampler = av.AudioResampler("fltp", "mono", RATE)
    at: int | None = None
    with av.open(file, "r") as reader:
        for frame in reader.decode(audio=0):
            if at is None:  # later ones are counted: the resampler holds samples back
                at = round(float((frame.pts or 0) * (frame.time_base or 0)) * RATE)
            for part in resampler.resample(frame):
                levels = part.to_ndarray()[0]
                begin, end = max(0, at), min(length, at + len(levels))
                if end > begin:
                    result[begin:end] = levels[begin - at : end - at]
                at += len(levels)
    return result
