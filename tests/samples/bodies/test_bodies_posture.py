from __future__ import annotations

import numpy as np
import pytest

from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.figure import Figure
from kemps_scenes.bodies.grips import GRIPS, grip
from kemps_scenes.bodies.posture import HandGoal, Posture, Sitter
from kemps_scenes.bodies.skeleton import Array, about


@pytest.fixture
def sitter(person: Figure) -> Sitter:
    """Somebody in the south who looks north."""
    return Sitter(person, (0.0, -0.63), 90.0)


def goal(x: float, y: float, z: float, name: str = "flat") -> HandGoal:
    return HandGoal(np.array([x, y, z]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -1.0]), grip(name))


@pytest.mark.parametrize("side", ["L", "R"])
def test_a_hand_comes_to_where_it_should_be_and_points_where_it_should(sitter: Sitter, side: str) -> None:
    x = -0.15 if side == "L" else 0.15
    posture = Posture(hands={side: goal(x, -0.30, 0.05)})
    wrist, knuckle = sitter.joints(posture, (f"wrist.{side}", f"finger3-1.{side}"))
    assert wrist == pytest.approx([x, -0.30, 0.05], abs=0.005)
    way = (knuckle - wrist) / np.linalg.norm(knuckle - wrist)
    assert way == pytest.approx([0, 1, 0], abs=0.05)


def test_a_far_goal_makes_the_body_lean_and_is_reached(sitter: Sitter) -> None:
    posture = Posture(hands={"R": goal(0.05, -0.03, 0.06)})
    wrist, head = sitter.joints(posture, ("wrist.R", "head"))
    upright = sitter.joints(Posture(), ("head",))[0]
    assert wrist == pytest.approx([0.05, -0.03, 0.06], abs=0.02)
    assert head[1] > upright[1] + 0.08


def test_a_head_turns_to_the_persons_left_and_nods_down(sitter: Sitter) -> None:
    def nose(posture: Posture) -> Array:
        skeleton = sitter.figure.skeleton
        posed = skeleton.pose_of(sitter.turns(posture), "head")
        return np.asarray(sitter.axes @ posed[:, :3] @ np.array([0, 0, 1.0]))

    assert nose(Posture()) == pytest.approx([0, 1, 0], abs=1e-6)
    assert nose(Posture(yaw=30))[0] == pytest.approx(-0.5, abs=0.02)  # north-facing: left is west
    assert nose(Posture(pitch=30))[2] == pytest.approx(-0.5, abs=0.02)


@pytest.mark.parametrize("side", ["L", "R"])
def test_grips_open_and_close_the_fingers(sitter: Sitter, side: str) -> None:
    def span(name: str) -> float:
        posture = Posture(hands={side: goal(0.0, -0.30, 0.1, name)})
        skeleton = sitter.figure.skeleton
        posed = skeleton.pose(sitter.turns(posture))[skeleton.index[f"finger3-3.{side}"]]
        tip = sitter.to_world(posed[:, :3] @ skeleton.tail(f"finger3-3.{side}") + posed[:, 3])
        return float(np.linalg.norm(tip - sitter.joints(posture, (f"wrist.{side}",))[0]))

    assert span("flat") > 0.15
    assert span("fist") < 0.6 * span("flat")
    assert span("fist") < span("rest") < span("flat")


def test_a_grip_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ActError, match="no grip 'claw'"):
        grip("claw")


def test_half_way_between_two_grips_is_their_mean() -> None:
    between = GRIPS["flat"].towards(GRIPS["fist"], 0.5)
    assert between.fingers == pytest.approx((GRIPS["flat"].fingers + GRIPS["fist"].fingers) / 2)


def test_turns_follow_the_right_hand_rule() -> None:
    assert about((0, 0, 1), 90) @ np.array([1.0, 0, 0]) == pytest.approx([0, 1, 0], abs=1e-9)
