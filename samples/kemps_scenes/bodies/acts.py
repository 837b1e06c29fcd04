"""What hands do at the table: reach, touch, clasp, miss each other, pass a card, hide, go to the face.

Each act adds ways to the paths of hands and returns what it was, for the truth. Times are when the first
hand leaves its rest place and when the last one is back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.grips import grip
from kemps_scenes.bodies.hand_shapes import HandReader, gap_m
from kemps_scenes.bodies.mesh import base_mesh
from kemps_scenes.bodies.painter import Placed
from kemps_scenes.bodies.players import HAND_M, TIP_M, Player
from kemps_scenes.bodies.posture import HandGoal, Posture
from kemps_scenes.bodies.scenery import SLOTS_M
from kemps_scenes.bodies.skeleton import Array

_DOWN: Final = np.array([0.0, 0.0, -1.0])
_UP: Final = np.array([0.0, 0.0, 1.0])
_TOUCHING_M: Final = 0.003
_MISS_M: Final = (0.022, 0.045)
_TIPS: Final = {"point": (1.0, 0.0), "rest": (0.8, 0.05), "flat": (1.0, 0.0)}
"""Where the finger tips are in a grip: a share of the hand's length along it, and metres out of the palm."""
FACE_PLACES: Final = {
    "nose": (0.0, 6.95, 1.70),
    "mouth": (0.0, 6.60, 1.55),
    "chin": (0.0, 6.25, 1.45),
    "cheek": (0.50, 6.90, 1.15),
    "ear": (0.80, 7.10, 0.45),
    "eye": (0.34, 7.28, 1.42),
    "forehead": (0.15, 7.75, 1.42),
    "hair": (0.35, 8.25, 0.9),
}
"""Places of the base mesh's head that hands go to, on the left side; in decimetres."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something hands did.

    Attributes:
        kind: ``reach``, ``touch``, ``clasp``, ``near_miss``, ``pass_over``, ``pass_under``, ``under_table``,
            ``behind_back`` or ``hand_to_`` and a place of the face.
        hands: Seat and side of each hand, such as ``AR``.
        at_ms: When the first hand leaves its rest place.
        until_ms: When the last hand is back.
        core_ms: The span in which it happens: the hand over the slot, the hands together, the hand hidden.
        more: What else is to be said, such as the slot.
    """

    kind: str
    hands: tuple[str, ...]
    at_ms: int
    until_ms: int
    core_ms: tuple[int, int]
    more: dict[str, Any]


def reach(player: Player, slot: int, at_ms: int, rng: np.random.Generator, side: str = "R") -> Act:
    """A hand goes to a card of the centre, rests on it and comes back."""
    there, back = int(rng.integers(420, 800)), int(rng.integers(420, 800))
    stay = int(rng.integers(250, 900))
    path = player.paths[side]
    spot = np.array([*SLOTS_M[slot], 0.0]) + np.append(rng.normal(0, 0.008, 2), 0)
    along = spot - player.before(0.0, 0.16 if side == "L" else -0.16, 0.0)
    along /= np.linalg.norm(along)
    tilt = 0.25 + 0.25 * rng.random()
    wrist = spot - along * (TIP_M * 0.86) + np.array([0, 0, 0.030 + 0.16 * tilt * 0.5])
    goal = HandGoal(
        wrist,
        along - tilt * _UP,
        _DOWN - 0.3 * along,
        grip(str(rng.choice(("pinch", "rest", "flat", "point")))),
    )
    path.move(at_ms, at_ms + there, goal, lift_m=0.04)
    path.move(at_ms + there + stay, at_ms + there + stay + back, player.home(side), lift_m=0.03)
    end = at_ms + there + stay + back
    core = (at_ms + there, at_ms + there + stay)
    return Act("reach", (player.seat + side,), at_ms, end, core, {"slot": slot})


def touch(one: Player, two: Player, at_ms: int, rng: np.random.Generator) -> Act:
    """A hand of one player is laid on the back of another's hand."""
    sides = _sides(one, two)
    middle = _between(one, two, rng)
    first = _flat_at(one, sides[0], middle, 0.03, rng)
    second = _flat_at(two, sides[1], middle, 0.072, rng)
    for _ in range(8):
        if _gap_m((one, two), sides, (first, second)) < _TOUCHING_M:
            break
        second = replace(second, wrist=second.wrist - np.array([0, 0, 0.006]))
    return _meet("touch", (one, two), sides, (first, second), at_ms, rng, {})


def clasp(one: Player, two: Player, at_ms: int, rng: np.random.Generator) -> Act:
    """Two players shake or hold hands."""
    sides = _sides(one, two)
    middle = _between(one, two, rng) + np.array([0, 0, 0.10])
    goals = []
    way = two.before(0, 0, 0) - one.before(0, 0, 0)
    way /= np.linalg.norm(way)
    for player, side, sign in ((one, sides[0], 1.0), (two, sides[1], -1.0)):
        along = sign * way + 0.25 * player.forward
        along /= np.linalg.norm(along)
        palm = _inwards(along, side)
        wrist = middle - along * (HAND_M * 0.95) - palm * 0.014
        goals.append(HandGoal(wrist, along, palm, grip("clasp")))
    return _meet("clasp", (one, two), sides, (goals[0], goals[1]), at_ms, rng, {})


def near_miss(one: Player, two: Player, at_ms: int, rng: np.random.Generator) -> Act:
    """Two hands come within a few centimetres of each other and part."""
    sides = _sides(one, two)
    middle = _between(one, two, rng)
    apart = two.before(0, 0, 0) - one.before(0, 0, 0)
    apart *= 0.05 / np.linalg.norm(apart)
    first = _flat_at(one, sides[0], middle - apart, 0.035, rng)
    second = _flat_at(two, sides[1], middle + apart, 0.035, rng)
    least = float(rng.uniform(*_MISS_M))
    for _ in range(24):
        if _gap_m((one, two), sides, (first, second)) >= least:
            break
        first = replace(first, wrist=first.wrist - 0.08 * apart)
        second = replace(second, wrist=second.wrist + 0.08 * apart)
    return _meet("near_miss", (one, two), sides, (first, second), at_ms, rng, {})


def pass_card(one: Player, two: Player, at_ms: int, rng: np.random.Generator, *, under: bool) -> Act:
    """A card goes from hand to hand, over the table or under it."""
    sides = _sides(one, two)
    middle = _between(one, two, rng) + np.array([0, 0, -0.17 if under else 0.09])
    goals = []
    for player, side, other in ((one, sides[0], two), (two, sides[1], one)):
        along = other.before(0, 0, 0) - player.before(0, 0, 0)
        along = along / np.linalg.norm(along) + 0.3 * player.forward
        along /= np.linalg.norm(along)
        wrist = middle - along * (TIP_M + 0.02)
        goals.append(HandGoal(wrist, along, _inwards(along, side) + 0.8 * _DOWN, grip("pinch")))
    kind = "pass_under" if under else "pass_over"
    return _meet(
        kind, (one, two), sides, (goals[0], goals[1]), at_ms, rng, {"from": one.seat, "to": two.seat}
    )


def under_table(player: Player, at_ms: int, rng: np.random.Generator, side: str = "R") -> Act:
    """A hand goes below the table's edge, stays there and comes back."""
    goal = _below(player, side)
    return _hide("under_table", player, side, goal, at_ms, rng)


def behind_back(player: Player, at_ms: int, rng: np.random.Generator, side: str = "R") -> Act:
    """A hand goes behind the player's own back."""
    sign = 1 if side == "L" else -1
    goal = HandGoal(
        player.before(-0.19, 0.12 * sign, -0.12),
        -sign * player.left - 0.2 * player.forward,
        -player.forward,
        grip("rest"),
    )
    return _hide("behind_back", player, side, goal, at_ms, rng)


def hand_to_face(player: Player, place: str, at_ms: int, rng: np.random.Generator, side: str = "R") -> Act:
    """A finger or a hand goes to a place of the player's own face.

    Raises:
        ActError: There is no such place.
    """
    if place not in FACE_PLACES:
        raise ActError(f"no place {place!r} on a face; there are {', '.join(FACE_PLACES)}")
    spot = face_point(player, place, side)
    sign = 1 if side == "L" else -1
    along = _UP * 0.85 - 0.35 * sign * player.left - 0.30 * player.forward
    along /= np.linalg.norm(along)
    held = str(rng.choice(("point", "rest"))) if place != "cheek" else "flat"
    palm = -player.forward - 0.3 * sign * player.left
    palm /= np.linalg.norm(palm)
    share, deep_m = _TIPS[held]
    wrist = spot + player.forward * 0.012 - along * (TIP_M * share) - palm * deep_m
    there, stay = int(rng.integers(480, 800)), int(rng.integers(500, 1600))
    path = player.paths.get(side)
    if path is None:
        raise ActError(f"the {side} hand of {player.seat} hangs; give it a path first")
    path.move(at_ms, at_ms + there, HandGoal(wrist, along, palm, grip(held)))
    path.move(at_ms + there + stay, at_ms + 2 * there + stay, player.home(side))
    core = (at_ms + there, at_ms + there + stay)
    hands = (player.seat + side,)
    return Act(f"hand_to_{place}", hands, at_ms, at_ms + 2 * there + stay, core, {})


def face_point(player: Player, place: str, side: str) -> Array:
    """Where a place of the face is in the world when the player sits upright, (3,)."""
    mesh = base_mesh()
    wanted = np.array(FACE_PLACES[place]) * [1 if side == "L" else -1, 1, 1]
    skin = np.unique(mesh.quads["body"])
    nearest = skin[np.argmin(np.linalg.norm(mesh.vertices[skin] - wanted, axis=1))]
    return player.sitter.to_world(player.sitter.figure.body[nearest])


def _gap_m(pair: tuple[Player, Player], sides: tuple[str, str], goals: tuple[HandGoal, HandGoal]) -> float:
    """How far apart two hands are that have reached their goals."""
    shapes = []
    for player, side, goal in zip(pair, sides, goals, strict=True):
        turns = player.sitter.turns(Posture(hands={side: goal}))
        figure = player.sitter.figure
        placed = Placed(figure, *figure.posed({}, turns), player.sitter.model)
        both = HandReader(player).read(placed, figure.skeleton.pose(turns))
        shapes.append(next(hand for hand in both if hand.side == side))
    return gap_m(shapes[0], shapes[1])


def _sides(one: Player, two: Player) -> tuple[str, str]:
    """The hands with which two players meet: neighbours those nearer to each other, others the right ones."""
    if one.forward @ two.forward < -0.5:
        return "R", "R"
    return ("L", "R") if (two.before(0, 0, 0) - one.before(0, 0, 0)) @ one.left > 0 else ("R", "L")


def _between(one: Player, two: Player, rng: np.random.Generator) -> Array:
    """A point over the table that two players reach."""
    middle = (one.before(0.34, 0, 0) + two.before(0.34, 0, 0)) / 2
    return np.asarray(middle + np.append(rng.normal(0, 0.02, 2), 0))


def _flat_at(player: Player, side: str, middle: Array, up_m: float, rng: np.random.Generator) -> HandGoal:
    """A hand, palm down, whose middle is over a point of the table."""
    shoulder = player.before(0, 0.17 if side == "L" else -0.17, 0)
    along = (middle - shoulder) * [1, 1, 0]
    along = along / np.linalg.norm(along) + 0.2 * player.forward
    along /= np.linalg.norm(along)
    wrist = middle - along * HAND_M + np.array([0, 0, up_m])
    return HandGoal(wrist, along - 0.1 * _UP, _DOWN, grip(str(rng.choice(("flat", "rest")))))


def _inwards(along: Array, side: str) -> Array:
    """Where the palm of a hand faces that stands on its edge, thumb up: a right hand's to the left."""
    return np.cross(_UP, along) if side == "R" else np.cross(along, _UP)


def _below(player: Player, side: str) -> HandGoal:
    sign = 1 if side == "L" else -1
    return HandGoal(
        player.before(0.22, 0.13 * sign, -0.17),
        player.forward - 0.3 * sign * player.left,
        _DOWN,
        grip("rest"),
    )


def _meet(
    kind: str,
    pair: tuple[Player, Player],
    sides: tuple[str, str],
    goals: tuple[HandGoal, HandGoal],
    at_ms: int,
    rng: np.random.Generator,
    more: dict[str, Any],
) -> Act:
    """Both hands go to their goals, stay together and go home; the second comes and goes a little later."""
    there, stay = int(rng.integers(600, 950)), int(rng.integers(450, 1400))
    late = int(rng.integers(0, 250))
    for player, side, goal, wait in zip(pair, sides, goals, (0, late), strict=True):
        path = player.paths[side]
        begin, met = at_ms + wait, at_ms + wait + there
        part = at_ms + there + late + stay
        _by_way_of(player, side, begin, met, goal)
        _by_way_of(player, side, part, part + there, player.home(side), back=path.last)
    core = (at_ms + there + late, at_ms + there + late + stay)
    hands = tuple(player.seat + side for player, side in zip(pair, sides, strict=True))
    return Act(kind, hands, at_ms, at_ms + 2 * there + late + stay, core, more)


def _by_way_of(
    player: Player, side: str, at_ms: int, until_ms: int, goal: HandGoal, back: HandGoal | None = None
) -> None:
    """Moves a hand; round the table's edge where one end of the way lies below the table."""
    path = player.paths[side]
    if (back or goal).wrist[2] >= 0:
        path.move(at_ms, until_ms, goal, lift_m=0.03)
        return
    sign = 1 if side == "L" else -1
    edge = HandGoal(player.before(0.015, 0.2 * sign, -0.05), player.forward - 0.2 * _UP, _DOWN, grip("rest"))
    half = (at_ms + until_ms) // 2
    path.move(at_ms, half, edge)
    path.move(half, until_ms, goal)


def _hide(kind: str, player: Player, side: str, goal: HandGoal, at_ms: int, rng: np.random.Generator) -> Act:
    there, stay = int(rng.integers(700, 1100)), int(rng.integers(900, 2600))
    sign = 1 if side == "L" else -1
    path = player.paths[side]
    way = player.before(0.02, 0.26 * sign, -0.06)
    round_it = HandGoal(way, player.forward - 0.6 * _UP, _DOWN, grip("rest"))
    path.move(at_ms, at_ms + there // 2, round_it)
    path.move(at_ms + there // 2, at_ms + there, goal)
    back = at_ms + there + stay
    path.move(back, back + there // 2, round_it)
    path.move(back + there // 2, back + there, player.home(side))
    hands = (player.seat + side,)
    return Act(kind, hands, at_ms, back + there, (at_ms + there, back), {})
