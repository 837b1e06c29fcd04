"""The general-purpose detector of the comparison: its boxes, its training in pieces, and what it tells."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from kemps_training.decks import Deck
from kemps_training.errors import TrainingError
from kemps_training.labels import COLUMNS, RANK, RANK_VISIBLE, SUIT, SUIT_VISIBLE, VISIBLE
from kemps_training.pool import Pool, fill_pool
from kemps_training.scenes import SceneMaker

if TYPE_CHECKING or find_spec("torch"):  # where it is absent, the marker skips the tests
    import torch
    from torch import Tensor, nn

    from kemps_training import general_detector
    from kemps_training.general_detector import Training, boxes_of, draw_example, is_usable

    class OneNumber(nn.Module):  # type: ignore[misc]
        """Learns one number, with the manners of torchvision; sees a queen of hearts everywhere."""

        def __init__(self) -> None:
            super().__init__()
            self.number = nn.Parameter(torch.zeros(1))
            self.transform = type("Transform", (), {"min_size": (0,)})()

        def forward(
            self, pictures: list[Tensor], targets: list[dict[str, Tensor]] | None = None
        ) -> dict[str, Tensor] | list[dict[str, Tensor]]:
            if targets is not None:
                assert all(len(target["boxes"]) == len(target["labels"]) for target in targets)
                return {"classification": (self.number - 1).square().sum()}
            label = 1 + general_detector.CARDS.index("Qh")
            found = {"labels": torch.tensor([label, label]), "scores": torch.tensor([0.4, 0.9])}
            return [found for _ in pictures]


pytestmark = [pytest.mark.training, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def pool(decks: list[Deck], tmp_path_factory: pytest.TempPathFactory) -> Pool:
    folder = tmp_path_factory.mktemp("pool")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kemps_training.pool.SHARD", 12)
        fill_pool(SceneMaker(decks, [], card_lengths_px=((110.0, 160.0, 1.0),)), folder, 1, seed=5)
    return Pool(folder)


@pytest.fixture
def one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network of one number in place of FCOS, and short batches."""
    monkeypatch.setattr(general_detector, "make_network", OneNumber)
    monkeypatch.setattr(general_detector, "BATCH", 2)
    monkeypatch.setattr(general_detector, "WARM_UP", 1)


def label_row(
    up: float = 10.0, rank: int = 11, visible: float = 1.0
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    row = np.zeros((1, COLUMNS), np.float32)
    row[0, :8] = [100, 50, 0, -up, up * 0.8, 0, 120, 90]
    row[0, [RANK, SUIT]] = [rank, 2]
    row[0, [VISIBLE, RANK_VISIBLE, SUIT_VISIBLE]] = visible
    return row


def test_a_box_reaches_a_little_beyond_rank_and_suit() -> None:
    ((left, top, right, bottom),) = boxes_of(label_row(up=10)).tolist()
    assert (left + right) / 2 == pytest.approx(100)
    assert (top + bottom) / 2 == pytest.approx(50)
    assert bottom - top == pytest.approx(22)
    assert 9 < right - left < 12


def test_scenes_with_small_or_foreign_indices_are_left_out() -> None:
    assert is_usable(label_row())
    assert not is_usable(label_row(up=4))
    assert not is_usable(label_row(rank=14))
    assert not is_usable(label_row(visible=0.2))
    assert is_usable(np.concatenate([label_row(), label_row(up=4, visible=0.2)]))


def test_an_example_has_a_box_inside_the_picture_and_a_class_for_each_readable_index(pool: Pool) -> None:
    picture, target = draw_example(np.random.default_rng(0), pool)
    assert tuple(picture.shape[:1]) == (3,)
    assert 0 <= float(picture.min()) <= float(picture.max()) <= 1
    boxes, labels = target["boxes"], target["labels"]
    assert len(boxes) == len(labels) > 0
    assert float(boxes.min()) >= 0
    assert float(boxes.max()) <= picture.shape[1]
    assert 1 <= int(labels.min()) <= int(labels.max()) <= len(general_detector.CARDS)


@pytest.mark.usefixtures("one_number")
def test_a_training_goes_on_where_it_stopped_and_its_rate_ends_at_nothing(pool: Pool, tmp_path: Path) -> None:
    first = Training(pool, tmp_path, minutes=0.0015).run()
    assert first.steps > 0
    training = Training(pool, tmp_path, minutes=0.004)
    assert training.progress == first
    second = training.run()
    assert second.steps > first.steps
    assert second.loss < 1.0
    assert training.optimizer.param_groups[0]["lr"] < general_detector.RATE / 2
    assert Training(pool, tmp_path, minutes=0.004).run().steps == second.steps


@pytest.mark.usefixtures("one_number")
def test_photos_are_told_line_by_line_with_the_best_score_of_each_card(
    pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Training(pool, tmp_path, minutes=0.001).run()
    capsys.readouterr()
    photo = tmp_path / "photo.png"
    cv2.imwrite(str(photo), np.full((40, 60, 3), 90, np.uint8))
    words = ["read", str(photo), "--weights", str(tmp_path), "--long-side", "64"]
    assert general_detector.main(words) == 0
    line = json.loads(capsys.readouterr().out)
    assert line["cards"] == [{"card": "Qh", "score": 0.9}]
    assert general_detector.main(["read", str(photo), "--weights", str(tmp_path / "none")]) == 2
    assert "train it first" in capsys.readouterr().err


def test_without_torchvision_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named {name}")

    monkeypatch.setattr(general_detector, "import_module", missing)
    with pytest.raises(TrainingError, match="pip install torchvision"):
        general_detector.make_network()
