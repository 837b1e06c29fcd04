"""What a learnt deck is scored with: looks at cards alone and under another."""

from __future__ import annotations

import numpy as np

from kemps_rules.cards import Card
from kemps_vision.enrolment.trial_looks import laid_over, trial_looks

QUAD = np.array([[60.0, 50.0], [186.0, 50.0], [186.0, 226.0], [60.0, 226.0]])
WHITE = np.full((280, 250, 3), 255, np.uint8)
BLACK = np.zeros((280, 250, 3), np.uint8)
CARDS = [Card.parse(text) for text in ("As", "Kd", "9c")]


def test_a_card_laid_over_another_leaves_the_strip_with_its_upper_index() -> None:
    for seed in range(20):
        seen = laid_over(WHITE, QUAD, BLACK, QUAD, np.random.default_rng(seed))
        assert seen[52:110, 62:80].min() > 200
        assert seen[150:215, 140:180].max() < 20
        assert seen[:40].min() > 200


def test_each_card_is_looked_at_alone_and_once_under_another_of_the_deck() -> None:
    kept_back = {card: [(WHITE, QUAD)] for card in CARDS}
    looks = trial_looks(kept_back, np.random.default_rng(1))
    assert sorted(str(look.card) for look in looks if look.above is None) == ["9c", "As", "Kd"]
    covered = {look.card: look.above for look in looks if look.above is not None}
    assert sorted(covered) == sorted(covered.values()) == sorted(CARDS)
    assert all(card != above for card, above in covered.items())


def test_a_card_without_pictures_or_without_another_is_not_looked_at_covered() -> None:
    alone = trial_looks({CARDS[0]: [(WHITE, QUAD)], CARDS[1]: []}, np.random.default_rng(1))
    assert [(look.card, look.above) for look in alone] == [(CARDS[0], None)]
