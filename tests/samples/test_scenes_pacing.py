from __future__ import annotations

import pytest

from kemps_rules.events import Called, HandReached, HandShown
from kemps_rules.house import House
from kemps_scenes import SceneError, SceneSpec, paced
from kemps_scenes.demo import DEMO, script_events
from kemps_scenes.script import plan_scene
from kemps_scenes.simulate import simulate_game

QUICK = """
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":200,"cards":["7h","Qd","2s","Tc"]}
{"kind":"card_taken","at_ms":300,"seat":"B","card":"Qd"}
{"kind":"hand_reached","at_ms":310,"until_ms":910,"seat":"C"}
{"kind":"card_laid","at_ms":400,"seat":"B","card":"5c"}
{"kind":"centre_swept","at_ms":1000}
{"kind":"centre_turned","at_ms":1100,"cards":["3h","4h","5h","6h"]}
"""


def test_a_journal_too_quick_for_hands_is_stretched_until_it_can_be_played() -> None:
    events = script_events(QUICK)
    with pytest.raises(SceneError):
        plan_scene(events, SceneSpec())
    slower = paced(events)
    assert [type(event) for event in slower] == [type(event) for event in events]
    assert [event.at_ms for event in slower] == sorted(event.at_ms for event in slower)
    plan_scene(slower, SceneSpec())


def test_spans_keep_their_length() -> None:
    reached = next(event for event in paced(script_events(QUICK)) if isinstance(event, HandReached))
    assert reached.until_ms == reached.at_ms + 600


def test_a_journal_that_can_be_played_keeps_its_times() -> None:
    events = DEMO.events
    assert paced(events) == events
    assert paced(paced(script_events(QUICK))) == paced(script_events(QUICK))


@pytest.mark.parametrize("preset", ["leaflet", "lay_first", "any_number"])
@pytest.mark.parametrize("seats", [4, 6, 8])
def test_every_simulated_game_can_be_played_once_it_is_paced(preset: str, seats: int) -> None:
    for seed in range(3):
        events = paced(simulate_game(seed, seats=seats, deals=2, house=House.preset(preset)))
        planned = plan_scene(events, SceneSpec(seed=seed))
        assert planned.duration_ms > 10_000


def test_a_game_with_two_decks_can_be_played() -> None:
    events = paced(simulate_game(2, seats=8, deals=2, house=House.preset("two_decks")))
    planned = plan_scene(events, SceneSpec())
    assert planned.troupe.stock[0][1] == 104


QUICK_SHOW = """\
{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"a","B":"b","C":"c","D":"d"}}
{"kind":"deal_started","at_ms":0,"dealer":"B"}
{"kind":"centre_turned","at_ms":0,"cards":["3h","Kc","8d","6s"],"first_sight":true}
{"kind":"called","at_ms":6000,"seat":"C","call":"kemps"}
{"kind":"hand_shown","at_ms":6400,"seat":"A","cards":["Qs","Qh","7d","Qc"]}
"""


def test_no_hand_is_laid_open_before_the_call_that_asks_for_it() -> None:
    events = paced(script_events(QUICK_SHOW))
    called_ms = 0
    shows = 0
    for event in sorted(events, key=lambda one: one.at_ms):
        if isinstance(event, Called):
            called_ms = event.at_ms
        elif isinstance(event, HandShown):
            laying_ms = 260 * (len(event.cards) + event.unread + event.face_down)
            assert event.at_ms - laying_ms > called_ms
            shows += 1
    assert shows == 1
