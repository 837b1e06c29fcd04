"""``kemps enrol``: pass or fail with a score, decks listed, used and forgotten, and errors of one line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kemps_rules.cards import Card
from kemps_server.cli import enrol as command
from kemps_server.cli import main
from kemps_vision.enrolment.deck import EnrolledDeck, Score
from kemps_vision.enrolment.faces import FACE_HEIGHT, FACE_WIDTH, FaceBook
from kemps_vision.enrolment.store import DeckStore, classifier_checksum

Kemps = Callable[..., int]

PASSED = EnrolledDeck(
    faces=FaceBook(np.array([0]), np.zeros((1, FACE_HEIGHT, FACE_WIDTH, 3), np.float32)),
    sharpness=10.0,
    head=None,
    index=None,
    classifier=classifier_checksum(),
    missing=(),
    score=Score(
        looks=104, before=52, right=103, wrong=0, is_second_showing=False, covered=52, covered_right=51
    ),
)


def told(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.fixture
def learnt(monkeypatch: pytest.MonkeyPatch) -> Callable[[EnrolledDeck], None]:
    """Puts a result in place of minutes of learning."""

    def give(deck: EnrolledDeck) -> None:
        monkeypatch.setattr(command, "_samples", lambda *_: [])
        monkeypatch.setattr(command, "enrolled", lambda *_: deck)

    return give


def kemps(*words: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([*map(str, words)])
    return int(left.value.code or 0)


def test_a_deck_that_passes_is_kept_and_its_score_told(
    learnt: Callable[[EnrolledDeck], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learnt(PASSED)
    assert kemps("enrol", "sweep.mp4", "--deck", "grandma", "--data", tmp_path) == 0
    out, err = told(capsys)
    assert "grandma: pass, score 0.99: 103 of 104 looks at frames kept back read right (52 before)" in out
    assert "cards alone 1.00, partly covered 0.98" in out
    assert err == ""
    assert DeckStore(tmp_path / "decks").names() == ["grandma"]
    assert kemps("enrol", "--list", "--data", tmp_path) == 0
    assert told(capsys)[0].split() == ["grandma"]
    assert kemps("enrol", "--remove", "grandma", "--data", tmp_path) == 0
    assert kemps("enrol", "--list", "--json", "--data", tmp_path) == 0
    assert json.loads(told(capsys)[0].splitlines()[-1])["decks"] == []


def test_a_deck_that_fails_is_not_kept_unless_forced(
    learnt: Callable[[EnrolledDeck], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = replace(PASSED, score=Score(looks=104, before=52, right=80, wrong=4, is_second_showing=True))
    learnt(failed)
    words = ("enrol", "sweep.mp4", "--deck", "x", "--data", tmp_path, "--json")
    assert kemps(*words) == 1
    out, err = told(capsys)
    result = json.loads(out)
    assert (result["passed"], result["score"], result["stored"]) == (False, 0.7692, None)
    assert err.startswith("kemps enrol: fewer than 85% of the looks were read right")
    assert err.count("\n") == 1
    assert DeckStore(tmp_path / "decks").names() == []
    assert kemps(*words, "--force") == 1
    assert DeckStore(tmp_path / "decks").names() == ["x"]


def test_a_deck_that_fails_only_where_cards_are_covered_is_told_so(
    learnt: Callable[[EnrolledDeck], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score = Score(
        looks=104, before=52, right=82, wrong=4, is_second_showing=True, covered=52, covered_right=32
    )
    learnt(replace(PASSED, score=score))
    assert kemps("enrol", "sweep.mp4", "--deck", "x", "--data", tmp_path) == 1
    err = told(capsys)[1]
    assert "cards that lie alone are read, but only 62% of those that lie partly under another" in err
    assert err.count("\n") == 1


def test_cards_that_were_not_shown_are_named(
    learnt: Callable[[EnrolledDeck], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learnt(replace(PASSED, missing=(Card.parse("Qh"), Card.parse("Td"))))
    assert kemps("enrol", "sweep.mp4", "--deck", "x", "--data", tmp_path) == 1
    assert "2 of 52 cards were not seen (Qh Td); deal the deck again" in told(capsys)[1]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "name the source and the deck: kemps enrol SOURCE --deck NAME"),
        (["sweep.mp4"], "name the source and the deck"),
        (
            ["sweep.mp4", "--deck", "any"],
            "'any' cannot name a deck: it means none in particular; give yours another",
        ),
        (["sweep.mp4", "--deck", "x", "--order", "shd"], "must name each suit once"),
        (["no-such-file.mp4", "--deck", "x"], "no-such-file.mp4"),
        (["--remove", "x"], "no deck 'x' to remove; there are: none"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    words: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps("enrol", *words, "--data", tmp_path) == 2
    _, err = told(capsys)
    assert line in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("enrol", "--list"), ("enrol", "--remove", "x"), ("read", "one.png", "--deck", "x")]
)
def test_a_file_is_no_folder_of_decks_and_no_name_is_none(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert kemps(*words, "--data", tmp_path / "file") == 2
    assert f"{tmp_path / 'file'}: is a file; decks are kept in a folder" in told(capsys)[1]
    assert kemps(*words, "--data", "") == 2
    assert (
        told(capsys)[1]
        == f"kemps {words[0]}: a folder's name is empty; write . for the folder that you are in\n"
    )


def test_where_no_deck_can_be_kept_is_said_before_anybody_deals(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert kemps("enrol", "no-such-file.mp4", "--deck", "x", "--data", tmp_path / "file") == 2
    assert told(capsys)[1].startswith(f"kemps enrol: {tmp_path / 'file'}: is no folder; ")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert kemps("enrol", "no-such-file.mp4", "--deck", "x", "--data", tmp_path / "new") == 2
    assert told(capsys)[1].startswith(f"kemps enrol: {tmp_path}: cannot be written; ")


def test_a_folder_without_two_pictures_of_each_card_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(52):
        Image.new("RGB", (64, 64)).save(tmp_path / f"{n:02}.png")
    assert kemps("enrol", tmp_path, "--deck", "x", "--data", tmp_path / "kept") == 2
    assert "52 pictures; give each of the 52 cards at least two" in told(capsys)[1]


def test_read_and_observe_say_which_decks_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    DeckStore(tmp_path / "decks").save("grandma", PASSED)
    Image.new("RGB", (64, 64)).save(tmp_path / "one.png")
    assert kemps("read", tmp_path / "one.png", "--deck", "uncle", "--data", tmp_path) == 2
    assert "no deck 'uncle'; known: any, grandma" in told(capsys)[1]
    game = ("observe", tmp_path, "--out", tmp_path / "game")
    assert kemps(*game, "--deck", "uncle", "--data", tmp_path) == 2
    assert "no deck 'uncle'; known: any, grandma" in told(capsys)[1]


def test_read_uses_a_learnt_deck(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    DeckStore(tmp_path / "decks").save("grandma", PASSED)
    Image.new("RGB", (160, 120), (40, 90, 60)).save(tmp_path / "table.png")
    assert kemps("read", tmp_path / "table.png", "--deck", "grandma", "--data", tmp_path, "--json") == 0
    assert json.loads(told(capsys)[0])["cards"] == []
