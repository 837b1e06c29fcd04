"""Who called, by lips: made-up faces of which one moves its mouth with each call, watched as in a game.

Mouths move by the sounds of the words, not by how loud they are: in *Kemps* the jaw opens for the vowel and
the lips close for m and p. Sounds are calls of the report's folder; heard is what the truth says, so that the
figure is that of naming alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kemps_scenes.bodies.behaviour import Behaviour
from kemps_scenes.bodies.expressions import FaceState
from kemps_scenes.bodies.scripts import Setting, sitting
from kemps_server.bench.voice_folder import CALLS, SoundFile
from kemps_vision.hearing.callers import MouthLog, opening_of
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.sources import SoundTrack
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.people.landmarks import Box
from kemps_vision.people.tasks import FaceReader

SCRIPTS: Final = ("still", "talk")  # what those who do not call do: nothing much, or they talk
SEED: Final = 7700
SECONDS: Final = 45.0
EVERY_MS: Final = 2300
BEFORE_MS: Final = 800  # of sound before a call
AFTER_MS: Final = 1700
NAMED_MS: Final = 1500  # after the onset a caller is named
_SNR: Final = "20"
_QUIET_DB: Final = 22.0  # below the loudest, where a call is over

# The jaw over a word, as shares of its length: the vowel opens it, m and p close it.
_MOUTHS: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "kemps": ((-0.15, 0.0), (0.0, 0.12), (0.22, 0.5), (0.42, 0.3), (0.55, 0.0), (0.75, 0.1), (1.1, 0.0)),
    "stop": (
        *((-0.08, 0.0), (0.05, 0.1), (0.22, 0.5), (0.34, 0.2), (0.42, 0.0), (0.52, 0.12), (0.64, 0.48)),
        *((0.76, 0.25), (0.84, 0.0), (0.92, 0.1), (1.08, 0.0)),
    ),
}


@dataclass(frozen=True, slots=True)
class Shout:
    """A call of somebody in a clip: its sound begins ``BEFORE_MS`` before ``at_ms``."""

    seat: str
    at_ms: int
    call: str
    length_ms: float
    sound: Sound


class Caller(Behaviour):
    """Somebody's life with calls in it."""

    def __init__(self, life: Behaviour, shouts: Sequence[Shout]) -> None:
        self.__dict__.update(life.__dict__)
        self._shouts = tuple(shouts)

    def add_to(self, state: FaceState, at_ms: float) -> None:
        """As of anybody, with the mouth of a call while one is made."""
        for shout in self._shouts:
            share = (at_ms - shout.at_ms) / shout.length_ms
            points = _MOUTHS[shout.call]
            if points[0][0] <= share <= points[-1][0]:
                opened = float(np.interp(share, [at for at, _ in points], [jaw for _, jaw in points]))
                state.add({"jawOpen": opened, "mouthLowerDownLeft": 0.3 * opened}, 1.0)
                state.add({"mouthLowerDownRight": 0.3 * opened}, 1.0)
        super().add_to(state, at_ms)


def lips_report(files: Sequence[SoundFile], clips: int) -> dict[str, Any]:
    """How often the caller was named, wrongly named or not named, by what the others did.

    Args:
        files: Of the report's folder; calls at 20 dB are taken.
        clips: How many clips of four people are drawn, each of 45 s with a call every 2.3 s.

    Raises:
        BodyDataError: The data of made-up people is not there.
        WeightsError: The landmarkers were not fetched.
    """
    sounds = _sounds(files, clips * round(SECONDS))
    began = time.process_time()
    by: dict[str, Counter[str]] = {script: Counter() for script in SCRIPTS}
    for clip in range(clips):
        script = SCRIPTS[clip % len(SCRIPTS)]
        for shout, log in _watched(script, SEED + clip, sounds[clip :: max(1, clips)]):
            named = log.name(shout.at_ms, shout.sound, shout.at_ms - BEFORE_MS)
            by[script]["nobody" if named is None else "right" if named == shout.seat else "wrong"] += 1
    return {
        "others": {script: dict(counts) for script, counts in by.items() if counts},
        "clips": clips,
        "seeds": [SEED, SEED + clips - 1],
        "cpu_s": round(time.process_time() - began),
    }


def _watched(script: str, seed: int, sounds: Sequence[tuple[str, Sound]]) -> list[tuple[Shout, MouthLog]]:
    """The calls of a clip, each with the mouths that were seen when it was named."""
    clip = sitting(script, Setting(seed=seed, seconds=SECONDS, people=4, distance_m=2.2))
    rng = np.random.default_rng([seed, 5])
    shouts = [
        Shout(str(rng.choice(list("ABCD"))), at_ms, call, _length_ms(sound), sound)
        for at_ms, (call, sound) in zip(
            range(2000, round(SECONDS * 1000) - AFTER_MS, EVERY_MS), sounds, strict=False
        )
    ]
    for player in clip.players:
        mine = [shout for shout in shouts if shout.seat == player.seat]
        player.behaviour = Caller(player.behaviour, mine)
    found: list[tuple[Shout, MouthLog]] = []
    waiting, watch, log = list(shouts), None, _Log()
    for frame in clip.frames():
        if watch is None:
            boxes = {row["seat"]: Box(*map(float, row["box"])) for row in frame.truth["faces"]}
            watch = FaceWatch(boxes, lambda: FaceReader(is_video=True))
        log.see(watch, frame.at_ms, np.ascontiguousarray(frame.pixels))
        while waiting and frame.at_ms >= waiting[0].at_ms + NAMED_MS:
            found.append((waiting.pop(0), log.copy()))
    return found


class _Log:
    """What ``PeopleWatch`` notes of mouths, kept whole."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, int, float]] = []

    def see(self, watch: FaceWatch, at_ms: int, pixels: np.ndarray[Any, Any]) -> None:
        before = watch.faces
        watch.step(at_ms, pixels)
        self._rows += [
            (seat, at_ms, opening_of(face))
            for seat, face in watch.faces.items()
            if before.get(seat) is not face
        ]

    def copy(self) -> MouthLog:
        log = MouthLog("ABCD")
        for seat, at_ms, opening in self._rows:
            log.note(seat, at_ms, opening)
        return log


def _sounds(files: Sequence[SoundFile], most: int) -> list[tuple[str, Sound]]:
    """Calls of the folder with what sounds round them, the voices mixed up."""
    found: list[tuple[str, Sound]] = []
    for file in files:
        if file.set != CALLS or file.snr_db not in {_SNR, ""}:
            continue
        with SoundTrack(str(file.path)) as track:
            whole = np.concatenate([block.samples.mean(axis=1) for block in track])
        for call in file.calls:
            first, last = (round((call.at_ms + ms) * RATE / 1000) for ms in (-BEFORE_MS, AFTER_MS))
            if first >= 0 and last <= len(whole):
                found.append((call.call, whole[first:last]))
    order = np.random.default_rng(SEED).permutation(len(found))
    return [found[place] for place in order[:most]]


def _length_ms(sound: Sound) -> float:
    """How long a call lasts: from its onset until it is 22 dB below its loudest part."""
    step = RATE // 50
    after = sound[round(BEFORE_MS * RATE / 1000) :]
    levels = 10 * np.log10((after[: len(after) // step * step].reshape(-1, step) ** 2).mean(axis=1) + 1e-9)
    early = levels[: round(1000 * RATE / 1000 / step)]
    loud = np.flatnonzero(early > early.max() - _QUIET_DB)
    return float(np.clip(20 * (loud[-1] + 1), 300, 900))
