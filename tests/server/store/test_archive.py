"""Backups: whole, or not there; put back as they were, or not at all."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kemps_server.cli import main
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, NewerStoreError, StoreError
from kemps_server.store import archive
from kemps_server.store.archive import MANIFEST, back_up, restore
from kemps_server.store.store import Store


def run(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


def noon() -> datetime:
    return datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


def test_a_backup_put_back_is_the_same_data_folder(
    filled: DataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, new = tmp_path / "monday.zip", DataFolder(tmp_path / "new")
    assert run("backup", file, "--data", filled.root) == 0
    told = capsys.readouterr()
    assert "1 game, 7 files" in told.out
    assert "1 link is not in it, for what they lead to lies elsewhere: video/link.mp4" in told.err
    assert run("restore", file, "--data", new.root) == 0
    assert "1 game, 7 files" in capsys.readouterr().out
    for path in (
        "games/thursday/evidence/00011-at.jpg",
        "decks/grandma.deck.npz",
        "video/tonight.mp4",
        "friday/game.jsonl",
    ):
        assert (new.root / path).read_bytes() == (filled.root / path).read_bytes()
    assert not (new.root / "logs").exists()
    with Store.open(filled) as old_store, Store.open(new) as store:
        assert store.games.all() == old_store.games.all()
        assert store.games.journal("thursday").read() == old_store.games.journal("thursday").read()


def test_a_backup_can_be_taken_while_the_store_is_written(filled: DataFolder, tmp_path: Path) -> None:
    with Store.open(filled) as store:
        record = store.games.find("thursday")
        assert record is not None
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE games SET title = 'half done'")
            back_up(filled, tmp_path / "monday.zip", noon)
    new = DataFolder(tmp_path / "new")
    restore(tmp_path / "monday.zip", new)
    with Store.open(new) as store:
        assert store.games.all() == (record,)


def test_a_backup_without_video_leaves_recordings_out(filled: DataFolder, tmp_path: Path) -> None:
    assert run("backup", tmp_path / "small.zip", "--no-video", "--data", filled.root) == 0
    with zipfile.ZipFile(tmp_path / "small.zip") as pack:
        assert not [name for name in pack.namelist() if "video" in name]
        assert "decks/grandma.deck.npz" in pack.namelist()


def test_a_backup_into_the_data_folder_does_not_hold_itself(filled: DataFolder) -> None:
    back_up(filled, filled.root / "monday.zip", noon)
    with zipfile.ZipFile(filled.root / "monday.zip") as pack:
        assert not [name for name in pack.namelist() if "monday" in name]


def test_a_backup_may_go_into_an_empty_folder_that_is_there(filled: DataFolder, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)
    (tmp_path / "new").mkdir()
    assert restore(tmp_path / "monday.zip", DataFolder(tmp_path / "new")).games == 1


def test_a_full_disk_leaves_no_half_backup(
    filled: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "_copy", full)
    with pytest.raises(StoreError, match="No space left on device; nothing was lost"):
        back_up(filled, tmp_path / "b/monday.zip", noon)
    assert list((tmp_path / "b").iterdir()) == []


def test_a_full_disk_leaves_no_half_data_folder(
    filled: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "_copy", full)
    with pytest.raises(StoreError, match="no space left on device"):
        restore(tmp_path / "monday.zip", DataFolder(tmp_path / "r/new"))
    assert list((tmp_path / "r").iterdir()) == []


def _changed(source: Path, target: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> None:
    """The backup with another manifest or other files."""
    with zipfile.ZipFile(source) as pack:
        files = {name: pack.read(name) for name in pack.namelist() if name != MANIFEST}
        manifest = json.loads(pack.read(MANIFEST))
    change(manifest, files)
    with zipfile.ZipFile(target, "w") as pack:
        for name, content in files.items():
            pack.writestr(name, content)
        pack.writestr(MANIFEST, json.dumps(manifest))


def _with_file(name: str) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def change(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
        files[name] = b"evil"
        manifest["files"][name] = hashlib.sha256(b"evil").hexdigest()

    return change


def _damaged(_: dict[str, Any], files: dict[str, bytes]) -> None:
    files["decks/grandma.deck.npz"] = b"dock"


def _lacking(_: dict[str, Any], files: dict[str, bytes]) -> None:
    del files["decks/grandma.deck.npz"]


def _no_database(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["kemps.sqlite"] = b"x" * 5000
    manifest["files"]["kemps.sqlite"] = hashlib.sha256(b"x" * 5000).hexdigest()


def _no_manifest(manifest: dict[str, Any], _: dict[str, bytes]) -> None:
    manifest.clear()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_with_file("../evil"), r"'\.\./evil' in it would lead out of the folder"),
        (_with_file("/etc/evil"), "would lead out"),
        (_with_file("a\\..\\evil"), "would lead out"),
        (_damaged, "grandma.deck.npz in it is damaged"),
        (_lacking, "grandma.deck.npz is missing"),
        (_no_database, "the database in it is damaged"),
        (_no_manifest, "no readable kemps-backup.json"),
    ],
)
def test_a_backup_that_is_not_as_it_was_made_is_not_put_back(
    filled: DataFolder,
    tmp_path: Path,
    change: Callable[[dict[str, Any], dict[str, bytes]], None],
    message: str,
) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)
    _changed(tmp_path / "monday.zip", tmp_path / "evil.zip", change)
    with pytest.raises(KempsServerError, match=message):
        restore(tmp_path / "evil.zip", DataFolder(tmp_path / "r/new"))
    assert list((tmp_path / "r").iterdir()) == []
    assert not (tmp_path / "evil").exists()


def test_a_backup_cut_short_is_not_put_back(filled: DataFolder, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)
    whole = (tmp_path / "monday.zip").read_bytes()
    (tmp_path / "monday.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(KempsServerError, match="no backup of kemps, or a damaged one"):
        restore(tmp_path / "monday.zip", DataFolder(tmp_path / "new"))


@pytest.mark.parametrize("newer", [{"version": 2}, {"schema": "9999"}])
def test_a_backup_of_a_newer_program_is_left_alone(
    filled: DataFolder, tmp_path: Path, newer: dict[str, Any]
) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)
    _changed(tmp_path / "monday.zip", tmp_path / "new.zip", lambda manifest, _: manifest.update(newer))
    with pytest.raises(NewerStoreError, match=r"made by a newer kemps .*; update kemps"):
        restore(tmp_path / "new.zip", DataFolder(tmp_path / "new"))


def test_an_old_backup_is_upgraded_when_it_is_opened(filled: DataFolder, tmp_path: Path) -> None:
    with closing(sqlite3.connect(filled.database)) as file:
        for statement in (
            "DROP TABLE acts",
            "DROP TABLE choices",
            "DROP TABLE sittings",
            "DROP TABLE tokens",
            "DROP TABLE users",
            "DROP TABLE tables",
            "DROP INDEX ix_games_opening",
            "ALTER TABLE games DROP COLUMN opening",
            "ALTER TABLE games DROP COLUMN settings",
            "ALTER TABLE games DROP COLUMN revision",
            "ALTER TABLE lines DROP COLUMN kind",
            "ALTER TABLE lines DROP COLUMN written_ms",
            "UPDATE alembic_version SET version_num = '0001'",
        ):
            file.execute(statement)
        file.commit()
    back_up(filled, tmp_path / "old.zip", noon)
    new = DataFolder(tmp_path / "new")
    restore(tmp_path / "old.zip", new)
    with Store.open(new) as store:
        assert [game.id for game in store.games.all()] == ["thursday"]
        assert store.decisions.of() == ()


def test_postgres_is_backed_up_by_its_own_program(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEMPS_DATABASE", "postgresql://kemps@localhost/kemps")
    assert run("backup", tmp_path / "x.zip", "--data", data) == 2
    assert "back it up with pg_dump" in capsys.readouterr().err


def test_what_holds_secrets_is_its_owners_alone(filled: DataFolder, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)
    restore(tmp_path / "monday.zip", DataFolder(tmp_path / "new"))
    with Store.open(DataFolder(tmp_path)) as store:  # a folder that was there, and is open to all
        store.users.all()
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("kemps.sqlite*")}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "monday.zip").stat().st_mode & 0o777 == 0o600
