"""A ``CardReader`` for one learnt deck: its indices by its own head, its cards also as a whole."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.classify import Pyramid
from kemps_vision.cards.find import IndexFinder
from kemps_vision.cards.identities import assign
from kemps_vision.cards.network import FeatureNetwork, Network
from kemps_vision.cards.printing import USUAL_HALF_MM
from kemps_vision.cards.quads import is_inside
from kemps_vision.cards.reader import OnnxCardReader, Thresholds, open_networks
from kemps_vision.cards.reading import CardReading, Floats, Pixels, Reading
from kemps_vision.cards.scales import BEST_CARD_PX, MAX_ENLARGEMENT
from kemps_vision.enrolment.deck import EnrolledDeck
from kemps_vision.enrolment.faces import upright_face
from kemps_vision.enrolment.head import DeckNetwork
from kemps_vision.enrolment.placing import card_areas, on_its_edges
from kemps_vision.enrolment.store import DeckStore

_KNOWN_FACE: Final = 0.72  # least correlation of a card that is one of the deck's
_SURE: Final = 0.9
_LOOKED_AT_PX: Final = (320.0, 640.0)  # long sides of the picture while no card was read
_SQUARE: Final = 0.82  # sides of an area more alike than this: which are the long ones, the face tells
_ENLARGED: Final = (1.0, 1.8)
_LENGTHS: Final = (
    1.0,
    1.4,
)  # odd suit signs are seen best where cards are a little smaller than others need be


class DeckReader:
    """Reads the cards of one deck, see ``CardReader``; others it mostly leaves unread.

    Args:
        detector: The index detector.
        classifier: The index classifier.
        deck: The deck.
        thresholds: How sure of an index it must be.
    """

    def __init__(
        self,
        detector: Network,
        classifier: FeatureNetwork,
        deck: EnrolledDeck,
        *,
        thresholds: Thresholds | None = None,
    ) -> None:
        network = classifier if deck.head is None else DeckNetwork(classifier, deck.head)
        self._deck = deck
        self._finder = IndexFinder(detector)
        self._by_index = OnnxCardReader(
            detector,
            network,
            thresholds=thresholds,
            alphabet="international",
            printing=deck.index,
            lengths=_LENGTHS,
        )

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        """The face-up cards in an RGB picture (h, w, 3), see ``CardReader``; the alphabet is the deck's."""
        del alphabet
        started = time.perf_counter()
        seen_px = None if card_length_px is None else card_length_px / self._enlarged()
        reading = self._by_index.read(pixels, card_length_px=seen_px)
        quads = self._whole_cards(pixels, card_length_px or reading.card_length_px)
        cards = self._with_faces(Pyramid(pixels), reading.cards, quads)
        unread = sum(card.card is None for card in cards)
        ms = (time.perf_counter() - started) * 1000
        return replace(reading, cards=cards, unread=unread, ms=ms)

    def _enlarged(self) -> float:
        """How much larger than usual cards are looked at, so that small indices are seen."""
        if self._deck.index is None:
            return 1.0
        usual = 0.72 * USUAL_HALF_MM  # down to which an index is read as well as a large one
        return float(np.clip(usual / self._deck.index.half_height, *_ENLARGED))

    def _whole_cards(self, pixels: Pixels, card_length_px: float | None) -> list[Floats]:
        """Quads of the cards that nothing covers, on their edges."""
        long_side = max(pixels.shape[:2])
        if card_length_px is not None:
            return self._areas(pixels, min(BEST_CARD_PX / card_length_px, MAX_ENLARGEMENT))
        best: list[Floats] = []
        for side in _LOOKED_AT_PX:
            found = self._areas(pixels, side / long_side)
            best = found if len(found) > len(best) else best
        return best

    def _areas(self, pixels: Pixels, factor: float) -> list[Floats]:
        size = (max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor)))
        resized = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        return [(quad + 0.5) / factor - 0.5 for quad in card_areas(self._finder.find(resized).face_up)]

    def _with_faces(
        self, pyramid: Pyramid, cards: Sequence[CardReading], quads: Sequence[Floats]
    ) -> tuple[CardReading, ...]:
        left, whole = list(cards), []
        for quad in quads:
            face = self._faced(pyramid, on_its_edges(pyramid, quad))
            if face is None:
                continue
            inside = [card for card in left if is_inside(face.quad, card.centre)]
            left = [card for card in left if not any(card is other for other in inside)]
            whole.append(_joined(face, inside))
        named = assign([card.log_p for card in (*whole, *left)])
        return _sorted(
            [
                *(_named(card, name) for card, name in zip(whole, named, strict=False)),
                *(
                    card if card.card in (name, None) else _named(card, name)
                    for card, name in zip(left, named[len(whole) :], strict=True)
                ),
            ]
        )

    def _faced(self, pyramid: Pyramid, quad: Floats) -> CardReading | None:
        """A card by its face alone; None when it is none of the deck's."""
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
        is_square = min(sides[:2]) > _SQUARE * max(sides[:2])
        quads = [quad, np.roll(quad, 1, axis=0)] if is_square else [quad]
        likeness = [self._deck.faces.likeness(upright_face(pyramid.level(0), one)) for one in quads]
        best = int(np.argmax([like.max() for like in likeness]))
        if likeness[best].max() < _KNOWN_FACE:
            return None
        log_p = self._deck.faces.log_p(likeness[best], self._deck.sharpness)
        return CardReading(None, float(np.exp(log_p.max())), quads[best], log_p, ())


def deck_reader(deck: str, *, threads: int = 1, folder: Path | None = None) -> DeckReader:
    """The reader of a learnt deck, with the committed networks.

    Raises:
        ModelError: The weights are missing or damaged.
        ReaderError: There is no such deck, or its file is damaged.
    """
    learnt = DeckStore(folder).load(deck)
    return DeckReader(*open_networks(threads=threads), learnt)


def _joined(face: CardReading, cards: Sequence[CardReading]) -> CardReading:
    """The card of a face with what its indices say."""
    total = face.log_p + np.sum([card.log_p for card in cards], axis=0) if cards else face.log_p
    shifted = total - total.max()
    log_p = np.asarray(shifted - np.log(np.exp(shifted).sum()), dtype=np.float64)
    return replace(face, log_p=log_p, indices=tuple(index for card in cards for index in card.indices))


def _named(card: CardReading, name: Card) -> CardReading:
    score = float(np.exp(card.log_p[DECK_52.index(name)]))
    return replace(card, card=name if score >= _SURE else None, score=score)


def _sorted(cards: Sequence[CardReading]) -> tuple[CardReading, ...]:
    return tuple(sorted(cards, key=lambda card: (card.card is None, -card.score)))
