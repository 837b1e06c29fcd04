"""Crops set indices upright, and logits become beliefs."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kemps_models.alphabets import NONE_CLASS
from kemps_models.registry import weights_path
from kemps_vision.cards.classify import IndexClassifier, Pyramid, crop_index
from kemps_vision.cards.find import Candidates
from kemps_vision.cards.network import OnnxNetwork
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.errors import ReaderError


def picture_of(centre: Floats, up: Floats, right: Floats, size: int = 400) -> Pixels:
    """Red where the crop's upper half should come from, blue for the lower, with a green right half."""
    ys, xs = np.mgrid[0:size, 0:size].astype(np.float64)
    frame = np.column_stack([right * 0.82, -up * 1.3])
    across, down = np.linalg.inv(frame) @ np.stack([xs.ravel() - centre[0], ys.ravel() - centre[1]])
    pixels = np.zeros((size, size, 3), np.uint8)
    inside = (np.abs(across) < 1) & (np.abs(down) < 1)
    pixels.reshape(-1, 3)[inside & (down < 0), 0] = 255
    pixels.reshape(-1, 3)[inside & (down > 0), 2] = 255
    pixels.reshape(-1, 3)[inside & (across > 0), 1] = 255
    return pixels


@given(turn=st.floats(-3.1, 3.1), height=st.floats(14.0, 110.0), squeeze=st.floats(0.45, 1.0))
def test_a_crop_shows_the_index_upright_and_without_tilt(turn: float, height: float, squeeze: float) -> None:
    centre = np.array([200.3, 198.6])
    up = np.array([np.sin(turn), -np.cos(turn)]) * height
    right = np.array([np.cos(turn), np.sin(turn)]) * height * squeeze
    crop = crop_index(Pyramid(picture_of(centre, up, right)), centre, up, right).astype(int)
    assert crop.shape == (64, 40, 3)
    quarters = {
        "upper left": (crop[4:28, 4:16], (255, 0, 0)),
        "upper right": (crop[4:28, 24:36], (255, 255, 0)),
        "lower left": (crop[36:60, 4:16], (0, 0, 255)),
        "lower right": (crop[36:60, 24:36], (0, 255, 255)),
    }
    for name, (quarter, colour) in quarters.items():
        assert quarter.reshape(-1, 3).mean(axis=0) == pytest.approx(colour, abs=4), name


def test_a_large_index_is_shrunk_with_a_filter_not_by_leaving_pixels_out() -> None:
    fine = np.zeros((800, 800, 3), np.uint8)
    fine[::2] = 255  # lines of 1 px: grey from afar
    crop = crop_index(
        Pyramid(fine), np.array([400.0, 400.0]), np.array([0.0, -200.0]), np.array([200.0, 0.0])
    )
    assert crop.std() < 3
    assert crop.mean() == pytest.approx(127.5, abs=3)


def test_a_crop_over_the_edge_repeats_the_edge() -> None:
    white = np.full((50, 50, 3), 255, np.uint8)
    crop = crop_index(Pyramid(white), np.zeros(2), np.array([0.0, -20.0]), np.array([20.0, 0.0]))
    assert crop.min() == 255


def test_the_halves_of_a_picture_keep_its_edges_in_place() -> None:
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:, 32:] = 255
    pyramid = Pyramid(pixels)
    assert pyramid.level(2).shape == (16, 16, 3)
    assert pyramid.level(2)[:, 8:].min() == 255
    assert pyramid.level(9).shape == (1, 1, 3)


class Logits:
    """A network whose logits say glyph by the crop's red and suit by its green."""

    def __init__(self, width: int = 29) -> None:
        self.width = width
        self.batches: list[int] = []

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self.batches.append(len(batch))
        logits = np.zeros((len(batch), self.width), np.float32)
        red, green = (np.round(batch[:, channel].mean(axis=(1, 2)) * 255).astype(int) for channel in (0, 1))
        logits[np.arange(len(batch)), red] = 5.0
        logits[np.arange(len(batch)), NONE_CLASS + 1 + green] = 5.0
        return logits


def same_places(count: int) -> Candidates:
    up, right = np.tile([0.0, -10.0], (count, 1)), np.tile([10.0, 0.0], (count, 1))
    centre = np.full((count, 2), 25.0)
    return Candidates(centre, up, right, centre, np.ones(count))


def test_logits_become_beliefs_in_glyphs_suits_and_none() -> None:
    pixels = np.full((50, 50, 3), (7, 2, 0), np.uint8)
    beliefs = IndexClassifier(Logits()).classify(Pyramid(pixels), same_places(1))
    assert int(beliefs.glyph_log_p[0].argmax()) == 7
    assert int(beliefs.suit_log_p[0].argmax()) == 2
    assert np.exp(beliefs.glyph_log_p).sum() == pytest.approx(1.0)
    assert np.exp(beliefs.suit_log_p).sum() == pytest.approx(1.0)
    assert beliefs.none_p[0] == pytest.approx(1 / (np.exp(5.0) + 24))


def test_what_is_no_index_is_believed_to_be_none() -> None:
    pixels = np.full((50, 50, 3), (NONE_CLASS, 0, 0), np.uint8)
    beliefs = IndexClassifier(Logits()).classify(Pyramid(pixels), same_places(1))
    assert beliefs.none_p[0] == pytest.approx(np.exp(5.0) / (np.exp(5.0) + 24))


def test_many_crops_go_through_in_batches_and_none_goes_through_without_asking() -> None:
    network = Logits()
    pyramid = Pyramid(np.full((50, 50, 3), (1, 1, 0), np.uint8))
    beliefs = IndexClassifier(network, batch=4).classify(pyramid, same_places(10))
    assert network.batches == [4, 4, 2]
    assert len(beliefs.none_p) == 10
    empty = IndexClassifier(network).classify(pyramid, same_places(0))
    assert empty.glyph_log_p.shape == (0, 24)
    assert network.batches == [4, 4, 2]


def test_a_network_of_another_shape_is_refused() -> None:
    pyramid = Pyramid(np.full((50, 50, 3), (1, 1, 0), np.uint8))
    with pytest.raises(ReaderError, match="classifier answers"):
        IndexClassifier(Logits(width=35)).classify(pyramid, same_places(1))


def test_crops_do_not_depend_on_opencvs_threads() -> None:
    rng = np.random.default_rng(5)
    pixels = rng.integers(0, 256, (300, 300, 3), dtype=np.uint8)
    pose = np.array([150.0, 140.0]), np.array([6.0, -50.0]), np.array([48.0, 7.0])
    threads = cv2.getNumThreads()
    try:
        cv2.setNumThreads(1)
        alone = crop_index(Pyramid(pixels), *pose)
        cv2.setNumThreads(2)
        together = crop_index(Pyramid(pixels), *pose)
    finally:
        cv2.setNumThreads(threads)
    assert np.array_equal(alone, together)


def test_a_network_that_does_not_tell_its_features_says_so() -> None:
    detector = OnnxNetwork(weights_path("cards_detector.onnx"))
    with pytest.raises(ReaderError, match="features"):
        detector.features(np.zeros((1, 3, 16, 16), np.float32))


def test_the_committed_classifier_tells_what_its_last_layer_sees() -> None:
    network = OnnxNetwork(weights_path("cards_classifier.onnx"))
    crops = np.random.default_rng(2).random((3, 3, 64, 40), dtype=np.float32)
    assert network.features(crops).shape == (3, 1536)
    assert network(crops).shape == (3, 29)
