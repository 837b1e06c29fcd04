"""From the pictures of a sweep to a deck: which cards were shown, what is learnt, how well it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.find import IndexFinder
from kemps_vision.cards.network import FeatureNetwork, Network
from kemps_vision.cards.quads import is_inside
from kemps_vision.cards.reader import OnnxCardReader
from kemps_vision.cards.reading import CardReading
from kemps_vision.cards.stills import load_still
from kemps_vision.enrolment.deck import EnrolledDeck
from kemps_vision.enrolment.learning import learn, scored, showings
from kemps_vision.enrolment.order import cards_shown
from kemps_vision.enrolment.samples import Cutter, Sample
from kemps_vision.enrolment.sweep import Rest, rests
from kemps_vision.errors import ReaderError
from kemps_vision.frame import Frame
from kemps_vision.sources.stills import PICTURE_ENDINGS

OnCard = Callable[[int], None]
"""Told how many cards have been shown so far."""

_IDLE_MS: Final = 4000  # after the last card of a live source
_TOLD_APART: Final = 8  # so many cards must be read to say anything of the order
_IN_ORDER: Final = 0.35  # of them; an odd deck is misread, but cards in another order agree in one of 52
_FEWEST: Final = 26  # cards; with fewer it was no sweep of a deck


@dataclass(frozen=True, slots=True)
class Readers:
    """What a deck is learnt with: the committed networks and the classifier's checksum."""

    detector: Network
    classifier: FeatureNetwork
    checksum: str


def samples_of(
    frames: Iterable[Frame], readers: Readers, *, is_live: bool = False, on_card: OnCard | None = None
) -> list[Sample]:
    """The cards of a recording or camera; a live one ends four seconds after the last of 52."""
    cutter = Cutter(IndexFinder(readers.detector))
    samples: list[Sample] = []
    watched = _until_idle(frames, samples) if is_live else frames
    for rest in rests(watched):
        sample = cutter.cut(rest)
        if sample is not None:
            samples.append(sample)
            if on_card is not None:
                on_card(len(samples))
    return samples


def _until_idle(frames: Iterable[Frame], samples: Sequence[Sample]) -> Iterator[Frame]:
    for frame in frames:
        yield frame
        if len(samples) >= len(DECK_52) and frame.at_ms - samples[-1].at_ms > _IDLE_MS:
            return


def named_by_order(
    samples: Sequence[Sample], order: Sequence[Card], readers: Readers
) -> list[tuple[Card, Sample]]:
    """The samples with the cards that they show, when the cards were dealt in that order.

    Raises:
        ReaderError: There are too few cards, or they do not come in that order.
    """
    if len(samples) < _FEWEST:
        raise ReaderError(
            f"only {len(samples)} cards lay still long enough; deal the whole deck face up onto one place, "
            "each card lying for a second, in the picture with its whole outline"
        )
    reader = OnnxCardReader(readers.detector, readers.classifier)
    read = [_read(sample, reader) for sample in samples]
    shown = cards_shown([None if card is None else card.log_p for card in read], order)
    told = [
        (n, card.card, name)
        for n, (card, name) in enumerate(zip(read, shown, strict=True))
        if card is not None and card.card is not None and name is not None
    ]
    agree = sum(card == name for _, card, name in told)
    if len(told) >= _TOLD_APART and agree < _IN_ORDER * len(told):
        n, card, name = next(one for one in told if one[1] != one[2])
        raise ReaderError(
            f"the cards do not come in the order told ({order[0]} {order[1]} {order[2]} … {order[-1]}): card "
            f"{n + 1} should be {name} and looks like {card}; sort the deck, or name its suits with --order"
        )
    return [(name, sample) for name, sample in zip(shown, samples, strict=True) if name is not None]


def _read(sample: Sample, reader: OnnxCardReader) -> CardReading | None:
    pixels = sample.pictures[len(sample.pictures) // 2]
    length = float(np.linalg.norm(sample.quad[[3, 2]] - sample.quad[[0, 1]], axis=1).mean())
    cards = reader.read(pixels, card_length_px=length).cards
    return next((card for card in cards if is_inside(sample.quad, card.centre, inset=0.25)), None)


def samples_in_folder(
    folder: Path, readers: Readers, order: Sequence[Card], *, on_card: OnCard | None = None
) -> list[tuple[Card, Sample]]:
    """The cards of a folder of stills, one card a picture, each card at least twice.

    Pictures whose names begin with a card (``As.jpg``, ``10h-2.png``) show that one; if none does, they show
    the cards in order, by name, as often round as there are pictures.

    Raises:
        ReaderError: The pictures are too few, or one shows no whole card.
        ImageError: One cannot be read.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURE_ENDINGS)
    named = [_card_in_name(path) for path in paths]
    if not any(named):
        if len(paths) < 2 * len(order) or len(paths) % len(order):
            raise ReaderError(
                f"{folder}: {len(paths)} pictures; give each of the 52 cards at least two (one to learn "
                "from, one for the score), named after their cards (As-1.jpg, As-2.jpg) or in order, twice "
                "through"
            )
        named = [order[n % len(order)] for n in range(len(paths))]
    cutter = Cutter(IndexFinder(readers.detector))
    found: list[tuple[Card, Sample]] = []
    for n, (path, card) in enumerate(zip(paths, named, strict=True)):
        if card is None:
            continue
        sample = cutter.cut(Rest((load_still(path),), n, None))
        if sample is None:
            raise ReaderError(f"{path}: no whole card is seen; lay it on a darker table, nothing over it")
        found.append((card, sample))
        if on_card is not None:
            on_card(len(found))
    return found


def _card_in_name(path: Path) -> Card | None:
    text = path.stem.replace("_", "-").split("-")[0]
    try:
        card = Card.parse(text)
    except ValueError:
        return None
    return None if card.is_joker else card


def enrolled(samples: Sequence[tuple[Card, Sample]], readers: Readers) -> EnrolledDeck:
    """The deck of these cards, learnt and scored."""
    shown = showings(samples)
    deck = learn(shown, readers.detector, readers.classifier, checksum=readers.checksum)
    return scored(deck, shown, readers.detector, readers.classifier)
