"""``kemps users``, and when ``kemps serve`` refuses to be reached by others."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from kemps_server.cli import main
from kemps_server.data_folder import DataFolder
from kemps_server.store.store import Store
from kemps_server.store.users import Role


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kemps"
    folder.mkdir()
    monkeypatch.setenv("KEMPS_DATA_FOLDER", str(folder))
    return folder


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return int(left.value.code or 0)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_users_are_added_listed_and_removed(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "correct horse\n")
    assert run("users", "add", "Ida", "--role", "owner") == 0
    typed(monkeypatch, "battery staple")
    assert run("users", "add", "Rex", "--role", "referee") == 0
    capsys.readouterr()
    assert run("users", "list") == 0
    assert capsys.readouterr().out.split() == ["owner", "Ida", "referee", "Rex"]
    typed(monkeypatch, "another one\n")
    assert run("users", "password", "Rex") == 0
    with Store.open(DataFolder(data)) as store:
        assert store.users.log_in("Rex", "another one") is not None
        assert store.users.log_in("Ida", "correct horse") is not None
    assert run("users", "remove", "Ida") == 0
    assert "no owner is left" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "stdin", "message"),
    [
        (["add", "Ida", "--role", "owner"], "short\n", "at least 8"),
        (["add", "Ida", "--role", "owner"], "", "no password came in"),
        (["add", "Ida", "--role", "king"], "correct horse\n", "king"),
        (["add", "Ida"], "correct horse\n", "--role"),
        (["add", " ", "--role", "owner"], "correct horse\n", "cannot name a user"),
        (["password", "Bo"], "correct horse\n", "no user 'Bo'"),
        (["remove", "Bo"], "", "no user 'Bo'"),
    ],
)
@pytest.mark.usefixtures("data")
def test_what_makes_no_sense_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    stdin: str,
    message: str,
) -> None:
    typed(monkeypatch, stdin)
    assert run("users", *words) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--host", "0.0.0.0"],  # noqa: S104 - that is what is refused
        ["--public-name", "kemps.example"],
        ["--proxy", "127.0.0.1"],
    ],
)
def test_without_an_owners_password_nobody_else_reaches_the_server(
    data: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run("serve", "--data", str(data), "--port", "0", *words) == 2
    assert "kemps users add YOUR-NAME --role owner --data " in capsys.readouterr().err


def test_a_certificate_needs_its_key(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("serve", "--data", str(data), "--certificate", "cert.pem") == 2
    assert run("serve", "--data", str(data), "--certificate", "cert.pem", "--key", "key.pem") == 2
    assert "cert.pem: no such file" in capsys.readouterr().err
    for name in ("cert.pem", "key.pem"):
        (data / name).write_text("-----BEGIN NONSENSE-----\n", encoding="utf-8")
    files = ["--certificate", str(data / "cert.pem"), "--key", str(data / "key.pem")]
    assert run("serve", "--data", str(data), *files) == 2
    assert "no certificate with its key" in capsys.readouterr().err


def test_with_an_owner_the_server_listens_everywhere_and_asks_who_is_there(data: Path) -> None:
    with Store.open(DataFolder(data)) as store:
        store.users.add("Ida", Role.OWNER, "correct horse")
    command = [sys.executable, "-m", "kemps_server.cli", "serve", "--host", "0.0.0.0", "--port", "0"]  # noqa: S104
    server = subprocess.Popen(
        [*command, "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().rpartition(":")[2].partition("/")[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/session", timeout=20) as answer:
            assert b'"role":null' in answer.read()
            assert "server" not in answer.headers
    finally:
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=20)
    assert "unencrypted" in errors
    assert server.returncode == 0
