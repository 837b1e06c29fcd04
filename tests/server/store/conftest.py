"""Places to keep games in: memory, SQLite, and a PostgreSQL server that lives as long as the tests."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from kemps_rules.events import GameOpened
from kemps_rules.journal import parse_line
from kemps_server.data_folder import DataFolder
from kemps_server.store.journals import Journal
from kemps_server.store.memory import MemoryJournal
from kemps_server.store.store import Store
from kemps_server.taking_in import take_in

HEADER = (
    '{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet",'
    '"seats":{"A":"Ann","B":"Bo","C":"Cy","D":"Di"}}\n'
)
OpenStore = Callable[[], Store]
NewJournal = Callable[[], Journal]
WriteGame = Callable[..., Path]

_numbers = itertools.count(1)


@pytest.fixture
def header() -> str:
    """The header of a game of four, as a line."""
    return HEADER


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """A data folder that is not there yet."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def store(folder: DataFolder) -> Iterator[Store]:
    """An empty store on SQLite."""
    with Store.open(folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_server(postgres_programs: Path) -> Iterator[str]:
    """The socket's folder of a PostgreSQL server of our own, which nobody else can reach."""
    place = Path(tempfile.mkdtemp(prefix="kemps-postgres-"))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = pwd.getpwnam("postgres")
        os.chown(place, user.pw_uid, user.pw_gid)
        as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": place}
    data = place / "data"

    def run(program: str, *words: str) -> None:
        subprocess.run(
            [str(postgres_programs / program), "-D", str(data), *words],
            check=True,
            stdout=subprocess.DEVNULL,
            **as_user,
        )

    run("initdb", "--no-sync", "--auth=trust", "--username=kemps", "--encoding=UTF8", "--locale=C.UTF-8")
    options = (
        f"-c listen_addresses='' -c unix_socket_directories='{place}' -c fsync=off -c shared_buffers=16MB"
    )
    run("pg_ctl", "--wait", "--log", str(place / "log"), "-o", options, "start")
    try:
        yield str(place)
    finally:
        run("pg_ctl", "--wait", "-m", "immediate", "stop")
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def postgres_address(postgres_server: str) -> str:
    """The address of a database with nothing in it."""
    address = f"postgresql+psycopg://kemps@/postgres?host={postgres_server}"
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def open_store(request: pytest.FixtureRequest, folder: DataFolder) -> Iterator[OpenStore]:
    """Opens the same store, each time by connections of its own, on each kind of database."""
    address = None if request.param == "sqlite" else request.getfixturevalue("postgres_address")
    with ExitStack() as opened:
        yield lambda: opened.enter_context(Store.open(folder, address))


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def new_journal(request: pytest.FixtureRequest, folder: DataFolder) -> Iterator[NewJournal]:
    """Makes a journal with nothing but its header, in each kind of store."""
    if request.param == "memory":

        def in_memory() -> Journal:
            journal = MemoryJournal(f"game-{next(_numbers)}")
            journal.append_texts([HEADER])
            return journal

        yield in_memory
        return
    address = None if request.param == "sqlite" else request.getfixturevalue("postgres_address")
    with Store.open(folder, address) as opened:

        def in_store() -> Journal:
            opening = parse_line(HEADER)
            assert isinstance(opening, GameOpened)
            record = opened.games.begin("A game", opening)
            return opened.games.journal(record.id)

        yield in_store


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that is not there yet; the user's own is out of reach."""
    monkeypatch.setenv("KEMPS_DATA_FOLDER", str(tmp_path / "never"))
    monkeypatch.delenv("KEMPS_DATABASE", raising=False)
    return tmp_path / "store"


@pytest.fixture
def game(write_game: WriteGame) -> Path:
    """A game's folder with a picture, a note of its recording, and a link that leads out."""
    folder = write_game()
    (folder / "evidence").mkdir()
    (folder / "evidence/00011-at.jpg").write_bytes(b"\xff\xd8 a picture")
    (folder / "evidence/index.json").write_text('{"pictures": []}', encoding="utf-8")
    (folder / "evidence/script.sh").write_text("echo", encoding="utf-8")
    (folder / "evidence/out.jpg").symlink_to("/etc/hostname")
    (folder / "recording.json").write_text('{"name": "game.mp4"}', encoding="utf-8")
    return folder


@pytest.fixture
def filled(data: Path, game: Path) -> DataFolder:
    """A data folder with a game, a deck, a recording, a link, a log, and a folder game."""
    folder = DataFolder(data)
    with Store.open(folder) as opened:
        take_in(opened, game)
    (folder.decks / "grandma.deck.npz").write_bytes(b"deck")
    (folder.video / "tonight.mp4").write_bytes(b"video" * 1000)
    (folder.video / "link.mp4").symlink_to("/etc/hostname")
    (folder.logs / "kemps.log").write_text("log", encoding="utf-8")
    (data / "friday").mkdir()
    (data / "friday/game.jsonl").write_bytes((game / "game.jsonl").read_bytes())
    return folder
