"""What hands do beside plain swaps, and light and cameras that change meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_scenes import SceneSpec
from kemps_scenes.demo import script_events
from kemps_scenes.light import Light
from kemps_scenes.motion import CardTrack
from kemps_scenes.script import Scene, plan_scene
from kemps_scenes.stage import Stage

START = """
{"kind":"deal_started","at_ms":0,"dealer":"B"}
{"kind":"centre_turned","at_ms":0,"cards":["7h","Qd","2s","Tc"],"first_sight":true}
"""
SMALL = {"width": 320, "height": 180, "clutter": "none", "noise": 0.0}


def scene(lines: str, **spec: object) -> Scene:
    return plan_scene(script_events(START + lines), SceneSpec(**spec))  # type: ignore[arg-type]


def track(planned: Scene, card: str) -> CardTrack:
    return next(one for one in planned.troupe.cards if str(one.card) == card)


def test_a_card_pushed_aside_lies_elsewhere_and_never_left_the_centre() -> None:
    planned = scene('{"kind":"card_touched","at_ms":2000,"seat":"A","card":"Qd","pushed_mm":[8,35]}')
    card = track(planned, "Qd")
    before, after = card.pose(1990), card.pose(3000)
    assert (after.x - before.x, after.y - before.y) == pytest.approx((0.008, 0.035))
    assert {state.where for state in card.states} == {"slot:1"}
    assert len(planned.centre) == 1
    push = next(row for row in planned.happenings if row["type"] == "push")
    assert (push["card"], push["pushed_mm"]) == ("Qd", [8.0, 35.0])
    finger, middle = planned.troupe.hands["A", False].pose(2260), card.pose(2260)
    assert np.hypot(finger.x - middle.x, finger.y - middle.y) < 0.05, "the finger goes with it"


def test_a_card_laid_on_another_covers_a_part_of_it() -> None:
    planned = scene('{"kind":"card_laid","at_ms":2400,"seat":"B","card":"Ks","onto":"2s"}', **SMALL)
    frame = Stage(planned).frame(50)
    visible = {row["card"]: row["visible"] for row in frame.truth["cards"]}
    assert 0.3 < visible["2s"] < 0.95
    assert visible["Ks"] > 0.97
    assert planned.centre[-1]["slots"][:5] == ["7h", "Qd", "2s", "Tc", "Ks"]


def test_a_hand_held_up_to_the_camera_is_over_the_table_faces_it_and_stays_there() -> None:
    lines = '{"kind":"hand_shown","at_ms":4000,"seat":"A","cards":["9s","9h","9d","9c"]}'
    planned = scene(lines, shows=("held_up",))
    cards = [track(planned, name) for name in ("9s", "9h", "9d", "9c")]
    for at_ms in (4100, 6000):
        assert all(card.pose(at_ms).z > 0.08 and abs(card.pose(at_ms).turn) < 0.01 for card in cards)
    assert planned.duration_ms < 8000, "it does not last until the hand would tire"
    held, shaky = cards[0].pose(5000), cards[0].pose(5300)
    assert 0 < np.hypot(held.x - shaky.x, held.y - shaky.y) < 0.01


def test_cards_laid_singly_take_longer_than_a_row_of_them() -> None:
    lines = '{"kind":"hand_shown","at_ms":5000,"seat":"A","cards":["9s","9h","9d","9c"]}'
    begins = {
        style: next(
            row["t0_ms"] for row in scene(lines, shows=(style,)).happenings if row["type"] == "reveal"
        )
        for style in ("row", "singly")
    }
    assert begins["row"] - begins["singly"] > 600


def test_the_script_says_which_card_lies_under_the_hand() -> None:
    lines = '{"kind":"hand_shown","at_ms":4000,"seat":"C","cards":["9s","9h","9d"],"unread":1,"under":["9c"]}'
    planned = scene(lines, **SMALL)
    shown = next(row for row in planned.happenings if row["type"] == "reveal")
    assert (shown["under"], shown["n_cards"]) == (["9c"], 4)
    visible = {row["card"]: row["visible"] for row in Stage(planned).frame(66).truth["cards"]}
    assert visible["9c"] < 0.5 < visible["9s"]


def test_a_lamp_that_is_switched_changes_the_light_at_once_and_for_good() -> None:
    light = Light(SceneSpec(relit=((2000, 0.6), (4000, 1.1))))
    assert [light.level(at_ms, 9000) for at_ms in (1999, 2000, 3999, 4000, 8000)] == [1, 0.6, 0.6, 1.1, 1.1]


def test_a_nudged_camera_swings_and_stays_where_it_came_to_rest() -> None:
    light = Light(SceneSpec(nudges=((2000, 12.0, -6.0), (5000, -12.0, 0.0))))
    assert light.shake(1999) == (0.0, 0.0)
    assert light.shake(2140)[0] > 12.0, "it swings beyond"
    assert light.shake(4500) == pytest.approx((12.0, -6.0), abs=0.01)
    assert light.shake(9000) == pytest.approx((0.0, -6.0), abs=0.01)


def test_a_nudge_moves_the_picture_and_the_truth_alike() -> None:
    lines = '{"kind":"card_touched","at_ms":2600,"seat":"A","card":"7h"}'
    still, moved = scene(lines, **SMALL), scene(lines, **SMALL, nudges=((500, 10.0, 4.0),))
    frames = [Stage(planned).frame(15) for planned in (still, moved)]
    before, after = (frame.pixels.astype(int) for frame in frames)
    assert np.abs(np.roll(before, (4, 10), axis=(0, 1))[20:-20, 20:-20] - after[20:-20, 20:-20]).mean() < 1.0
    quads = [np.array(frame.truth["cards"][0]["quad"]) for frame in frames]
    assert quads[1] - quads[0] == pytest.approx(np.tile([10.0, 4.0], (4, 1)), abs=0.2)
