"""The story of the table: a fifth card in the centre, the cards of the next deal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from tests.vision.conftest import gone

from kemps_rules.cards import Card
from kemps_rules.events import Called
from kemps_rules.seats import SEATS, Seat
from kemps_vision.appearance import Quad
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.moving_hands import Sight
from kemps_vision.interpret.story import Story
from kemps_vision.spots import Spot
from kemps_vision.zones import parse_config

ZONES = parse_config(
    "[[camera]]\nsize = [640, 400]\ncentre = [[0, 0], [600, 0], [600, 120], [0, 120]]\n"
).zones(640, 400)


class NoHands:
    def seats_at(self, quad: Quad, at_ms: int) -> Mapping[Seat, float]:
        del quad, at_ms
        return {}

    def moved(self, change: Left | Appeared) -> Sight:
        del change
        return Sight(0, {})

    def touches(self, quad: Quad, at_ms: int) -> Mapping[Seat, int]:
        del quad, at_ms
        return {}


def lying(number: int, card: str, *, settled_ms: int) -> tuple[Spot, Appeared]:
    x = 20.0 + 80.0 * number
    quad = np.array([[x, 10], [x + 60, 10], [x + 60, 94], [x, 94]])
    spot = Spot(id=number, quad=quad, first_read_ms=settled_ms, card=Card.parse(card))
    spot.is_settled, spot.settled_ms = True, settled_ms
    came = Appeared(
        spot=number,
        card=spot.card,
        quad=quad,
        rest_ms=settled_ms,
        clear_ms=settled_ms,
        settled_ms=settled_ms,
        confidence=1.0,
    )
    return spot, came


def a_story() -> tuple[Story, list[Spot]]:
    """Four cards lie there; the first goes out of sight at 2000, and a fifth is read from 4000 on."""
    story = Story(ZONES, SEATS[:4], frame_ms=66.0, camera="table", hands=NoHands())
    cards = [lying(number, card, settled_ms=0) for number, card in enumerate(["9c", "2h", "5d", "Js"])]
    spots = [spot for spot, _ in cards]
    story.step(0, [came for _, came in cards], [], spots)
    story.step(3000, [], [], spots)
    for spot in spots:
        spot.timeline.extend([(100, 1.0), (2000, 1.0)])
        spot.found(2000)
    spots[0].kept, spots[0].is_doubted = 0.0, True
    fifth, came = lying(4, "Kc", settled_ms=4000)
    fifth.found(4000)
    spots.append(fifth)
    story.step(4000, [came], [], spots)
    return story, spots


def test_a_card_out_of_sight_has_left_once_four_others_were_read() -> None:
    story, spots = a_story()
    assert story.surplus(5000, spots) == [], "three of the four may have been covered since"
    for spot in spots[1:]:
        spot.found(5000)
    assert story.surplus(5000, spots) == [spots[0]]


@pytest.mark.parametrize("unread", [1, 4])
def test_with_three_others_it_may_still_lie_there(unread: int) -> None:
    story, spots = a_story()
    for spot in spots[1:]:
        if spot is not spots[unread]:
            spot.found(5000)
    spots[unread].found_ms = 1900
    assert story.surplus(5000, spots) == []


def test_one_that_went_out_of_sight_just_now_may_lie_under_another() -> None:
    story, spots = a_story()
    for spot in spots[1:]:
        spot.found(2500)
    assert story.surplus(2900, spots) == []


def test_a_card_pushed_half_over_the_edge_of_its_zone_lies_in_the_centre() -> None:
    story, _ = a_story()
    assert story.is_centre(np.array([200.0, 120.0 + 25.0]))
    assert not story.is_centre(np.array([200.0, 120.0 + 35.0]))


def next_deal(*, is_seen: bool) -> list[tuple[str, int]]:
    """After a call and a sweep the second card of the next deal is read before the first, seen or not."""
    story = Story(ZONES, SEATS[:4], frame_ms=66.0, camera="table", hands=NoHands())
    cards = [lying(number, card, settled_ms=0) for number, card in enumerate(["9c", "2h", "5d", "Js"])]
    story.step(0, [came for _, came in cards], [], [spot for spot, _ in cards])
    call = Called(at_ms=3000, seat=SEATS[0], call="kemps")
    story.step(3000, [], [call], [spot for spot, _ in cards])
    story.step(6000, [gone(came, 6000) for _, came in cards], [], [])
    story.step(8000, [], [], [])
    (first, first_came), (second, second_came) = (
        lying(number, card, settled_ms=at_ms) for number, card, at_ms in ((5, "8h", 9000), (6, "Qd", 9500))
    )
    first.is_settled, first.card, first.reads = False, None, 5
    told = story.step(10_000, [second_came], [], [first, second] if is_seen else [second])
    told += story.step(10_500, [first_came], [], [first, second])
    return [(event.kind, event.at_ms) for event in told if event.kind in {"deal_started", "centre_turned"}]


@pytest.mark.parametrize("is_seen", [True, False])
def test_no_card_of_a_deal_is_turned_before_it_starts(is_seen: bool) -> None:
    (kind, started_ms), *turned = next_deal(is_seen=is_seen)
    assert kind == "deal_started"
    assert started_ms == (9000 if is_seen else 9500)
    assert turned == [("centre_turned", 9500), ("centre_turned", started_ms)]
