"""The committed weights on real photos of decks they never saw."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from kemps_rules.cards import Card
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.stills import load_still

pytestmark = pytest.mark.shared

EVERY = 13
"""Of the photos, so that the test takes seconds; the whole set is what `kemps bench cards` is for."""


def test_a_sample_of_the_open_photos_is_read_nearly_all_right(shared: Path) -> None:
    """The bars over all photos: F1 0.97 and precision 0.98; a sample of 21 has 0.99 and more."""
    folder = shared / "data" / "cards"
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "AnimaNo" not in row["source"]]
    reader = default_reader(threads=2)
    hits = labelled = extra = 0
    for row in rows[::EVERY]:
        wanted = Counter(Card.parse(text) for text in row["cards"].split())
        read = Counter(
            card.card for card in reader.read(load_still(folder / row["image"])).known if card.card
        )
        hits += (wanted & read).total()
        labelled += wanted.total()
        extra += (read - wanted).total()
    precision, recall = hits / (hits + extra), hits / labelled
    assert precision >= 0.98
    assert 2 * precision * recall / (precision + recall) >= 0.97


def test_a_part_of_a_picture_is_read_as_the_whole_when_the_card_size_is_told(shared: Path) -> None:
    pixels = load_still(shared / "data" / "cards" / "notanumber11-test23.jpg")
    reader = default_reader(threads=2)
    whole = reader.read(pixels)
    assert whole.card_length_px is not None
    quads = [card.quad for card in whole.known]
    left, top = (int(min(quad[:, axis].min() for quad in quads)) - 20 for axis in (0, 1))
    right, bottom = (int(max(quad[:, axis].max() for quad in quads)) + 20 for axis in (0, 1))
    part = reader.read(
        pixels[max(0, top) : bottom, max(0, left) : right].copy(), card_length_px=whole.card_length_px
    )
    assert sorted(str(card.card) for card in part.known) == sorted(str(card.card) for card in whole.known)
    assert len(part.known) == 6
