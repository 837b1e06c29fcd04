"""What the detector should say: its targets, read back as a reader would, are the labels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_training.back_targets import UNIT_HALF_PX, make_back_targets
from kemps_training.decks import Deck
from kemps_training.labels import (
    CENTRE,
    COLUMNS,
    MIDDLE,
    RANK_VISIBLE,
    RIGHT,
    SUIT_VISIBLE,
    UP,
    VISIBLE,
    is_readable,
    turned_backs,
)
from kemps_training.mining import NONE, match_finds
from kemps_training.pool import Drawn
from kemps_training.reading import find_indices
from kemps_training.scenes import SceneMaker
from kemps_training.targets import augment, make_targets

Floats = NDArray[np.float32]
NO_BACKS = np.zeros((0, 9), np.float32)


def label(x: float, y: float, *, up: tuple[float, float] = (3, -18), visible: float = 1.0) -> Floats:
    row = np.zeros(COLUMNS, np.float32)
    row[CENTRE], row[UP], row[RIGHT], row[MIDDLE] = (x, y), up, (15, 4), (x + 30, y + 70)
    row[VISIBLE] = row[RANK_VISIBLE] = row[SUIT_VISIBLE] = visible
    return row


class Answer:
    """Stands for a detector session: says exactly what it should."""

    def __init__(self, rows: Floats) -> None:
        targets = make_targets(rows, np.zeros((64, 64), bool), NO_BACKS)
        heat = np.clip(targets.heat, 1e-4, 1 - 1e-4)
        logits = np.log(heat / (1 - heat))[None]
        self.grid = np.concatenate([logits, targets.poses[:7], targets.face_up[None], targets.poses[7:]])[
            None
        ]

    def run(self, _names: None, _inputs: dict[str, Floats]) -> list[Floats]:
        return [self.grid.astype(np.float32)]


def test_targets_read_back_give_the_poses_of_the_labels() -> None:
    rows = np.stack([label(70.3, 90.8), label(180.0, 40.2, up=(-30, 8))])
    peaks = find_indices(Answer(rows), np.zeros((256, 256, 3), np.uint8), 0.5)
    assert len(peaks.poses) == 2
    for row in rows:
        nearest = np.argmin(np.hypot(*(peaks.poses[:, :2] - row[CENTRE]).T))
        assert peaks.poses[nearest] == pytest.approx(row[:6], abs=1e-3)
        assert peaks.middles[nearest] == pytest.approx(row[MIDDLE], abs=1e-2)


def test_a_covered_index_does_not_count_and_a_hidden_one_is_nothing() -> None:
    covered = make_targets(label(128, 128, visible=0.6)[None], np.zeros((64, 64), bool), NO_BACKS)
    assert covered.heat.max() == 0
    assert covered.weight[31:33, 31:33].max() == 0
    hidden = make_targets(label(128, 128, visible=0.2)[None], np.zeros((64, 64), bool), NO_BACKS)
    assert hidden.heat.max() == 0
    assert hidden.weight.min() == 1


def test_an_index_whose_suit_shows_by_half_is_readable() -> None:
    row = label(100, 100)
    row[[VISIBLE, RANK_VISIBLE, SUIT_VISIBLE]] = 0.75, 0.95, 0.5
    assert is_readable(row[None])[0]
    row[RANK_VISIBLE] = 0.8
    assert not is_readable(row[None])[0]


def test_tiny_indices_are_not_asked_for() -> None:
    targets = make_targets(label(100, 100, up=(0, -2))[None], np.zeros((64, 64), bool), NO_BACKS)
    assert targets.heat.max() == 0
    assert targets.counted.max() == 0


def test_augmented_pixels_stay_in_range_and_keep_their_labels(decks: list[Deck]) -> None:
    scene = SceneMaker(decks, []).make(np.random.default_rng(3))
    cells = scene.face_up[2::4, 2::4]
    drawn = Drawn(scene.pixels, scene.rows, cells, scene.backs)
    pixels, targets = augment(np.random.default_rng(1), drawn)
    assert pixels.shape == (3, 256, 256)
    assert pixels.dtype == np.float32
    assert pixels.min() >= 0
    assert pixels.max() <= 1
    assert targets.face_up.sum() == cells.sum()
    assert targets.backs.heat.shape == targets.heat.shape == (64, 64)


def back(x: float, y: float, angle: float, *, visible: float = 1.0) -> Floats:
    """A face-down card of 126 x 88 px about a place, turned by an angle."""
    corners = np.array([[-44, -63], [44, -63], [44, 63], [-44, 63]])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.append((corners @ turn.T + (x, y)).ravel(), visible).astype(np.float32)


def test_a_card_on_its_face_is_told_by_its_middle_sides_and_direction() -> None:
    targets = make_back_targets(back(121.5, 81.5, 0.4)[None], 64)
    assert divmod(int(targets.heat.argmax()), 64) == (20, 30)
    long, short, cosine, sine = targets.poses[:, 20, 30]
    assert np.exp([long, short]) * UNIT_HALF_PX == pytest.approx([63, 44], rel=1e-4)
    along = np.pi / 2 + 0.4  # its long sides stand upright before it is turned
    assert (cosine, sine) == pytest.approx((np.cos(2 * along), np.sin(2 * along)), abs=1e-4)


def test_a_half_covered_back_does_not_count_and_a_hidden_one_is_nothing() -> None:
    half = make_back_targets(back(128, 128, 0, visible=0.5)[None], 64)
    assert half.heat.max() == 0
    assert half.weight[31:33, 31:33].max() == 0
    hidden = make_back_targets(back(128, 128, 0, visible=0.1)[None], 64)
    assert hidden.heat.max() == 0
    assert hidden.weight.min() == 1


def test_backs_turn_with_their_picture() -> None:
    rows = np.stack([back(60, 100, 0.2), back(200, 30, 1.0)])
    assert turned_backs(rows, 4, 256) == pytest.approx(rows)
    once = turned_backs(rows, 1, 256)
    assert once[0, :8].reshape(4, 2).mean(0) == pytest.approx((100, 255 - 60), abs=1e-3)
    assert once[:, 8] == pytest.approx(rows[:, 8])


def test_finds_are_told_true_from_false() -> None:
    rows = np.stack([label(60, 60), label(150, 150, visible=0.05)])
    true, turned, ghost, doubtful = (rows[0, :6].copy() for _ in range(4))
    turned[2:6] *= -1
    ghost[:2] = 220, 40
    doubtful[:2] += 10
    found = match_finds(np.stack([true, turned, ghost, doubtful]), rows)
    assert found.ranks.tolist() == [0, NONE, NONE]
    assert found.suits.tolist() == [0, -1, -1]
    assert found.poses[:, 0] == pytest.approx([60, 60, 220])


def test_a_find_in_the_middle_of_a_court_is_neither_true_nor_false() -> None:
    king, seven = label(60, 60), label(60, 60)
    king[8], seven[8] = 12, 6
    middle = np.concatenate([king[MIDDLE], king[2:6]])
    assert len(match_finds(middle[None], king[None]).ranks) == 0
    assert match_finds(middle[None], seven[None]).ranks.tolist() == [NONE]
