"""``kemps import``, ``export``, ``report`` of a stored game, and ``serve`` of what is stored."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from kemps_rules.events import CentreSwept
from kemps_server.cli import main
from kemps_server.data_folder import DataFolder
from kemps_server.library import blurs_faces, opened_game
from kemps_server.store.acts import NewAct
from kemps_server.store.store import Store

JOURNALS = Path(__file__).resolve().parents[3] / "samples/journals"


def run(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


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


def test_sealed_opinions_go_along_beside_the_journal_and_not_in_it(
    data: Path, game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", game, "--data", data)
    with Store.open(DataFolder(data)) as store:
        lines = len(store.games.journal("thursday"))
        act = NewAct(key="k1", body="b", person="Ida", incident="R10-5", opinion="dismiss", why="a cough")
        store.acts.add("thursday", act, seen_lines=lines, seen_acts=0)
    out = tmp_path / "thursday.jsonl"
    assert run("export", "thursday", "--to", "jsonl", "--data", data) == 0
    assert "not in it: 1 sealed opinion of referees" in capsys.readouterr().err
    assert run("export", "thursday", "--to", "jsonl", "--data", data, "--out", out) == 0
    assert "thursday.opinions.jsonl" in capsys.readouterr().err
    assert b"a cough" not in out.read_bytes()
    for _ in range(2):
        assert run("import", out, "--data", tmp_path / "other") == 0
    with Store.open(DataFolder(tmp_path / "other")) as store:
        (taken,) = store.acts.of("thursday")
    assert (taken.person, taken.incident, taken.opinion, taken.why) == ("Ida", "R10-5", "dismiss", "a cough")
    (tmp_path / "thursday.opinions.jsonl").write_text('{"key": 1}\n')
    assert run("import", out, "--data", tmp_path / "third") == 1
    assert "line 1 is no sealed opinion" in capsys.readouterr().err


def test_faces_are_blurred_as_the_owner_chose_unless_something_else_is_asked(data: Path, game: Path) -> None:
    run("import", game, "--data", data)
    with opened_game("thursday", DataFolder(data)) as stored:
        assert [blurs_faces(stored, asked) for asked in (None, True, False)] == [False, True, False]
    with Store.open(DataFolder(data)) as store:
        store.choices.set(blur_faces=True)
    with opened_game("thursday", DataFolder(data)) as stored:
        assert [blurs_faces(stored, asked) for asked in (None, True, False)] == [True, True, False]
    with opened_game(str(game), DataFolder(data)) as folder:
        assert not blurs_faces(folder, None)


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
