from __future__ import annotations

import pytest

from kemps_rules.events import Event
from kemps_scenes import SceneError, SceneSpec, SpecError
from kemps_scenes.demo import COMMITTED, script_events
from kemps_scenes.script import Scene, plan_scene

START = """
{"kind":"deal_started","at_ms":0,"dealer":"B"}
{"kind":"centre_turned","at_ms":0,"cards":["7h","Qd","2s","Tc"],"first_sight":true}
"""


def scene(lines: str, start: str = START, **spec: object) -> Scene:
    return plan_scene(script_events(start + lines), SceneSpec(**spec))  # type: ignore[arg-type]


def header(seats: int) -> str:
    names = ",".join(f'"{seat}":"P"' for seat in "ABCDEFGH"[:seats])
    return f'{{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{{{names}}}}}\n'


def happening(planned: Scene, kind: str) -> dict[str, object]:
    return next(h for h in planned.happenings if h["type"] == kind)


def test_times_of_the_journal_are_those_of_the_truth() -> None:
    planned = scene(
        """{"kind":"card_taken","at_ms":2000,"seat":"A","card":"Qd"}
        {"kind":"card_laid","at_ms":3300,"seat":"A","card":"5c"}"""
    )
    assert happening(planned, "take")["lifted_ms"] == 2000
    assert happening(planned, "lay")["released_ms"] == 3300
    rows = {row["t_ms"]: {card for card in row["slots"] if card} for row in planned.centre}
    assert rows == {
        0: {"7h", "Qd", "2s", "Tc"},
        2000: {"7h", "2s", "Tc"},
        3300: {"7h", "5c", "2s", "Tc"},
    }


def test_a_taken_card_moves_after_its_time_and_rests_before() -> None:
    planned = scene('{"kind":"card_taken","at_ms":2000,"seat":"C","card":"2s"}')
    track = next(t for t in planned.troupe.cards if str(t.card) == "2s")
    lying, lifted, carried = track.pose(0), track.pose(2000), track.pose(2200)
    assert (lifted.x, lifted.y) == pytest.approx((lying.x, lying.y), abs=1e-9)
    assert abs(carried.y - lying.y) > 0.01
    states = [state.where for state in track.states]
    assert states == ["slot:2", "hand:C", "packet:C"]


def test_a_laid_card_rests_from_its_time_on_and_the_hand_leaves_later() -> None:
    planned = scene('{"kind":"card_laid","at_ms":2400,"seat":"B","card":"Ks"}')
    track = next(t for t in planned.troupe.cards if str(t.card) == "Ks")
    state = track.state(2400)
    assert state is not None
    assert state.where == "slot:4", "laid first, so it lies beside the four"
    hand = planned.troupe.hands["B", False]
    assert (hand.pose(2400).x, hand.pose(2400).y) == (hand.pose(2390).x, hand.pose(2390).y)
    assert hand.pose(2700) != hand.pose(2400)


def test_lay_first_then_take_leaves_four_in_the_centre() -> None:
    planned = scene(
        """{"kind":"card_laid","at_ms":2400,"seat":"A","card":"Ks"}
        {"kind":"card_taken","at_ms":2800,"seat":"A","card":"7h"}"""
    )
    assert {card for card in planned.centre[-1]["slots"] if card} == {"Ks", "Qd", "2s", "Tc"}
    assert len(planned.troupe.packets["A"]) == 4


def test_a_card_put_back_never_reaches_the_packet() -> None:
    planned = scene(
        """{"kind":"card_taken","at_ms":2000,"seat":"D","card":"Tc"}
        {"kind":"card_laid","at_ms":3400,"seat":"D","card":"Tc"}"""
    )
    track = next(t for t in planned.troupe.cards if str(t.card) == "Tc")
    assert all(not state.where.startswith("packet") for state in track.states)
    assert (happening(planned, "take")["lifted_ms"], happening(planned, "lay")["released_ms"]) == (2000, 3400)
    assert len(planned.troupe.packets["D"]) == 4


def test_a_hand_that_only_reaches_covers_a_card_and_takes_nothing() -> None:
    planned = scene('{"kind":"hand_reached","at_ms":2000,"until_ms":5000,"seat":"C","card":"Qd"}')
    assert happening(planned, "hover")["card"] == "Qd"
    assert len(planned.centre) == 1
    card = next(t for t in planned.troupe.cards if str(t.card) == "Qd").pose(3000)
    for at_ms in (2000, 3500, 5000):
        hand = planned.troupe.hands["C", False].pose(at_ms)
        assert abs(hand.x - card.x) + abs(hand.y - card.y) < 0.05


def test_a_touch_leaves_the_card_where_it_is() -> None:
    planned = scene('{"kind":"card_touched","at_ms":2000,"seat":"A","card":"7h"}')
    track = next(t for t in planned.troupe.cards if str(t.card) == "7h")
    assert track.pose(4000) == track.pose(0)
    assert happening(planned, "hover")["touched_ms"] == 2000


def test_a_sweep_empties_the_centre_and_new_cards_come_from_the_stock() -> None:
    planned = scene(
        """{"kind":"centre_swept","at_ms":2000,"seat":"B"}
        {"kind":"centre_turned","at_ms":5200,"cards":["3c","4c","5c","6c"]}"""
    )
    swept = happening(planned, "sweep")
    assert swept["first_card_moves_ms"] == 2000
    assert set(planned.centre[-1]["slots"]) - {None} == {"3c", "4c", "5c", "6c"}
    assert planned.centre[-1]["t_ms"] == 5200
    assert [row for row in planned.centre if not any(row["slots"])]
    assert planned.troupe.stock[-1][1] == 52 - 16 - 8
    assert sum(1 for track in planned.troupe.cards if track.states[-1].where == "aside") == 4


@pytest.mark.parametrize("style", ["row", "fan", "pile"])
def test_hands_are_shown_in_every_style(style: str) -> None:
    planned = scene(
        '{"kind":"hand_shown","at_ms":4000,"seat":"A","cards":["9s","9h","9d","9c"]}', shows=(style,)
    )
    shown = happening(planned, "reveal")
    assert (shown["style"], shown["all_down_ms"], shown["is_quad"]) == (style, 4000, True)
    tracks = [t for t in planned.troupe.cards if t.states[-1].where == "shown:A"]
    assert {str(track.card) for track in tracks} == {"9s", "9h", "9d", "9c"}
    assert not planned.troupe.packets["A"]
    assert all(track.states[-1].at_ms <= 4000 for track in tracks)


def test_unread_and_face_down_cards_are_part_of_a_shown_hand() -> None:
    planned = scene(
        '{"kind":"hand_shown","at_ms":4000,"seat":"C","cards":["9s","9h"],"unread":1,"face_down":1}'
    )
    shown = happening(planned, "reveal")
    assert (shown["n_cards"], shown["unread"], shown["face_down"], shown["is_quad"]) == (4, 1, 1, False)
    backs = [t for t in planned.troupe.cards if t.states[-1].where == "shown:C" and t.card is None]
    assert len(backs) == 1


def test_a_second_deal_gathers_everything_and_deals_again() -> None:
    planned = scene(
        """{"kind":"hand_shown","at_ms":4000,"seat":"A","cards":["9s","9h","9d","9c"]}
        {"kind":"deal_started","at_ms":8000,"dealer":"C"}
        {"kind":"centre_turned","at_ms":13000,"cards":["9s","4c","5c","6c"]}"""
    )
    assert [len(packet) for packet in planned.troupe.packets.values()] == [4, 4, 4, 4]
    assert set(planned.centre[-1]["slots"]) - {None} == {"9s", "4c", "5c", "6c"}


@pytest.mark.parametrize("seats", [6, 8])
def test_larger_tables_play_too(seats: int) -> None:
    last = "ABCDEFGH"[seats - 1]
    planned = scene(
        f"""{{"kind":"card_taken","at_ms":2000,"seat":"{last}","card":"Qd"}}
        {{"kind":"card_laid","at_ms":3500,"seat":"{last}","card":"5c"}}
        {{"kind":"called","at_ms":4000,"seat":"A","call":"kemps"}}""",
        start=header(seats) + START,
    )
    assert len(planned.troupe.hands) == 2 * seats
    assert happening(planned, "call")["quad_of"] == "ABCDEFGH"[seats // 2]


def test_a_card_taken_by_nobody_known_is_laid_by_the_same_player() -> None:
    planned = scene(
        """{"kind":"card_taken","at_ms":2000,"seat":null,"card":"Qd"}
        {"kind":"card_laid","at_ms":3500,"seat":null,"card":"5c"}"""
    )
    assert happening(planned, "take")["seat"] == happening(planned, "lay")["seat"]


def test_two_seats_may_swap_at_the_same_time() -> None:
    planned = scene(
        """{"kind":"card_taken","at_ms":2000,"seat":"A","card":"Qd"}
        {"kind":"card_taken","at_ms":2000,"seat":"C","card":"Tc"}
        {"kind":"card_laid","at_ms":3200,"seat":"C","card":"3d"}
        {"kind":"card_laid","at_ms":3200,"seat":"A","card":"4d"}"""
    )
    assert planned.centre[-1]["slots"][:4] == ["7h", "4d", "2s", "3d"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"kind":"card_taken","at_ms":2000,"seat":"A","card":"9c"}', "in the centre is 7h, Qd, 2s, Tc"),
        (
            """{"kind":"card_taken","at_ms":2000,"seat":"A","card":"Qd"}
            {"kind":"card_laid","at_ms":2200,"seat":"A","card":"5c"}""",
            "busy until",
        ),
        ('{"kind":"centre_turned","at_ms":300,"cards":["3c","4c"]}', "takes 620 ms"),
        ('{"kind":"centre_turned","at_ms":3000,"cards":["3c","4c","5c","6c","8c","9c","Jc"]}', "no room"),
        ('{"kind":"card_taken","at_ms":2000,"seat":"E","card":"Qd"}', "takes nothing"),
        ('{"kind":"hand_shown","at_ms":150,"seat":"A","cards":["9s","9h"]}', "takes 620 ms"),
        ('{"kind":"hand_shown","at_ms":3000,"seat":"A","cards":[]}', "without cards"),
    ],
)
def test_what_cannot_happen_on_a_table_is_a_clear_error(lines: str, message: str) -> None:
    if message == "takes nothing":
        with pytest.raises(SceneError, match="seat E is not at this table of 4"):
            scene(lines, start=header(4) + START)
        return
    with pytest.raises(SceneError, match=message):
        scene(lines)


def test_a_packet_of_known_cards_cannot_lay_another() -> None:
    swaps = "".join(
        f"""{{"kind":"card_taken","at_ms":{2000 * n},"seat":"A","card":"{card}"}}
        {{"kind":"card_laid","at_ms":{2000 * n + 1200},"seat":"A","card":"{laid}"}}\n"""
        for n, (card, laid) in enumerate([("7h", "3c"), ("Qd", "4c"), ("2s", "5c"), ("Tc", "6c")], 1)
    )
    wrong = '{"kind":"card_laid","at_ms":11000,"seat":"A","card":"Ks"}'
    with pytest.raises(SceneError, match="A cannot show or lay Ks: in the hand is 7h, Qd, 2s, Tc"):
        scene(swaps + wrong)


def test_sweeping_an_empty_centre_is_an_error() -> None:
    with pytest.raises(SceneError, match="nothing lies there"):
        scene(
            '{"kind":"centre_swept","at_ms":2000}', start='{"kind":"deal_started","at_ms":0,"dealer":"A"}\n'
        )


def test_kinds_without_a_picture_change_nothing() -> None:
    plain, more = (
        scene(lines)
        for lines in (
            '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"Qd"}',
            """{"kind":"gesture","at_ms":900,"seat":"A","gesture":"wink_left"}
            {"kind":"card_taken","at_ms":2000,"seat":"A","card":"Qd"}
            {"kind":"hummed","at_ms":2100}""",
        )
    )
    assert plain.happenings == more.happenings


@pytest.mark.parametrize("clip", COMMITTED, ids=lambda clip: clip.path)
def test_committed_scripts_can_be_played(clip: object) -> None:
    events: list[Event] = clip.events  # type: ignore[attr-defined]
    planned = plan_scene(events, clip.spec)  # type: ignore[attr-defined]
    assert 7_000 <= planned.duration_ms <= 26_000


@pytest.mark.parametrize(
    "field",
    [
        {"deck": "tarot"},
        {"surface": "lava"},
        {"shows": ("heap",)},
        {"camera": "drone"},
        {"width": 641},
        {"fps": 0},
    ],
)
def test_a_spec_of_things_that_do_not_exist_is_a_clear_error(field: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        SceneSpec(**field)  # type: ignore[arg-type]
