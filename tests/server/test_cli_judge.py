"""``kemps judge`` on journals: the contract for programs, text for people, one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kemps_server.cli.app import main
from kemps_server.cli.judge import clock

JOURNALS = Path(__file__).resolve().parents[2] / "samples" / "journals"


class Run:
    """What a command printed, and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        with pytest.raises(SystemExit) as left:
            main(["judge", *words])
        self.code = left.value.code
        self.out, self.err = capsys.readouterr()

    @property
    def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.out)
        return answer


def test_json_is_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, str(JOURNALS / "R12-fair-right.jsonl"), "--json")
    assert (run.code, run.err, run.out.count("\n")) == (0, "", 1)
    assert (run.answer["letters"], run.answer["lost"]) == ({"AC": "", "BD": "K"}, [])
    verdict = run.answer["deals"][0]["verdict"]
    assert (verdict["ruling"], verdict["call"], verdict["by"]) == ("right", "kemps", "C")
    assert (verdict["hands"], verdict["letters_to"]) == (["A"], ["BD"])
    assert run.answer["flags"] == []


def test_every_sample_is_judged_in_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    for path in sorted(JOURNALS.glob("*.jsonl")):
        as_json, for_people = Run(capsys, str(path), "--json"), Run(capsys, str(path))
        assert (as_json.code, for_people.code) == (0, 0)
        assert for_people.out.count("Deal ") == len(as_json.answer["deals"])
        assert all(flag["message"] in for_people.out for flag in as_json.answer["flags"])


def test_people_read_the_verdict_the_letters_and_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    out = Run(capsys, str(JOURNALS / "R12-breach-before-the-lay.jsonl")).out
    assert "Deal 1  00:08.9  C says Kemps: ✘ wrong; A shows 9♠ 9♥ 9♦ 9♣, but the swap was still open" in out
    assert "A/C get a letter." in out
    assert "A/C  K" in out
    assert "00:09.3  R14 a card moved after the call  (line 6)" in out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("R15-fair-fifth-letter", ["B/D lost the game.", "A/C won the game.", "K E M P S"]),
        ("R16-fair-dry", ["Deal 1  ended dry, without letters", "Deal 2  01:10.0  D says Kemps"]),
        ("R17-breach-two-kemps", ["somebody says Kemps: ? cannot verify"]),
        ("R13-breach-own-pair", ["B says Stop Kemps: ? cannot verify; B named the own pair.", "R13"]),
        ("R15-fair-points", ["A/C +1.", "A/C won"]),
    ],
)
def test_other_ends_are_told(capsys: pytest.CaptureFixture[str], name: str, words: list[str]) -> None:
    out = Run(capsys, str(JOURNALS / f"{name}.jsonl")).out
    assert [word for word in words if word not in out] == []


def test_a_decision_on_a_flag_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    lines = (JOURNALS / "R8-breach-partners.jsonl").read_text("utf-8")
    review = {"kind": "reviewed", "at_ms": 1, "target": {"rule": "R8", "events": [3]}, "decision": "dismiss"}
    path.write_text(lines + json.dumps(review | {"by": "Rita", "why": "a napkin"}) + "\n", "utf-8")
    run = Run(capsys, str(path))
    assert "dismiss by Rita a napkin" in run.out
    assert Run(capsys, str(path), "--json").answer["flags"] == []


def test_other_rules_may_be_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(JOURNALS / "R12-fair-right.jsonl")
    answer = Run(capsys, path, "--json", "--rules", "points").answer
    assert (answer["rules"], answer["points"]) == ("points", {"AC": 1, "BD": 0})
    ours = tmp_path / "ours.toml"
    ours.write_text('word = "CASH"\n', "utf-8")
    assert Run(capsys, path, "--json", "--rules", str(ours)).answer["letters"]["BD"] == "C"


def test_what_is_wrong_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good = str(JOURNALS / "R12-fair-right.jsonl")
    broken = tmp_path / "broken.jsonl"
    broken.write_text(Path(good).read_text("utf-8") + '{"kind":"dry","at_ms":-1}\n{}\n', "utf-8")
    senseless = tmp_path / "senseless.toml"
    senseless.write_text("swap_sise = 1\n", "utf-8")
    for words, message in (
        ([str(tmp_path / "none.jsonl")], "cannot read"),
        ([str(broken)], "line 9: at_ms is -1"),
        ([good, "--rules", "casino"], "leaflet, one_card"),
        ([good, "--rules", str(senseless)], "do you mean swap_size?"),
        ([good, "--rules", "two_decks"], "for 8 seats"),
    ):
        run = Run(capsys, *words)
        assert (run.code, run.out) == (2, "")
        assert message in run.err
        assert run.err.count("\n") == 1


def test_a_half_written_last_line_is_a_warning(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text((JOURNALS / "R12-fair-right.jsonl").read_text("utf-8") + '{"kind":"hand_sh', "utf-8")
    run = Run(capsys, str(path), "--json")
    assert run.code == 0
    assert run.answer["letters"] == {"AC": "", "BD": "K"}
    assert "not written to its end" in run.err


def test_a_game_without_deals_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text((JOURNALS / "R12-fair-right.jsonl").read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    assert "No deal has been seen yet." in Run(capsys, str(path)).out


@pytest.mark.parametrize(
    ("at_ms", "text"), [(0, "00:00.0"), (41250, "00:41.2"), (3_600_000, "1:00:00.0"), (599_999, "09:59.9")]
)
def test_times_are_for_people(at_ms: int, text: str) -> None:
    assert clock(at_ms) == text


def test_a_broken_journal_is_named_in_the_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(bytes(range(128, 256)))
    assert Run(capsys, str(path)).err == f"kemps judge: {path}: line 1: not written in UTF-8\n"
    path.unlink()
    assert Run(capsys, str(path)).err == f"kemps judge: cannot read {path}: No such file or directory\n"


def test_seats_that_a_person_exchanged_are_told_until_that_is_undone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game = tmp_path / "game.jsonl"
    rows = (JOURNALS / "R12-fair-right.jsonl").read_text("utf-8")
    swap = '{"kind":"identities_swapped","at_ms":12500,"seats":["A","B"],"by":"ref","why":"leaned"}\n'
    game.write_text(rows + swap, "utf-8")
    assert "From 00:12.5 on what was seen of A counts for B" in Run(capsys, str(game)).out
    undone = f'{{"kind":"undone","at_ms":99000,"event":{rows.count(chr(10))},"by":"ref","why":"no"}}\n'
    game.write_text(rows + swap + undone, "utf-8")
    assert "counts for" not in Run(capsys, str(game)).out
