"""``kemps models``: fetches what is missing once, says what is there, and fails in one line."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kemps_models import fetching
from kemps_models.landmarkers import Landmarker, load_landmarkers
from kemps_server.cli import main
from kemps_server.cli.models import models

CONTENT = b"a task file"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A list of small task files, and an empty folder for them."""
    digest = hashlib.sha256(CONTENT).hexdigest()
    entries = {
        name: Landmarker(name, digest, len(CONTENT), entry.address, entry.wheel, entry.member, entry.licence)
        for name, entry in load_landmarkers().items()
    }
    monkeypatch.setattr("kemps_server.cli.models.load_landmarkers", lambda: entries)
    monkeypatch.setenv("KEMPS_MODELS", str(tmp_path))
    return tmp_path


def run(arguments: Sequence[str]) -> int:
    with pytest.raises(SystemExit) as left:
        main(["models", *arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_what_is_missing_is_fetched_once_and_then_ready(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fetching, "published", lambda _, to: to.write_bytes(CONTENT))
    states = []
    for _ in range(2):
        assert run(["--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["folder"] == str(small)
        states.append({one["state"] for one in told["models"] if one["name"].endswith(".task")})
    assert states == [{"fetched"}, {"ready"}]
    assert {one["state"] for one in told["models"] if one["name"].endswith(".onnx")} == {"shipped"}


def test_a_check_fetches_nothing_and_says_what_is_missing(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object) -> None:
        pytest.fail("a check fetched something")

    monkeypatch.setattr(fetching, "published", never)
    assert run(["--check"]) == 1
    written = capsys.readouterr()
    assert written.out.count("missing") == 3
    assert written.err == ""
    assert list(small.iterdir()) == []


def test_without_network_one_line_says_why(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreached(*_: object) -> None:
        raise fetching.SourceError("it cannot be downloaded (no route)")

    monkeypatch.setattr(fetching, "published", unreached)
    monkeypatch.setattr(fetching, "packaged", unreached)
    assert run([]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("kemps models: face_landmarker.task: it cannot be downloaded (no route)")
    assert str(small) not in lines[0]


def test_the_command_says_what_it_does() -> None:
    assert (models.__doc__ or "").startswith("Fetch MediaPipe's models for faces, hands and bodies once")


def test_following_people_without_the_models_is_one_line_that_says_what_to_run(tmp_path: Path) -> None:
    clip = tmp_path / "stills"
    clip.mkdir()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "kemps_server.cli",
            "observe",
            str(clip),
            "--out",
            str(tmp_path / "game"),
            "--people",
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "KEMPS_MODELS": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "kemps observe: hand_landmarker.task was not fetched yet; "
        "run `kemps models` once while this machine is online\n"
    )
