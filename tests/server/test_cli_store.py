"""``kemps import``, ``export``, ``backup``, ``restore``, and ``report`` of a stored game."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.events import CentreSwept
from kemps_server.cli import main
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, NewerStoreError, StoreError
from kemps_server.store import archive
from kemps_server.store.archive import MANIFEST, back_up, restore
from kemps_server.store.store import Store

WriteGame = Callable[..., Path]
JOURNALS = Path(__file__).resolve().parents[2] / "samples/journals"


def run(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


def noon() -> datetime:
    return datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


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
    assert run("import", game, "--data", data) == 0
    folder = DataFolder(data)
    (folder.decks / "grandma.deck.npz").write_bytes(b"deck")
    (folder.video / "tonight.mp4").write_bytes(b"video" * 1000)
    (folder.video / "link.mp4").symlink_to("/etc/hostname")
    (folder.logs / "kemps.log").write_text("log", encoding="utf-8")
    (data / "friday").mkdir()
    (data / "friday/game.jsonl").write_bytes((game / "game.jsonl").read_bytes())
    return folder


def test_a_game_goes_in_with_its_pictures_and_comes_out_byte_for_byte(
    data: Path, game: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run("import", game, "--data", data) == 0
    assert capfdbinary.readouterr().out.endswith(b"stored as thursday, 14 lines\n")
    beside = sorted(path.name for path in (data / "games/thursday").rglob("*"))
    assert beside == ["00011-at.jpg", "evidence", "index.json", "recording.json"]
    assert run("export", "thursday", "--to", "jsonl", "--data", data) == 0
    assert capfdbinary.readouterr().out == (game / "game.jsonl").read_bytes()
    assert run("export", "thursday", "--to", "jsonl", "--data", data, "--out", tmp_path / "x/out.jsonl") == 0
    assert (tmp_path / "x/out.jsonl").read_bytes() == (game / "game.jsonl").read_bytes()
    assert not (tmp_path / "never").exists()


def test_importing_again_changes_nothing(data: Path, game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run("import", game, game / "game.jsonl", "--data", data) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.rsplit(": ", 1)[1] for line in told] == [
        "stored as thursday, 14 lines",
        *["is stored already, as thursday"] * 3,
    ]


def test_a_game_that_goes_on_is_the_same_game(
    data: Path, game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", game, "--data", data)
    with (game / "game.jsonl").open("a", encoding="utf-8") as journal:
        journal.write('{"kind":"settled","at_ms":31000,"camera":"table"}\n{"kind":"sett')
    assert run("import", game, "--data", data) == 0
    told = capsys.readouterr()
    assert "1 new line for thursday, 15 in all" in told.out
    assert "line 16: the last line was not written to its end" in told.err


def test_a_file_that_cannot_be_used_is_one_line_and_the_others_are_taken_in(
    data: Path, game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes((game / "game.jsonl").read_bytes() + b"nonsense\n")
    words = [broken, tmp_path / "nowhere", tmp_path, game, JOURNALS / "design.jsonl"]
    assert run("import", *words, "--data", data) == 2
    told = capsys.readouterr()
    assert told.out.count("stored as") == 2
    lines = told.err.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"kemps import: {broken}: line 15: not readable")
    assert "no such game" in lines[1]
    assert "no game.jsonl in this folder" in lines[2]


def test_pictures_that_cannot_be_copied_are_told_and_the_game_is_stored(
    data: Path, game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfile", full)
        assert run("import", game, "--data", data) == 1
    told = capsys.readouterr()
    assert "stored as thursday" in told.out
    assert "its pictures were not copied (no space left on device); run the same again" in told.err
    assert not (data / "games/thursday/evidence").exists()
    assert run("import", game, "--data", data) == 0
    assert (data / "games/thursday/evidence/00011-at.jpg").is_file()


def test_a_stored_game_has_a_page(filled: DataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("report", "thursday", "--data", filled.root) == 0
    page = filled.beside("thursday") / "page.html"
    assert capsys.readouterr().out.strip() == str(page)
    assert "Carla" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (
            ["export", "nothing", "--to", "csv", "--data", "{store}"],
            "nothing: no such game; name a folder",
            2,
        ),
        (["export", "nothing", "--to", "csv"], "nothing: no such game", 2),
        (["export", "thursday", "--to", "docx", "--data", "{store}"], "--to docx: no such format", 2),
        (["export", "thursday", "--to", "vtt", "--lang", "de", "--data", "{store}"], "no page in 'de'", 2),
        (["export", "{broken}", "--to", "csv"], "broken.jsonl: line 1: not readable", 2),
        (
            ["export", "thursday", "--to", "csv", "--data", "{store}", "--out", "{file}/x"],
            "cannot be written",
            1,
        ),
        (["report", "nothing", "--data", "{store}"], "nothing: no such game", 2),
        (["import", "{game}", "--data", "{file}"], "is a file; --data names a folder", 2),
        (["backup", "{file}/x.zip", "--data", "{store}"], "the backup could not be written", 1),
        (["backup", "{file}", "--data", "{store}"], "is there already; name another file", 2),
        (["backup", "{tmp}/x.zip", "--data", "{tmp}"], "there is no store", 2),
        (["restore", "{file}", "--data", "{tmp}/new"], "is no backup of kemps, or a damaged one", 2),
        (["restore", "{tmp}/nowhere", "--data", "{tmp}/new"], "no such file", 1),
        (["restore", "{file}", "--data", "{store}"], "is not empty; name a new folder", 2),
        (["restore", "{file}", "--data", "{file}"], "is not empty; name a new folder", 2),
    ],
)
def test_what_cannot_be_done_is_one_line(
    filled: DataFolder,
    game: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
    code: int,
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "broken.jsonl").write_text("x\n", encoding="utf-8")
    places = {
        "store": filled.root,
        "game": game,
        "file": tmp_path / "file",
        "tmp": tmp_path,
        "broken": tmp_path / "broken.jsonl",
    }
    capsys.readouterr()
    assert run(*[word.format(**places) for word in words]) == code
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1
    assert not (tmp_path / "new").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


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
            "DROP TABLE tokens",
            "DROP TABLE users",
            "DROP TABLE tables",
            "DROP INDEX ix_games_opening",
            "ALTER TABLE games DROP COLUMN opening",
            "ALTER TABLE lines DROP COLUMN kind",
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


def test_a_restored_folder_is_its_owners_alone(filled: DataFolder, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "monday.zip", noon)
    restore(tmp_path / "monday.zip", DataFolder(tmp_path / "new"))
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_server_that_is_killed_has_lost_nothing_and_its_log_says_what_it_did(filled: DataFolder) -> None:
    environment = {**os.environ, "KEMPS_DATA_FOLDER": str(filled.root)}
    server = subprocess.Popen(
        [sys.executable, "-m", "kemps_server.cli", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        assert server.stdout is not None
        told = server.stdout.readline()
        assert told.startswith(f"1 game in {filled.root}: ")
        address = told.split(": ")[1].split(" ")[0]
        with urllib.request.urlopen(f"{address}games/thursday.json", timeout=30) as answer:  # noqa: S310 - ours
            assert json.load(answer)["seats"]["C"] == "Carla"
        with Store.open(filled) as store:  # another process, while the server runs
            store.games.journal("thursday").append(CentreSwept(at_ms=40_000, seat="A"))
        with urllib.request.urlopen(f"{address}games/thursday.json", timeout=30) as answer:  # noqa: S310 - ours
            assert json.load(answer)["steps"][-1]["event"]["kind"] == "centre_swept"
    finally:
        server.kill()
        server.communicate()
    with Store.open(filled) as store:
        assert len(store.games.journal("thursday")) == 15
    log = (filled.logs / "kemps.log").read_text(encoding="utf-8")
    assert "kemps_server.cli.serve: serving 1 games at http://127.0.0.1:" in log
    assert "thursday" not in log
    assert "Carla" not in log
