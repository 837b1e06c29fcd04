"""What parts of the recipe are worth: short trainings from nothing, each without one part, measured alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import torch

from kemps_training import export
from kemps_training.backgrounds import load_backgrounds
from kemps_training.classifier_training import ClassifierTask
from kemps_training.decks import PRINTED, Deck, load_decks
from kemps_training.detector_training import DetectorTask
from kemps_training.evaluate import evaluate
from kemps_training.learning import Plan, fit, load_weights
from kemps_training.networks import Classifier, Detector
from kemps_training.pool import Pool, fill_pool
from kemps_training.scenes import SceneMaker
from kemps_training.workspace import Workspace

SEED, HELD_OUT_SEED = 4000, 9500
SHARDS, HELD_OUT_SHARDS = 12, 2
BEST_RATE = 2e-3
LONGEST_MINUTES = 600.0


@dataclass(frozen=True, slots=True)
class Variant:
    """A recipe: which decks it may use, and its share of far cards."""

    name: str
    keeps: Callable[[Deck], bool]
    far_share: float | None = None


def _is_drawn_by_chance(deck: Deck) -> bool:
    return deck.name.startswith("chance_")


def _is_international(deck: Deck) -> bool:
    return deck.glyphs == PRINTED["international"]


VARIANTS = (
    Variant("all", lambda _deck: True),
    Variant("without decks of art", _is_drawn_by_chance),
    Variant("without decks drawn by chance", lambda deck: not _is_drawn_by_chance(deck)),
    Variant("without far cards", lambda _deck: True, far_share=0.0),
    Variant("international decks only", _is_international),
)
# What all are measured on: decks, fonts and suit signs that no variant has seen.
EXAMINATIONS = (
    Variant("near, international", _is_international, far_share=0.0),
    Variant("far, international", _is_international, far_share=1.0),
    Variant("near, other alphabets", lambda deck: not _is_international(deck), far_share=0.0),
)


def ablate(workspace: Workspace, steps: int, *, processes: int = 2) -> dict[str, Any]:
    """Trains each variant's detector and classifier for ``steps`` each; resumable; figures by variant.

    Steps, not minutes, so that a busy machine does not favour the variant that it happened to leave alone.
    """
    jobs = [(workspace, variant.name, steps) for variant in VARIANTS]
    for examination in EXAMINATIONS:
        _fill(workspace, examination, "held_out", HELD_OUT_SHARDS, HELD_OUT_SEED)
    with ProcessPoolExecutor(processes, get_context("spawn")) as executor:
        results = list(executor.map(_run, jobs))
    return {"steps_each": steps, "pictures": SHARDS * 250, "variants": dict(results)}


def _run(job: tuple[Workspace, str, int]) -> tuple[str, dict[str, Any]]:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    workspace, name, steps = job
    variant = next(variant for variant in VARIANTS if variant.name == name)
    folder = workspace.runs / "ablation" / _file_name(name)
    stored = folder / "figures.json"
    if not stored.exists():
        figures = _measure(workspace, variant, folder, steps)
        stored.write_text(json.dumps(figures))
    return name, json.loads(stored.read_text())


def _measure(workspace: Workspace, variant: Variant, folder: Path, steps: int) -> dict[str, Any]:
    train = Pool(_fill(workspace, variant, "train", SHARDS, SEED))
    held_out = Pool(_pool_of(workspace, EXAMINATIONS[0]))
    plan = Plan(LONGEST_MINUTES, rate=BEST_RATE, steps=steps)
    fit(DetectorTask(train, held_out), folder / "detector", plan)
    fit(ClassifierTask(train, held_out), folder / "classifier", plan)
    pair = (folder / "detector.onnx", folder / "classifier.onnx")
    export.export_detector(load_weights(folder / "detector" / "best.pt", Detector()), pair[0])
    export.export_classifier(load_weights(folder / "classifier" / "best.pt", Classifier()), pair[1])
    return {
        examination.name: evaluate(*pair, _pool_of(workspace, examination), HELD_OUT_SHARDS)["all"]
        for examination in EXAMINATIONS
    }


def _fill(workspace: Workspace, variant: Variant, split: str, shards: int, seed: int) -> Path:
    decks = [deck for deck in load_decks(workspace.decks, split) if variant.keeps(deck)]
    maker = SceneMaker(decks, load_backgrounds(workspace.backgrounds))
    if variant.far_share is not None:
        maker.far_share = variant.far_share
    folder = _pool_of(workspace, variant)
    fill_pool(maker, folder, shards, seed)
    return folder


def _pool_of(workspace: Workspace, variant: Variant) -> Path:
    return workspace.pool(f"ablation/{_file_name(variant.name)}")


def _file_name(name: str) -> str:
    return name.replace(", ", "_").replace(" ", "_")
