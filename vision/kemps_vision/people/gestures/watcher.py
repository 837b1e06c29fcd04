"""The gestures of one person, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kemps_vision.people.gestures.brows import Brows
from kemps_vision.people.gestures.episode import PLACES, SHAPES, Episode, Told, Unmeasured
from kemps_vision.people.gestures.expressions import EXPRESSIONS, Expression
from kemps_vision.people.gestures.eyes import Eyes
from kemps_vision.people.gestures.head import (
    NOD_DEGREES,
    NOD_TURNS,
    SHAKE_DEGREES,
    SHAKE_TURNS,
    Swing,
)
from kemps_vision.people.gestures.holding import Holding
from kemps_vision.people.gestures.measures import Measures
from kemps_vision.people.gestures.neutral import Neutral, neutral_of
from kemps_vision.people.gestures.rubbing import Rubbing
from kemps_vision.people.gestures.sights import Sight, sight_of
from kemps_vision.people.landmarks import FacePose, HandPose

CALIBRATION_MS: Final = 20_000  # of a face in view, before anything of it is told
REFINE_SHARE: Final = 0.2  # of the way to how the face was at rest in the last 20 s
LEAST_TOLD: Final = 0.5  # confidence: what is less sure is not told

_UNMEASURED_LEAST_MS: Final = 300
_LOST_MS: Final = 300  # a face that was not measured for longer ends what was going on
_PLACE_LEAST_MS: Final = 250
_SHAPE_LEAST_MS: Final = 400
_ABOUT_BLINK_MS: Final = 100  # brows and gaze move a little before and after the lids


@dataclass(slots=True)
class _Face:
    """The gestures of a face whose rest is known."""

    held: dict[str, tuple[Expression, Holding]] = field(
        default_factory=lambda: {
            one.gesture: (one, Holding(one.gesture, one.least_ms)) for one in EXPRESSIONS
        }
    )
    brows: Brows = field(default_factory=Brows)
    eyes: Eyes = field(default_factory=Eyes)
    nod: Swing = field(default_factory=lambda: Swing("nod", NOD_DEGREES, NOD_TURNS))
    shake: Swing = field(default_factory=lambda: Swing("shake", SHAKE_DEGREES, SHAKE_TURNS))
    blinked_ms: int | None = None
    # What waits until it is known whether the eyes blink or look down.
    waiting: list[tuple[int, Measures, float]] = field(default_factory=list)

    def step(self, at_ms: int, face: Measures, neutral: Neutral, trust: float) -> list[Episode]:
        ended = self.eyes.step(at_ms, face, neutral, trust)
        told: list[Episode | None] = [*ended]
        self._forget_blinks(ended)
        self.waiting.append((at_ms, face, trust))
        if not self.eyes.is_shutting:
            told += self._catch_up(neutral, at_ms - _ABOUT_BLINK_MS)
        for one, holding in self.held.values():
            if not one.is_blinked:
                told.append(holding.step(at_ms, one.score(face, neutral), trust))
        told += [self.nod.step(at_ms, face.pitch, trust), self.shake.step(at_ms, face.yaw, trust)]
        return _claims(told)

    def end(self, neutral: Neutral) -> list[Episode]:
        ended = self.eyes.end()
        self._forget_blinks(ended)
        told: list[Episode | None] = [*ended, *self._catch_up(neutral)]
        self.eyes.forget()
        self.blinked_ms = None
        told += [holding.end() for _, holding in self.held.values()]
        told += [self.brows.end(), self.nod.end(), self.shake.end()]
        return _claims(told)

    def _forget_blinks(self, ended: Sequence[Episode]) -> None:
        """What was seen about a blink says nothing of brows and gaze."""
        if ended:
            self.blinked_ms = ended[-1].until_ms
            from_ms = ended[0].at_ms - _ABOUT_BLINK_MS
            self.waiting = [one for one in self.waiting if one[0] < from_ms]

    def _catch_up(self, neutral: Neutral, until_ms: int | None = None) -> list[Episode | None]:
        """What blinks look like for a moment, in what was seen up to then while no eye was blinking."""
        told: list[Episode | None] = []
        known = [one for one in self.waiting if until_ms is None or one[0] <= until_ms]
        self.waiting = self.waiting[len(known) :]
        for at_ms, face, trust in known:
            if self.blinked_ms is not None and 0 <= at_ms - self.blinked_ms <= _ABOUT_BLINK_MS:
                continue
            told += [
                holding.step(at_ms, one.score(face, neutral), trust)
                for one, holding in self.held.values()
                if one.is_blinked
            ]
            told.append(self.brows.step(at_ms, face, neutral, trust))
        return told


def _claims(told: Iterable[Episode | None]) -> list[Episode]:
    return [one for one in told if one is not None and one.confidence >= LEAST_TOLD]


class GestureWatcher:
    """Turns what is seen of one person into episodes.

    Without a ``neutral`` the first ``calibration_ms`` in which the face can be measured, or what there is of
    them when it finishes, tell how the face is at rest; what happened meanwhile is told then, with its times.
    Afterwards the rest follows slowly how the face is.

    Args:
        neutral: How the face is at rest, when that is known from before.
        calibration_ms: How much is seen before the rest is learnt.
    """

    def __init__(self, neutral: Neutral | None = None, *, calibration_ms: int = CALIBRATION_MS) -> None:
        self._neutral = neutral
        self._calibration_ms = calibration_ms
        self._waiting: list[Sight] = []
        self._learnt: list[Measures] = []
        self._measured_ms = 0
        self._last: Sight | None = None
        self._face = _Face()
        self._faced_ms: int | None = None
        self._hands = {f"hand_to_{place}": Holding(f"hand_to_{place}", _PLACE_LEAST_MS) for place in PLACES}
        self._hands |= {shape: Holding(shape, _SHAPE_LEAST_MS) for shape in SHAPES}
        self._rubbing = Rubbing()
        self._hidden: Unmeasured | None = None

    @property
    def neutral(self) -> Neutral | None:
        """How the face is at rest, once that is known."""
        return self._neutral

    def step(self, at_ms: int, face: FacePose | None, hands: Sequence[HandPose] = ()) -> list[Told]:
        """What has ended before now, in no order; times must rise.

        Raises:
            ValueError: Time stands still or goes back.
        """
        return self.see(sight_of(at_ms, face, hands))

    def see(self, sight: Sight) -> list[Told]:
        """As ``step``, of what was measured elsewhere."""
        if self._last is not None and sight.at_ms <= self._last.at_ms:
            raise ValueError(f"a look at {sight.at_ms} ms after one at {self._last.at_ms} ms")
        self._learn(sight)
        self._last = sight
        if self._neutral is None:
            self._waiting.append(sight)
            if self._measured_ms < self._calibration_ms:
                return []
            self._refine()
            return self._catch_up()
        told = self._watch(sight)
        if self._measured_ms >= self._calibration_ms:
            self._refine()
        return told

    def finish(self) -> list[Told]:
        """What was going on or was waiting; nothing comes after it."""
        if self._neutral is None:
            self._neutral = neutral_of(self._learnt)
        told = self._catch_up()
        told += [] if self._neutral is None else self._face.end(self._neutral)
        told += [ended for one in self._hands.values() if (ended := one.end()) is not None]
        rubbed = self._rubbing.end()
        told += [] if rubbed is None else [rubbed]
        return told + self._hidden_ended()

    def _learn(self, sight: Sight) -> None:
        if sight.face is None:
            return
        if self._last is not None and self._last.face is not None:
            self._measured_ms += sight.at_ms - self._last.at_ms
        self._learnt.append(sight.face)

    def _refine(self) -> None:
        latest = neutral_of(self._learnt)
        self._learnt, self._measured_ms = [], 0
        if latest is not None:
            self._neutral = latest if self._neutral is None else self._neutral.nearer_to(latest, REFINE_SHARE)

    def _catch_up(self) -> list[Told]:
        waiting, self._waiting = self._waiting, []
        return [told for sight in waiting for told in self._watch(sight)]

    def _watch(self, sight: Sight) -> list[Told]:
        told: list[Told] = [*self._watch_face(sight), *self._watch_hidden(sight)]
        for gesture, holding in self._hands.items():
            place = gesture.removeprefix("hand_to_")
            score = sight.places.get(place, 0.0) if place != gesture else float(gesture in sight.shapes)
            ended = holding.step(sight.at_ms, score)
            if ended is not None:
                told.append(ended)
        rubbed = self._rubbing.step(sight.at_ms, sight.thumb)
        return told if rubbed is None else [*told, rubbed]

    def _watch_face(self, sight: Sight) -> list[Episode]:
        if self._neutral is None:
            return []
        if sight.face is not None:
            self._faced_ms = sight.at_ms
            return self._face.step(sight.at_ms, sight.face, self._neutral, sight.trust)
        if self._faced_ms is not None and sight.at_ms - self._faced_ms > _LOST_MS:
            self._faced_ms = None
            return self._face.end(self._neutral)
        return []

    def _watch_hidden(self, sight: Sight) -> list[Told]:
        if self._hidden is not None and self._hidden.what == sight.hidden:
            self._hidden = Unmeasured(sight.hidden, self._hidden.at_ms, sight.at_ms)
            return []
        ended = self._hidden_ended()
        self._hidden = Unmeasured(sight.hidden, sight.at_ms, sight.at_ms) if sight.hidden else None
        return ended

    def _hidden_ended(self) -> list[Told]:
        hidden, self._hidden = self._hidden, None
        is_long = hidden is not None and hidden.until_ms - hidden.at_ms >= _UNMEASURED_LEAST_MS
        return [hidden] if hidden is not None and is_long else []


def watch_all(sights: Iterable[Sight], neutral: Neutral | None = None) -> list[Told]:
    """What is told of a whole series, by onset."""
    watcher = GestureWatcher(neutral)
    told = [one for sight in sights for one in watcher.see(sight)]
    return sorted([*told, *watcher.finish()], key=lambda one: (one.at_ms, one.until_ms))
