"""Players round a table: where they sit, where their hands rest, and the paths their hands take."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kemps_scenes.bodies.behaviour import Behaviour, Manner
from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.expressions import Gesture, face_state, smooth
from kemps_scenes.bodies.figure import Look, figure_of
from kemps_scenes.bodies.grips import grip
from kemps_scenes.bodies.posture import HandGoal, Posture, Sitter
from kemps_scenes.bodies.scenery import TABLE_HALF_M
from kemps_scenes.bodies.skeleton import Array

HAND_M: Final = 0.095  # from the wrist to the middle of the hand
TIP_M: Final = 0.165  # from the wrist to the finger tips
_BEHIND_EDGE_M: Final = 0.17  # how far the shoulders are from the table's edge


class HandPath:
    """Where a hand goes in time: from goal to goal, softly."""

    def __init__(self, start: HandGoal) -> None:
        self._times: list[tuple[float, float]] = [(-2.0, -1.0)]
        self._goals: list[tuple[HandGoal, float]] = [(start, 0.0)]

    def move(self, at_ms: float, until_ms: float, goal: HandGoal, lift_m: float = 0.0) -> None:
        """Adds a way to a goal, on an arc that is ``lift_m`` high; ways are added in the order of time."""
        if at_ms < self._times[-1][1]:
            raise ActError(
                f"a hand that moves until {self._times[-1][1]:.0f} ms cannot start at {at_ms:.0f} ms"
            )
        self._times.append((at_ms, until_ms))
        self._goals.append((goal, lift_m))

    @property
    def last(self) -> HandGoal:
        """Where the hand ends."""
        return self._goals[-1][0]

    @property
    def free_ms(self) -> float:
        """From when on it has nothing to do."""
        return self._times[-1][1]

    def goal(self, at_ms: float) -> HandGoal:
        """Where the hand is at a time."""
        i = bisect_right(self._times, (at_ms, float("inf"))) - 1
        goal, lift = self._goals[i]
        start, end = self._times[i]
        if i == 0 or at_ms >= end:
            return goal
        return self._goals[i - 1][0].towards(goal, smooth((at_ms - start) / (end - start)), lift)


@dataclass(eq=False, slots=True)
class Player:
    """Somebody at the table in one clip.

    Attributes:
        seat: A to D; A sits in the south, the others follow clockwise seen from above.
        sitter: The body on its chair.
        behaviour: What it does by itself.
        gestures: What it is told to do with its face.
        paths: Where its hands go, by side; a hand without a path hangs.
        fan: Whether the left hand holds cards.
    """

    seat: str
    sitter: Sitter
    behaviour: Behaviour
    gestures: list[Gesture] = field(default_factory=list)
    paths: dict[str, HandPath] = field(default_factory=dict)
    fan: bool = False

    @property
    def forward(self) -> Array:
        """Which way the player looks, (3,)."""
        return np.asarray(self.sitter.axes[:, 2])

    @property
    def left(self) -> Array:
        """The player's left, (3,)."""
        return np.asarray(self.sitter.axes[:, 0])

    def posture(self, at_ms: float) -> Posture:
        """What the player does at a time."""
        state = face_state([*self.gestures, *self.behaviour.gestures], at_ms)
        self.behaviour.add_to(state, at_ms)
        return Posture(
            state.settled(),
            state.yaw,
            state.pitch,
            state.roll,
            state.lean,
            hands={side: path.goal(at_ms) for side, path in self.paths.items()},
        )

    def home(self, side: str) -> HandGoal:
        """Where a hand lies when it has nothing to do."""
        if side == "L" and self.fan:
            wrist = self.before(0.215, 0.165, 0.135)
            along = 0.35 * self.forward - 0.55 * self.left + np.array([0, 0, 0.6])
            palm = -0.8 * self.forward - 0.3 * self.left + np.array([0, 0, 0.35])
            return HandGoal(wrist, along, palm, grip("fan"))
        sign = 1 if side == "L" else -1
        wrist = self.before(0.25, 0.15 * sign, 0.035)
        return HandGoal(wrist, self.forward - 0.35 * sign * self.left, np.array([0, 0, -1.0]), grip("rest"))

    def before(self, forward_m: float, left_m: float, up_m: float) -> Array:
        """A point so far before the shoulders and to the left, at a height above the table top, (3,)."""
        middle = np.mean([self.sitter.figure.skeleton.head(f"upperarm01.{s}") for s in "LR"], axis=0)
        at = self.sitter.to_world(middle) * np.array([1, 1, 0])
        return np.asarray(at + forward_m * self.forward + left_m * self.left + np.array([0, 0, up_m]))


def table_players(
    looks: list[Look], manner: Manner, duration_ms: int, seed: int, *, fans: bool = True
) -> list[Player]:
    """Two to four players on the sides of the table, hands at rest, A in the south and then clockwise."""
    ring = TABLE_HALF_M + _BEHIND_EDGE_M
    places = (((0.0, -ring), 90.0), ((-ring, 0.0), 0.0), ((0.0, ring), -90.0), ((ring, 0.0), 180.0))
    players = []
    for index, look in enumerate(looks):
        at, facing = places[index]
        sitter = Sitter(figure_of(look), at, facing)
        player = Player("ABCD"[index], sitter, Behaviour(manner, duration_ms, seed + 13 * index), fan=fans)
        player.paths = {side: HandPath(player.home(side)) for side in "LR"}
        players.append(player)
    return players


def row_players(
    looks: list[Look],
    manner: Manner,
    duration_ms: int,
    seed: int,
    *,
    distance_m: float,
    spread_m: float = 0.72,
) -> list[Player]:
    """One to four players side by side who face a camera in the origin of x and y, that far away."""
    players = []
    for index, look in enumerate(looks):
        x = (index - (len(looks) - 1) / 2) * spread_m
        y = float(np.sqrt(max(0.2, distance_m**2 - x**2)))
        rng = np.random.default_rng([seed, index, 43])
        facing = float(np.degrees(np.arctan2(-y, -x)) + rng.uniform(-8, 8))
        sitter = Sitter(figure_of(look), (x, y), facing)
        life = Behaviour(manner, duration_ms, seed + 13 * index)
        player = Player("ABCD"[index], sitter, life)
        player.paths = {side: HandPath(player.home(side)) for side in "LR"}
        players.append(player)
    return players
