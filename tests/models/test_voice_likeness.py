"""The network that compares words: learnt over inner answers, exported whole; the words it learns from."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kemps_models.hearing import hearing_path

if find_spec("torch"):  # where it is absent, the marker skips every test of this file
    import torch

    from kemps_training.voice.likeness_training import (
        MARKS,
        PAST,
        REACH,
        SPAN,
        export_likeness,
        learnt_head,
    )
    from kemps_training.voice.word_bank import HELD_OUT, words_of_chance
    from kemps_training.voice.word_scenes import ROWS, Inside
    from kemps_training.voice.words import phones
    from kemps_vision.errors import ReaderError
    from kemps_vision.hearing.features import BANDS
    from kemps_vision.hearing.likeness import Likeness, shipped_likeness

pytestmark = [pytest.mark.training, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def inside() -> Inside:
    return Inside(hearing_path())


def test_what_is_exported_gives_the_marks_that_were_learnt(tmp_path: Path, inside: Inside) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(-1.5, 0.4, (ROWS, BANDS)).astype(np.float32)
    inner = inside.of(rows)
    words = np.stack([inner + rng.normal(0, 0.2, inner.shape) for _ in range(6)]).astype(np.float16)
    head = learnt_head(words, np.array([0, 0, 0, 1, 1, 1]), words[:2], steps=2)
    background = np.round(rng.normal(0, 18, (50, MARKS))).astype(np.int8)
    export_likeness(head, hearing_path(), background, 0.25, 60, tmp_path / "alike.onnx")
    likeness = Likeness(tmp_path / "alike.onnx", "sum")
    assert (likeness.reach, likeness.past, likeness.hours) == (REACH, PAST, 0.25)
    with torch.no_grad():
        wanted = head(torch.from_numpy(inner.astype(np.float32))[None])[0].numpy().T
    got = likeness.marks(rows)
    assert got.shape == (inner.shape[1] - SPAN + 1, MARKS)
    assert np.abs(got - wanted).max() < 0.01  # inner answers are kept in half precision
    assert np.allclose(np.linalg.norm(got, axis=1), 1, atol=1e-3)
    assert likeness.background.shape == (50, MARKS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alike.onnx"]


def test_a_stream_cut_anywhere_has_the_same_marks() -> None:
    likeness = shipped_likeness()
    rows = np.random.default_rng(2).normal(-1.5, 0.4, (260, BANDS)).astype(np.float32)
    whole = likeness.marks(rows)
    parts = [likeness.marks(rows[2 * at : 2 * at + likeness.reach]) for at in range(len(whole))]
    assert np.allclose(whole, np.concatenate(parts), atol=1e-5)
    assert len(likeness.marks(rows[: likeness.reach - 1])) == 0


def test_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match="is no network that compares words"):
        Likeness(hearing_path(), "sum")
    (tmp_path / "x.onnx").write_bytes(b"nothing")
    with pytest.raises(ReaderError, match=r"x\.onnx"):
        Likeness(tmp_path / "x.onnx", "sum")


def test_words_of_chance_are_phones_and_leave_out_those_to_measure_with() -> None:
    words = words_of_chance(300, 31)
    assert len(set(words)) == 300
    assert not set(words) & set(HELD_OUT)
    assert {phone for word in [*words, *HELD_OUT] for phone in word.split()} <= set(phones())
    assert words[:20] == words_of_chance(20, 31)
