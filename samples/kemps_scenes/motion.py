"""How hands and cards move: keys in time, exact, joined by minimum-jerk paths as uneven as people's are."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import Card

Vector = NDArray[np.float64]
FACE_UP: Final = 0.0
FACE_DOWN: Final = float(np.pi)


def minimum_jerk(share: float) -> float:
    """Progress 0..1 of a smooth reach after a share of its time (Flash and Hogan, 1985)."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (10 - 15 * s + 6 * s * s)


def shortest_turn(start: float, end: float) -> float:
    """The angle from ``start`` to ``end`` that is at most half a turn."""
    return float((end - start + np.pi) % (2 * np.pi) - np.pi)


@dataclass(frozen=True, slots=True)
class CardPose:
    """A card in space: its middle, its direction on the table, how far it is turned about its long axis."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0
    turn: float = FACE_UP
    pitch: float = 0.0

    def corners(self, half: tuple[float, float]) -> Vector:
        """World corners (4, 3): top-left, top-right, bottom-right, bottom-left as printed on the face."""
        w, h = half
        flat = np.array([[-w, h, 0], [w, h, 0], [w, -h, 0], [-w, -h, 0]], np.float64)
        ct, st = np.cos(self.turn), np.sin(self.turn)
        turned = np.stack([flat[:, 0] * ct, flat[:, 1], -flat[:, 0] * st], axis=1)
        cp, sp = np.cos(self.pitch), np.sin(self.pitch)
        pitched = np.stack(
            [turned[:, 0], turned[:, 1] * cp - turned[:, 2] * sp, turned[:, 1] * sp + turned[:, 2] * cp], 1
        )
        cy, sy = np.cos(self.yaw), np.sin(self.yaw)
        x = pitched[:, 0] * cy - pitched[:, 1] * sy
        y = pitched[:, 0] * sy + pitched[:, 1] * cy
        z = pitched[:, 2]
        # Nothing reaches through the table.
        return np.stack([self.x + x, self.y + y, self.z + z + max(0.0, -float((self.z + z).min()))], axis=1)


@dataclass(frozen=True, slots=True)
class HandKey:
    """Where the fingers are at a time, and the posture from then on."""

    at_ms: float
    x: float
    y: float
    z: float
    posture: str


@dataclass(frozen=True, slots=True)
class ArmPose:
    """An arm at one moment: the place between the fingers, the direction of the arm, the posture."""

    x: float
    y: float
    z: float
    direction: float
    posture: str


@dataclass(slots=True)
class HandTrack:
    """One arm through time; between keys it travels in a low arc, and never quite straight."""

    shoulder: tuple[float, float]
    left: bool
    seed: int
    keys: list[HandKey] = field(default_factory=list)

    @property
    def last(self) -> HandKey:
        """The latest key."""
        return self.keys[-1]

    def add(self, at_ms: float, x: float, y: float, z: float, posture: str) -> None:
        """Appends a key; time never goes back."""
        self.keys.append(HandKey(max(at_ms, self.last.at_ms if self.keys else at_ms), x, y, z, posture))

    def pose(self, at_ms: float) -> ArmPose:
        """The arm at a time."""
        index = bisect.bisect_right(self.keys, at_ms, key=lambda key: key.at_ms) - 1
        a = self.keys[max(0, index)]
        b = self.keys[min(len(self.keys) - 1, index + 1)] if index >= 0 else a
        span = b.at_ms - a.at_ms
        share = minimum_jerk((at_ms - a.at_ms) / span) if span > 0 else 0.0
        dx, dy = b.x - a.x, b.y - a.y
        distance = float(np.hypot(dx, dy))
        bow = 4 * share * (1 - share)
        sway = _unevenness(self.seed, a.at_ms) * distance * 0.10 * bow
        x, y = a.x + dx * share, a.y + dy * share
        if distance > 1e-6:
            x, y = x - dy / distance * sway, y + dx / distance * sway
        z = a.z + (b.z - a.z) * share + bow * min(0.06, 0.22 * distance)
        posture = a.posture if share < 0.55 else b.posture
        return ArmPose(x, y, z, self.direction(x, y), posture)

    def direction(self, x: float, y: float) -> float:
        """Direction of the arm, as an angle from east, when the fingers are at a point."""
        sx, sy = self.shoulder
        inward = 0.16 if self.left else -0.16  # elbows point outwards, hands inwards
        return float(np.arctan2(y - sy, x - sx)) - inward * 0.5


def _unevenness(seed: int, at_ms: float) -> float:
    return float(np.random.default_rng([seed, int(at_ms)]).normal())


@dataclass(frozen=True, slots=True)
class Held:
    """A card that follows a hand from one pose to another.

    Attributes:
        turn_at: Shares of the time between which the card is turned over.
        beneath_from: Share of the time after which the card slips under the fingers that hold the packet.
    """

    start_ms: float
    end_ms: float
    hand: HandTrack
    start: CardPose
    end: CardPose
    turn_at: tuple[float, float] = (0.25, 0.75)
    beneath_from: float = 2.0

    def share(self, at_ms: float) -> float:
        """How much of the carry is over, 0 to 1."""
        return min(1.0, max(0.0, (at_ms - self.start_ms) / max(1.0, self.end_ms - self.start_ms)))

    def pose(self, at_ms: float) -> CardPose:
        """The card at a time within the carry: fixed to the hand but for settling into the other grip."""
        share = self.share(at_ms)
        arm = self.hand.pose(at_ms)
        first = _relative(self.start, self.hand.pose(self.start_ms))
        last = _relative(self.end, self.hand.pose(self.end_ms))
        blend = minimum_jerk(share)
        along, aside, up = (a + (b - a) * blend for a, b in zip(first[:3], last[:3], strict=True))
        yaw = arm.direction + first[3] + shortest_turn(first[3], last[3]) * blend
        begin, finish = self.turn_at
        turn = self.start.turn + (self.end.turn - self.start.turn) * minimum_jerk(
            (share - begin) / (finish - begin)
        )
        c, s = np.cos(arm.direction), np.sin(arm.direction)
        x, y = arm.x + along * c - aside * s, arm.y + along * s + aside * c
        return CardPose(float(x), float(y), max(0.0, arm.z + up), yaw, turn, 0.6 * share * (1 - share))


@dataclass(frozen=True, slots=True)
class Slide:
    """A card that moves over the table by itself, pushed or dealt."""

    start_ms: float
    end_ms: float
    start: CardPose
    end: CardPose

    def pose(self, at_ms: float) -> CardPose:
        """The card at a time within the slide."""
        share = minimum_jerk((at_ms - self.start_ms) / max(1.0, self.end_ms - self.start_ms))
        a, b = self.start, self.end
        return CardPose(
            a.x + (b.x - a.x) * share,
            a.y + (b.y - a.y) * share,
            a.z + (b.z - a.z) * share,
            a.yaw + shortest_turn(a.yaw, b.yaw) * share,
            a.turn + (b.turn - a.turn) * share,
        )


def _relative(card: CardPose, arm: ArmPose) -> tuple[float, float, float, float]:
    """A card's place and direction in the frame of an arm."""
    dx, dy = card.x - arm.x, card.y - arm.y
    c, s = float(np.cos(arm.direction)), float(np.sin(arm.direction))
    return (dx * c + dy * s, -dx * s + dy * c, card.z - arm.z, card.yaw - arm.direction)


@dataclass(frozen=True, slots=True)
class CardState:
    """Where a card is from then on: ``stock``, ``packet:A``, ``hand:A``, ``slot:0``, ``aside`` or alike."""

    at_ms: float
    where: str
    motion: CardPose | Held | Slide
    level: float = 0.0


@dataclass(slots=True)
class CardTrack:
    """One card through time; ``card`` is None as long as the script never says which it is."""

    uid: int
    card: Card | None
    states: list[CardState] = field(default_factory=list)

    def put(self, at_ms: float, where: str, motion: CardPose | Held | Slide, level: float = 0.0) -> None:
        """From ``at_ms`` on the card is there; whatever was planned for later is dropped."""
        while self.states and self.states[-1].at_ms > at_ms:
            self.states.pop()
        self.states.append(CardState(at_ms, where, motion, level))

    def state(self, at_ms: float) -> CardState | None:
        """Where the card is at a time, None before it appears."""
        index = bisect.bisect_right(self.states, at_ms, key=lambda state: state.at_ms) - 1
        return self.states[index] if index >= 0 else None

    def pose(self, at_ms: float) -> CardPose:
        """The card's pose at a time; before it appears, the pose it appears in."""
        state = self.state(at_ms) or self.states[0]
        return state.motion if isinstance(state.motion, CardPose) else state.motion.pose(at_ms)
