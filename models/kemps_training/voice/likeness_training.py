"""The network that compares words: what is learnt over the inner answers of the one that hears calls."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kemps_training.voice.pool import Pool, unpacked
from kemps_training.voice.word_scenes import (
    BLOCK_REACH,
    ONSET_ROW,
    Inside,
    inner_names,
    scenes_without_words,
)
from kemps_vision.hearing.features import HOP, RATE

WIDTH: Final = 64
MARKS: Final = 48
SPAN: Final = 45
"""Places of the inner answers that one mark sees."""
BEFORE: Final = 4
"""Of these, how many lie before the word's own."""
REACH: Final = BLOCK_REACH + 2 * (SPAN - 1)
PAST: Final = BLOCK_REACH // 2 + 2 * BEFORE - 1
"""Rows before a place; with these, words that begin at it are those that are learnt from."""
UNCERTAINTY_MS: Final = 60
"""How exact the onsets of words are that were said three times, measured on the voices to tune with."""
KEPT: Final = 4800
SCENES: Final = 1500  # looked through for these
BATCH: Final = 128
ELSEWHERE: Final = 24  # of a batch: beside a word's beginning, where it must not be heard
NOTHING: Final = 72  # of a batch: talk and noise
_AT: Final = (ONSET_ROW - BLOCK_REACH // 2) // 2 - BEFORE + 1
_SCALE: Final = 16.0
_MARGIN: Final = 0.15
_PLACES_APART: Final = 5
MOST_LIKE_NOTHING: Final = 0.6
NOTHINGS: Final = 200


class WordHead(nn.Module):  # type: ignore[misc]  # mypy takes its base for Any
    """(n, 56, t) inner answers of each network -> (n, 48, t - 44) marks of length 1."""

    def __init__(self, middle: NDArray[np.float32], spread: NDArray[np.float32]) -> None:
        super().__init__()
        self.register_buffer("middle", torch.from_numpy(middle)[None, :, None])
        self.register_buffer("spread", torch.from_numpy(spread)[None, :, None])
        self.front = nn.Conv1d(len(middle), WIDTH, 1)
        self.near = nn.Conv1d(WIDTH, WIDTH, 5, dilation=2)
        self.far = nn.Conv1d(WIDTH, WIDTH, 5, dilation=4)
        self.out = nn.Conv1d(WIDTH, MARKS, 6, dilation=4)

    def forward(self, *inner: Tensor) -> Tensor:
        """The marks."""
        rows = (torch.cat(inner, dim=1) - self.middle) / self.spread
        rows = torch.relu(self.far(torch.relu(self.near(torch.relu(self.front(rows))))))
        marks = self.out(rows)
        return marks / torch.sqrt(marks.pow(2).sum(dim=1, keepdim=True) + 1e-6)


def learnt_head(
    words: NDArray[np.float16],
    numbers: NDArray[np.int64],
    background: NDArray[np.float16],
    steps: int,
    seed: int = 1,
) -> WordHead:
    """A head that tells the words apart.

    A word's marks come to lie near each other whoever says it, those of other words and of anything that
    does not begin there elsewhere: so two marks can be compared that are of no word that it learnt.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    some = words[::7].astype(np.float32)
    head = WordHead(some.mean(axis=(0, 2)), some.std(axis=(0, 2)) + 0.05)
    count = int(numbers.max()) + 1
    known, none = nn.Parameter(torch.randn(count, MARKS) * 0.1), nn.Parameter(torch.tensor(0.35))
    groups = [
        {"params": head.parameters(), "weight_decay": 0.02},
        {"params": [known, none], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, 2e-3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, [4e-3, 2e-2], total_steps=steps, pct_start=0.1)
    labels = torch.full((BATCH + ELSEWHERE + NOTHING,), count)
    weights = torch.cat([torch.ones(count), torch.tensor([0.7])])
    for step in range(steps):
        chosen, inner = _batch(words, background, rng)
        labels[:BATCH] = torch.from_numpy(numbers[chosen])
        marks = head(inner + 0.05 * torch.randn_like(inner))[:, :, 0]
        alike = marks @ nn.functional.normalize(known, dim=1).T
        alike = alike - _MARGIN * nn.functional.one_hot(labels, count + 1)[:, :count]
        told = _SCALE * torch.cat([alike, none.expand(len(alike), 1)], dim=1)
        loss = nn.functional.cross_entropy(told, labels, weight=weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rates.step()
        if step % 250 == 249:
            print(f"likeness: step {step + 1}, loss {float(loss.detach()):.3f}", flush=True)
    head.eval()
    return head


def _batch(
    words: NDArray[np.float16], background: NDArray[np.float16], rng: np.random.Generator
) -> tuple[NDArray[np.int64], Tensor]:
    """Which words, and the inner answers: of them, of places beside the beginnings of others, of no word."""
    chosen, others = rng.integers(len(words), size=BATCH), rng.integers(len(words), size=ELSEWHERE)
    parts = [
        words[one][:, at : at + SPAN]
        for one, at in zip(chosen, _AT + rng.integers(-1, 2, BATCH), strict=True)
    ]
    beside = _AT + rng.choice([-8, -7, -6, -5, 4, 5], ELSEWHERE)
    parts += [words[one][:, at : at + SPAN] for one, at in zip(others, beside, strict=True)]
    nothing = rng.integers(len(background), size=NOTHING)
    places = rng.integers(0, background.shape[2] - SPAN + 1, NOTHING)
    parts += [background[one][:, at : at + SPAN] for one, at in zip(nothing, places, strict=True)]
    return chosen, torch.from_numpy(np.stack(parts).astype(np.float32))


def word_like(head: WordHead, pool: Pool, inside: Inside, seed: int) -> tuple[NDArray[np.int8], float]:
    """Marks of places of talk and noise where some word seems to begin, in 127ths, and of how many hours.

    They are `KEPT` of all such places, by chance. What is no word has nearly always the same mark: where
    marks are least like it, a word begins.
    """
    every = [
        _marks_of(head, inside, unpacked(pool.rows(number))) for number in scenes_without_words(pool)[:SCENES]
    ]
    nothing = np.mean(np.concatenate(every), axis=0)
    nothing /= float(np.linalg.norm(nothing))
    found = []
    for marks in every:
        likeness = marks @ nothing
        padded = np.pad(likeness, _PLACES_APART, constant_values=1.0)
        near = np.lib.stride_tricks.sliding_window_view(padded, 2 * _PLACES_APART + 1).min(axis=1)
        found.append(marks[(likeness <= near) & (likeness < MOST_LIKE_NOTHING)])
    words = np.concatenate(found)
    kept = np.random.default_rng(seed).permutation(len(words))[:KEPT]
    hours = sum(map(len, every)) * 2 * HOP / RATE / 3600 * len(kept) / len(words)
    # Of what is no word a few, so that takes in which nothing was said stand out from nothing.
    rest = np.stack([marks[len(marks) // 2] for marks in every[:NOTHINGS]])
    return np.round(np.concatenate([words[kept], rest]) * 127).astype(np.int8), hours


def _marks_of(head: WordHead, inside: Inside, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    inner = torch.from_numpy(inside.of(rows).astype(np.float32))
    with torch.no_grad():
        marks: NDArray[np.float32] = head(*inner[None].chunk(2, dim=1))[0].numpy().T
    return marks


def export_likeness(
    head: WordHead, calls: Path, background: NDArray[np.int8], hours: float, uncertainty_ms: int, target: Path
) -> None:
    """Writes ``bands`` (1, 40, t) -> ``alike`` (1, 48, places) and ``background`` (kept, 48) in 127ths."""
    inner = inner_names(onnx.load(str(calls)))
    trunk, top = target.with_suffix(".trunk.onnx"), target.with_suffix(".head.onnx")
    onnx.utils.extract_model(str(calls), str(trunk), ["bands"], inner)
    width = len(head.middle[0]) // len(inner)
    names = [f"inner{place}" for place in range(len(inner))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces its newer exporter, which fixes the sizes here
        torch.onnx.export(
            head,
            tuple(torch.zeros(1, width, SPAN + 9) for _ in inner),
            str(top),
            input_names=names,
            output_names=["alike"],
            dynamic_axes={name: {2: "places"} for name in [*names, "alike"]},
            opset_version=onnx.load(str(trunk)).opset_import[0].version,
            dynamo=False,
        )
    under, over = onnx.load(str(trunk)), onnx.load(str(top))
    over.ir_version = under.ir_version
    model = onnx.compose.merge_models(
        under, onnx.compose.add_prefix(over, "head/", rename_inputs=False, rename_outputs=False),
        list(zip(inner, names, strict=True)),
    )  # fmt: skip
    _add_background(model, background)
    about = {"reach": REACH, "past": PAST, "hours": round(hours, 4), "uncertainty_ms": uncertainty_ms}
    del model.metadata_props[:]
    model.metadata_props.add(key="likeness", value=json.dumps(about))
    onnx.checker.check_model(model)
    onnx.save(model, str(target))
    trunk.unlink()
    top.unlink()


def _add_background(model: onnx.ModelProto, background: NDArray[np.int8]) -> None:
    kept = onnx.numpy_helper.from_array(background, "kept")
    model.graph.initializer.append(kept)
    model.graph.node.append(onnx.helper.make_node("Identity", ["kept"], ["background"]))
    shape = list(background.shape)
    model.graph.output.append(onnx.helper.make_tensor_value_info("background", onnx.TensorProto.INT8, shape))
