"""The command line finds its commands lazily and says each error in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kemps_models.errors import ModelError
from kemps_rules.errors import JournalError
from kemps_server.cli import app as cli
from kemps_server.errors import KempsServerError, WorkFailedError


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kemps_server.cli", *words], capture_output=True, text=True, check=False
    )


def test_without_a_command_it_tells_what_there_is() -> None:
    result = run()
    for command in cli.COMMANDS:
        assert (command.group or command.name) in result.stdout + result.stderr


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
