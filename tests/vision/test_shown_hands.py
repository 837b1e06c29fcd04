"""What is told of a shown hand where a card seems to lie twice, or may be one too many."""

from __future__ import annotations

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_rules.events import Called, HandShown
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.hands import PART_QUIET_MS, WHOLE_QUIET_MS, ShownHands
from kemps_vision.spots import Spot
from kemps_vision.zones import TableZones

CENTRE = ((440.0, 300.0), (840.0, 300.0), (840.0, 420.0), (440.0, 420.0))
ZONES = TableZones(
    centre=CENTRE,
    seats={"A": (640.0, 800.0), "B": (-40.0, 360.0), "C": (640.0, -80.0), "D": (1320.0, 360.0)},
)


def hands() -> ShownHands:
    shown = ShownHands(ZONES, ("A", "B", "C", "D"))
    shown.called(Called(at_ms=1000, seat="C", call="kemps"))
    return shown


def quad(x: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[x, 560], [x + 60, 560], [x + 60, 644], [x, 644]], np.float64)


def lies(spot: int, card: str, x: float, at_ms: int = 2000) -> Appeared:
    return Appeared(
        spot=spot,
        card=Card.parse(card),
        quad=quad(x),
        rest_ms=at_ms,
        clear_ms=at_ms,
        settled_ms=at_ms + 300,
        confidence=1.0,
    )


def unnamed(x: float, guess: str) -> Spot:
    spot = Spot(id=99, quad=quad(x), first_read_ms=2000)
    spot.reads = 5
    spot.evidence[DECK_52.index(Card.parse(guess))] = 9.0
    return spot


def told(shown: ShownHands, at_ms: int, *spots: Spot) -> list[tuple[str, int, bool]]:
    events: list[HandShown] = shown.step(at_ms, spots)
    return [(" ".join(map(str, event.cards)), event.unread, event.complete) for event in events]


def four(shown: ShownHands) -> None:
    for i, card in enumerate(["9s", "9h", "9d", "9c"]):
        shown.appeared(lies(i, card, 500 + 66 * i))


def test_a_named_card_seen_again_by_its_other_indices_is_no_fifth() -> None:
    shown = hands()
    four(shown)
    assert told(shown, 2400 + WHOLE_QUIET_MS, unnamed(510, "9s")) == [("9s 9h 9d 9c", 0, True)]


def test_what_may_be_a_fifth_card_leaves_the_number_open() -> None:
    shown = hands()
    four(shown)
    assert told(shown, 2400 + WHOLE_QUIET_MS, unnamed(764, "Kd")) == []  # it waits for a name
    assert told(shown, 2400 + PART_QUIET_MS, unnamed(764, "Kd")) == [("9s 9h 9d 9c", 0, False)]


def test_five_named_cards_are_five() -> None:
    shown = hands()
    four(shown)
    shown.appeared(lies(4, "Kd", 764))
    assert told(shown, 2400 + PART_QUIET_MS) == [("9s 9h 9d 9c Kd", 0, True)]


def test_a_card_that_is_only_now_seen_where_it_really_lies_counts_once() -> None:
    shown = hands()
    misplaced = lies(7, "9c", 720)
    for i, card in enumerate(["9s", "9h", "9d"]):
        shown.appeared(lies(i, card, 500 + 66 * i))
    shown.appeared(misplaced)
    shown.left(
        Left(
            spot=7,
            card=misplaced.card,
            quad=misplaced.quad,
            covered_ms=2900,
            shown_ms=2900,
            bare_ms=3000,
            is_sharp=False,
        )
    )
    shown.appeared(lies(8, "9c", 698, 2900))
    assert told(shown, 3300 + WHOLE_QUIET_MS) == [("9s 9h 9d 9c", 0, True)]


def test_of_a_call_that_is_withdrawn_no_hand_is_told() -> None:
    shown = hands()
    four(shown)
    shown.withdraw(Called(at_ms=1000, seat="C", call="kemps"))
    assert shown.call is None
    assert told(shown, 2300 + PART_QUIET_MS) == []


def test_when_the_first_call_is_withdrawn_the_next_counts_and_the_hand_that_lies_there_is_its() -> None:
    shown, second = hands(), Called(at_ms=1200, seat="B", call="stop", against="A")
    shown.called(second)
    four(shown)
    shown.withdraw(Called(at_ms=1000, seat="C", call="kemps"))
    assert shown.call == second
    assert told(shown, 2300 + WHOLE_QUIET_MS) == [("9s 9h 9d 9c", 0, True)]
    shown.withdraw(second)
    assert shown.call is None


def test_a_later_call_that_is_withdrawn_leaves_the_first() -> None:
    shown, second = hands(), Called(at_ms=1200, seat="B", call="stop", against="A")
    shown.called(second)
    shown.withdraw(second)
    shown.withdraw(second)  # and what was never there is nothing
    assert shown.call == Called(at_ms=1000, seat="C", call="kemps")


def test_cards_that_may_be_other_sights_of_four_named_ones_are_told_as_such() -> None:
    shown = hands()
    four(shown)
    (event,) = shown.step(2300 + PART_QUIET_MS, [unnamed(780, "Kd")])
    assert (len(event.cards), event.unread, event.unread_at_most, event.complete) == (4, 0, 1, False)


def test_a_card_misread_in_the_place_of_one_that_is_read_since_is_not_told() -> None:
    shown = hands()
    four(shown)
    shown.appeared(lies(9, "Ah", 567))
    misread, card = unnamed(567, "Ah"), unnamed(566, "9h")
    spots = []
    for spot, number, found_ms in ((misread, 9, 2200), (card, 1, 4000)):
        spot.id, spot.is_settled, spot.found_ms = number, True, found_ms
        spots.append(spot)
    ((cards, _, is_complete),) = told(shown, 9000, *spots)
    assert "Ah" not in cards
    assert not is_complete, "a fifth card may lie under it"


def test_a_call_made_before_the_new_deal_was_told_is_of_that_deal() -> None:
    shown = hands()
    four(shown)
    assert told(shown, 2400 + WHOLE_QUIET_MS)
    later = Called(at_ms=9000, seat="D", call="kemps")
    shown.called(later)
    shown.appeared(lies(20, "Ks", 100, 10_000))
    shown.new_deal(8000)
    assert shown.call == later
    for number, card in enumerate(["Kh", "Kd", "Kc"]):
        shown.appeared(lies(21 + number, card, 166 + 66 * number, 10_000))
    assert told(shown, 10_300 + WHOLE_QUIET_MS) == [("Ks Kh Kd Kc", 0, True)]
    shown.new_deal(20_000)
    assert shown.call is None
