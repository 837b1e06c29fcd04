"""The card reader: pictures in, readings out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import cv2
import numpy as np

from kemps_models.registry import weights_path
from kemps_vision.cards.alphabets import ANY, NAMES, AlphabetBelief, check_alphabet, letter_evidence
from kemps_vision.cards.backs import face_down_among
from kemps_vision.cards.classify import IndexClassifier, Pyramid
from kemps_vision.cards.find import Candidates, IndexFinder
from kemps_vision.cards.identities import assign
from kemps_vision.cards.instances import card_of, is_ghost, join, one_per_place, score_of
from kemps_vision.cards.network import Network, OnnxNetwork
from kemps_vision.cards.outline import on_edges
from kemps_vision.cards.printing import IndexPrint
from kemps_vision.cards.quads import IndexLayout, layout_seen, quad_from_layout
from kemps_vision.cards.reading import (
    LONE_SCORE,
    PAIR_SCORE,
    CardReading,
    Floats,
    IndexReading,
    Pixels,
    Reading,
)
from kemps_vision.cards.scales import Level, best_levels, ladder, scale_for
from kemps_vision.cards.unread import unread_among
from kemps_vision.errors import ImageError, ReaderError
from kemps_vision.signs import SignReader

ANY_DECK: Final = "any"
"""The name of no deck in particular."""

_UNSETTLED: Final = AlphabetBelief.from_evidence(np.zeros(len(NAMES)))
_OUTLINE_PX: Final = 150.0  # a card twice as long is halved before its edges are looked for


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How sure the reader must be; docs/benchmarks.md tells on which pictures each was chosen.

    Attributes:
        index: Least clearness of an index to be looked at; less is enough when it is surely an index at all:
        presence: Least belief that there is an index of whatever card.
        lone: Least score of a card of which one index was seen.
        pair: Least score of a card of which more were seen: more than one needs, since two blurred corners
            share what misleads (two of 0.7 make 0.91).
        back: Least heat of a card that lies face down.
        scales: How many of the best scales are put together while the card size is unknown.
    """

    index: float = 0.3
    presence: float = 0.6
    lone: float = LONE_SCORE
    pair: float = PAIR_SCORE
    back: float = 0.4
    scales: int = 3


class OnnxCardReader:
    """Finds corner indices, reads each, and joins them into cards; a ``CardReader``.

    Args:
        detector: The index detector, see ``find``.
        classifier: The index classifier, see ``classify``.
        thresholds: How sure it must be.
        alphabet: Which letters the cards have, or "any": each picture tells by itself, as far as it does.
        printing: Where the indices of the only deck that is read are, when that is known.
        lengths: At which multiples of a known card length the cards are looked at; what is seen at any of
            them counts.

    Raises:
        ReaderError: There is no such alphabet.
    """

    def __init__(
        self,
        detector: Network,
        classifier: Network,
        *,
        thresholds: Thresholds | None = None,
        alphabet: str = ANY,
        printing: IndexPrint | None = None,
        lengths: Sequence[float] = (1.0,),
    ) -> None:
        self._finder = IndexFinder(detector)
        self._classifier = IndexClassifier(classifier)
        self.signs = SignReader(self._classifier)
        """Reads the large signs of single cards, see ``pips``."""
        self._thresholds = thresholds or Thresholds()
        self._alphabet = None if alphabet == ANY else AlphabetBelief.given(alphabet)
        self._printing = printing
        self._lengths = tuple(lengths)

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        """The face-up cards in an RGB picture (h, w, 3), see ``CardReader``."""
        started = time.perf_counter()
        _check(pixels)
        read_at = partial(self._level_at, pixels)
        if card_length_px is None:
            factors = ladder(max(pixels.shape[:2]))
            levels = best_levels(factors, read_at, keep=self._thresholds.scales)
        else:
            levels = [read_at(scale_for(card_length_px * each, pixels.shape[:2])) for each in self._lengths]
        indices = one_per_place([index for level in levels for index in level.indices])
        if self._printing is not None:
            indices = [self._printing.as_usual(index) for index in indices]
        belief = self._belief(indices, alphabet)
        cards = self._cards(_in_alphabet(indices, belief))
        pyramid = Pyramid(pixels)
        cards = _placed(pyramid, cards)
        found = face_down_among([level.backs for level in levels], cards, least=self._thresholds.back)
        backs = [replace(back, quad=_moved_on_edges(pyramid, back.quad)) for back in found]
        ms = (time.perf_counter() - started) * 1000
        unread = sum(card.card is None for card in cards)
        return Reading(
            cards,
            unread=unread,
            face_down=len(backs),
            alphabet=belief.name,
            ms=ms,
            backs=tuple(backs),
            is_alphabet_assumed=belief.is_assumed,
        )

    def _belief(self, indices: Sequence[IndexReading], alphabet: str | None) -> AlphabetBelief:
        if alphabet is not None:
            return AlphabetBelief.given(alphabet)
        return self._alphabet or AlphabetBelief.from_evidence(letter_evidence(indices))

    def _level_at(self, pixels: Pixels, factor: float) -> Level:
        resized = _resized(pixels, factor)
        findings = self._finder.find(resized)
        indices = self._indices(resized, findings.candidates, factor)
        return Level(indices, findings.backs.rescaled(1 / factor))

    def _indices(self, resized: Pixels, places: Candidates, factor: float) -> list[IndexReading]:
        # Crops come from the resized picture too: the classifier learnt from cards of that size, and sharper
        # crops from the picture itself were read a little worse (F1 0.992, not 0.997, on 85 photos).
        beliefs = self._classifier.classify(Pyramid(resized), places)
        ranks = _UNSETTLED.rank_log_p(beliefs.glyph_log_p)
        found = places.rescaled(1 / factor)
        indices = [
            IndexReading(
                centre=found.centre[row],
                up=found.up[row],
                right=found.right[row],
                heat=float(found.heat[row]),
                rank_log_p=ranks[row],
                suit_log_p=beliefs.suit_log_p[row],
                none_p=float(beliefs.none_p[row]),
                card_centre=found.card_centre[row],
                glyph_log_p=beliefs.glyph_log_p[row],
            )
            for row in range(len(found))
        ]
        limits = self._thresholds
        return [
            index for index in indices if index.clearness >= limits.index or index.presence >= limits.presence
        ]

    def _cards(self, indices: Sequence[IndexReading]) -> tuple[CardReading, ...]:
        cards = [card_of(group) for group in join(indices)]
        named = _named_together([card for card in cards if not is_ghost(card, cards)])
        known = [card for card in named if self._is_sure(card)]
        unread = unread_among([card for card in named if not self._is_sure(card)], known)
        return tuple(sorted([*known, *unread], key=lambda card: (card.card is None, -card.score)))

    def _is_sure(self, card: CardReading) -> bool:
        least = self._thresholds.lone if len(card.indices) == 1 else self._thresholds.pair
        return card.score >= least


def open_networks(*, threads: int = 1) -> tuple[OnnxNetwork, OnnxNetwork]:
    """The committed detector and classifier.

    Raises:
        ModelError: The weights are missing or damaged.
    """
    detector = OnnxNetwork(weights_path("cards_detector.onnx"), threads=threads)
    return detector, OnnxNetwork(weights_path("cards_classifier.onnx"), threads=threads)


def default_reader(*, threads: int = 1, alphabet: str = ANY) -> OnnxCardReader:
    """The reader with the committed weights.

    Raises:
        ModelError: The weights are missing or damaged.
        ReaderError: There is no such alphabet.
    """
    return OnnxCardReader(*open_networks(threads=threads), alphabet=alphabet)


def _in_alphabet(indices: Sequence[IndexReading], belief: AlphabetBelief) -> list[IndexReading]:
    """The indices with their ranks as the alphabet has them."""
    if not indices:
        return []
    ranks = belief.rank_log_p(np.stack([index.glyph_log_p for index in indices]))
    return [replace(index, rank_log_p=row) for index, row in zip(indices, ranks, strict=True)]


def _named_together(cards: Sequence[CardReading]) -> list[CardReading]:
    named = assign([card.log_p for card in cards])
    return [
        replace(card, card=name, score=score_of(card.indices, name))
        for card, name in zip(cards, named, strict=True)
    ]


def _placed(pyramid: Pyramid, cards: tuple[CardReading, ...]) -> tuple[CardReading, ...]:
    """The cards with their quads on their edges; what two-index cards tell of the deck places the others."""
    placed = [_on_edges(pyramid, card) if len(card.indices) > 1 else card for card in cards]
    layout = layout_seen(placed)
    return tuple(card if len(card.indices) > 1 else _on_edges(pyramid, card, layout) for card in placed)


def _on_edges(pyramid: Pyramid, card: CardReading, layout: IndexLayout | None = None) -> CardReading:
    quad = card.quad if layout is None else quad_from_layout(card.indices[0], layout)
    return replace(card, quad=_moved_on_edges(pyramid, quad))


def _moved_on_edges(pyramid: Pyramid, quad: Floats) -> Floats:
    """The quad on its edges, which are looked for where it is not much larger than it need be."""
    length_px = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    halvings = max(0, int(np.log2(max(length_px, 1.0) / _OUTLINE_PX)))
    factor = 0.5**halvings
    shift = 0.5 * factor - 0.5
    moved = on_edges(pyramid.level(halvings), quad * factor + shift)
    return np.asarray((moved - shift) / factor, dtype=np.float64)


def _resized(pixels: Pixels, factor: float) -> Pixels:
    if factor == 1.0:
        return pixels
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    size = (max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor)))
    return np.asarray(cv2.resize(pixels, size, interpolation=method), dtype=np.uint8)


def _check(pixels: Pixels) -> None:
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        raise ImageError(f"a picture is (height, width, 3) uint8 RGB, not {pixels.shape} {pixels.dtype}")


def check_deck(deck: str, alphabet: str) -> None:
    """Nothing, when this reader can read cards of this deck and alphabet; learnt decks have their own.

    Raises:
        ReaderError: They cannot; the text says which can.
    """
    if deck != ANY_DECK:
        raise ReaderError(f"no deck {deck!r}; known: {ANY_DECK}, and those that kemps enrol learnt")
    if alphabet != ANY:
        check_alphabet(alphabet)
