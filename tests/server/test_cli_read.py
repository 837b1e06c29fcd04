"""``kemps read``: a line an image, and one line for each that cannot be read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from PIL import Image

from kemps_rules.cards import Card
from kemps_server.cli import main
from kemps_server.cli import read as command
from kemps_vision.cards.reading import CardReader, CardReading, FaceDownCard, Pixels, Reading

Kemps = Callable[..., int]


@dataclass
class WideReader:
    """Finds one card for each 100 px of a picture's width: known, known, doubtful twin, unread."""

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        """A reading that depends on the picture's width only."""
        assert card_length_px is None
        assert alphabet is None
        names = ["9s", "Td", "9s", None][: pixels.shape[1] // 100]
        cards = tuple(
            CardReading(
                card=None if name is None else Card.parse(name),
                score=0.99 - 0.1 * n,
                quad=np.array([[0.0, 0.0], [63.0, 0.0], [63.0, 88.0], [0.0, 88.0]]) + 10.04 * n,
                log_p=np.zeros(52),
                indices=(),
            )
            for n, name in enumerate(names)
        )
        return Reading(cards, unread=names.count(None), face_down=0, alphabet="international", ms=12.34)


@pytest.fixture
def kemps(monkeypatch: pytest.MonkeyPatch) -> Kemps:
    """Runs the command line with that reader and returns the exit code."""
    monkeypatch.setattr(command, "default_reader", lambda **_: WideReader())

    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["read", *map(str, words)])
        return int(left.value.code or 0)

    return run


def a_picture(path: Path, width: int) -> Path:
    Image.new("RGB", (width, 120), (30, 90, 30)).save(path)
    return path


def test_json_is_one_line_an_image_in_order_as_the_contract_says(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = [a_picture(tmp_path / f"{name}.png", width) for name, width in (("b", 230), ("a", 40))]
    assert kemps(*pictures, "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {
        "image": str(pictures[0]),
        "cards": [
            {"card": "9s", "score": 0.99, "corners": [[0.0, 0.0], [63.0, 0.0], [63.0, 88.0], [0.0, 88.0]]},
            {
                "card": "Td",
                "score": 0.89,
                "corners": [[10.0, 10.0], [73.0, 10.0], [73.0, 98.0], [10.0, 98.0]],
            },
        ],
        "unread": 0,
        "face_down": 0,
        "duplicates": [],
        "alphabet": "international",
        "alphabet_assumed": None,
        "ms": 12.3,
    }
    assert lines[1]["image"] == str(pictures[1])
    assert lines[1]["cards"] == []


def test_unread_cards_are_counted_not_listed(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a.png", 450), "--json") == 0
    line = json.loads(capsys.readouterr().out)
    assert [card["card"] for card in line["cards"]] == ["9s", "Td", "9s"]
    assert line["unread"] == 1
    assert line["duplicates"] == ["9s"]


def test_an_alphabet_that_nothing_settles_is_told_as_assumed(
    monkeypatch: pytest.MonkeyPatch, kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class OfNumerals(WideReader):
        def read(
            self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
        ) -> Reading:
            read = super().read(pixels, card_length_px=card_length_px, alphabet=alphabet)
            return replace(read, is_alphabet_assumed=True)

    monkeypatch.setattr(command, "default_reader", lambda **_: OfNumerals())
    assert kemps(a_picture(tmp_path / "a.png", 230), "--json") == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["alphabet"], line["alphabet_assumed"]) == (None, "international")


def test_a_folder_without_a_name_is_not_the_working_folder(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a.png", 40), "--draw", "") == 2
    assert capsys.readouterr().err.startswith("kemps read: a folder's name is empty; ")


def test_people_see_names_doubts_doubles_and_what_was_not_read(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a[b].png", 450)) == 0
    out = capsys.readouterr().out
    assert "a[b].png" in out
    assert "9♠ 10♦? 9♠?" in out
    assert "1 face up but not read" in out
    assert "9♠ at more than one place" in out


def test_people_see_how_many_lie_face_down_and_which_letters_the_deck_has(
    monkeypatch: pytest.MonkeyPatch, kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wide = WideReader()

    class German:
        def read(
            self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
        ) -> Reading:
            plain = wide.read(pixels, card_length_px=card_length_px, alphabet=alphabet)
            quad = np.array([[100.0, 20.0], [140.0, 20.0], [140.0, 76.0], [100.0, 76.0]])
            backs = (FaceDownCard(0.9, quad),) * 2
            return replace(plain, face_down=2, backs=backs, alphabet="german")

    asked: list[object] = []

    def reader(*, threads: int, alphabet: str) -> CardReader:
        assert threads >= 1
        asked.append(alphabet)
        return German()

    monkeypatch.setattr(command, "default_reader", reader)
    picture = a_picture(tmp_path / "a.png", 230)
    assert kemps(picture, "--alphabet", "german", "--draw", tmp_path / "drawn") == 0
    out = capsys.readouterr().out
    assert "2 face down" in out
    assert "german letters" in out
    assert asked == ["german"]
    assert kemps(picture, "--json") == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["face_down"], line["alphabet"]) == (2, "german")


def test_pictures_that_cannot_be_read_are_told_and_the_others_still_read(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "text.png").write_text("no picture")
    bad = [tmp_path / "empty.jpg", tmp_path / "text.png", tmp_path / "missing.png", tmp_path]
    good = a_picture(tmp_path / "good.png", 230)
    assert kemps(*bad[:2], good, *bad[2:], "--json") == 2
    caught = capsys.readouterr()
    assert [json.loads(line)["image"] for line in caught.out.splitlines()] == [str(good)]
    errors = caught.err.splitlines()
    assert len(errors) == 4
    for error, path in zip(errors, bad, strict=True):
        assert error.startswith(f"kemps read: {path}: ")


def test_a_picture_that_one_may_not_read_does_not_keep_the_others_from_being_read(
    kemps: Kemps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret, good = a_picture(tmp_path / "secret.png", 230), a_picture(tmp_path / "good.png", 230)
    really_open = Path.open

    def kept_from(path: Path, *how: Any, **more: Any) -> IO[Any]:  # noqa: ANN401 - as open has it
        if path == secret:
            raise PermissionError(13, "Permission denied", str(path))
        opened: IO[Any] = really_open(path, *how, **more)
        return opened

    # Root may read everything, whatever the file's mode says.
    monkeypatch.setattr(Path, "open", kept_from)
    monkeypatch.setattr(os, "access", lambda path, *_args, **_more: str(path) != str(secret))
    assert kemps(secret, good, "--json") == 2
    caught = capsys.readouterr()
    assert [json.loads(line)["image"] for line in caught.out.splitlines()] == [str(good)]
    assert caught.err == f"kemps read: {secret}: cannot be read (Permission denied)\n"


def test_the_letters_of_a_learnt_deck_are_known(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a.png", 230), "--deck", "grandma", "--alphabet", "german") == 2
    assert capsys.readouterr().err == (
        "kemps read: grandma was learnt with the letters that it has; leave --alphabet out\n"
    )


@pytest.mark.parametrize(("option", "value"), [("--deck", "grandma"), ("--alphabet", "klingon")])
def test_an_unknown_deck_or_alphabet_says_which_there_are(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    assert kemps(a_picture(tmp_path / "a.png", 230), option, value) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert value in caught.err
    assert "known: " in caught.err
    assert len(caught.err.splitlines()) == 1


def test_the_known_deck_and_alphabet_can_be_named(kemps: Kemps, tmp_path: Path) -> None:
    picture = a_picture(tmp_path / "a.png", 230)
    assert kemps(picture, "--deck", "any", "--alphabet", "international") == 0
    assert kemps(picture, "--alphabet", "any") == 0


def test_without_an_image_it_says_what_is_missing(kemps: Kemps, capsys: pytest.CaptureFixture[str]) -> None:
    assert kemps() == 2
    assert "IMAGE" in capsys.readouterr().err


def test_draw_writes_a_marked_copy_of_each_and_never_over_a_still(kemps: Kemps, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    pictures = [a_picture(tmp_path / "a.jpg", 230), a_picture(tmp_path / "other" / "a.jpg", 120)]
    before = pictures[0].read_bytes()
    assert kemps(*pictures, "--draw", tmp_path) == 0
    assert pictures[0].read_bytes() == before
    for name, width in (("a-read.jpg", 230), ("a-read-2.jpg", 120)):
        with Image.open(tmp_path / name) as drawn:
            assert drawn.size == (width, 120)


def test_a_still_that_is_called_as_a_sketch_would_be_is_not_drawn_over(kemps: Kemps, tmp_path: Path) -> None:
    still, own = a_picture(tmp_path / "a.png", 230), a_picture(tmp_path / "a-read.jpg", 40)
    before = own.read_bytes()
    assert kemps(still, own, "--draw", tmp_path) == 0
    assert own.read_bytes() == before
    drawn = {path.name for path in tmp_path.iterdir()} - {still.name, own.name}
    assert drawn == {"a-read-2.jpg", "a-read-read.jpg"}


def test_draw_into_something_that_is_no_folder_is_told_before_anything_is_read(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = a_picture(tmp_path / "a.png", 230)
    assert kemps(picture, "--draw", picture) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert "is a file" in caught.err
    assert kemps(picture, "--draw", picture / "below") == 2
    assert "cannot be made" in capsys.readouterr().err
