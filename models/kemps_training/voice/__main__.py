"""``python -m kemps_training.voice``: from phones to the weights that hear calls, resumable at any point."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from kemps_training.errors import TrainingError
from kemps_training.workspace import open_workspace

STEPS = (
    "bank",
    "pool",
    "learn",
    "mine",
    "learn_on",
    "mine_again",
    "learn_again",
    "export",
    "folders",
    "tune",
    "publish",
)
# Made only when it is asked for: learning on from what is shipped, to be followed by `export folders tune
# publish`, and what compares words that players say three times.
LEARNING_ON = ("pool_more", "learn_more")
MORE_STEPS = ("words", "likeness", "house")
ALL_STEPS = (*STEPS[: STEPS.index("export")], *LEARNING_ON, *STEPS[STEPS.index("export") :], *MORE_STEPS)


def main(arguments: list[str] | None = None) -> int:
    """Runs the steps that are asked for, in their order; returns the exit code."""
    chosen = _parser().parse_args(arguments)
    if find_spec("torch") is None:
        print("torch is not installed; run `make train`, which installs it", file=sys.stderr)
        return 2
    try:
        unknown = [step for step in chosen.steps if step not in ALL_STEPS]
        if unknown:
            there = ", ".join(ALL_STEPS)
            raise TrainingError(f"there is no step called {unknown[0]!r}; there are {there}")
        if chosen.words is not None:
            os.environ["KEMPS_VOICE_WORDS"] = str(chosen.words.resolve())
        steps = import_module("kemps_training.voice.steps")
        size = steps.SMOKE if chosen.smoke else steps.FULL
        training = steps.VoiceTraining(open_workspace(chosen.workspace), size, chosen.workers, chosen.package)
        wanted = chosen.steps or STEPS
        for step in (step for step in ALL_STEPS if step in wanted):
            print(f"== {step}", flush=True)
            getattr(training, step)()
    except TrainingError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


HELP = f"some of {', '.join(STEPS)}; without, all of these; and of {', '.join((*LEARNING_ON, *MORE_STEPS))}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kemps_training.voice", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=HELP)
    parser.add_argument("--smoke", action="store_true", help="a tiny training that shows that all steps work")
    parser.add_argument(
        "--words", type=Path, help="a file of other call words; give it a workspace of its own"
    )
    parser.add_argument("--workers", type=int, default=1, help="so many processes mix scenes")
    parser.add_argument("--workspace", type=Path, help="folder for voices, scenes and checkpoints")
    parser.add_argument("--package", type=Path, help="where `publish` puts the weights; else kemps_models")
    return parser


if __name__ == "__main__":
    sys.exit(main())
