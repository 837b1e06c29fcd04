"""When cards are swapped, and which passes are none because the card lay in the centre meanwhile."""

from __future__ import annotations

import pytest

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardPassed, CardTaken, CentreSwept
from kemps_vision.interpret.play import Play

CARD = Card.parse("9d")


def passed(at_ms: int, uncertainty_ms: int = 400) -> CardPassed:
    return CardPassed(at_ms=at_ms, uncertainty_ms=uncertainty_ms, from_seat="F", to_seat="E")


@pytest.mark.parametrize(
    ("swap", "is_explained"),
    [
        (CardLaid(at_ms=13_100, seat="F", card=CARD), True),
        (CardLaid(at_ms=13_100, seat="E", card=CARD), False),
        (CardLaid(at_ms=12_600, seat="F", card=CARD), False),
        (CardLaid(at_ms=13_100, seat=None, card=CARD), False),
        (CardTaken(at_ms=13_100, seat="E", card=CARD), True),
        (CardTaken(at_ms=13_100, seat="F", card=CARD), False),
    ],
)
def test_a_card_that_lay_in_the_centre_meanwhile_was_not_passed(
    swap: CardTaken | CardLaid, is_explained: bool
) -> None:
    play = Play()
    play.see(13_900, [swap], is_on=True)
    assert play.explains(passed(13_133)) is is_explained


def test_cards_are_swapped_between_an_open_centre_and_a_sweep() -> None:
    play = Play()
    play.see(0, [], is_on=False)
    assert not play.was_on(0, 10)
    play.see(1000, [], is_on=True)
    assert play.was_on(1100, 1200)
    play.see(5000, [CentreSwept(at_ms=4800, seat="A")], is_on=False)
    play.see(9000, [], is_on=True)
    assert play.was_on(4000, 4700)
    assert not play.was_on(4700, 4900)
    assert play.was_on(9100, 9200)
