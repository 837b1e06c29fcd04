"""Full disks, locked, forbidden and damaged files: one clear line, and nothing acknowledged is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import text

from kemps_rules.events import CentreSwept
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.store import database
from kemps_server.store.database import open_postgres, open_sqlite, reason_of
from kemps_server.store.journals import content_of
from kemps_server.store.sql_journal import SqlJournal
from kemps_server.store.store import Store

SWEEP = CentreSwept(at_ms=30100, seat="A")


@pytest.fixture
def journal(store: Store, header: str) -> SqlJournal:
    game = store.games.take_in("Thursday", header.encode()).game
    return store.games.journal(game.id)


def test_on_a_full_disk_nothing_is_written_and_all_that_was_stays(store: Store, journal: SqlJournal) -> None:
    journal.append(SWEEP)
    with store.database.reading() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")  # SQLite's own limit: the same error
    with pytest.raises(StoreError, match=r"kemps\.sqlite: the disk is full; make room and try again$"):
        journal.append(*[SWEEP] * 5000)
    kept = len(journal)
    assert kept == 2
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count=1000000")
    assert journal.append(SWEEP) == range(kept, kept + 1)
    assert [line.number for line in journal.read()] == list(range(kept + 1))


def test_a_file_that_may_not_grow_is_told_and_what_was_acknowledged_stays(
    folder: DataFolder, header: str
) -> None:
    script = """
import resource, signal, sys
from pathlib import Path
from kemps_rules.events import CentreSwept
from kemps_server.data_folder import DataFolder
from kemps_server.errors import StoreError
from kemps_server.store.store import Store
store = Store.open(DataFolder(Path(sys.argv[1])))
journal = store.games.journal(store.games.take_in("Thursday", sys.argv[2].encode()).game.id)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    while True:
        last = journal.append(*[CentreSwept(at_ms=5, seat="A")] * 20)
        print(last.stop, flush=True)
except StoreError as error:
    print(error, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder.root), header], capture_output=True, text=True, check=True
    )
    acknowledged = int(done.stdout.split()[-1])
    assert done.stderr.count("\n") == 1
    assert "the disk failed or is full; what was acknowledged before is kept" in done.stderr
    with Store.open(folder) as store:
        assert len(store.games.journal("thursday")) >= acknowledged > 20


def test_who_waits_too_long_for_another_writer_is_told(
    store: Store, journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.05)
    with Store.open(store.folder) as hasty, store.database.writing():
        other = hasty.games.journal(journal.game)
        assert len(other) == 1  # reading goes on
        with pytest.raises(StoreError, match=r"another program has been writing it for .* try again"):
            other.append(SWEEP)
    assert len(journal) == 1
    assert journal.append(SWEEP) == range(1, 2)


@pytest.mark.parametrize("at", [0, 100])
def test_a_damaged_file_is_told_and_left_as_it_is(folder: DataFolder, header: str, at: int) -> None:
    with Store.open(folder) as store:
        game = store.games.take_in("Thursday", header.encode()).game
        store.games.journal(game.id).append(*[SWEEP] * 500)
    content = bytearray(folder.database.read_bytes())
    content[at : at + 3000] = b"\xaa" * 3000
    folder.database.write_bytes(content)
    with (
        pytest.raises(StoreError, match=r"kemps\.sqlite: it is .*damaged.*kemps restore$"),
        Store.open(folder),
    ):
        pass
    assert folder.database.read_bytes() == bytes(content)


def test_a_page_that_is_damaged_is_told_when_it_is_read(folder: DataFolder, header: str) -> None:
    with Store.open(folder) as store:
        game = store.games.take_in("Thursday", header.encode()).game
        store.games.journal(game.id).append(*[SWEEP] * 5000)
    content = folder.database.read_bytes()
    half = len(content) // 2
    folder.database.write_bytes(content[:half] + b"\xaa" * (len(content) - half))
    with Store.open(folder) as store, pytest.raises(StoreError, match="it is damaged; keep it"):
        store.games.journal("thursday").read()


def test_a_folder_where_the_database_should_be_is_told(folder: DataFolder) -> None:
    folder.make()
    folder.database.mkdir()
    with pytest.raises(StoreError, match="it cannot be opened; look at the rights"):
        Store.open(folder)


def test_a_file_in_the_place_of_the_folder_is_told(folder: DataFolder) -> None:
    folder.root.write_text("", encoding="utf-8")
    with pytest.raises(KempsServerError, match="is a file; --data names a folder"):
        Store.open(folder)
    with pytest.raises(StoreError, match="cannot be written"):
        Store.open(DataFolder(folder.root / "below"))


def test_what_may_not_be_written_is_told_and_stays(header: str) -> None:
    script = """
import os, sys
from pathlib import Path
from kemps_server.data_folder import DataFolder
from kemps_server.errors import StoreError
from kemps_server.store.store import Store
Store.open(DataFolder(Path(sys.argv[1]) / "other")).close()  # all is imported before it is nobody
if os.geteuid() == 0:  # whom rights do not bind
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with Store.open(DataFolder(Path(sys.argv[1]) / "data")) as store:
        store.games.take_in("Friday", sys.argv[2].encode())
except StoreError as error:
    print(error)
"""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = DataFolder(Path(place) / "data")
        with Store.open(folder) as store:
            game = store.games.take_in("Thursday", header.encode()).game
            content = content_of(store.games.journal(game.id).read())
        for path in [folder.root, *folder.root.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        words = [sys.executable, "-c", script, place, header.replace("Ann", "Anna")]
        told = subprocess.run(words, capture_output=True, text=True, check=True)
        for path in [folder.root, *folder.root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        assert (told.stdout.count("\n"), told.stderr) == (1, "")
        assert "cannot be written (permission denied)" in told.stdout
        with Store.open(folder) as store:
            assert content_of(store.games.journal(game.id).read()) == content
            assert len(store.games.all()) == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nonsense", "no address of a database"),
        ("mysql://kemps@localhost/kemps", "mysql is no database that kemps knows"),
        ("sqlite:///x", "sqlite is no database that kemps knows"),
    ],
)
def test_an_address_that_is_none_is_told(folder: DataFolder, address: str, message: str) -> None:
    with pytest.raises(KempsServerError, match=message):
        Store.open(folder, address)


@pytest.mark.postgres
def test_a_server_that_is_not_there_or_refuses_is_told_without_the_password(
    folder: DataFolder, postgres_server: str
) -> None:
    nowhere = "postgresql://kemps:very-secret@127.0.0.1:1/kemps"
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1/kemps: the server refused: ") as refused:
        Store.open(folder, nowhere)
    assert "very-secret" not in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(StoreError, match=r"nothing\?host=.*: the server refused: .*does not exist"):
        Store.open(folder, f"postgresql://kemps@/nothing?host={postgres_server}")


def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(KempsServerError, match=r"pip install 'kemps\[postgres\]'"):
        open_postgres("postgresql://kemps@localhost/kemps")


def test_an_error_of_a_new_kind_is_told_in_its_own_words() -> None:
    assert reason_of(ValueError("odd\nand long")) == "the server refused: odd"
    assert reason_of(None) == "the server refused: None"
    assert reason_of(sqlite3.OperationalError("no such\n table")) == "no such table"


def test_commits_reach_the_disk_before_they_are_acknowledged(folder: DataFolder) -> None:
    folder.make()
    file = open_sqlite(folder.database)
    with file.writing() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar_one() == 2  # FULL
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar_one() == 1
    file.close()


def test_a_killed_writers_half_transaction_is_not_there(folder: DataFolder, header: str) -> None:
    with Store.open(folder) as store:
        game = store.games.take_in("Thursday", header.encode()).game
        with closing(sqlite3.connect(folder.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("INSERT INTO lines (game, n, text) VALUES ('thursday', 1, 'half')")
        assert len(store.games.journal(game.id)) == 1
