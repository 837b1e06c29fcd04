"""How a seated person holds body, head, arms and hands, and the bone turns that make it so.

Goals are points and directions of the world; arms reach them by solving the triangle of shoulder, elbow and
wrist. A goal too far away makes the body lean forward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.figure import Figure
from kemps_scenes.bodies.grips import Grip, HandAxes, grip
from kemps_scenes.bodies.painter import Placed
from kemps_scenes.bodies.skeleton import Array, about, cross

SHOULDERS_M: Final = 0.27  # above the table top, as people sit
_SPINE: Final = ("spine05", "spine04", "spine03", "spine02", "spine01")
_NECK: Final = ("neck01", "neck02", "neck03", "head")
_LONGEST: Final = 0.985  # of the arm's length: a straight arm has no elbow to bend
_MOST_LEAN: Final = 48.0


@dataclass(frozen=True, slots=True)
class HandGoal:
    """Where a hand should be, in the world.

    Attributes:
        wrist: (3,) in metres.
        along: Where the fingers point, (3,).
        palm: Where the palm faces, (3,).
        grip: How the fingers are held.
    """

    wrist: Array
    along: Array
    palm: Array
    grip: Grip = field(default_factory=lambda: grip("rest"))

    def towards(self, other: HandGoal, share: float, lift_m: float = 0.0) -> HandGoal:
        """A goal part of the way to another, on an arc ``lift_m`` high."""
        wrist = self.wrist + (other.wrist - self.wrist) * share
        wrist = wrist + np.array([0, 0, lift_m * 4 * share * (1 - share)])
        return HandGoal(
            wrist,
            self.along + (other.along - self.along) * share,
            self.palm + (other.palm - self.palm) * share,
            self.grip.towards(other.grip, share),
        )


@dataclass(frozen=True, slots=True)
class Posture:
    """What a person does at one moment.

    Attributes:
        units: Strengths of face units, 0 to 1.
        yaw: The head's turn to the person's left, in degrees.
        pitch: The head's nod down, in degrees.
        roll: The head's tilt to the person's left shoulder, in degrees.
        lean: The body's lean forward, in degrees.
        sway: The body's lean to the left, in degrees.
        hands: Goals of the hands, by side ``L`` and ``R``; without one the arm hangs.
    """

    units: Mapping[str, float] = field(default_factory=dict)
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    lean: float = 0.0
    sway: float = 0.0
    hands: Mapping[str, HandGoal] = field(default_factory=dict)


class Sitter:
    """A figure on a chair.

    Args:
        figure: Who sits there.
        at: Where the middle of the shoulders is when upright, x and y in metres.
        facing_deg: Which way the person looks: 0 east, 90 north.
        shoulders_m: How high the shoulders are above the table top.
    """

    def __init__(
        self, figure: Figure, at: tuple[float, float], facing_deg: float, shoulders_m: float = SHOULDERS_M
    ) -> None:
        self.figure = figure
        angle = np.radians(facing_deg)
        forward = np.array([np.cos(angle), np.sin(angle), 0.0])
        left = np.array([-forward[1], forward[0], 0.0])
        self.axes: Array = np.stack([left, [0.0, 0.0, 1.0], forward], axis=1)
        middle = np.mean([figure.skeleton.head(f"upperarm01.{s}") for s in "LR"], axis=0)
        self.model: Array = np.eye(4)
        self.model[:3, :3] = self.axes
        self.model[:3, 3] = np.array([*at, shoulders_m]) - self.axes @ middle
        self.hands = {side: HandAxes(figure.skeleton, side) for side in "LR"}

    def to_body(self, points: NDArray[np.floating]) -> Array:
        """Points (..., 3) of the world in the axes of the resting body."""
        return np.asarray((np.asarray(points, np.float64) - self.model[:3, 3]) @ self.axes)

    def to_world(self, points: NDArray[np.floating]) -> Array:
        """Points (..., 3) of the body in the world."""
        return np.asarray(np.asarray(points, np.float64) @ self.axes.T + self.model[:3, 3])

    def turns(self, posture: Posture) -> dict[str, Array]:
        """The turns of all bones."""
        goals = {
            side: (self.to_body(g.wrist), g.along @ self.axes, g.palm @ self.axes, g.grip)
            for side, g in posture.hands.items()
        }
        lean = posture.lean
        turns = self._torso(posture, lean)
        while lean < _MOST_LEAN and any(not self._in_reach(turns, s, g[0]) for s, g in goals.items()):
            lean += 2.0
            turns = self._torso(posture, lean)
        for side, (wrist, along, palm, held) in goals.items():
            turns |= self._arm(turns, side, wrist, np.stack([along, palm]))
            turns |= self.hands[side].finger_turns(held)
        if len(goals) < 2:
            turns |= {f"upperarm01.{s}": self._hanging(s) for s in "LR" if s not in goals}
        return turns

    def placed(self, posture: Posture) -> Placed:
        """The figure in that posture, ready to be drawn."""
        points, normals = self.figure.posed(posture.units, self.turns(posture))
        return Placed(self.figure, points, normals, self.model)

    def joints(self, posture: Posture, names: tuple[str, ...]) -> Array:
        """Where bones begin in the world, (n, 3)."""
        skeleton = self.figure.skeleton
        posed = skeleton.pose(self.turns(posture))
        picked = posed[[skeleton.index[name] for name in names]]
        heads = np.stack([skeleton.head(name) for name in names])
        return self.to_world(np.einsum("nij,nj->ni", picked[:, :, :3], heads) + picked[:, :, 3])

    def _torso(self, posture: Posture, lean: float) -> dict[str, Array]:
        turns = {}
        for name in _SPINE:
            turns[name] = about((0, 0, 1), -posture.sway / 5) @ about((1, 0, 0), lean / 5)
        # The head stays level while the body leans.
        pitch = posture.pitch - 0.75 * lean
        for name in _NECK:
            turn = about((0, 1, 0), posture.yaw / 4) @ about((1, 0, 0), pitch / 4)
            turns[name] = turn @ about((0, 0, 1), -posture.roll / 4)
        return turns

    def _lengths(self, side: str) -> tuple[Array, Array, Array]:
        skeleton = self.figure.skeleton
        shoulder, elbow, wrist = (
            skeleton.head(f"{bone}.{side}") for bone in ("upperarm01", "lowerarm01", "wrist")
        )
        return shoulder, elbow, wrist

    def _shoulder(self, turns: dict[str, Array], side: str) -> tuple[Array, Array]:
        """Where the shoulder is, and how its parent is turned."""
        skeleton = self.figure.skeleton
        parent = skeleton.pose_of(turns, f"shoulder01.{side}")
        return parent[:, :3] @ skeleton.head(f"upperarm01.{side}") + parent[:, 3], parent[:, :3]

    def _in_reach(self, turns: dict[str, Array], side: str, wrist: Array) -> bool:
        shoulder, elbow, end = self._lengths(side)
        length = np.linalg.norm(elbow - shoulder) + np.linalg.norm(end - elbow)
        at, _ = self._shoulder(turns, side)
        return bool(np.linalg.norm(wrist - at) < _LONGEST * length)

    def _arm(self, turns: dict[str, Array], side: str, wrist: Array, ways: Array) -> dict[str, Array]:
        """The turns of an arm whose wrist is at a point of the body's axes; ``ways``: fingers, palm."""
        shoulder, elbow, end = self._lengths(side)
        upper, lower = elbow - shoulder, end - elbow
        at, parent = self._shoulder(turns, side)
        sign = 1.0 if side == "L" else -1.0
        new_upper, new_lower = _bent(wrist - at, upper, lower, np.array([0.75 * sign, -1.0, -0.25]))
        hinge = cross(upper, lower)
        new_hinge = cross(new_upper, new_lower)
        g_upper = _frame(new_upper, new_hinge) @ _frame(upper, hinge).T
        g_lower = _frame(new_lower, new_hinge) @ _frame(lower, hinge).T
        rows = self.hands[side].rows
        g_hand = _frame(ways[0], ways[1]) @ _frame(rows[1], rows[2]).T
        twist = _twist_about(g_lower.T @ g_hand, lower / np.linalg.norm(lower))
        g_wrist = g_lower @ about(lower, 0.6 * twist)
        return {
            f"upperarm01.{side}": parent.T @ g_upper,
            f"lowerarm01.{side}": g_upper.T @ g_lower,
            f"lowerarm02.{side}": g_lower.T @ g_wrist,
            f"wrist.{side}": g_wrist.T @ g_hand,
        }

    def _hanging(self, side: str) -> Array:
        return about((0, 0, 1), -38.0 if side == "L" else 38.0)


def _bent(reach: Array, upper: Array, lower: Array, pole: Array) -> tuple[Array, Array]:
    """The two parts of an arm that ends at ``reach`` from the shoulder, the elbow towards the pole."""
    a, b = float(np.linalg.norm(upper)), float(np.linalg.norm(lower))
    way = reach / np.linalg.norm(reach)
    length = float(np.clip(np.linalg.norm(reach), abs(a - b) * 1.05, _LONGEST * (a + b)))
    cosine = (a * a + length * length - b * b) / (2 * a * length)
    side = pole - way * (pole @ way)
    side /= np.linalg.norm(side)
    elbow = a * (cosine * way + np.sqrt(max(0.0, 1 - cosine * cosine)) * side)
    return elbow, length * way - elbow


def _frame(first: Array, second: Array) -> Array:
    """An orthonormal frame, as columns, whose first axis is given and whose second is near one given."""
    x = first / np.linalg.norm(first)
    y = second - x * (second @ x)
    y /= np.linalg.norm(y)
    return np.stack([x, y, cross(x, y)], axis=1)


def _twist_about(turn: Array, axis: Array) -> float:
    """How far a rotation turns about an axis, in degrees: the twist of its swing and twist."""
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine = float(skew @ axis) / 2
    cosine = (float(np.trace(turn)) - 1) / 2
    return float(np.degrees(np.arctan2(sine, cosine)))
