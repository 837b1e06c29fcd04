"""The steps from phones to weights, in order; each leaves files behind and goes on where it was stopped."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

import kemps_models
from kemps_training.errors import WorkspaceError
from kemps_training.learning import Plan, fit, load_weights
from kemps_training.publishing import write_report
from kemps_training.voice import folders
from kemps_training.voice.bank import AMOUNTS, Amount, Bank, Said, fill_bank
from kemps_training.voice.bank import SMOKE as SMOKE_AMOUNTS
from kemps_training.voice.export import export_listener
from kemps_training.voice.listener_training import ListenerTask, hard_scenes
from kemps_training.voice.mixing import Mixer
from kemps_training.voice.network import Listener
from kemps_training.voice.noise_store import Noises, fill_noises
from kemps_training.voice.pool import SCENE_SECONDS, Pool, fill_pool
from kemps_training.voice.publishing import publish_listener
from kemps_training.voice.tuning import tune
from kemps_training.voice.voices import GROUPS, TEST, TRAIN, TUNE
from kemps_training.workspace import Workspace

SEEDS: Final = {TRAIN: 1000, TUNE: 9000}
RUNS: Final = ("listener", "listener_on", "listener_again")


@dataclass(frozen=True, slots=True)
class Size:
    """How much is made and learnt; scenes come in shards of 500."""

    shards: int
    held_out_shards: int
    noise_pieces: int
    steps: int
    steps_on: int
    steps_again: int
    amounts: dict[str, Amount]
    report: folders.Amounts
    tuning: folders.Amounts


FULL: Final = Size(50, 2, 60, 2600, 1000, 3000, AMOUNTS, folders.REPORT, folders.TUNING)
SMOKE: Final = Size(1, 1, 1, 12, 6, 6, SMOKE_AMOUNTS, folders.SMOKE, folders.SMOKE)


@dataclass(frozen=True, slots=True)
class VoiceTraining:
    """A workspace and a size, and the steps that make weights of them."""

    workspace: Workspace
    size: Size = FULL
    workers: int = 1
    package: Path | None = None

    @property
    def root(self) -> Path:
        """The folder of this training in the workspace."""
        path = self.workspace.root / "voice"
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def exported(self) -> Path:
        """The network as it is shipped."""
        return self.root / "voice_calls.onnx"

    def bank(self) -> None:
        """Lets every voice speak that has not spoken yet."""
        for group in GROUPS:
            fill_bank(self.root / "bank" / group, group, self.size.amounts)

    def pool(self) -> None:
        """Mixes the missing scenes, in as many processes as there are workers."""
        for group in (TRAIN, TUNE):
            fill_noises(self.root / "noise" / group, self._bank(group), group, self.size.noise_pieces)
        if self.workers == 1:
            self.pool_part(0)
            return
        with ProcessPoolExecutor(self.workers, get_context("spawn")) as executor:
            list(executor.map(self.pool_part, range(self.workers)))

    def pool_part(self, worker: int) -> None:
        """One worker's part of the scenes."""
        for group, shards in ((TUNE, self.size.held_out_shards), (TRAIN, self.size.shards)):
            mixer = Mixer(self._bank(group), Noises(self.root / "noise" / group), SCENE_SECONDS)
            fill_pool(mixer, self._pool_folder(group), shards, SEEDS[group], worker, self.workers)

    def learn(self) -> None:
        """Trains the network, or goes on training it."""
        torch.set_num_threads(1)
        plan = Plan(600.0, rate=3e-3, score_every_minutes=8.0, steps=self.size.steps)
        fit(ListenerTask(*self._pools()), self.root / "runs" / RUNS[0], plan)

    def mine(self) -> None:
        """Finds the scenes without a call in which the network hears most of one."""
        self._mine(0)

    def learn_on(self) -> None:
        """Trains on, with those scenes in every batch."""
        self._learn_after(0, self.size.steps_on)

    def mine_again(self) -> None:
        """Finds those that are left."""
        self._mine(1)

    def learn_again(self) -> None:
        """Trains on with these."""
        self._learn_after(1, self.size.steps_again)

    def _mine(self, run: int) -> None:
        network = load_weights(self._best(run), Listener())
        np.save(self._hard(run), hard_scenes(network, self._pools()[0]))

    def _learn_after(self, run: int, steps: int) -> None:
        torch.set_num_threads(1)
        plan = Plan(600.0, rate=1.2e-3, score_every_minutes=8.0, steps=steps, seed=2 + run)
        task = ListenerTask(*self._pools(), np.load(self._hard(run)), self._best(run))
        fit(task, self.root / "runs" / RUNS[run + 1], plan)

    def export(self) -> None:
        """Writes the network that was last trained."""
        there = [run for run in range(len(RUNS)) if self._best(run).exists()]
        if not there:
            raise WorkspaceError("nothing was trained yet; run `python -m kemps_training.voice learn` first")
        export_listener(load_weights(self._best(there[-1]), Listener()), self.exported)

    def folders(self) -> None:
        """Makes the sounds to tune and to report with."""
        folders.make_folder(self.root / "tuning", self._bank(TUNE), self.size.tuning, 21)
        folders.make_folder(self.root / "report", self._bank(TEST), self.size.report, 22)

    def tune(self) -> None:
        """Chooses thresholds by the sounds to tune with."""
        ear = tune(self.exported, self.root / "tuning")
        (self.root / "ear.json").write_text(json.dumps(asdict(ear)))

    def publish(self) -> None:
        """Puts the network into the package, and the training's report beside it."""
        package = self.package or Path(kemps_models.__file__).parent
        ear = json.loads((self.root / "ear.json").read_text())
        said = self._bank(TRAIN).said
        scenes = len(self._pools()[0])
        voices = len({(one.engine, one.voice) for one in said})
        trained_on = f"{scenes} made-up scenes with {voices} synthetic voices; nobody's recorded speech"
        publish_listener(self.exported, package, ear, trained_on)
        write_report(package.parent / "reports" / "voice_training.json", self._report(said, scenes))

    def _report(self, said: list[Said], scenes: int) -> dict[str, Any]:
        curves = {
            run.parent.name: json.loads(run.read_text()) for run in (self.root / "runs").glob("*/curve.json")
        }
        kinds = ("call", "near", "talk")
        return {
            "scenes": scenes,
            "said": {kind: sum(one.kind == kind for one in said) for kind in kinds},
            "voices": sorted({f"{one.engine}-{one.voice}" for one in said}),
            "ear": json.loads((self.root / "ear.json").read_text()),
            "learning_curves": curves,
        }

    def _best(self, run: int) -> Path:
        return self.root / "runs" / RUNS[run] / "best.pt"

    def _hard(self, run: int) -> Path:
        return self.root / f"hard_{run}.npy"

    def _bank(self, group: str) -> Bank:
        return Bank(self.root / "bank" / group)

    def _pool_folder(self, group: str) -> Path:
        return self.root / "pool" / group

    def _pools(self) -> tuple[Pool, Pool]:
        return Pool(self._pool_folder(TRAIN)), Pool(self._pool_folder(TUNE))
