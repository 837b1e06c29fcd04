"""What a card reader says about one picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import GLYPHS
from kemps_rules.cards import DECK_52, RANKS, SUITS, Card

Floats: TypeAlias = NDArray[np.float64]
Pixels: TypeAlias = NDArray[np.uint8]

LONE_SCORE: Final = 0.76
PAIR_SCORE: Final = 0.9  # ... and of one of which more were seen
"""Least score of a card of which one index was seen; docs/benchmarks.md tells on what it was chosen."""

_NAMES_IT: Final = 0.3
_HEAT_POWER: Final = 0.25  # a cool peak that reads clearly is worth more than a hot one that does not


@dataclass(frozen=True, slots=True, eq=False)
class IndexReading:
    """One corner index (rank over suit) with its pose and what it reads as.

    Attributes:
        centre: (2,) px of the picture given, the middle of rank and suit.
        up: (2,) px, from the centre to the top of the rank.
        right: (2,) px, to the index's right; as long on the card as ``up``, so not in the picture under tilt.
        heat: The detector's belief, 0..1, that an index is here.
        rank_log_p: (13,) natural log-probabilities in the order of ``kemps_rules.cards.RANKS``, given that it
            is an index.
        suit_log_p: (4,) the same in the order of ``kemps_rules.cards.SUITS``.
        none_p: The classifier's belief, 0..1, that this is no index.
        card_centre: (2,) px, where the detector puts the middle of its card; None when it does not say.
        glyph_log_p: (24,) natural log-probabilities of ``kemps_models.alphabets.GLYPHS``, given that it is an
            index: what ``rank_log_p`` was made from by some alphabet; flat when it is not known.
    """

    centre: Floats
    up: Floats
    right: Floats
    heat: float
    rank_log_p: Floats
    suit_log_p: Floats
    none_p: float
    card_centre: Floats | None = None
    glyph_log_p: Floats = field(default_factory=lambda: np.full(len(GLYPHS), -np.log(len(GLYPHS))))

    @property
    def log_p(self) -> Floats:
        """(52,) log-probabilities of the cards in the order of ``kemps_rules.cards.DECK_52``."""
        return (self.suit_log_p[:, None] + self.rank_log_p[None, :]).ravel()

    def belief_in(self, card: Card) -> float:
        """How sure, 0..1, it is that here is an index and that it names ``card``."""
        log_p = self.rank_log_p[RANKS.index(card.rank)] + self.suit_log_p[SUITS.index(card.suit)]
        return float(np.exp(log_p)) * self.presence

    @property
    def presence(self) -> float:
        """How sure, 0..1, it is that here is an index, whatever it names."""
        return float((1.0 - self.none_p) * self.heat**_HEAT_POWER)

    @property
    def clearness(self) -> float:
        """How sure, 0..1, it is that here is an index with one certain sign, whatever that means."""
        return float(np.exp(self.glyph_log_p.max() + self.suit_log_p.max())) * self.presence

    @property
    def likeliest(self) -> int:
        """The place in ``DECK_52`` of the card that it most likely names."""
        return int(self.suit_log_p.argmax()) * len(RANKS) + int(self.rank_log_p.argmax())

    @property
    def confidence(self) -> float:
        """The belief in the card that it most likely names."""
        return self.belief_in(DECK_52[self.likeliest])


@dataclass(frozen=True, slots=True, eq=False)
class CardReading:
    """One physical card that lies face up.

    Attributes:
        card: What it is, or None: a face-up card that could not be read.
        score: Belief, 0..1, that the card is there and is what ``card`` says, or just that it is there.
        quad: (4, 2) px of the picture given: top left, top right, bottom right, bottom left of the card seen
            upright by its first index; an estimate that may reach out of the picture.
        log_p: (52,) log-probabilities in the order of ``kemps_rules.cards.DECK_52``, all indices together.
        indices: Its corner indices, the surest first.
    """

    card: Card | None
    score: float
    quad: Floats
    log_p: Floats
    indices: tuple[IndexReading, ...]

    @property
    def is_read_twice(self) -> bool:
        """Whether at least two of its indices name it."""
        if self.card is None:
            return False
        return sum(index.belief_in(self.card) >= _NAMES_IT for index in self.indices) > 1

    @property
    def centre(self) -> Floats:
        """(2,) px: where the quad's diagonals cross."""
        first, second = self.quad[2] - self.quad[0], self.quad[3] - self.quad[1]
        area = float(first[0] * second[1] - first[1] * second[0])
        if abs(area) < 1e-9:
            return np.asarray(self.quad.mean(axis=0), dtype=np.float64)
        offset = self.quad[1] - self.quad[0]
        along = float(offset[0] * second[1] - offset[1] * second[0]) / area
        return np.asarray(self.quad[0] + along * first, dtype=np.float64)

    @property
    def length_px(self) -> float:
        """The mean length of the card's two long sides."""
        sides = np.linalg.norm(self.quad[[3, 2]] - self.quad[[0, 1]], axis=1)
        return float(sides.mean())


@dataclass(frozen=True, slots=True, eq=False)
class FaceDownCard:
    """One physical card that lies face down.

    Attributes:
        score: The belief, 0..1, that it is there.
        quad: (4, 2) px of the picture given: its corners in turn, a short side first; an estimate, exact
            where its edges are seen, rough for a card that is seen from low and lies askew.
    """

    score: float
    quad: Floats


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read in one picture.

    Attributes:
        cards: The face-up cards, the surest first, those that could not be read last; the same card may stand
            here twice, see ``duplicates``.
        unread: How many cards lie face up but could not be read; those of ``cards`` with ``card`` None are
            among them. A card of a pile that shows no index is not counted: the patches of face that no known
            card explains were counted instead, and the counts became no better.
        face_down: How many cards lie face down: of a pile or fan those that are seen for the larger part.
        alphabet: Which letters the ranks were read by: those that were given, or that the picture itself
            settles; international where its letters tell nothing.
        ms: Wall time of the reading in milliseconds, for people only: nothing may depend on it.
        backs: The cards that lie face down, the surest first, from a reader that says where.
        is_alphabet_assumed: Whether ``alphabet`` is only the usual one, as nothing in the picture settles it.
    """

    cards: tuple[CardReading, ...]
    unread: int
    face_down: int
    alphabet: str
    ms: float
    backs: tuple[FaceDownCard, ...] = ()
    is_alphabet_assumed: bool = False

    @property
    def known(self) -> tuple[CardReading, ...]:
        """The cards that could be read."""
        return tuple(card for card in self.cards if card.card is not None)

    @property
    def duplicates(self) -> tuple[Card, ...]:
        """Cards that were read at more than one place: two decks, or a misreading; kept, not resolved."""
        counts = Counter(reading.card for reading in self.cards if reading.card is not None)
        return tuple(sorted(card for card, count in counts.items() if count > 1))

    @property
    def card_length_px(self) -> float | None:
        """The median length of the cards' long sides in px, or None when no card was found."""
        return float(np.median([card.length_px for card in self.cards])) if self.cards else None


class CardReader(Protocol):
    """Anything that reads the face-up cards in a picture."""

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        """The cards in an RGB picture (h, w, 3).

        Args:
            pixels: The picture, uint8 RGB.
            card_length_px: How long the long side of a card is in it, when that is known already.
            alphabet: Which letters the deck has, when that is known already.

        Raises:
            ImageError: The array is no such picture.
        """
        ...
