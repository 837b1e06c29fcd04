"""Made-up scenes of a few seconds: calls, words near them, talk, in a room with noise; their calls marked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.voice import rooms
from kemps_training.voice.bank import CALL, NEAR, TALK, Bank, Said
from kemps_training.voice.noise_store import Noises
from kemps_training.voice.styles import restyled
from kemps_vision.hearing.features import RATE

Wave = NDArray[np.float32]
KEMPS, STOP, TWO = 0, 1, 2
CHANNEL: Final = {"kemps": KEMPS, "stop": STOP}
SCENES: Final = {"call": 0.28, "two": 0.12, "near": 0.24, "talk": 0.26, "noise": 0.10}
# For learning on: what is mistaken most is two who call at once, and clatter.
SCENES_ON: Final = {"call": 0.27, "two": 0.20, "near": 0.17, "talk": 0.22, "noise": 0.14}
QUIETEST_DB, LOUDEST_DB = 0.0, 26.0
CODED: Final = 0.015


@dataclass(frozen=True, slots=True)
class Mark:
    """The true onset of a call in a scene, in samples; channel `TWO` marks the first of two that overlap."""

    channel: int
    at: int


@dataclass(slots=True)
class Scene:
    """A sound and the calls in it; ``is_call`` tells scenes whose false calls are of interest from others."""

    sound: Wave
    marks: list[Mark]
    kind: str


class Mixer:
    """Makes scenes from one group's bank; each voice kind is drawn about equally often.

    ``shares`` tells how often each kind of scene is drawn.
    """

    def __init__(
        self, bank: Bank, noises: Noises, seconds: float, shares: Mapping[str, float] = SCENES
    ) -> None:
        self.bank, self.noises, self.length = bank, noises, int(seconds * RATE)
        self._shares = dict(shares)
        self._by: dict[str, dict[str, list[Said]]] = {}
        for kind in (CALL, NEAR, TALK):
            shelves: dict[str, list[Said]] = defaultdict(list)
            for said in bank.of(kind):
                shelves[f"{said.engine} {said.call}" if said.engine == "espeak" else said.voice].append(said)
            self._by[kind] = dict(shelves)
        self._rooms: list[Wave] = []

    def scene(self, rng: np.random.Generator) -> Scene:
        """A scene of a kind drawn by chance."""
        kind = str(rng.choice(list(self._shares), p=list(self._shares.values())))
        sound, level = np.zeros(self.length, np.float32), 0.1
        marks: list[Mark] = []
        if kind == "call":
            level, marks = self._call(sound, rng)
        elif kind == "two":
            level, marks = self._two(sound, rng)
        elif kind == "near":
            level = self._words(sound, NEAR, int(rng.integers(2, 5)), rng)
        elif kind == "talk":
            level = self._words(sound, TALK, 2, rng)
        snr = float(rng.uniform(QUIETEST_DB, LOUDEST_DB))
        noise = self.noises.mixed(self.length, rng)
        sound += noise * (level / (np.sqrt(np.mean(noise**2)) + 1e-9)) * 10 ** (-snr / 20)
        sound = rooms.through_microphone(sound, rng)
        sound *= 10 ** (float(rng.uniform(-42, 0)) / 20) / max(1e-6, float(np.abs(sound).max()))
        if rng.random() < CODED:
            sound = rooms.through_codec(sound, str(rng.choice(list(rooms.CODECS))))
        return Scene(sound, marks, kind)

    def _call(self, sound: Wave, rng: np.random.Generator) -> tuple[float, list[Mark]]:
        said = self._draw(CALL, rng)
        at = int(rng.uniform(0.15, 0.85) * self.length)
        level, length = self._put(sound, said, at, 1.0, rng)
        chance = rng.random()
        if chance < 0.25:  # somebody talks before; not over the call, which would be two voices
            self._put_before(sound, self._draw(TALK, rng), at - int(rng.uniform(0.02, 0.6) * RATE))
        if 0.15 < chance < 0.45:
            self._put(
                sound, self._draw(TALK, rng), at + length + int(rng.uniform(0.02, 0.5) * RATE), 0.7, rng
            )
        return level, [Mark(CHANNEL[said.call], at)]

    def _two(self, sound: Wave, rng: np.random.Generator) -> tuple[float, list[Mark]]:
        first, second = self._draw(CALL, rng), self._draw(CALL, rng)
        at = int(rng.uniform(0.1, 0.7) * self.length)
        gap = int(rng.choice([rng.uniform(0.0, 0.6), rng.uniform(0.0, 1.6)]) * RATE)
        level, length = self._put(sound, first, at, 1.0, rng)
        self._put(sound, second, at + gap, float(10 ** (rng.uniform(-8, 8) / 20)), rng)
        marks = [Mark(CHANNEL[first.call], at), Mark(CHANNEL[second.call], at + gap)]
        if gap < length:
            marks.append(Mark(TWO, at))
        return level, marks

    def _words(self, sound: Wave, kind: str, count: int, rng: np.random.Generator) -> float:
        at, level = int(rng.uniform(-0.3, 0.6) * RATE), 0.1
        for _ in range(count):
            said = self._draw(TALK if rng.random() < 0.15 else kind, rng)
            level, length = self._put(sound, said, at, float(rng.uniform(0.5, 1.0)), rng)
            at += length + int(rng.exponential(0.25) * RATE)
            if at > self.length:
                break
        return level

    def _put_before(self, sound: Wave, said: Said, until: int) -> None:
        clean = self.bank.sound(said)
        clean = clean[-max(0, min(len(clean), until)) :]
        sound[until - len(clean) : until] += 0.7 * clean if until > 0 else 0.0

    def _put(
        self, sound: Wave, said: Said, at: int, loud: float, rng: np.random.Generator
    ) -> tuple[float, int]:
        """Adds a word with its onset at a sample; returns its RMS and its length without the room."""
        word, onset = restyled(self.bank.sound(said), rng)
        level = float(np.sqrt(np.mean(word**2))) + 1e-6
        word = word * (0.1 * loud / level)
        heard = rooms.in_room(word, self._room(rng)) if rng.random() < 0.8 else word
        begin = at - onset
        skipped = max(0, -begin)
        begin = max(0, begin)
        end = min(len(sound), begin + len(heard) - skipped)
        if end > begin:
            sound[begin:end] += heard[skipped : skipped + end - begin]
        return 0.1 * loud, len(word) - onset

    def _room(self, rng: np.random.Generator) -> Wave:
        if len(self._rooms) < 200:
            self._rooms.append(rooms.room(rng))
            return self._rooms[-1]
        return self._rooms[int(rng.integers(len(self._rooms)))]

    def _draw(self, kind: str, rng: np.random.Generator) -> Said:
        """One sound: in four of nine cases an espeak-ng voice, else another engine's, each voice as often."""
        shelves = self._by[kind]
        formant = [name for name in shelves if name.startswith("espeak")]
        others = [name for name in shelves if not name.startswith("espeak")]
        names = formant if not others or (formant and rng.random() < 0.45) else others
        shelf = shelves[names[int(rng.integers(len(names)))]]
        return shelf[int(rng.integers(len(shelf)))]
