"""What is known of a deck that was learnt."""

from __future__ import annotations

from dataclasses import dataclass

from kemps_rules.cards import Card
from kemps_vision.cards.printing import IndexPrint
from kemps_vision.enrolment.faces import FaceBook
from kemps_vision.enrolment.head import Head

PASS_SCORE = 0.85
"""Least share of the looks kept back from learning that must be read right, half of them at covered cards.

Of four of six odd decks 0.90 or more was read on tables, of the other two 0.79 or less: this parts them."""


@dataclass(frozen=True, slots=True)
class Score:
    """How a deck is read at looks that were kept back when it was learnt.

    Attributes:
        looks: How many.
        before: How many of them were read right before.
        right: How many are now.
        wrong: How many give another card now; the rest is unread.
        is_second_showing: Whether they are from another showing of the cards than was learnt from; else from
            other frames of the same.
        covered: How many of the looks show the card with another upon it, so that a strip is left.
        covered_right: How many of these are read right now.
    """

    looks: int
    before: int
    right: int
    wrong: int
    is_second_showing: bool
    covered: int = 0
    covered_right: int = 0

    @property
    def share(self) -> float:
        """How many are read right, 0..1."""
        return self.right / self.looks if self.looks else 0.0

    @property
    def alone_share(self) -> float:
        """How many of the cards that nothing covers are read right, 0..1."""
        alone = self.looks - self.covered
        return (self.right - self.covered_right) / alone if alone else 0.0

    @property
    def covered_share(self) -> float:
        """How many of the covered cards are read right, 0..1; 0 where none was looked at."""
        return self.covered_right / self.covered if self.covered else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledDeck:
    """One deck.

    Attributes:
        faces: How its cards look as a whole.
        sharpness: How much a correlation with a face tells, see ``FaceBook.log_p``.
        head: What the classifier's last layer adds for it; None when its cards have no corner indices.
        index: Where its index is; None likewise.
        classifier: The checksum of the classifier that ``head`` was learnt with.
        missing: Cards that the sweep did not show.
        score: How well it is read.
    """

    faces: FaceBook
    sharpness: float
    head: Head | None
    index: IndexPrint | None
    classifier: str
    missing: tuple[Card, ...]
    score: Score | None = None

    @property
    def has_passed(self) -> bool:
        """Whether all its cards were shown and are read well enough."""
        return not self.missing and self.score is not None and self.score.share >= PASS_SCORE
