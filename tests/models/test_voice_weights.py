"""The shipped network hears calls of voices that it never learnt from, and nothing in silence and noise.

The voices are espeak-ng's, spoken here; bounds are loose. Figures of all voices: `kemps bench voice`.
"""

from __future__ import annotations

import ctypes.util

import numpy as np
import pytest

from kemps_models.hearing import MANIFEST
from kemps_training.voice import rooms
from kemps_training.voice.engines import Spoken, speak
from kemps_training.voice.noises import KINDS
from kemps_training.voice.onsets import LEAD, trimmed
from kemps_training.voice.voices import TEST, all_voices
from kemps_training.voice.words import LANGUAGES, calls
from kemps_vision.hearing.detector import Heard, calls_in
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import shipped_listener

pytestmark = [
    pytest.mark.skipif(not MANIFEST.exists(), reason="the network that hears calls was not published yet"),
]
CLIP_S = 3.5


def spoken_here() -> bool:
    return ctypes.util.find_library("espeak-ng") is not None


@pytest.fixture(scope="module")
def clips() -> list[tuple[str, float, list[Heard]]]:
    """Forty calls at 20 dB, each with its onset in ms and what was heard."""
    rng = np.random.default_rng(17)
    voices = [voice for voice in all_voices() if voice.engine == "espeak" and voice.group == TEST][:4]
    done = []
    for voice in voices:
        for language in LANGUAGES:
            for call in ("kemps", "stop"):
                word = next(word for word in calls(language) if word.call == call)
                (raw,) = speak(voice, [Spoken(language, word, "", 1.0, 1.1, 3)])
                sound, at = trimmed(raw), int(rng.uniform(0.8, 1.6) * RATE)
                clip = KINDS["noise"](int(CLIP_S * RATE), rng) * 0.1
                heard = rooms.in_room(sound * 0.1 / np.sqrt(np.mean(sound**2)), rooms.room(rng))
                end = min(len(clip), at - LEAD + len(heard))
                clip[at - LEAD : end] += heard[: end - at + LEAD]
                done.append((call, 1000 * at / RATE, calls_in(clip)))
    return done


@pytest.mark.skipif(not spoken_here(), reason="espeak-ng is not installed")
def test_most_calls_of_unknown_voices_are_heard(clips: list[tuple[str, float, list[Heard]]]) -> None:
    found = [
        any(one.call == call and abs(one.at_ms - at) < 400 for one in heard) for call, at, heard in clips
    ]
    assert np.mean(found) >= 0.8


@pytest.mark.skipif(not spoken_here(), reason="espeak-ng is not installed")
def test_onsets_are_right_and_the_two_calls_are_told_apart(
    clips: list[tuple[str, float, list[Heard]]],
) -> None:
    near = [
        (call, one.call, one.at_ms - at)
        for call, at, heard in clips
        for one in heard
        if abs(one.at_ms - at) < 400
    ]
    assert np.quantile([abs(error) for _, _, error in near], 0.9) <= 60
    assert np.mean([told != call for call, told, _ in near]) <= 0.05


def test_silence_and_noise_are_no_calls() -> None:
    assert calls_in(np.zeros(20 * RATE, np.float32)) == []
    rng = np.random.default_rng(18)
    assert sum(len(calls_in(KINDS[kind](15 * RATE, rng))) for kind in ("noise", "clatter")) == 0


def test_the_file_says_what_was_measured_of_it() -> None:
    ear = shipped_listener().ear
    assert ear.calls == ("kemps", "stop")
    assert 10 <= ear.uncertainty_ms <= 200
    assert all(maybe <= sure for maybe, sure in zip(ear.maybe, ear.thresholds, strict=True))
