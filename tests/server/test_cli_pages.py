"""``kemps report`` and ``kemps serve`` on the command line."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from websockets.sync.client import connect

from kemps_server.cli import main
from kemps_server.data_folder import DataFolder
from kemps_server.store.store import Store
from kemps_server.store.users import Role

WriteGame = Callable[..., Path]


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return int(left.value.code or 0)


def test_report_writes_the_page_into_the_folder_of_the_game(
    write_game: WriteGame, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_game()
    assert run("report", str(folder)) == 0
    assert capsys.readouterr().out.strip() == str(folder / "page.html")
    assert "thursday" in (folder / "page.html").read_text(encoding="utf-8")


def test_report_of_a_journal_goes_beside_it_or_where_it_is_sent(
    write_game: WriteGame, tmp_path: Path
) -> None:
    journal = write_game() / "game.jsonl"
    other = journal.rename(journal.with_name("golden.jsonl"))
    assert run("report", str(other), "--lang", "es") == 0
    assert '<html lang="es">' in other.with_suffix(".html").read_text(encoding="utf-8")
    assert run("report", str(other), "--out", str(tmp_path / "new/place/p.html")) == 0
    assert (tmp_path / "new/place/p.html").is_file()


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["report", "nowhere"], "nowhere: no such game", 2),
        (["report", "{game}", "--lang", "de"], "no page in 'de'; the languages are en, ru, pt, fr, es", 2),
        (["report", "{game}", "--out", "{game}/game.jsonl/x.html"], "cannot be written", 1),
        (["report", "{broken}"], "broken/game.jsonl: line 2: not readable as JSON", 2),
        (["serve", "--data", "nowhere"], "nowhere: no such folder; make it if a new one is meant", 2),
        (["serve", "--data", "{data}", "--port", "{port}"], "choose another --port", 1),
        (["serve", "--data", "{data}", "--host", "no.such.host.invalid"], "no address to listen on", 2),
    ],
)
def test_what_cannot_be_done_is_one_line(
    write_game: WriteGame,
    game_text: str,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
    code: int,
) -> None:
    folder = write_game()
    broken = write_game(game_text.splitlines()[0] + "\nnonsense\n", "broken")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        filled = [word.format(game=folder, broken=broken, data=folder.parent, port=port) for word in words]
        assert run(*filled) == code
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1


def test_serve_answers_on_this_machine_ends_quietly_and_logs_no_secret_of_a_link(
    write_game: WriteGame,
) -> None:
    data = write_game().parent
    with Store.open(DataFolder(data)) as store:
        store.tables.save("club", "")
        secret = store.tokens.issue(Role.VIEWER, "overlay")[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "kemps_server.cli", "serve", "--port", "0", "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("1 game in ")
        address = line.split(": ")[1].split(" ")[0]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address + "health", timeout=20) as answer:  # noqa: S310 - our own server
            assert json.load(answer)["games"] == 1
        socket_of_table = f"{address.replace('http', 'ws')}api/tables/club/live?token={secret}"
        with connect(socket_of_table) as overlay:
            assert json.loads(overlay.recv(20))["type"] == "snapshot"
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=20)
        assert (server.returncode, errors) == (0, "")
        logged = (data / "logs" / "kemps.log").read_text(encoding="utf-8")
        assert "serving 1 games" in logged
        assert secret not in logged
    finally:
        server.kill()
        server.communicate()
