"""What people do besides signals: blink, breathe, sway a little, look about, look at their cards, talk.

Everything is a function of the time and a seed, so that a clip can be begun anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_scenes.bodies.expressions import FaceState, Gesture

_BLINK_GAP_MS: Final = (1800, 5200)  # about 17 blinks a minute, as at rest (Bentivoglio et al., 1997)
_BREATH_MS: Final = 3900


@dataclass(frozen=True, slots=True)
class Manner:
    """How somebody behaves.

    Attributes:
        blinks: Whether they blink now and then.
        talks: How much of the time they talk, 0 to 1.
        looks: Whether they look about and at their cards.
        smiles: Whether they smile now and then.
        stir: How much head and body move by themselves: 0 stiff, 1 usual.
    """

    blinks: bool = True
    talks: float = 0.0
    looks: bool = False
    smiles: bool = False
    stir: float = 1.0


class Behaviour:
    """The idle life of one person in a clip.

    Args:
        manner: How they behave.
        duration_ms: Of the clip.
        seed: Which of all such lives.

    Attributes:
        gestures: The blinks, looks and smiles that come about, as gestures with times.
    """

    def __init__(self, manner: Manner, duration_ms: int, seed: int) -> None:
        self._manner = manner
        rng = np.random.default_rng([seed, 41])
        self._phases = rng.uniform(0, 2 * np.pi, 24)
        self._speech = _spoken(rng, duration_ms, manner.talks)
        self.talking = [(start, end) for start, end, _ in self._speech]
        self.gestures: list[Gesture] = []
        self._glances: list[tuple[int, int, float, float]] = []
        if manner.blinks:
            self.gestures += _blinks(rng, duration_ms)
        if manner.looks:
            self._look_about(rng, duration_ms)
        if manner.smiles:
            for at in _moments(rng, duration_ms, (5000, 11000)):
                lasts = int(rng.integers(900, 2600))
                self.gestures.append(Gesture("smile", at, at + lasts, float(rng.uniform(0.4, 1.0))))

    def add_to(self, state: FaceState, at_ms: float) -> None:
        """Adds what the person does by themselves at a time to a state of the face."""
        stir = self._manner.stir
        state.yaw += stir * self._drift(at_ms, 0, 1.6)
        state.pitch += stir * self._drift(at_ms, 6, 1.1)
        state.roll += stir * self._drift(at_ms, 12, 0.8)
        state.lean += stir * (self._drift(at_ms, 18, 0.6) + 0.5 * np.sin(2 * np.pi * at_ms / _BREATH_MS))
        for start, end, yaw, pitch in self._glances:
            level = Gesture("look_left", start, end).level(at_ms)
            state.yaw += level * yaw
            state.pitch += level * pitch
        for start, end, words in self._speech:
            if start <= at_ms < end:
                _mouth(state, (at_ms - start) / 1000, words, Gesture("smile", start, end).level(at_ms))

    def _drift(self, at_ms: float, first: int, degrees: float) -> float:
        t = at_ms / 1000
        rates = (0.11, 0.23, 0.41, 0.73, 1.3, 2.2)
        sizes = (1.0, 0.7, 0.5, 0.25, 0.10, 0.05)
        waves = [
            size * np.sin(2 * np.pi * rate * t + self._phases[first + i])
            for i, (rate, size) in enumerate(zip(rates, sizes, strict=True))
        ]
        return float(degrees * sum(waves) / 1.6)

    def _look_about(self, rng: np.random.Generator, duration_ms: int) -> None:
        """Eyes go first and far, the head follows a part of the way."""
        for at in _moments(rng, duration_ms, (1200, 3200)):
            lasts = int(rng.integers(700, 2600))
            kind = str(rng.choice(("look_down", "look_down", "look_left", "look_right", "look_up")))
            strength = float(rng.uniform(0.4, 1.0))
            self.gestures.append(Gesture(kind, at, at + lasts, strength))
            yaw = {"look_left": 18.0, "look_right": -18.0}.get(kind, 0.0) * strength * rng.uniform(0.2, 1.0)
            pitch = {"look_down": 16.0, "look_up": -6.0}.get(kind, 0.0) * strength * rng.uniform(0.3, 1.0)
            self._glances.append((at + 60, at + lasts + 120, float(yaw), float(pitch)))


def _moments(rng: np.random.Generator, duration_ms: int, gap_ms: tuple[int, int]) -> list[int]:
    """Times that are apart by gaps drawn from a span, measured from beginning to beginning plus 1.5 s."""
    at, found = int(rng.integers(300, gap_ms[1])), []
    while at < duration_ms - 1200:
        found.append(at)
        at += int(rng.integers(*gap_ms)) + 1500
    return found


def _blinks(rng: np.random.Generator, duration_ms: int) -> list[Gesture]:
    found, at = [], int(rng.integers(400, 3000))
    while at < duration_ms - 500:
        lasts = int(rng.integers(220, 330))
        found.append(Gesture("blink", at, at + lasts, float(rng.uniform(0.85, 1.0))))
        at += int(rng.integers(*_BLINK_GAP_MS))
        if rng.random() < 0.08:
            at = found[-1].until_ms + int(rng.integers(120, 260))  # a double blink
    return found


def _spoken(rng: np.random.Generator, duration_ms: int, share: float) -> list[tuple[int, int, int]]:
    """Spans of talk and a seed for what is said in each."""
    if share <= 0:
        return []
    spans, at = [], int(rng.integers(100, 900))
    while at < duration_ms - 800:
        lasts = int(rng.integers(1200, 4200))
        spans.append((at, min(duration_ms, at + lasts), int(rng.integers(0, 2**31))))
        at += round(lasts / share)
    return spans


def _mouth(state: FaceState, t: float, words: int, level: float) -> None:
    """A talking mouth ``t`` seconds into a span: four to five syllables a second, each a shape of its own."""
    syllable = int(t * 4.6)
    part = t * 4.6 - syllable
    shape = np.random.default_rng([words, syllable]).uniform(0, 1, 5)
    opened = np.sin(np.pi * part) ** 0.8 * level
    state.add({"jawOpen": 0.10 + 0.34 * shape[0]}, float(opened))
    state.add({"mouthFunnel": 0.5 * shape[1] ** 2, "mouthPucker": 0.5 * shape[2] ** 3}, float(opened))
    stretch = 0.35 * shape[3] ** 2
    state.add({"mouthStretchLeft": stretch, "mouthStretchRight": stretch}, float(opened))
    lower = 0.3 * shape[4]
    state.add({"mouthLowerDownLeft": lower, "mouthLowerDownRight": lower}, float(opened))
    state.add({"browInnerUp": 0.18 * shape[1] * shape[3]}, float(opened))
    state.pitch += float(1.4 * np.sin(2 * np.pi * 0.8 * t) * level)
