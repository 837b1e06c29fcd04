"""The command line of training: order of steps, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kemps_training import __main__ as command
from kemps_training.errors import FetchError
from kemps_training.packages import _run as run_tool
from kemps_training.packages import npm_folder


def test_steps_run_in_their_order_and_the_two_long_ones_side_by_side() -> None:
    groups = command._groups([])
    assert [step for group in groups for step in group] == list(command.STEPS)
    assert ("detector", "classifier") in groups


@pytest.mark.training
def test_an_unknown_step_is_an_error_that_names_the_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["bake", "--workspace", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "'bake'; there are decks, pool" in said
    assert said.count("\n") == 1


@pytest.mark.training
def test_a_step_whose_input_is_missing_is_an_error_that_names_the_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["classifier", "--smoke", "--workspace", str(tmp_path)]) == 2
    assert "kemps_training pool" in capsys.readouterr().err


def test_without_torch_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    assert command.main([]) == 2
    assert "make train" in capsys.readouterr().err


def test_a_tool_that_is_missing_or_fails_is_a_fetch_error(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"no-such-tool is not installed"):
        run_tool(["no-such-tool"], tmp_path, "the art")
    with pytest.raises(FetchError, match=r"cannot fetch the art"):
        run_tool(["false"], tmp_path, "the art")


def test_npm_packages_have_folders_without_slashes() -> None:
    assert npm_folder("@letele/playing-cards@0.1.0") == "npm/letele-playing-cards"
    assert npm_folder("plain@1.2.3") == "npm/plain"
