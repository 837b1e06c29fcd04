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
from kemps_models.hearing import LIKENESS, NAME, hearing_path
from kemps_training.publishing import write_report
from kemps_training.voice import folders
from kemps_training.voice.bank import AMOUNTS, Amount, Bank, Said, fill_bank
from kemps_training.voice.bank import SMOKE as SMOKE_AMOUNTS
from kemps_training.voice.export import export_listener
from kemps_training.voice.house_report import house_report
from kemps_training.voice.likeness_training import (
    UNCERTAINTY_MS,
    export_likeness,
    learnt_head,
    word_like,
)
from kemps_training.voice.mixing import SCENES_ON, Mixer
from kemps_training.voice.noise_store import Noises, fill_noises
from kemps_training.voice.pool import SCENE_SECONDS, Pool, fill_pool, unpacked
from kemps_training.voice.publishing import FOLDER, learnt_on, publish_likeness, publish_listener
from kemps_training.voice.restored import restored_listeners
from kemps_training.voice.rounds import ROUNDS, Rounds
from kemps_training.voice.tuning import tune
from kemps_training.voice.voices import GROUPS, TEST, TRAIN, TUNE
from kemps_training.voice.word_bank import fill_words, words_said
from kemps_training.voice.word_scenes import Inside, WordScenes, background_inside, words_inside
from kemps_training.workspace import Workspace

MORE: Final = "more"
SEEDS: Final = {TRAIN: 1000, TUNE: 9000, MORE: 5000}
LAST: Final = len(ROUNDS) - 1
TRAINING_REPORT: Final = "voice_training.json"
NETWORKS: Final = 2  # each begins from other weights; their mean mistakes fewer words for calls than either


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
    words: int
    steps_alike: int
    shards_more: int
    noise_pieces_more: int
    steps_more: int


FULL: Final = Size(
    shards=50,
    held_out_shards=2,
    noise_pieces=60,
    steps=3000,
    steps_on=1000,
    steps_again=3700,
    amounts=AMOUNTS,
    report=folders.REPORT,
    tuning=folders.TUNING,
    words=1200,
    steps_alike=1500,
    shards_more=100,
    noise_pieces_more=300,
    steps_more=10000,
)
SMOKE: Final = Size(1, 1, 1, 12, 6, 6, SMOKE_AMOUNTS, folders.SMOKE, folders.SMOKE, 4, 4, 1, 1, 6)


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
            self._noises(group)
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
        """Trains the networks, or goes on training them."""
        self._learn(0, self.size.steps)

    def mine(self) -> None:
        """Finds the scenes without a call in which each network hears most of one."""
        self._mine(1)

    def learn_on(self) -> None:
        """Trains on, with those scenes in every batch."""
        self._learn(1, self.size.steps_on)

    def mine_again(self) -> None:
        """Finds those that are left."""
        self._mine(2)

    def learn_again(self) -> None:
        """Trains on with these."""
        self._learn(2, self.size.steps_again)

    def pool_more(self) -> None:
        """Mixes scenes to learn on from: more of those that are mistaken most, in noise never heard."""
        noise = self.root / "noise" / MORE
        fill_noises(noise, self._bank(TRAIN), TRAIN, self.size.noise_pieces_more, seed=SEEDS[MORE])
        mixer = Mixer(self._bank(TRAIN), Noises(noise), SCENE_SECONDS, SCENES_ON)
        fill_pool(mixer, self._pool_folder(MORE), self.size.shards_more, SEEDS[MORE])
        tuning = Mixer(self._bank(TUNE), self._noises(TUNE), SCENE_SECONDS)
        fill_pool(tuning, self._pool_folder(TUNE), self.size.held_out_shards, SEEDS[TUNE])

    def learn_more(self) -> None:
        """Trains on with these: the networks of the workspace, or else those that are shipped."""
        more, held_out = Pool(self._pool_folder(MORE)), Pool(self._pool_folder(TUNE))
        bands = torch.from_numpy(np.stack([unpacked(more.rows(at)) for at in range(32)]).transpose(0, 2, 1))
        restored = restored_listeners(hearing_path(), bands)
        for rounds, network in zip(self._networks(), restored, strict=True):
            rounds.restore(network)
            rounds.mine(LAST, more)
            rounds.learn(LAST, self.size.steps_more, more, held_out)

    def export(self) -> None:
        """Writes the networks as they were last trained, as one that answers with their mean."""
        export_listener([rounds.newest() for rounds in self._networks()], self.exported)

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
        pools = [path for path in map(self._pool_folder, (TRAIN, MORE)) if path.exists()]
        scenes = sum(len(Pool(path)) for path in pools)
        report = self._report(said, scenes)
        if not self._pool_folder(TRAIN).exists():
            report = learnt_on(report, package.parent / "reports" / TRAINING_REPORT)
        trained_on = (
            f"{report['scenes']} made-up scenes with {len(report['voices'])} synthetic voices; "
            "nobody's recorded speech"
        )
        publish_listener(self.exported, package, ear, trained_on)
        write_report(package.parent / "reports" / TRAINING_REPORT, report)

    def words(self) -> None:
        """Lets voices say the words from which it is learnt what makes two words the same."""
        fill_words(self.root / "words" / TRAIN, TRAIN, self._bank(TRAIN), self.size.words)

    def likeness(self) -> None:
        """Trains what compares words, over the published network that hears calls, and publishes it."""
        package = self.package or Path(kemps_models.__file__).parent
        calls = package / FOLDER / NAME
        train, inside = self._pools()[0], Inside(calls)
        bank, words = self._bank(TRAIN), Bank(self.root / "words" / TRAIN)
        said = words_said(bank, words)
        scenes = WordScenes(bank, Noises(self.root / "noise" / TRAIN))
        inner, numbers = words_inside(said, scenes, inside, 5)
        head = learnt_head(inner, numbers, background_inside(train, inside, 6), self.size.steps_alike)
        background, hours = word_like(head, train, inside, 4)
        exported = self.root / LIKENESS
        export_likeness(head, calls, background, hours, UNCERTAINTY_MS, exported)
        voices = len({(one.engine, one.voice) for _, one in said})
        trained_on = f"{numbers.max() + 1} words said by {voices} synthetic voices; nobody's recorded speech"
        figures = {"hours": round(hours, 4), "uncertainty_ms": UNCERTAINTY_MS}
        publish_likeness(exported, package, figures, trained_on)

    def house(self) -> None:
        """Measures how well words are heard that players say three times, and writes the report."""
        package = self.package or Path(kemps_models.__file__).parent
        report = house_report(self._bank(TEST), self.root / "report")
        write_report(package.parent / "reports" / "voice_house.json", report)

    def _report(self, said: list[Said], scenes: int) -> dict[str, Any]:
        curves = {
            f"{run.parts[-3]} {run.parts[-2]}": json.loads(run.read_text())
            for run in sorted((self.root / "runs").glob("*/*/curve.json"))
        }
        kinds = ("call", "near", "talk")
        return {
            "scenes": scenes,
            "said": {kind: sum(one.kind == kind for one in said) for kind in kinds},
            "voices": sorted({f"{one.engine}-{one.voice}" for one in said}),
            "ear": json.loads((self.root / "ear.json").read_text()),
            "learning_curves": curves,
        }

    def _networks(self) -> list[Rounds]:
        return [Rounds(self.root / "runs" / str(number), number) for number in range(NETWORKS)]

    def _learn(self, round_: int, steps: int) -> None:
        train, held_out = self._pools()
        for rounds in self._networks():
            rounds.learn(round_, steps, train, held_out)

    def _mine(self, round_: int) -> None:
        train, _ = self._pools()
        for rounds in self._networks():
            rounds.mine(round_, train)

    def _noises(self, group: str) -> Noises:
        fill_noises(self.root / "noise" / group, self._bank(group), group, self.size.noise_pieces)
        return Noises(self.root / "noise" / group)

    def _bank(self, group: str) -> Bank:
        return Bank(self.root / "bank" / group)

    def _pool_folder(self, group: str) -> Path:
        return self.root / "pool" / group

    def _pools(self) -> tuple[Pool, Pool]:
        return Pool(self._pool_folder(TRAIN)), Pool(self._pool_folder(TUNE))
