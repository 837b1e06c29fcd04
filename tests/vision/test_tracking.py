"""Cards followed on a drawn table: kept while covered, told apart when alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from tests.vision.conftest import moving

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, Event, UnknownEvent
from kemps_vision.pipeline import Observer
from kemps_vision.zones import parse_config

if TYPE_CHECKING:
    from tests.vision.conftest import DrawnReader, DrawnTable

BESIDE = (560.0, 330.0)


def conflicts(events: Sequence[Event]) -> list[tuple[object, object, object]]:
    return [
        (event.fields["card"], event.fields["seen"], event.fields.get("lies_twice"))
        for event in events
        if isinstance(event, UnknownEvent) and event.kind == "card_conflict"
    ]


@pytest.mark.parametrize(("rules", "expected"), [("leaflet", [("Js", "Js", True)]), ("two_decks", [])])
def test_a_card_that_lies_twice_is_a_conflict_with_one_deck_and_none_with_two(
    drawn: DrawnTable, rules: str, expected: list[tuple[str, str, bool]]
) -> None:
    drawn.duration_ms = 4000
    drawn.centre("9c 2h 5d Js")
    drawn.lies("Js", BESIDE)
    config = parse_config(f'rules = "{rules}"\n' + drawn_config())
    assert conflicts(drawn.observe(config=config)) == expected


def test_a_card_that_was_moved_lies_only_once(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[10**6, 2500])
    drawn.takes("D", 1, "2h", 2500)
    drawn.lies("2h", BESIDE, start=3500)
    assert conflicts(drawn.observe()) == []


def test_a_card_beside_the_centre_is_found_when_it_comes_to_lie(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 5000
    drawn.centre("9c 2h 5d Js")
    drawn.lies("Kd", BESIDE, start=2500)
    observer = Observer(drawn.source().info, drawn_reader(), parse_config(drawn_config()))
    named: dict[str, int] = {}
    for frame in drawn.frames():
        observer.step(frame)
        for spot in observer.tracker.settled:
            named.setdefault(str(spot.card), frame.at_ms)
    assert 2500 < named["Kd"] <= 3500
    assert all(named[card] <= 1000 for card in ("9c", "2h", "5d", "Js"))


def drawn_config() -> str:
    return "[[camera]]\nsize = [640, 400]\ncentre = [[160, 60], [480, 60], [480, 250], [160, 250]]\n"


def test_a_card_held_over_another_does_not_lie_there(drawn: DrawnTable) -> None:
    """Lifted, held for a second over its neighbour by a hand that stays, and put back: no swap."""
    drawn.centre("9c 2h 5d Js", end=[10**6, 10**6, 2500])
    (x, y), (to_x, to_y) = (355, 200), (285, 203)
    drawn.cards.append(
        (Card.parse("5d"), moving((2501, (x, y)), (2900, (to_x, to_y)), (3900, (to_x, to_y)), (4300, (x, y))))
    )
    drawn.lies("5d", 2, start=4301)
    hand = [(2100, (320, 470)), (2400, (x, y + 30)), (2500, (x, y + 30)), (2900, (to_x, to_y + 30))]
    hand += [(3900, (to_x, to_y + 30)), (4300, (x, y + 30)), (4400, (x, y + 30)), (4800, (320, 470))]
    drawn.arms.append(("A", moving(*hand)))
    moves = [event for event in drawn.observe() if isinstance(event, CardTaken | CardLaid)]
    assert {str(event.card) for event in moves} <= {"5d"}
    assert [event.kind for event in moves] in ([], ["card_taken", "card_laid"])


def test_a_card_pushed_to_where_it_overlaps_its_old_place_is_the_old_one(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    """A reading that errs on its way begins a second place for it; its old place never shows bare."""
    drawn.duration_ms = 6000
    drawn.centre("9c 2h 5d Js", end=[10**6, 10**6, 2000])
    (x, y), by = (355, 200), 40
    drawn.cards.append((Card.parse("5d"), moving((2001, (x, y)), (2400, (x, y - by)), (6000, (x, y - by)))))
    hand = [(1700, (320, 470)), (2000, (x, y + 40)), (2600, (x, y + 40 - by)), (3000, (320, 470))]
    drawn.arms.append(("A", moving(*hand)))
    misread: dict[str, str | None] = {}
    observer = drawn.observer(reader=drawn_reader(lambda _: misread))
    events: list[Event] = []
    places: set[int] = set()
    for frame in drawn.frames():
        misread["5d"] = "6d" if 2200 <= frame.at_ms <= 2300 else "5d"
        events += observer.step(frame)
        places |= {spot.id for spot in observer.tracker.settled if str(spot.card) == "5d"}
    events += observer.finish()
    assert [event for event in events if isinstance(event, CardTaken | CardLaid)] == []
    assert len(places) == 1
