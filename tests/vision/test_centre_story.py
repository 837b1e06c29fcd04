"""The centre's story where a hand hides the cards: what came waits until it is known what has gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from tests.vision.conftest import gone

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, CardTouched, CentreSwept, CentreTurned
from kemps_rules.seats import Seat
from kemps_vision.appearance import Quad
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.centre import HOLD_LONGEST_MS, UNSEEN_LONGEST_MS, CentreEvent, CentreStory
from kemps_vision.interpret.moving_hands import Sight


class Nobody:
    """Sees no hands; or, told so, those of some seats at every card."""

    def __init__(
        self, scores: Mapping[Seat, float] | None = None, since: Mapping[Seat, int] | None = None
    ) -> None:
        self.scores = scores or {}
        self.since = since or {}

    def seats_at(self, quad: Quad, at_ms: int) -> Mapping[Seat, float]:
        del quad, at_ms
        return self.scores

    def moved(self, change: Left | Appeared) -> Sight:
        del change
        return Sight(0, dict(self.scores))

    def touches(self, quad: Quad, at_ms: int) -> Mapping[Seat, int]:
        del quad, at_ms
        return self.since


def came(spot: int, card: str, at_ms: int) -> Appeared:
    x = 100.0 * (spot % 4)
    quad = np.array([[x, 0], [x + 60, 0], [x + 60, 84], [x, 84]])
    return Appeared(
        spot=spot,
        card=Card.parse(card),
        quad=quad,
        rest_ms=at_ms,
        clear_ms=at_ms,
        settled_ms=at_ms + 300,
        confidence=1.0,
    )


def told(events: Sequence[CentreEvent]) -> list[str]:
    rows = []
    for event in events:
        match event:
            case CentreTurned(cards=cards):
                rows.append("turned " + " ".join(map(str, cards)))
            case CardTaken(card=card):
                rows.append(f"taken {card}")
            case CardLaid(card=card):
                rows.append(f"laid {card}")
            case CentreSwept():
                rows.append("swept")
    return rows


def a_centre() -> tuple[CentreStory, list[Appeared]]:
    story = CentreStory(Nobody(), 66.0)
    story.began(0)
    cards = [came(spot, card, 0) for spot, card in enumerate(["9c", "2h", "5d", "Js"])]
    for card in cards:
        story.appeared(card)
    assert told(story.step(400, are_others_clear=True)) == ["turned 9c 2h 5d Js"]
    return story, cards


def test_cards_that_replace_hidden_ones_one_by_one_are_a_new_centre() -> None:
    story, old = a_centre()
    events: list[CentreEvent] = []
    for spot, card in enumerate(["Kc", "4s", "8d", "Qh"]):
        story.hide({one.spot for one in old[spot:]})
        at_ms = 4000 + 500 * spot
        events += story.left(gone(old[spot], 2000 + 100 * spot))
        events += story.appeared(came(4 + spot, card, at_ms))
        events += story.step(at_ms + 300, are_others_clear=False)
    assert told(events) == ["swept", "turned Kc", "turned 4s", "turned 8d", "turned Qh"]


def test_the_others_seen_again_make_it_a_swap() -> None:
    story, old = a_centre()
    story.hide({1, 2, 3})
    story.left(gone(old[0], 2000))
    assert story.appeared(came(4, "Kc", 3000)) == []
    assert story.step(3300, are_others_clear=False) == []
    story.hide({1, 2})
    assert told(story.step(3400, are_others_clear=False)) == ["taken 9c", "laid Kc"]


def test_what_stays_unclear_is_told_in_the_end() -> None:
    story, old = a_centre()
    story.hide({1, 2, 3})
    story.left(gone(old[0], 2000))
    story.appeared(came(4, "Kc", 3000))
    assert story.cards_at(3000) >= {Card.parse("Kc")}
    assert story.oldest_pending_ms == 2000
    assert told(story.step(3300 + HOLD_LONGEST_MS, are_others_clear=False)) == ["taken 9c", "laid Kc"]


def test_a_card_that_came_and_went_while_the_others_were_hidden_was_laid_and_taken() -> None:
    story, old = a_centre()
    story.hide({1, 2, 3})
    story.left(gone(old[0], 2000))
    new = came(4, "Kc", 3000)
    story.appeared(new)
    assert told(story.left(gone(new, 4000))) == ["taken 9c", "laid Kc"]
    assert told(story.finish()) == ["taken Kc"]


def test_the_end_of_the_recording_tells_what_waits() -> None:
    story, old = a_centre()
    story.hide({1, 2, 3})
    story.left(gone(old[0], 2000))
    story.appeared(came(4, "Kc", 3000))
    assert told(story.finish()) == ["taken 9c", "laid Kc"]


def test_a_take_and_the_touches_before_it_are_told_with_their_seats() -> None:
    story = CentreStory(Nobody({"A": 1.2, "B": 0.7}, {"B": 700, "A": 900}), 66.0)
    story.began(0)
    cards = [came(spot, card, 0) for spot, card in enumerate(["9c", "2h", "5d", "Js"])]
    for card in cards:
        story.appeared(card)
    story.step(3000, are_others_clear=True)
    story.left(gone(cards[1], 4000))
    events = story.step(7000, are_others_clear=True)
    touched = [event for event in events if isinstance(event, CardTouched)]
    assert [(event.seat, event.at_ms, str(event.card)) for event in touched] == [
        ("B", 700, "2h"),
        ("A", 900, "2h"),
    ]
    taken = events[-1]
    assert isinstance(taken, CardTaken)
    assert taken.seat == "A"


def test_the_seat_of_two_hands_over_one_card_is_not_guessed() -> None:
    story = CentreStory(Nobody({"A": 0.9, "B": 0.85}), 66.0)
    story.began(0)
    cards = [came(spot, card, 0) for spot, card in enumerate(["9c", "2h", "5d", "Js"])]
    for card in cards:
        story.appeared(card)
    story.step(3000, are_others_clear=True)
    story.left(gone(cards[1], 4000))
    assert [
        event.seat for event in story.step(7000, are_others_clear=True) if isinstance(event, CardTaken)
    ] == [None]


def test_the_places_of_the_centre_follow_a_camera_that_was_moved() -> None:
    story, cards = a_centre()
    story.step(3000, are_others_clear=True)
    beyond = cards[0].quad.mean(axis=0) - np.array([200.0, 0.0])
    assert not story.is_place(beyond)
    story.camera_moved(lambda points: points - np.array([200.0, 0.0]))
    assert story.is_place(beyond)


def test_a_card_that_an_arm_hid_for_long_may_have_been_swept_with_the_others() -> None:
    story, old = a_centre()
    for card, at_ms in zip(old[1:], (9000, 9300, 9700), strict=True):
        story.left(gone(card, at_ms))
    story.left(replace(gone(old[0], 3000), bare_ms=11_500))
    events = story.step(12_500, are_others_clear=True)
    assert told(events) == ["swept"]
    assert 9000 <= events[0].at_ms <= 9100, "what lay under the arm tells nothing of the time"


def test_a_card_that_left_long_before_the_others_was_taken() -> None:
    story, old = a_centre()
    for card, at_ms in zip(old, (3000, 9000, 9300, 9700), strict=True):
        story.left(gone(card, at_ms))
    assert told(story.step(16_000, are_others_clear=True))[0] == "taken 9c"


def test_what_was_taken_is_told_late_where_nothing_of_the_others_shows() -> None:
    story, old = a_centre()
    story.hide({2, 3})
    story.left(gone(old[0], 2000))
    story.left(gone(old[1], 2300))
    assert story.step(2400 + HOLD_LONGEST_MS, are_others_clear=False) == []
    assert told(story.step(2400 + UNSEEN_LONGEST_MS, are_others_clear=False)) == ["taken 9c", "taken 2h"]


def test_a_card_taken_long_before_a_sweep_was_not_swept_with_the_others() -> None:
    story, old = a_centre()
    story.left(gone(old[0], 5000))
    for card, at_ms in zip(old[1:], (8000, 8300, 8700), strict=True):
        story.left(gone(card, at_ms))
    events = story.step(11_000, are_others_clear=True)
    assert told(events) == [f"taken {old[0].card}", "swept"]
    assert 7900 <= events[-1].at_ms <= 8100
