"""Databases of older programs become today's and are copied first; newer and foreign ones are left alone."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from kemps_server.data_folder import DataFolder
from kemps_server.errors import NewerStoreError, StoreError
from kemps_server.store import upgrading
from kemps_server.store.database import Database, open_postgres, open_sqlite
from kemps_server.store.games import Novelty
from kemps_server.store.journals import content_of
from kemps_server.store.schema import HEAD, metadata
from kemps_server.store.store import Store

OpenStore = Callable[[], Store]
MIGRATIONS = Path(upgrading.__file__).parent / "migrations"
RULING = '{"kind":"ruled","at_ms":5,"event":1,"ruling":"right","by":"ref"}\n'
CALL = '{"kind":"called","at_ms":4,"seat":"C","call":"kemps"}\n'


def make_old(database: Database, header: str) -> bytes:
    """A database as the first schema had it, with a game in it; the game's journal."""
    texts = [header, CALL, "\n", RULING, '{"kind":"dry","at_ms":9}']
    with database.writing() as connection:
        upgrading.upgrade(connection, "0001")
        connection.execute(
            text("INSERT INTO games (id, title, added_at) VALUES ('old', 'Old', '2026-01-01T00:00:00+00:00')")
        )
        for number, line in enumerate(texts):
            connection.execute(
                text("INSERT INTO lines (game, n, text) VALUES ('old', :n, :text)"),
                {"n": number, "text": line},
            )
    return "".join(texts).encode()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def old(request: pytest.FixtureRequest, folder: DataFolder, header: str) -> tuple[str | None, bytes]:
    """The address of a database of the first schema, None for the folder's own, and its game's journal."""
    folder.make()
    address = None if request.param == "sqlite" else request.getfixturevalue("postgres_address")
    database = open_sqlite(folder.database) if address is None else open_postgres(address)
    content = make_old(database, header)
    database.close()
    return address, content


def test_an_old_store_keeps_its_games_and_can_all_that_a_new_one_can(
    old: tuple[str | None, bytes], folder: DataFolder
) -> None:
    address, content = old
    with Store.open(folder, address) as store:
        assert content_of(store.games.journal("old").read()) == content
        assert [one.line for one in store.decisions.of("old")] == [3]
        assert store.games.take_in("Again", content).novelty is Novelty.KNOWN
        assert store.games.take_in("Longer", content + b"\n" + CALL.encode()).novelty is Novelty.GROWN
        store.tables.save("table-1", '[[camera]]\nname = "table"\nrole = "table"\n')
        with store.database.reading() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_an_old_file_is_copied_before_it_is_upgraded(folder: DataFolder, header: str) -> None:
    folder.make()
    database = open_sqlite(folder.database)
    make_old(database, header)
    database.close()
    Store.open(folder).close()
    (copy,) = folder.backups.iterdir()
    assert copy.name.startswith("kemps-0001-")
    with closing(sqlite3.connect(copy)) as kept:
        assert kept.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
        assert kept.execute("SELECT count(*) FROM lines").fetchone() == (5,)
    Store.open(folder).close()
    assert list(folder.backups.iterdir()) == [copy]


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(folder: DataFolder, header: str) -> None:
    folder.make()
    database = open_sqlite(folder.database)
    make_old(database, header)
    with database.writing() as connection:  # in the way of the table that the upgrade makes last
        connection.execute(text("CREATE TABLE tokens (id TEXT)"))
    with pytest.raises(StoreError, match="tokens"):
        Store.open(folder)
    with database.writing() as connection:
        connection.execute(text("DROP TABLE tokens"))
        columns = connection.execute(text("SELECT * FROM lines")).keys()
        assert "kind" not in columns
    database.close()
    with Store.open(folder) as store:
        assert [one.line for one in store.decisions.of("old")] == [3]


def test_programs_that_start_together_upgrade_once(folder: DataFolder, header: str) -> None:
    folder.make()
    database = open_sqlite(folder.database)
    make_old(database, header)
    database.close()
    script = (
        "import sys; from pathlib import Path; from kemps_server.data_folder import DataFolder; "
        "from kemps_server.store.store import Store; "
        "print(len(Store.open(DataFolder(Path(sys.argv[1]))).games.all()))"
    )
    command = [sys.executable, "-W", "error", "-c", script, str(folder.root)]
    starts = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [start.communicate(timeout=60)[0].strip() for start in starts] == ["1", "1", "1"]
    assert len(list(folder.backups.iterdir())) == 1


@pytest.mark.parametrize("version", [f"{int(HEAD) + 1:04}", "9999", "a5f3c0ffee11"])
def test_a_newer_store_is_left_alone(folder: DataFolder, version: str) -> None:
    Store.open(folder).close()
    with closing(sqlite3.connect(folder.database)) as file:
        file.execute("UPDATE alembic_version SET version_num = ?", (version,))
        file.commit()
    before = folder.database.read_bytes()
    with pytest.raises(NewerStoreError, match=rf"newer kemps \(schema {version}; .*update kemps"):
        Store.open(folder)
    assert folder.database.read_bytes() == before
    assert list(folder.backups.iterdir()) == []


def test_a_database_of_another_program_is_left_alone(folder: DataFolder) -> None:
    folder.make()
    with closing(sqlite3.connect(folder.database)) as file:
        file.execute("CREATE TABLE songs (title TEXT)")
        file.commit()
    with pytest.raises(StoreError, match="tables of another program"):
        Store.open(folder)


def test_a_new_store_has_the_schema_that_the_code_speaks_of(open_store: OpenStore) -> None:
    with open_store().database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_the_last_migration_is_the_schema_and_none_has_two_heirs() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [HEAD]
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)
    assert json.loads(json.dumps(revisions))[-1] == "0001"
