"""The command line finds its commands lazily and says each error in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kemps_models.errors import ModelError
from kemps_rules.errors import JournalError
from kemps_server.cli import app as cli
from kemps_server.errors import KempsServerError, WorkFailedError

JOURNALS = Path(__file__).resolve().parents[2] / "samples" / "journals"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kemps_server.cli", *words], capture_output=True, text=True, check=False
    )


def test_without_a_command_it_tells_what_there_is() -> None:
    result = run()
    for command in cli.COMMANDS:
        assert (command.group or command.name) in result.stdout + result.stderr


def test_each_command_is_described_without_importing_it() -> None:
    script = (
        "import sys; from kemps_server.cli.app import COMMANDS, build_app; build_app(None); "
        "print([c.name for c in COMMANDS if not c.signpost().__doc__]); "
        "print([c.module for c in COMMANDS if c.module in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == ["[]", "[]"]


def test_an_unknown_command_is_one_line_and_code_2() -> None:
    result = run("wtach")
    assert result.returncode == 2
    assert result.stderr.startswith("kemps: ")
    assert len(result.stderr.splitlines()) == 1


def test_a_wrong_option_is_one_line_and_code_2() -> None:
    result = run("judge", "--no-such-option")
    assert result.returncode == 2
    assert result.stderr.startswith("kemps judge: ")
    assert len(result.stderr.splitlines()) == 1


def test_the_version_is_told() -> None:
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("kemps ")


def test_judging_does_not_wait_for_the_vision_libraries() -> None:
    script = (
        "import sys; from kemps_server.cli.app import build_app; build_app('judge'); "
        "print([name for name in ('cv2', 'onnxruntime', 'av', 'fastapi') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [("judge", "{}"), ("judge", "{}", "--json"), ("--version",)])
def test_an_answer_that_cannot_be_written_is_told_as_such(words: tuple[str, ...]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    arguments = [word.format(JOURNALS / "R12-fair-right.jsonl") for word in words]
    with full.open("w") as nowhere:
        result = subprocess.run(
            [sys.executable, "-m", "kemps_server.cli", *arguments],
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 1
    assert result.stderr.startswith("kemps")
    assert result.stderr.endswith(": standard output cannot be written: No space left on device\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["bench", "cards", "--data", "nofile"], "kemps bench cards: nofile"),
        (["bench", "cards", "--dta", "nofile"], "kemps bench cards: "),
        (["bench", "crads"], "kemps bench: "),
        (["-v", "judge", "nofile"], "kemps judge: "),
    ],
)
def test_an_error_names_the_whole_command(
    capsys: pytest.CaptureFixture[str], words: list[str], where: str
) -> None:
    with pytest.raises(SystemExit) as leaving:
        cli.main(words)
    assert leaving.value.code == 2
    assert capsys.readouterr().err.startswith(where)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (JournalError("the time is negative", 3), 2, "line 3: the time is negative"),
        (ModelError("weights are missing;\n  run make demo"), 2, "weights are missing; run make demo"),
        (KempsServerError("no such game"), 2, "no such game"),
        (WorkFailedError("the disk is full"), 1, "the disk is full"),
        (OSError(28, "No space left on device", "game.jsonl"), 1, "game.jsonl: No space left on device"),
        (ImportError("libGL.so.1: cannot open shared object file"), 1, "apt-get install"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_become_one_line_and_a_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    text: str,
) -> None:
    def broken_app(_wanted: str | None) -> object:
        def run_it(*_words: object, **_options: object) -> None:
            raise error

        return run_it

    monkeypatch.setattr(cli, "build_app", broken_app)
    with pytest.raises(SystemExit) as leaving:
        cli.main(["judge", "game.jsonl"])
    assert leaving.value.code == code
    said = capsys.readouterr().err
    assert said.startswith("kemps judge: ")
    assert text in said
    assert len(said.splitlines()) == 1
