"""A deck learnt from the cards of a sweep, and how well it is read afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.classify import Pyramid
from kemps_vision.cards.find import Candidates, IndexFinder
from kemps_vision.cards.network import FeatureNetwork, Network
from kemps_vision.cards.reader import OnnxCardReader
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.enrolment.corners import Crops, crops_of, peaks_on, printing_of
from kemps_vision.enrolment.deck import EnrolledDeck, Score
from kemps_vision.enrolment.faces import FaceBook, mean_face, upright_face
from kemps_vision.enrolment.head import Head, fit_head
from kemps_vision.enrolment.looks import Look, look_at
from kemps_vision.enrolment.placing import card_areas, on_its_edges
from kemps_vision.enrolment.reader import DeckReader
from kemps_vision.enrolment.samples import Sample
from kemps_vision.enrolment.trial_looks import trial_looks

LOOKS: Final = 9
"""At each card to learn from."""

_SHARPNESS: Final = (10.0, 20.0, 40.0, 80.0, 160.0, 320.0)
_DOUBT: Final = 0.5  # of the sharpness that fits the looks: other cameras differ more than they do
_STRAY: Final = 0.02  # belief that a quad was placed wrongly, so that one such look does not decide
_BATCH: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Showing:
    """The pictures of one card: those to learn from and those that are kept back for the score."""

    learnt: tuple[tuple[Pixels, Floats], ...]
    kept_back: tuple[tuple[Pixels, Floats], ...]
    is_twice: bool


def showings(samples: Sequence[tuple[Card, Sample]]) -> dict[Card, Showing]:
    """The pictures of each card.

    Of a card that was shown twice the second showing is kept back, else every second frame of the first.
    """
    of_card: dict[Card, list[Sample]] = {}
    for card, sample in samples:
        of_card.setdefault(card, []).append(sample)
    return {card: _showing(some) for card, some in of_card.items()}


def _showing(samples: Sequence[Sample]) -> Showing:
    first = [(picture, samples[0].quad) for picture in samples[0].pictures]
    if len(samples) > 1:
        second = tuple((picture, samples[-1].quad) for picture in samples[-1].pictures)
        return Showing(tuple(first), second, True)
    return Showing(tuple(first[::2]), tuple(first[1::2]), False)


def learn(
    shown: Mapping[Card, Showing],
    detector: Network,
    classifier: FeatureNetwork,
    *,
    checksum: str,
    seed: int = 1,
    looks_each: int = LOOKS,
) -> EnrolledDeck:
    """The deck of these showings, not yet scored.

    Args:
        shown: The pictures of each card.
        detector: The index detector.
        classifier: The index classifier.
        checksum: Of the classifier, see ``EnrolledDeck``.
        seed: Of the looks that are made of the pictures.
        looks_each: How many looks at each card are made.
    """
    rng = np.random.default_rng([seed, 500])
    looks = [
        (DECK_52.index(card), look_at(*showing.learnt[k % len(showing.learnt)], rng))
        for card, showing in sorted(shown.items())
        for k in range(looks_each)
    ]
    candidates, areas = _found(looks, IndexFinder(detector))
    peaks = peaks_on(looks, candidates)
    printing = printing_of(peaks)
    head = None if printing is None else _learn_head(crops_of(looks, peaks, printing, rng), classifier)
    book = _book(shown)
    return EnrolledDeck(
        faces=book,
        sharpness=_sharpness(book, looks, areas),
        head=head,
        index=printing,
        classifier=checksum,
        missing=tuple(card for card in DECK_52 if card not in shown),
    )


def _found(
    looks: Sequence[tuple[int, Look]], finder: IndexFinder
) -> tuple[list[Candidates], list[list[Floats]]]:
    """Of each look the detector's peaks and the whole cards in it."""
    candidates, areas = [], []
    for _, look in looks:
        findings = finder.find(look.pixels)
        candidates.append(findings.candidates)
        areas.append(card_areas(findings.face_up))
    return candidates, areas


def _learn_head(crops: Crops, classifier: FeatureNetwork) -> Head:
    features, answers = [], []
    for start in range(0, len(crops.pixels), _BATCH):
        part = crops.pixels[start : start + _BATCH].transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
        batch = np.ascontiguousarray(part)
        answer, seen = classifier.both(batch)
        answers.append(answer)
        features.append(seen)
    return fit_head(np.concatenate(features), np.concatenate(answers), crops.ranks, crops.suits)


def _book(shown: Mapping[Card, Showing]) -> FaceBook:
    cards = sorted(shown)
    faces = [mean_face([upright_face(*one) for one in shown[card].learnt]) for card in cards]
    return FaceBook(np.array([DECK_52.index(card) for card in cards], np.int64), np.stack(faces))


def _sharpness(book: FaceBook, looks: Sequence[tuple[int, Look]], areas: Sequence[Sequence[Floats]]) -> float:
    """How much correlations tell of this deck: what makes its own looks likeliest, with some doubt."""
    seen = []
    for (card, look), quads in list(zip(looks, areas, strict=True))[::2]:
        middle = look.quad.mean(axis=0)
        near = [quad for quad in quads if np.linalg.norm(quad.mean(axis=0) - middle) < look.card_px / 4]
        if near:
            pyramid = Pyramid(look.pixels)
            seen.append((card, book.likeness(upright_face(look.pixels, on_its_edges(pyramid, near[0])))))
    totals = [
        sum(np.log(np.exp(book.log_p(likeness, one)[card]) + _STRAY) for card, likeness in seen)
        for one in _SHARPNESS
    ]
    return _SHARPNESS[int(np.argmax(totals))] * _DOUBT


def scored(
    deck: EnrolledDeck,
    shown: Mapping[Card, Showing],
    detector: Network,
    classifier: FeatureNetwork,
    *,
    seed: int = 1,
) -> EnrolledDeck:
    """The deck with its score: how looks at pictures that were kept back are read, before and now."""
    rng = np.random.default_rng([seed, 501])
    looks = trial_looks({card: showing.kept_back for card, showing in shown.items()}, rng)
    usual, learnt = OnnxCardReader(detector, classifier), DeckReader(detector, classifier, deck)
    before = [look.outcome(usual) for look in looks]
    now = [look.outcome(learnt) for look in looks]
    covered = [outcome for look, outcome in zip(looks, now, strict=True) if look.above is not None]
    score = Score(
        looks=len(looks),
        before=before.count(True),
        right=now.count(True),
        wrong=now.count(False),
        is_second_showing=all(showing.is_twice for showing in shown.values()),
        covered=len(covered),
        covered_right=covered.count(True),
    )
    return replace(deck, score=score)
