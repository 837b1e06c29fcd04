from __future__ import annotations

from itertools import pairwise

import pytest

from kemps_scenes.bodies.behaviour import Behaviour, Manner
from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.expressions import EXPRESSIONS, FaceState, Gesture, face_state, smooth


def test_a_gesture_rises_holds_and_falls() -> None:
    wink = Gesture("wink_left", 1000, 1600, 0.8)
    assert wink.level(1000) == wink.level(1600) == wink.level(500) == 0
    assert wink.level(1300) == pytest.approx(0.8)
    assert 0 < wink.level(1050) < wink.level(1090) < 0.8


@pytest.mark.parametrize("kind", sorted(EXPRESSIONS))
def test_every_gesture_moves_the_face_or_the_head(kind: str) -> None:
    gesture = Gesture(kind, 0, 1000)
    states = [face_state([gesture], at) for at in range(0, 1001, 50)]
    assert any(s.units or abs(s.yaw) + abs(s.pitch) + abs(s.roll) + abs(s.lean) > 3 for s in states)
    assert not states[0].units
    assert not states[-1].units


def test_a_gesture_needs_a_name_and_a_length() -> None:
    with pytest.raises(ActError, match="no gesture 'wave'"):
        Gesture("wave", 0, 100)
    with pytest.raises(ActError, match="must end after it begins"):
        Gesture("blink", 100, 100)


def test_lids_that_look_down_have_less_way_to_close() -> None:
    state = FaceState({})
    state.add({"eyeBlinkLeft": 1.0, "eyeLookDownLeft": 1.0})
    assert state.settled()["eyeBlinkLeft"] == pytest.approx(0.65)


def test_people_blink_about_seventeen_times_a_minute() -> None:
    counts = [len(Behaviour(Manner(), 60_000, seed).gestures) for seed in range(20)]
    assert 13 < sum(counts) / len(counts) < 21


def test_who_is_still_makes_no_gesture_but_breathes() -> None:
    life = Behaviour(Manner(blinks=False), 30_000, 4)
    assert not life.gestures
    assert not life.talking
    leans = []
    for at in range(0, 30_000, 250):
        state = FaceState({})
        life.add_to(state, at)
        leans.append(state.lean)
        assert abs(state.yaw) < 5
        assert abs(state.pitch) < 4
    assert max(leans) - min(leans) > 0.5


def test_a_talking_mouth_opens_and_shuts_again_and_again() -> None:
    life = Behaviour(Manner(blinks=False, talks=0.6), 20_000, 2)
    start, end = life.talking[0]
    opened = []
    for at in range(start, end, 20):
        state = FaceState({})
        life.add_to(state, at)
        opened.append(state.units.get("jawOpen", 0.0) > 0.12)
    changes = sum(a != b for a, b in pairwise(opened))
    assert changes >= 2 * (end - start) / 1000
    before = FaceState({})
    life.add_to(before, start - 50)
    assert "jawOpen" not in before.units


def test_the_same_seed_lives_the_same_life() -> None:
    manner = Manner(talks=0.5, looks=True, smiles=True)
    one, two = Behaviour(manner, 20_000, 7), Behaviour(manner, 20_000, 7)
    assert one.gestures == two.gestures
    assert one.talking == two.talking


def test_softening_has_no_jump() -> None:
    values = [smooth(i / 100) for i in range(-10, 111)]
    assert values[0] == 0
    assert values[-1] == 1
    assert all(b >= a for a, b in pairwise(values))
