"""Peaks of the detector's grid become possible indices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.cards.find import Candidates, IndexFinder
from kemps_vision.errors import ReaderError


class Grid:
    """A network that gives the same values at chosen cells, and remembers its input."""

    def __init__(self, cells: dict[tuple[int, int], list[float]], channels: int = 16) -> None:
        self.cells, self.channels = cells, channels
        self.batch: NDArray[np.float32] = np.zeros((1, 3, 1, 1), np.float32)

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        self.batch = batch
        grid = np.zeros((1, self.channels, batch.shape[2] // 4, batch.shape[3] // 4), np.float32)
        grid[:, [0, 11]] = -9.0
        for (x, y), values in self.cells.items():
            grid[0, : len(values), y, x] = values
        return grid


POSE = [
    0.25,
    -0.5,
    np.log(2.0),
    0.0,
    -1.0,
    0.9,
    0.1,
    4.0,
    2.5,
    3.0,
]  # offset, height 24 px, up, right, mask, centre


def test_a_peak_becomes_an_index_with_its_pose_in_pixels() -> None:
    found = IndexFinder(Grid({(5, 7): [3.0, *POSE]})).find(np.zeros((64, 64, 3), np.uint8)).candidates
    assert len(found) == 1
    assert found.centre[0] == pytest.approx([5.25 * 4 + 1.5, 6.5 * 4 + 1.5])
    assert found.up[0] == pytest.approx([0.0, -24.0])
    assert found.right[0] == pytest.approx([21.6, 2.4])
    assert found.card_centre[0] == pytest.approx([5.25 * 4 + 1.5 + 60, 6.5 * 4 + 1.5 + 72])
    assert found.heat[0] == pytest.approx(1 / (1 + np.exp(-3.0)))


def test_of_neighbouring_hot_cells_only_the_hottest_is_a_peak() -> None:
    cells = {(5, 7): [3.0, *POSE], (6, 7): [2.5, *POSE], (9, 7): [1.0, *POSE]}
    found = IndexFinder(Grid(cells)).find(np.zeros((64, 64, 3), np.uint8)).candidates
    assert found.heat == pytest.approx([1 / (1 + np.exp(-3.0)), 1 / (1 + np.exp(-1.0))])


def test_cool_cells_are_no_peaks_and_the_hottest_come_first_when_there_are_too_many() -> None:
    cells = {(2 * n, 4): [0.3 * n - 2.0, *POSE] for n in range(12)}
    found = IndexFinder(Grid(cells), most=3).find(np.zeros((64, 128, 3), np.uint8)).candidates
    assert len(found) == 3
    assert list(found.heat) == sorted(found.heat, reverse=True)
    assert found.heat.min() > 0.25


def test_a_picture_of_any_size_is_padded_and_padding_is_never_a_finding() -> None:
    network = Grid({(9, 9): [3.0, *POSE], (11, 3): [3.0, *POSE]})
    findings = IndexFinder(network).find(np.full((37, 41, 3), 255, np.uint8))
    assert network.batch.shape[1:] == (3, 48, 48)
    assert network.batch.max() == 1.0
    assert network.batch[:, :, 37:].max() == 0.0
    assert findings.face_up.shape == (10, 11)
    assert len(findings.candidates) == 1


def test_where_face_up_cards_are_is_a_belief() -> None:
    findings = IndexFinder(Grid({(5, 7): [3.0, *POSE]})).find(np.zeros((64, 64, 3), np.uint8))
    assert findings.face_up[7, 5] == pytest.approx(1 / (1 + np.exp(-4.0)))


def test_a_network_of_another_shape_is_refused() -> None:
    with pytest.raises(ReaderError, match="detector answers"):
        IndexFinder(Grid({}, channels=18)).find(np.zeros((64, 64, 3), np.uint8))


def test_candidates_follow_their_picture_when_it_is_resized_and_back() -> None:
    rng = np.random.default_rng(3)
    centre, up, right, middle = rng.uniform(0, 100, (4, 4, 2))
    candidates = Candidates(centre, up, right, middle, np.ones(4))
    back = candidates.rescaled(0.37).rescaled(1 / 0.37)
    assert back.centre == pytest.approx(candidates.centre)
    assert back.card_centre == pytest.approx(candidates.card_centre)
    assert candidates.rescaled(2.0).up == pytest.approx(candidates.up * 2)
    edge = np.full((1, 2), -0.5)
    corner = Candidates(edge, edge, edge, edge, np.ones(1))
    assert corner.rescaled(0.25).centre == pytest.approx(-0.5)


def test_candidates_can_be_chosen_and_moved() -> None:
    places = np.arange(8.0).reshape(4, 2)
    candidates = Candidates(places, places, places, places, np.arange(4.0))
    chosen = candidates[candidates.heat > 1]
    assert len(chosen) == 2
    assert chosen.shifted(10, 20).centre[0] == pytest.approx([14.0, 25.0])
    assert chosen.shifted(10, 20).up == pytest.approx(chosen.up)
