from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kemps_scenes.bodies import acts
from kemps_scenes.bodies.acts import Act
from kemps_scenes.bodies.behaviour import Manner
from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.figure import Look
from kemps_scenes.bodies.lens import Lamp, Lens
from kemps_scenes.bodies.mesh import BaseMesh
from kemps_scenes.bodies.players import Player, table_players
from kemps_scenes.bodies.scenery import SLOTS_M
from kemps_scenes.bodies.sitting import Sitting

ABOVE = Lens((0.2, -0.3, 1.5), (0.0, 0.0, 0.0), fov_deg=70.0, width=640, height=480)


@pytest.fixture
def pair(mesh: BaseMesh) -> list[Player]:
    """A in the south and B in the west."""
    del mesh
    return table_players([Look.random(3), Look.random(8)], Manner(blinks=False), 5000, 1, fans=False)


def played(players: list[Player], act: Act, fps: int = 10) -> dict[str, Any]:
    sitting = Sitting("test", ABOVE, Lamp(), players, [act], [], act.until_ms + 300, fps)
    return sitting.truth([truth for *_, truth in sitting.watch()])


@pytest.mark.parametrize("meet", [acts.touch, acts.clasp])
def test_hands_that_meet_are_a_contact_while_they_are_together(
    pair: list[Player], meet: Callable[..., Act]
) -> None:
    act = meet(pair[0], pair[1], 300, np.random.default_rng(1))
    truth = played(pair, act)
    assert {tuple(row["hands"]) for row in truth["contacts"]} == {tuple(sorted(act.hands))}
    touching = sum(row["until_ms"] - row["at_ms"] for row in truth["contacts"])
    assert touching >= 0.9 * (act.core_ms[1] - act.core_ms[0])
    assert all(act.at_ms < row["at_ms"] < row["until_ms"] < act.until_ms for row in truth["contacts"])


def test_a_near_miss_is_near_and_no_contact(pair: list[Player]) -> None:
    truth = played(pair, acts.near_miss(pair[0], pair[1], 300, np.random.default_rng(2)))
    assert not truth["contacts"]
    assert 6 < truth["near"][0]["min_mm"] < 60


def test_a_card_passed_under_the_table_hides_both_hands(pair: list[Player]) -> None:
    act = acts.pass_card(pair[0], pair[1], 300, np.random.default_rng(3), under=True)
    truth = played(pair, act)
    assert {row["seat"] for row in truth["hidden"]} == {"A", "B"}
    assert {row["why"] for row in truth["hidden"]} == {"below_table"}
    for row in truth["hidden"]:
        assert row["at_ms"] <= act.core_ms[0] + 100
        assert row["until_ms"] >= act.core_ms[1] - 100
    assert truth["acts"][0]["from"] == "A"


def test_a_card_passed_over_the_table_hides_nothing(pair: list[Player]) -> None:
    truth = played(pair, acts.pass_card(pair[0], pair[1], 300, np.random.default_rng(4), under=False))
    assert not truth["hidden"]


@pytest.mark.parametrize("side", ["L", "R"])
def test_a_hand_under_the_table_is_hidden_while_it_is_there(pair: list[Player], side: str) -> None:
    act = acts.under_table(pair[0], 300, np.random.default_rng(5), side)
    rows = played(pair, act)["hidden"]
    assert [(row["seat"], row["side"], row["why"]) for row in rows] == [("A", side, "below_table")]
    assert rows[0]["at_ms"] <= act.core_ms[0] + 100
    assert rows[0]["until_ms"] >= act.core_ms[1] - 100


@pytest.mark.parametrize("slot", [0, 3])
def test_a_reach_brings_the_fingers_over_the_slot(pair: list[Player], slot: int) -> None:
    act = acts.reach(pair[0], slot, 300, np.random.default_rng(6))
    truth = played(pair, act)
    spans = [row for row in truth["over_centre"] if row["hand"] == "AR"]
    assert len(spans) == 1
    assert spans[0]["at_ms"] <= act.core_ms[0]
    assert spans[0]["until_ms"] >= act.core_ms[1] - 100
    middle = sum(act.core_ms) / 2
    frame = min(truth["frames"], key=lambda row: abs(row["at_ms"] - middle))
    hand = next(row for row in frame["hands"] if row["seat"] == "A" and row["side"] == "R")
    x, y, _ = ABOVE.project(np.array([*SLOTS_M[slot], 0.0]))
    tips = np.array(hand["points"])[[8, 12]]
    assert np.hypot(*(tips - [x, y]).T).min() < 40  # pixels; a card is about 50 long


def test_a_finger_comes_to_the_nose(pair: list[Player]) -> None:
    player = pair[0]
    act = acts.hand_to_face(player, "nose", 300, np.random.default_rng(7))
    at = sum(act.core_ms) / 2
    skeleton = player.sitter.figure.skeleton
    posed = skeleton.pose_of(player.sitter.turns(player.posture(at)), "finger2-3.R")
    tip = player.sitter.to_world(posed[:, :3] @ skeleton.tail("finger2-3.R") + posed[:, 3])
    assert np.linalg.norm(tip - acts.face_point(player, "nose", "R")) < 0.04


def test_a_place_that_no_face_has_is_refused(pair: list[Player]) -> None:
    with pytest.raises(ActError, match="no place 'horn'"):
        acts.hand_to_face(pair[0], "horn", 0, np.random.default_rng(1))


def test_a_hand_that_is_busy_cannot_begin_something_else(pair: list[Player]) -> None:
    acts.reach(pair[0], 1, 300, np.random.default_rng(1))
    with pytest.raises(ActError, match="cannot start at 400 ms"):
        acts.reach(pair[0], 2, 400, np.random.default_rng(1))
