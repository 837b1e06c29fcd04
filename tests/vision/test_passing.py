"""Cards that go from hand to hand: seen in hands, followed, told as passes or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.events import CardPassed, CentreSwept
from kemps_rules.seats import Seat
from kemps_vision.interpret.held_cards import HeldCard, HeldCards
from kemps_vision.interpret.passing import BELOW_TABLE, OVER_TABLE, CardPasses
from kemps_vision.interpret.play import Play

LENGTH_PX = 80.0
SEATS: dict[Seat, tuple[float, float]] = {
    "A": (640, 820),
    "B": (-100, 360),
    "C": (640, -100),
    "D": (1380, 360),
}
TABLE, SKIN, PAPER, SLEEVE = (30, 90, 60), (190, 140, 110), (240, 240, 236), (60, 70, 130)
Way = Sequence[tuple[int, tuple[float, float], Seat | None]]


class Skin:
    """Hands that are at their places, but for the spans in which they are gone."""

    def __init__(self, gone: Iterable[tuple[int, int]] = ()) -> None:
        self._gone = tuple(gone)

    def skin_near(
        self, _at: NDArray[np.float64], from_ms: int, until_ms: int, _length_px: float
    ) -> float | None:
        """A whole hand, or none."""
        return 0.0 if any(a <= from_ms and until_ms <= b for a, b in self._gone) else 1.0


def passes(
    *ways: Way, gone: Iterable[tuple[int, int]] = (), reached: Iterable[Seat] = ()
) -> list[CardPassed]:
    """What is told of cards that go these ways: times, places and in whose hand each look finds them."""
    told = CardPasses(Skin(gone), lambda at: bool(at[1] < 450), lambda seat, *_: seat in tuple(reached))
    events: list[CardPassed] = []
    for at_ms in range(0, 9000, 67):
        held = [
            HeldCard(np.array(at), 0.9, seat)
            for way in ways
            for then, at, seat in way
            if at_ms - 67 < then <= at_ms
        ]
        events += told.step(at_ms, held, LENGTH_PX)
    return events + told.finish(LENGTH_PX)


def way(
    from_ms: int, start: tuple[float, float], end: tuple[float, float], seat: Seat | None, looks: int = 6
) -> list[tuple[int, tuple[float, float], Seat | None]]:
    """A card on its way, looked at every 67 ms."""
    shares = np.linspace(0, 1, looks)
    return [
        (from_ms + 67 * n, (start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])), seat)
        for n, t in enumerate(shares)
    ]


def test_a_card_that_comes_in_one_hand_and_leaves_in_another_is_passed() -> None:
    """While the hands are together it may be covered; the span is from the last look to the first."""
    given = way(1000, (560, 690), (760, 600), "A")
    taken = way(2300, (780, 590), (960, 500), "D")
    (event,) = passes([*given, *taken])
    assert (event.from_seat, event.to_seat, event.card) == ("A", "D", None)
    assert event.at_ms - event.uncertainty_ms <= given[-1][0] + 67
    assert event.at_ms + event.uncertainty_ms >= taken[0][0]
    assert event.extra["reason"] == OVER_TABLE


def test_a_card_seen_between_two_hands_is_passed_too() -> None:
    """Looks that do not tell whose it is say nothing against it."""
    between = way(1402, (762, 598), (770, 595), None)
    (event,) = passes(
        [*way(1000, (560, 690), (760, 600), "A"), *between, *way(1804, (780, 590), (960, 500), "D")]
    )
    assert (event.from_seat, event.to_seat) == ("A", "D")


@pytest.mark.parametrize(
    "ways",
    [
        [way(1000, (560, 690), (760, 600), "A") + way(2300, (760, 600), (560, 690), "A")],
        [way(1000, (560, 690), (760, 600), "A"), way(1000, (960, 500), (780, 590), None)],
        [way(1000, (500, 400), (640, 380), "A") + way(1600, (640, 380), (960, 400), "D")],
        [way(1000, (560, 690), (760, 600), "A", looks=6) + way(1402, (760, 600), (770, 600), "D", looks=1)],
        [way(1000, (760, 600), (765, 602), "A", looks=20) + way(2400, (765, 602), (960, 500), "D")],
        [
            way(1000, (560, 690), (700, 620), "A")
            + way(1402, (700, 620), (702, 620), "D")
            + way(2000, (702, 620), (702, 620), None, 30)
        ],
        [way(1000, (560, 690), (660, 640), "A"), way(2300, (900, 520), (960, 500), "D")],
    ],
    ids=[
        "kept",
        "touched",
        "in the centre",
        "a lone look",
        "never brought",
        "never taken away",
        "too far apart",
    ],
)
def test_what_is_no_pass_is_not_told(ways: list[Way]) -> None:
    """A card that stays with its hand, lies still, or is laid and taken in the centre; empty hands."""
    assert passes(*ways) == []


BELOW = [
    [(1000, (700.0, 640.0), "A")],
    [(3000, (860.0, 560.0), "D")],
]


def test_a_card_that_goes_below_the_table_in_one_hand_and_comes_up_in_another_is_passed() -> None:
    """Both hands were gone meanwhile, and neither was over the centre."""
    (event,) = passes(*BELOW, gone=[(1100, 2900)])
    assert (event.from_seat, event.to_seat, event.extra["reason"]) == ("A", "D", BELOW_TABLE)


def test_hands_that_stay_or_reach_the_centre_pass_nothing_below() -> None:
    """Who takes a card home and stays there, while a neighbour picks one up, passes none; nor who swaps."""
    assert passes(*BELOW) == []
    assert passes(*BELOW, gone=[(1100, 1900)]) == []
    assert passes(*BELOW, gone=[(1100, 2900)], reached="D") == []
    assert passes(BELOW[0], [(3000, (1190.0, 560.0), "D")], gone=[(1100, 2900)]) == []


def picture(
    card: tuple[float, float] | None, wrist: tuple[float, float], *, sleeve: float = 0.0
) -> NDArray[np.uint8]:
    """A small picture (144, 256, 3): a hand on its way from a wrist, perhaps with a card at its end."""
    drawn = np.full((144, 256, 3), TABLE, np.uint8)
    if card is None:
        return drawn
    way = np.array(card) - wrist
    way /= np.linalg.norm(way)
    end = np.array(card) - way * 9
    cv2.line(drawn, _at(np.array(wrist)), _at(end - way * sleeve), SLEEVE, 9)
    cv2.line(drawn, _at(end - way * 14), _at(end), SKIN, 8)
    across = np.array([-way[1], way[0]])
    corners = [
        np.array(card) + x * 8 * way + y * 5.5 * across for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    cv2.fillConvexPoly(drawn, np.array([_at(one) for one in corners]), PAPER)
    return drawn


def _at(point: NDArray[np.float64]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


@pytest.mark.parametrize(("wrist", "seat"), [((128, 150), "A"), ((250, 72), "D"), ((5, 72), "B")])
def test_a_card_is_seen_at_the_end_of_a_hand_and_whose_it_is(wrist: tuple[float, float], seat: Seat) -> None:
    """Skin lies between the card and the seat; what the sleeve covers is no card."""
    at = np.array([128.0, 92.0])
    usual, now = picture(None, wrist), picture((at[0], at[1]), wrist)
    differs = np.asarray(np.abs(now.astype(int) - usual).max(axis=2) > 22, np.uint8)
    (held,) = HeldCards(SEATS, (640, 360)).find(0, now, usual, differs, 0.2, LENGTH_PX)
    assert held.seat == seat
    assert np.linalg.norm(held.at - at * 5) < 0.2 * LENGTH_PX
    assert 0.7 < held.size < 1.3


def test_shadows_and_hands_without_cards_show_none() -> None:
    """A darker table is no card, nor is a hand whose skin was seen before."""
    wrist = (128.0, 150.0)
    usual = picture(None, wrist)
    empty = picture((128, 92), wrist)
    empty[np.all(empty == PAPER, axis=2)] = SKIN
    empty[20:40, 40:60] = np.array(TABLE) // 2
    differs = np.asarray(np.abs(empty.astype(int) - usual).max(axis=2) > 22, np.uint8)
    cards = HeldCards(SEATS, (640, 360))
    cards.find(0, empty, usual, differs, 0.2, LENGTH_PX)
    skin = np.argwhere(np.all(empty == SKIN, axis=2))[:, ::-1]
    cards.see_hands([np.asarray(skin * 5.0, np.float64)])
    assert cards.find(67, empty, usual, differs, 0.2, LENGTH_PX) == []


def test_where_skin_was_is_remembered() -> None:
    """Round the card there is a hand; a moment before there was none, and much earlier nobody looked."""
    wrist = (128.0, 150.0)
    usual, now = picture(None, wrist), picture((128, 92), wrist)
    differs = np.asarray(np.abs(now.astype(int) - usual).max(axis=2) > 22, np.uint8)
    cards = HeldCards(SEATS, (640, 360))
    cards.find(0, usual, usual, np.zeros_like(differs), 0.2, LENGTH_PX)
    cards.find(500, now, usual, differs, 0.2, LENGTH_PX)
    at = np.array([640.0, 460.0])
    there, before = (cards.skin_near(at, t, t, LENGTH_PX) for t in (500, 0))
    assert there is not None
    assert there > 0.3
    assert before == 0.0
    assert cards.skin_near(at, -900, -600, LENGTH_PX) is None


def test_cards_that_change_hands_while_nobody_swaps_are_not_passed() -> None:
    """A dealer gives cards to anybody: from a sweep, told late, until the next centre is open."""
    play = Play()
    assert not play.was_on(0, 0)
    play.see(1000, [], is_on=True)
    assert play.was_on(500, 900)
    play.see(5000, [CentreSwept(at_ms=3500, seat="A")], is_on=False)
    assert not play.was_on(1500, 2000), "only what is told while cards are swapped again counts"
    play.see(8000, [], is_on=True)
    assert play.was_on(1500, 2000)
    assert play.was_on(8100, 8500)
    assert not play.was_on(3000, 3600)
    assert not play.was_on(6000, 9000)
