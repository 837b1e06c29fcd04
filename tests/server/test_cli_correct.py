"""``kemps correct``: one line is added for each decision, or one line says why it cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.journal import JournalWriter, read_journal
from kemps_rules.replay import judge
from kemps_server.cli.app import main
from kemps_server.data_folder import DataFolder
from kemps_server.deciding import moment_ms
from kemps_server.errors import KempsServerError
from kemps_server.store.store import Store
from kemps_server.taking_in import take_in

JOURNALS = Path(__file__).resolve().parents[2] / "samples" / "journals"
SIGNED = ("--by", "ref", "--why", "seen on camera 2")


class Run:
    """What a command printed, its exit code, and the journal after it."""

    def __init__(self, capsys: pytest.CaptureFixture[str], game: Path, *words: str) -> None:
        with pytest.raises(SystemExit) as left:
            main(["correct", str(game), *words])
        self.code = left.value.code
        self.out, self.err = capsys.readouterr()
        self.rows = game.read_text("utf-8").splitlines() if game.is_file() else []

    @property
    def last(self) -> dict[str, Any]:
        last: dict[str, Any] = json.loads(self.rows[-1])
        return last


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game of 9 lines: A takes and lays, C calls in line 8, A's quad is shown in line 9."""
    path = tmp_path / "game.jsonl"
    shutil.copy(JOURNALS / "R12-fair-right.jsonl", path)
    return path


def line_of(path: Path, kind: str) -> int:
    """The first line of a kind, counted from 1."""
    rows = path.read_text("utf-8").splitlines()
    return next(n for n, row in enumerate(rows, 1) if json.loads(row)["kind"] == kind)


def test_two_mixed_up_seats_are_exchanged_from_a_moment_on(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    before = game.read_bytes()
    run = Run(capsys, game, "--swap", "A", "B", "--from", "12.5s", *SIGNED)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"line {len(run.rows)} added: ")
    assert game.read_bytes().startswith(before)
    assert run.last == {
        "kind": "identities_swapped",
        "at_ms": 12500,
        "seats": ["A", "B"],
        "by": "ref",
        "why": "seen on camera 2",
    }


def test_a_folder_is_a_game_and_json_gives_the_line_as_the_journal_counts(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    count = len(game.read_text("utf-8").splitlines())
    run = Run(capsys, game.parent, "--swap", "A", "B", "--from", "0s", "--json", *SIGNED)
    answer = json.loads(run.out)
    assert (run.code, answer["line"], answer["event"]["kind"]) == (0, count, "identities_swapped")


def test_a_call_is_ruled_and_the_ruling_taken_back(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    call = line_of(game, "called")
    assert Run(capsys, game, "--ruling", str(call), "wrong", *SIGNED).last["event"] == call - 1
    assert judge(read_journal(game)).as_json()["deals"][0]["verdict"]["ruling"] == "wrong"
    ruled = line_of(game, "ruled")
    assert Run(capsys, game, "--undo", str(ruled), *SIGNED).code == 0
    assert judge(read_journal(game)).as_json()["deals"][0]["verdict"]["ruling"] == "right"


def test_lines_are_changed_taken_out_and_inserted(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    shown = line_of(game, "hand_shown")
    changed = Run(capsys, game, "--change", str(shown), '{"cards":["9s","9h","9d"],"unread":1}', *SIGNED)
    assert changed.last["to"] == {"cards": ["9s", "9h", "9d"], "unread": 1}
    assert Run(capsys, game, "--retract", str(shown), *SIGNED).last["kind"] == "retracted"
    missed = '{"kind":"hand_hidden","at_ms":1000,"until_ms":3000,"seat":"B"}'
    inserted = Run(capsys, game, "--insert", missed, *SIGNED)
    assert inserted.last["as"]["at_ms"] == 1000
    assert [flag.rule for flag in judge(read_journal(game)).flags].count("R10") == 1


def test_a_flag_is_dismissed_and_a_player_replaced(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    missed = '{"kind":"hand_hidden","at_ms":1000,"until_ms":3000,"seat":"B"}'
    count = len(Run(capsys, game, "--insert", missed, *SIGNED).rows)
    assert Run(capsys, game, "--review", "R10", str(count), "dismiss", *SIGNED).code == 0
    judgement = judge(read_journal(game))
    assert [entry.flag.rule for entry in judgement.reviewed] == ["R10"]
    assert Run(capsys, game, "--move", "A", "Paula", "--from", "0:01", *SIGNED).last["to"] == "Paula"


def test_a_call_is_held_a_reading_confirmed_and_a_note_made_and_each_is_taken_back(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    call, shown = line_of(game, "called"), line_of(game, "hand_shown")
    before = judge(read_journal(game)).as_json()
    held = Run(capsys, game, "--review", "call", str(call), "hold", *SIGNED)
    assert held.last["target"] == {"rule": "call", "events": [call - 1]}
    (deal,) = judge(read_journal(game)).as_json()["deals"]
    assert deal["verdict"]["review"] == {"decision": "hold", "by": "ref", "why": "seen on camera 2"}
    assert Run(capsys, game, "--review", "reading", str(shown), "confirm", *SIGNED).code == 0
    noted = Run(capsys, game, "--note", "call", str(call), *SIGNED)
    assert (noted.last["kind"], noted.last["why"]) == ("noted", "seen on camera 2")
    for line in range(len(held.rows), len(noted.rows) + 1):
        assert Run(capsys, game, "--undo", str(line), *SIGNED).code == 0
    assert judge(read_journal(game)).as_json() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give one of --swap"),
        (("--swap", "A", "B", "--from", "1s", "--undo", "2"), "not 2"),
        (("--swap", "A", "B"), "needs --from"),
        (("--swap", "A", "A", "--from", "1s"), "two different seats"),
        (("--swap", "A", "Z", "--from", "1s"), "no seat"),
        (("--swap", "A", "F", "--from", "1s"), "F"),
        (("--swap", "A", "B", "--from", "soon"), "is no time"),
        (("--retract", "3", "--from", "1s"), "--from goes with"),
        (("--retract", "0"), "counted from 1"),
        (("--retract", "99"), "line 99"),
        (("--retract", "1"), "undo it instead"),
        (("--undo", "3"), "no person's event"),
        (("--ruling", "3", "right"), "line 3 is"),
        (("--ruling", "3", "maybe"), "must be one of"),
        (("--review", "R10", "3", "dismiss"), "no flag R10 about line 3"),
        (("--review", "R10", "x", "dismiss"), "are no lines"),
        (("--review", "call", "3", "hold"), "speaks of a call, but line 3 is"),
        (("--review", "call", "8", "overturn"), "a call is decided by a ruling"),
        (("--review", "reading", "1", "confirm"), "speaks of a reading, but line 1 is game_opened"),
        (("--review", "reading", "9", "overturn"), "put right by a correction"),
        (("--note", "call", "99"), "line 99"),
        (("--change", "3", "[1]"), "JSON object"),
        (("--change", "3", "{"), "not readable as JSON"),
        (("--insert", '{"kind":"undone","event":1,"at_ms":0}'), "cannot be inserted"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], game: Path, words: tuple[str, ...], said: str
) -> None:
    before = game.read_bytes()
    run = Run(capsys, game, *words, *SIGNED)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert said in run.err
    assert game.read_bytes() == before


def test_a_stored_game_gets_the_line_in_its_journal(
    capsys: pytest.CaptureFixture[str], game: Path, tmp_path: Path
) -> None:
    folder = DataFolder(tmp_path / "data")
    with Store.open(folder) as store:
        stored = take_in(store, game).taken.game.id
    before = game.read_bytes()
    data = ("--data", str(folder.root))
    run = Run(capsys, Path(stored), "--swap", "A", "B", "--from", "1s", *data, *SIGNED)
    assert (run.code, run.err) == (0, "")
    refused = Run(capsys, Path(stored), "--retract", "99", *data, *SIGNED)
    assert (refused.code, "line 99" in refused.err) == (2, True)
    with Store.open(folder) as store:
        assert [record.event.kind for record in store.decisions.of(stored)] == ["identities_swapped"]
    assert game.read_bytes() == before


def test_nobody_decides_without_a_name(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    run = Run(capsys, game, "--retract", "3", "--by", " ", "--why", "glare")
    assert (run.code, run.err) == (2, "kemps correct: --by: say who decides\n")


def test_a_game_that_is_being_written_or_broken_or_missing_is_left_alone(
    capsys: pytest.CaptureFixture[str], game: Path, tmp_path: Path
) -> None:
    with JournalWriter(game):
        busy = Run(capsys, game, "--retract", "3", *SIGNED)
    assert (busy.code, "another process" in busy.err) == (2, True)
    with game.open("a", encoding="utf-8") as file:
        file.write("nonsense\n")
    before = game.read_bytes()
    assert Run(capsys, game, "--retract", "3", *SIGNED).code == 2
    assert game.read_bytes() == before
    missing = Run(capsys, tmp_path / "none.jsonl", "--retract", "3", *SIGNED)
    assert (missing.code, (tmp_path / "none.jsonl").exists()) == (2, False)


def test_times_are_read_as_people_write_them() -> None:
    assert [moment_ms(text) for text in ("0s", "7", "0.25s", "2:03", "1:00:00.5")] == [
        0,
        7000,
        250,
        123000,
        3600500,
    ]
    with pytest.raises(KempsServerError):
        moment_ms("1:02ms")
