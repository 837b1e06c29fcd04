from __future__ import annotations

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_rules.house import House
from kemps_vision.cards.reading import Floats
from kemps_vision.naming import TAKEN_NATS, copies_of, named_together, priors_of

ONE = copies_of(DECK_52)
TWO = copies_of(DECK_52, 2)


def votes(**nats: float) -> Floats:
    """Log-likelihoods of the cards named, all others far behind."""
    log_p = np.full(52, -30.0)
    for card, value in nats.items():
        log_p[place(card)] = value
    return log_p


def place(card: str) -> int:
    return DECK_52.index(Card.parse(card.removeprefix("_")))


def test_two_cards_do_not_share_a_name_when_one_of_them_reads_nearly_as_well_as_another() -> None:
    sure, doubtful = votes(_9c=0.0, _9s=-20.0), votes(_9c=0.0, _9s=-2.0)
    assert named_together([sure, doubtful], ONE) == [place("9c"), place("9s")]
    assert named_together([sure, doubtful], TWO) == [place("9c"), place("9c")]


def test_a_second_copy_that_is_plain_keeps_its_name() -> None:
    plain = votes(_9c=0.0, _9s=-20.0)
    assert named_together([plain, plain], ONE) == [place("9c"), place("9c")]


def test_what_others_are_called_counts_against_a_name_and_never_against_the_own() -> None:
    first, second = priors_of([votes(_9c=0.0), votes(Kd=0.0)], ONE)
    assert first[place("9c")] == 0
    assert first[place("Kd")] == -TAKEN_NATS
    assert second[place("9c")] == -TAKEN_NATS
    assert all(prior.max() == 0 for prior in priors_of([votes(_9c=0.0), votes(Kd=0.0)], TWO))


def test_a_card_that_the_deck_lacks_is_unlikely() -> None:
    short = copies_of(House.preset("leaflet").cards - {Card.parse("2c")})
    (prior,) = priors_of([votes(_2c=0.0, _7c=-1.0)], short)
    assert prior[place("2c")] == -TAKEN_NATS
    assert prior[place("7c")] == 0


def test_no_cards_have_no_names() -> None:
    assert named_together([], ONE) == []
    assert priors_of([], ONE) == []
