"""What happens on a drawn table is told as events: with the right cards, seats and times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import pytest

from kemps_rules.cards import Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    HandShown,
    Settled,
    UnknownEvent,
)
from kemps_rules.writer import format_event
from kemps_vision.pipeline import observe
from kemps_vision.zones import parse_config

pytestmark = pytest.mark.long

if TYPE_CHECKING:
    from tests.vision.conftest import DrawnReader, DrawnTable

E = TypeVar("E", bound=Event)


def of(kind: type[E], events: Sequence[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def names(cards: Sequence[Card]) -> str:
    return " ".join(str(card) for card in cards)


def told(events: Sequence[Event]) -> list[str]:
    """Swaps and sweeps in the order of their times, as ``take A 9c``."""
    rows = []
    for event in sorted(events, key=lambda event: event.at_ms):
        if isinstance(event, CardTaken | CardLaid):
            rows.append(f"{'take' if isinstance(event, CardTaken) else 'lay'} {event.seat} {event.card}")
        elif isinstance(event, CentreSwept):
            rows.append(f"sweep {event.seat}")
    return rows


def assert_near(
    event: CardTaken | CardLaid | CentreSwept | HandShown, at_ms: int, most_ms: int = 500
) -> None:
    """The time is right within what the event itself says, and that is not much."""
    assert abs(event.at_ms - at_ms) <= event.uncertainty_ms
    assert event.uncertainty_ms <= most_ms


def test_a_centre_that_lies_there_is_told_once_as_first_sight(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js")
    events = drawn.observe()
    assert [type(event) for event in events] == [DealStarted, CentreTurned, Settled]
    turned = of(CentreTurned, events)[0]
    assert (names(turned.cards), turned.at_ms, turned.first_sight) == ("9c 2h 5d Js", 0, True)
    assert of(DealStarted, events)[0].extra == {"inferred": True}


def test_a_hand_of_more_cards_than_there_can_be_names_none_of_them(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.centre("2c 2h 5d Js")
    drawn.shows("A", "9s 9h 9d Kc Th", 3000, gap=56)
    # Two of the five are never named: one card too many lies there, and nothing says which.
    reader = drawn_reader(lambda _: {"Kc": None, "Th": None})
    call = Called(at_ms=2500, seat="C", call="kemps")
    shown = of(HandShown, drawn.observe([call], reader=reader))
    assert [(event.cards, event.unread, event.complete) for event in shown] == [((), 4, False)]


def test_a_card_that_looks_like_the_one_it_replaced_is_told(drawn: DrawnTable) -> None:
    drawn.alike["5c"] = "5h"
    drawn.centre("9c 2h 5h Js", end=[10**6, 10**6, 2500])
    drawn.takes("D", 2, "5h", 2500)
    drawn.reaches("C", 2, 2800, 3300)
    drawn.lays("D", 2, "5c", 3600)
    events = drawn.observe()
    assert [row.split()[::2] for row in told(events)] == [["take", "5h"], ["lay", "5c"]]
    assert_near(of(CardLaid, events)[0], 3470, 700)


def test_a_swap_is_taken_and_laid_by_its_seat_at_its_times(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[2500])
    drawn.takes("A", 0, "9c", 2500)
    drawn.lays("A", 0, "Kc", 4000)
    events = drawn.observe()
    assert told(events) == ["take A 9c", "lay A Kc"]
    assert_near(of(CardTaken, events)[0], 2500)
    assert_near(of(CardLaid, events)[0], 4000)


@pytest.mark.parametrize("seat", ["A", "B", "C", "D"])
def test_each_seat_is_known_by_its_arm(drawn: DrawnTable, seat: str) -> None:
    drawn.duration_ms = 6000
    drawn.centre("9c 2h 5d Js", end=[10**6, 2500])
    drawn.takes(seat, 1, "2h", 2500)
    drawn.lays(seat, 1, "Kc", 3800)
    assert told(drawn.observe()) == [f"take {seat} 2h", f"lay {seat} Kc"]


def test_laying_first_and_taking_then_is_told_in_that_order(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[10**6, 10**6, 3900])
    drawn.lays("C", 4, "Kc", 2500)
    drawn.takes("C", 2, "5d", 3900)
    events = drawn.observe()
    assert told(events) == ["lay C Kc", "take C 5d"]
    assert_near(of(CardTaken, events)[0], 3900)


def test_two_swaps_a_moment_apart_by_two_players_are_two_in_the_right_order(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[2500, 10**6, 10**6, 2800])
    drawn.takes("B", 0, "9c", 2500)
    drawn.takes("D", 3, "Js", 2800)
    drawn.lays("B", 0, "Kc", 3900)
    drawn.lays("D", 3, "4s", 4300)
    assert told(drawn.observe()) == ["take B 9c", "take D Js", "lay B Kc", "lay D 4s"]


def test_a_hand_that_only_hovers_tells_nothing(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js")
    drawn.reaches("A", 1, 2000, 2600, dy=10)
    drawn.reaches("D", 3, 4000, 4300)
    assert told(drawn.observe()) == []


def test_a_card_covered_by_a_still_hand_for_seconds_is_not_gone(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js")
    drawn.reaches("A", 1, 1500, 5500)
    assert told(drawn.observe()) == []


def test_a_card_that_is_put_back_was_taken_and_laid(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[2500])
    drawn.takes("A", 0, "9c", 2500)
    drawn.lays("A", 0, "9c", 4300)
    assert told(drawn.observe()) == ["take A 9c", "lay A 9c"]


def test_a_card_pushed_past_a_free_place_is_no_event(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d", end=[10**6, 10**6, 2500])
    drawn.pushes("5d", 2, 2500, dx=40)
    assert told(drawn.observe()) == []


def test_a_sweep_is_one_event_and_the_next_four_are_turned(drawn: DrawnTable) -> None:
    drawn.duration_ms = 11_000
    drawn.centre("9c 2h 5d Js", end=[3000, 3200, 3400, 3600])
    drawn.sweeps("B", ["9c", "2h", "5d", "Js"], 3000)
    for slot, card in enumerate(["Kc", "4s", "8d", "Qh"]):
        drawn.lays("B", slot, card, 6000 + slot * 700)
    events = drawn.observe()
    assert told(events) == ["sweep B"]
    assert_near(of(CentreSwept, events)[0], 3000, most_ms=1000)
    turned = of(CentreTurned, events)[1:]
    assert " ".join(names(event.cards) for event in turned) == "Kc 4s 8d Qh"
    assert not any(event.first_sight for event in turned)
    assert [abs(event.at_ms - 5900 - i * 700) < 200 for i, event in enumerate(turned)] == [True] * 4


def test_a_swap_goes_on_while_the_others_lie(drawn: DrawnTable) -> None:
    """A take whose lay does not come is told as a take, not held back for ever."""
    drawn.centre("9c 2h 5d Js", end=[2000])
    drawn.takes("A", 0, "9c", 2000)
    events = drawn.observe()
    assert told(events) == ["take A 9c"]
    assert isinstance(events[-1], Settled)
    assert isinstance(events[-2], CardTaken)


def test_a_shown_hand_is_read_after_the_call_and_belongs_to_its_seat(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js")
    drawn.shows("A", "9s 9h 9d Kc", 3000)
    call = Called(at_ms=2000, seat="C", call="kemps", uncertainty_ms=60)
    events = drawn.observe([call])
    shown = of(HandShown, events)
    assert [(one.seat, names(one.cards), one.unread, one.complete) for one in shown] == [
        ("A", "9s 9h 9d Kc", 0, True)
    ]
    assert abs(shown[0].at_ms - 3900) <= 300
    kinds = [type(event) for event in events]
    assert kinds.index(Called) < kinds.index(Settled) < kinds.index(HandShown)
    assert of(Settled, events)[0].at_ms >= 2060


def test_cards_that_lie_open_before_any_call_are_no_shown_hand(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js")
    drawn.shows("A", "9s 9h 9d Kc", 1000)
    assert of(HandShown, drawn.observe([Called(at_ms=6000, seat="C", call="kemps")])) == []


def test_three_open_cards_are_a_hand_of_which_the_number_is_not_sure(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js")
    drawn.shows("C", "9s 9h 9d", 2000)
    shown = of(HandShown, drawn.observe([Called(at_ms=1500, seat="A", call="kemps")]))
    assert [(one.seat, names(one.cards), one.complete) for one in shown] == [("C", "9s 9h 9d", False)]


def test_without_seats_in_the_configuration_the_call_tells_whose_hand_is_shown(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[1600])
    drawn.takes("A", 0, "9c", 1600)
    drawn.lays("A", 0, "Kc", 3000)
    drawn.shows("A", "9s 9h 9d 9c", 5000)
    drawn.duration_ms = 9000
    events = drawn.observe([Called(at_ms=4200, seat="C", call="kemps")], has_config=False)
    assert told(events) == ["take None 9c", "lay None Kc"]
    assert [one.seat for one in of(HandShown, events)] == ["A"]


def test_a_call_that_is_withdrawn_is_forgotten_with_its_picture_and_play_goes_on(drawn: DrawnTable) -> None:
    """Cards laid beside the centre are no shown hand then, and no swap begins a new deal."""
    call, early = (Called(at_ms=at_ms, seat="C", call="kemps") for at_ms in (2500, 4000))
    drawn.centre("2c 2h 5d Js")
    drawn.shows("A", "9s 9h 9d Kc", 3000)
    observer = drawn.observer([call, early])
    events: list[Event] = []
    for frame in drawn.frames():
        if frame.at_ms == 3600:
            observer.withdraw_call(early)  # which has not been told yet
            observer.withdraw_call(call)
        events += observer.step(frame)
    events += observer.finish()
    assert of(Called, events) == [call]
    assert of(HandShown, events) == []
    assert [event.at_ms for event in of(Settled, events)] == [events[-1].at_ms]
    assert observer.call is None


def test_a_new_swap_after_a_shown_hand_begins_a_new_deal(drawn: DrawnTable) -> None:
    drawn.duration_ms = 12_000
    drawn.centre("9c 2h 5d Js", end=[10**6, 8000])
    drawn.shows("A", "9s 9h 9d Kd", 3000)
    drawn.takes("D", 1, "2h", 8000)
    drawn.lays("D", 1, "Kc", 9300)
    events = drawn.observe([Called(at_ms=2000, seat="C", call="kemps")])
    deals = of(DealStarted, events)
    assert len(deals) == 2
    again = of(CentreTurned, events)[-1]
    assert (sorted(names(again.cards).split()), again.first_sight) == (sorted(["9c", "2h", "5d", "Js"]), True)
    order = [event for event in events if event.at_ms == deals[1].at_ms]
    assert [type(event) for event in order] == [DealStarted, CentreTurned, CardTaken]


def test_a_card_moved_after_the_call_before_any_hand_is_shown_stays_in_the_deal(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[10**6, 3000])
    drawn.takes("D", 1, "2h", 3000)
    drawn.lays("D", 1, "Kc", 4300)
    events = drawn.observe([Called(at_ms=2000, seat="C", call="kemps")])
    assert len(of(DealStarted, events)) == 1
    assert told(events) == ["take D 2h", "lay D Kc"]


def test_a_second_card_of_the_same_name_is_told_not_swallowed(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[10**6, 2500])
    drawn.takes("D", 1, "2h", 2500)
    drawn.lays("D", 1, "Js", 4000)
    events = drawn.observe()
    assert told(events) == ["take D 2h", "lay D Js"]


def test_a_misreading_in_one_frame_changes_nothing(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.centre("9c 2h 5d Js")
    events = drawn.observe(reader=drawn_reader(lambda n: {"9c": "9s"} if n == 9 else {}))
    assert names(of(CentreTurned, events)[0].cards) == "9c 2h 5d Js"
    assert of(UnknownEvent, events) == []


def test_a_lasting_misreading_is_a_conflict_and_no_change(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 14_000
    drawn.centre("9c 2h 5d Js")
    events = drawn.observe(reader=drawn_reader(lambda n: {"9c": "9s"} if n >= 9 else {}))
    conflicts = of(UnknownEvent, events)
    assert [(one.kind, one.fields["card"], one.fields["seen"]) for one in conflicts] == [
        ("card_conflict", "9c", "9s")
    ]
    assert told(events) == []


def test_a_card_that_cannot_be_read_is_told_as_unread(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.centre("9c 2h 5d Js")
    events = drawn.observe(reader=drawn_reader(lambda _: {"5d": None}))
    turned = of(CentreTurned, events)
    assert sorted(name for one in turned for name in names(one.cards).split()) == ["2h", "9c", "Js"]
    assert sum(one.unread for one in turned) == 1
    assert all(one.first_sight for one in turned)


def test_the_centre_is_found_without_a_configuration(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[3500])
    drawn.takes("A", 0, "9c", 3500)
    drawn.lays("A", 0, "Kc", 4800)
    events = drawn.observe(has_config=False)
    assert told(events) == ["take None 9c", "lay None Kc"]
    assert names(of(CentreTurned, events)[0].cards) == "9c 2h 5d Js"


def test_cards_turned_one_by_one_are_no_first_sight(drawn: DrawnTable) -> None:
    for slot, card in enumerate(["Kc", "4s", "8d", "Qh"]):
        drawn.lays("B", slot, card, 1500 + slot * 700)
    turned = of(CentreTurned, drawn.observe())
    assert " ".join(names(event.cards) for event in sorted(turned, key=lambda e: e.at_ms)) == "Kc 4s 8d Qh"
    assert not any(event.first_sight for event in turned)


def test_the_same_pictures_give_the_same_journal(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[2500])
    drawn.takes("A", 0, "9c", 2500)
    drawn.lays("A", 0, "Kc", 4000)
    first, second = ([format_event(event) for event in drawn.observe()] for _ in range(2))
    assert first == second


def test_observe_yields_the_header_first_and_calls_after_the_end_last(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 2000
    drawn.centre("9c 2h 5d Js")
    config = parse_config('[[seat]]\nid="A"\nname="Ada"\n' + "".join(f'[[seat]]\nid="{s}"\n' for s in "BCD"))
    late = Called(at_ms=9000, seat="A", call="kemps")
    events = list(observe(drawn.source(), drawn_reader(), config, calls=[late]))
    assert events[0].kind == "game_opened"
    assert format_event(events[0]).startswith(
        '{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"Ada"'
    )
    assert events[-1] == late


def test_a_span_in_which_the_camera_was_lost_is_told_when_it_has_ended(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 2000
    drawn.centre("9c 2h 5d Js")
    source = drawn.source()
    source.lost_spans = ((500, 900), (1500, None))
    lost = [event for event in observe(source, drawn_reader()) if event.kind == "not_observed"]
    assert [format_event(event) for event in lost] == [
        '{"kind":"not_observed","at_ms":500,"until_ms":900,"camera":"table"}'
    ]
