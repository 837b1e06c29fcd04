"""``python -m kemps_training``: from packages of art to weights in `kemps_models`, resumable at any point."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kemps_training.errors import TrainingError
from kemps_training.workspace import open_workspace

if TYPE_CHECKING:
    from kemps_training.steps import Training

STEPS = (
    "decks",
    "pool",
    "detector",
    "classifier",
    "mine",
    "classifier_mined",
    "export",
    "evaluate",
    "publish",
)
# Steps that are done only when asked for: no weights come from them.
BESIDE_THE_WAY = ("ablate",)
# Steps that keep two cores busy together, each in a process of its own.
SIDE_BY_SIDE = (("detector", "classifier"),)
DEFAULT_MINUTES = 80.0


def main(arguments: list[str] | None = None) -> int:
    """Runs the steps that are asked for; returns the exit code."""
    chosen = _parser().parse_args(arguments)
    if find_spec("torch") is None:
        print("torch is not installed; run `make train`, which installs it", file=sys.stderr)
        return 2
    try:
        training = _training(chosen)
        for group in _groups(chosen.steps):
            _run_group(group, training, chosen)
    except TrainingError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kemps_training", description=__doc__)
    parser.add_argument(
        "steps",
        nargs="*",
        metavar="STEP",
        help=f"some of {', '.join(STEPS)}; without, all in turn; or {BESIDE_THE_WAY[0]}",
    )
    parser.add_argument(
        "--budget-minutes", type=float, default=DEFAULT_MINUTES, help="wall minutes of learning on two cores"
    )
    parser.add_argument(
        "--smoke", action="store_true", help="a tiny training that only shows that all steps work"
    )
    parser.add_argument("--workspace", type=Path, help="folder for art, scenes and checkpoints")
    parser.add_argument(
        "--package", type=Path, help="where `publish` puts the weights; else the package kemps_models"
    )
    parser.add_argument(
        "--start", type=Path, help="runs of an earlier training to go on from: the folder of its `runs`"
    )
    return parser


def _training(chosen: argparse.Namespace) -> Training:
    steps = import_module("kemps_training.steps")
    unknown = [step for step in chosen.steps if step not in (*STEPS, *BESIDE_THE_WAY)]
    if unknown:
        raise TrainingError(f"there is no step called {unknown[0]!r}; there are {', '.join(STEPS)}")
    if chosen.budget_minutes <= 0:
        raise TrainingError("--budget-minutes must be more than 0")
    size = steps.SMOKE if chosen.smoke else steps.size_for(chosen.budget_minutes)
    training: Training = steps.Training(open_workspace(chosen.workspace), size, chosen.package, chosen.start)
    return training


def _groups(steps: list[str]) -> list[tuple[str, ...]]:
    """The steps in order, those that go side by side together.

    >>> _groups(["classifier", "decks", "detector"])
    [('decks',), ('detector', 'classifier')]
    """
    wanted = [step for step in STEPS if not steps or step in steps]
    wanted += [step for step in BESIDE_THE_WAY if step in steps]
    groups: list[tuple[str, ...]] = []
    for step in wanted:
        if groups and any(step in pair and groups[-1][-1] in pair for pair in SIDE_BY_SIDE):
            groups[-1] = (*groups[-1], step)
        else:
            groups.append((step,))
    return groups


def _run_group(group: tuple[str, ...], training: Training, chosen: argparse.Namespace) -> None:
    """Runs the last step here and the others beside it."""
    beside = [subprocess.Popen(_command(step, chosen)) for step in group[:-1]]
    try:
        print(f"== {' and '.join(group)}", flush=True)
        getattr(training, group[-1])()
    except BaseException:
        for process in beside:
            process.terminate()
        raise
    for process in beside:
        if process.wait():
            raise TrainingError(f"the step beside {group[-1]} failed; see above")


def _command(step: str, chosen: argparse.Namespace) -> list[str]:
    command = [sys.executable, "-m", "kemps_training", step, "--budget-minutes", str(chosen.budget_minutes)]
    command += ["--smoke"] if chosen.smoke else []
    command += ["--start", str(chosen.start)] if chosen.start else []
    return command + (["--workspace", str(chosen.workspace)] if chosen.workspace else [])


if __name__ == "__main__":
    sys.exit(main())
