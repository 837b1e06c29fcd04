"""The steps of a training, in order; each leaves files behind and is skipped where they are."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import kemps_models
from kemps_training import export
from kemps_training.ablation import ablate
from kemps_training.backgrounds import gather_backgrounds, load_backgrounds
from kemps_training.classifier_training import ClassifierTask
from kemps_training.deck_making import make_decks, make_smoke_decks
from kemps_training.decks import load_decks
from kemps_training.detector_training import DetectorTask
from kemps_training.errors import WorkspaceError
from kemps_training.evaluate import evaluate, measure_speed
from kemps_training.learning import Plan, fit, load_weights
from kemps_training.mining import LEAST_HEAT, load_finds, mine
from kemps_training.networks import Classifier, Detector
from kemps_training.pool import Pool, fill_pool
from kemps_training.publishing import publish, write_report
from kemps_training.scenes import SceneMaker
from kemps_training.workspace import Workspace

TRAIN_SEED, HELD_OUT_SEED = 1000, 9000
POOL_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Size:
    """How much a training makes and how long its parts learn, in minutes (the ablation: in steps)."""

    shards: int
    held_out_shards: int
    mined_shards: int
    detector: float
    classifier: float
    classifier_mined: float
    ablation_steps: int = 500
    mined_heat: float = LEAST_HEAT
    steps: int | None = None
    is_smoke: bool = False


def size_for(budget_minutes: float) -> Size:
    """A full training of ``budget_minutes`` on two cores; detector and classifier learn side by side."""
    return Size(
        shards=120,
        held_out_shards=4,
        mined_shards=16,
        detector=budget_minutes * 0.75,
        classifier=budget_minutes * 0.65,
        classifier_mined=budget_minutes * 0.25,
        ablation_steps=round(budget_minutes * 6),
    )


# So short a training is sure of nothing, so mining takes the faintest finds.
SMOKE = Size(1, 1, 1, detector=0.7, classifier=0.7, classifier_mined=0.2, mined_heat=0.005, is_smoke=True)


@dataclass(frozen=True, slots=True)
class Training:
    """A workspace and a size, and the steps that turn them into weights."""

    workspace: Workspace
    size: Size
    package: Path | None = None
    start: Path | None = None
    """The runs of an earlier training whose weights this one goes on from; without, from nothing."""

    @property
    def exported(self) -> Path:
        """The folder of the exported networks."""
        path = self.workspace.root / "export"
        path.mkdir(exist_ok=True)
        return path

    def decks(self) -> None:
        """Makes the decks and gathers the backgrounds."""
        if self.size.is_smoke:
            make_smoke_decks(self.workspace)
        else:
            print(f"{make_decks(self.workspace)} decks")
            gather_backgrounds(self.workspace, self.workspace.packages / "files")

    def pool(self) -> None:
        """Makes the missing scenes, in two processes unless it is a smoke training."""
        if self.size.is_smoke:
            self.pool_part(0, 1)
        else:
            with ProcessPoolExecutor(POOL_WORKERS, get_context("spawn")) as executor:
                parts = [executor.submit(self.pool_part, part, POOL_WORKERS) for part in range(POOL_WORKERS)]
                for part in parts:
                    part.result()

    def pool_part(self, worker: int, workers: int) -> None:
        """Makes a worker's part of the missing scenes."""
        wallpapers = [] if self.size.is_smoke else load_backgrounds(self.workspace.backgrounds)
        for split, shards, seed in (
            ("held_out", self.size.held_out_shards, HELD_OUT_SEED),
            ("train", self.size.shards, TRAIN_SEED),
        ):
            maker = SceneMaker(load_decks(self.workspace.decks, split), wallpapers)
            fill_pool(maker, self.workspace.pool(split), shards, seed, worker, workers)

    def detector(self) -> None:
        """Trains the detector, or goes on training it."""
        task = DetectorTask(*self._pools())
        fit(task, self.workspace.runs / "detector", self._plan("detector", self.size.detector))

    def classifier(self) -> None:
        """Trains the classifier on poses wrong by chance."""
        fit(
            ClassifierTask(*self._pools()),
            self.workspace.runs / "classifier",
            self._plan("classifier", self.size.classifier),
        )

    def mine(self) -> None:
        """Runs the trained detector over training scenes."""
        network = load_weights(self.workspace.runs / "detector" / "best.pt", Detector())
        path = self.exported / "miner.onnx"
        export.export_detector(network, path)
        false = mine(
            path, self.workspace.pool("train"), self._mined, self.size.mined_shards, self.size.mined_heat
        )
        print(f"mined: {false} new false finds")

    def classifier_mined(self) -> None:
        """Trains the classifier on, with the detector's own poses and false finds."""
        task = ClassifierTask(*self._pools(), load_finds(self._mined))
        start = self.workspace.runs / "classifier" / "best.pt"
        plan = Plan(self.size.classifier_mined, rate=8e-4, start=start, seed=2, steps=self.size.steps)
        fit(task, self.workspace.runs / "classifier_mined", plan)

    def export(self) -> None:
        """Writes float and int8 networks."""
        runs, folder = self.workspace.runs, self.exported
        train, held_out = self._pools()
        export.export_detector(
            load_weights(runs / "detector" / "best.pt", Detector()), folder / "cards_detector.fp32.onnx"
        )
        export.quantise_detector(folder / "cards_detector.fp32.onnx", folder / "cards_detector.onnx", train)
        classifier = load_weights(best_run([runs / "classifier", runs / "classifier_mined"]), Classifier())
        export.export_classifier(classifier, folder / "cards_classifier.fp32.onnx")
        task = ClassifierTask(train, held_out)
        export.quantise_classifier(
            folder / "cards_classifier.fp32.onnx", folder / "cards_classifier.onnx", task
        )

    def evaluate(self) -> dict[str, Any]:
        """Figures on held-out scenes, float and int8, with sizes and times; kept in ``evaluation.json``."""
        held_out, report = self.workspace.pool("held_out"), {}
        for kind, ending in (("float", ".fp32.onnx"), ("int8", ".onnx")):
            pair = (self.exported / f"cards_detector{ending}", self.exported / f"cards_classifier{ending}")
            scores = evaluate(*pair, held_out, self.size.held_out_shards)
            report[kind] = scores | {
                "cpu_ms": measure_speed(*pair),
                "bytes": sum(path.stat().st_size for path in pair),
            }
            print(f"{kind}: {json.dumps(scores['all'])}")
        (self.exported / "evaluation.json").write_text(json.dumps(report, indent=1))
        return report

    def ablate(self) -> dict[str, Any]:
        """What parts of the recipe are worth; kept in ``ablation.json``."""
        report = ablate(self.workspace, self.size.ablation_steps)
        (self.exported / "ablation.json").write_text(json.dumps(report, indent=1))
        print(json.dumps(report, indent=1))
        return report

    def publish(self) -> None:
        """Puts the int8 networks into the package and the figures beside it."""
        path = self.exported / "evaluation.json"
        if not path.exists():
            raise WorkspaceError(f"{path} is missing; run `python -m kemps_training evaluate` first")
        report = json.loads(path.read_text())
        curves = {
            run.parent.name: json.loads(run.read_text()) for run in self.workspace.runs.glob("*/curve.json")
        }
        package = self.package or Path(kemps_models.__file__).parent
        publish(self.exported, package, _figures(report), self._summary())
        write_report(package.parent / "reports" / "cards_training.json", report | {"learning_curves": curves})

    def _plan(self, name: str, minutes: float) -> Plan:
        if self.start is None:
            return Plan(minutes, steps=self.size.steps)
        # Weights that already know much are not to be shaken up by full steps.
        return Plan(minutes, rate=1.2e-3, steps=self.size.steps, start=self.start / name / "best.pt")

    def _summary(self) -> str:
        decks = load_decks(self.workspace.decks, "train")
        by_chance = sum(deck.name.startswith("chance_") for deck in decks)
        scenes = len(Pool(self.workspace.pool("train")))
        return (
            f"{scenes} made-up pictures with {len(decks) - by_chance} decks of art and {by_chance} decks"
            " drawn by chance; no photograph of a card"
        )

    def _pools(self) -> tuple[Pool, Pool]:
        return Pool(self.workspace.pool("train")), Pool(self.workspace.pool("held_out"))

    @property
    def _mined(self) -> Path:
        return self.workspace.root / "mined"


def best_run(runs: list[Path]) -> Path:
    """The best weights of those ``runs`` that exist by their score on held-out scenes; the first if equal."""
    scores = {
        run / "best.pt": max(point["score"] for point in json.loads((run / "curve.json").read_text()))
        for run in runs
        if (run / "curve.json").exists()
    }
    if not scores:
        raise WorkspaceError(f"no training in {runs[0]}; run `python -m kemps_training {runs[0].name}` first")
    return max(scores, key=lambda weights: scores[weights])


def _figures(report: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The figures of the manifest, by file: int8, held-out scenes, usual cards of about 100 to 180 px."""
    scores, ms = report["int8"]["by_index_half_height"]["up to 20 px"], report["int8"]["cpu_ms"]
    return {
        "cards_detector.onnx": {
            "held_out_found": scores["found"],
            "cpu_ms_640x384": ms["detector_640x384"],
            "cpu_ms_1280x720": ms["detector_1280x720"],
        },
        "cards_classifier.onnx": {
            "held_out_recall": scores["recall"],
            "held_out_precision": scores["precision"],
            "cpu_ms_16_crops": ms["classifier_16_crops"],
        },
    }
