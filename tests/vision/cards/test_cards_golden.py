"""The committed stills, read with the committed weights, against their exact truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kemps_vision.cards.reader import OnnxCardReader, default_reader
from kemps_vision.cards.stills import load_still

pytestmark = pytest.mark.golden

FRAMES = Path(__file__).resolve().parents[3] / "samples" / "frames"


@pytest.fixture(scope="module")
def reader() -> OnnxCardReader:
    return default_reader(threads=2)


@pytest.mark.parametrize("name", sorted(path.stem for path in FRAMES.glob("*.json")))
def test_a_committed_still_is_read_as_its_truth_says(reader: OnnxCardReader, name: str) -> None:
    truth = json.loads((FRAMES / f"{name}.json").read_text())
    face_up = {card["card"]: np.array(card["quad"]) for card in truth["cards"] if card["card"] is not None}
    reading = reader.read(load_still(FRAMES / truth["image"]))
    assert sorted(str(card.card) for card in reading.known) == sorted(face_up)
    assert reading.unread == 0
    assert reading.face_down == sum(card["card"] is None for card in truth["cards"])
    for card in reading.known:
        expected = face_up[str(card.card)]
        length = float(np.linalg.norm(expected[3] - expected[0]))
        assert np.linalg.norm(card.centre - expected.mean(axis=0)) < 0.2 * length, card.card
        if len(card.indices) > 1:
            corners = [np.abs(np.roll(card.quad, turn, axis=0) - expected).max() for turn in (0, 2)]
            assert min(corners) < 0.15 * length, card.card
