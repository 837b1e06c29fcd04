"""What ``--overwrite`` may delete: the game that was there, and nothing of anybody's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as Pictures

from kemps_rules.errors import JournalError
from kemps_rules.writer import JournalWriter
from kemps_server.errors import KempsServerError
from kemps_server.game_folder import Mode, prepare_folder
from kemps_vision.sources import open_source


def some_stills(folder: Path) -> Path:
    folder.mkdir(parents=True)
    Pictures.new("RGB", (64, 48)).save(folder / "1.png")
    return folder


def test_a_folder_without_a_game_keeps_what_lies_in_it(tmp_path: Path) -> None:
    own = tmp_path / "home" / "video" / "holidays.mp4"
    own.parent.mkdir(parents=True)
    own.write_text("a film")
    with open_source(str(some_stills(tmp_path / "stills"))) as source:
        assert prepare_folder(tmp_path / "home", source, Mode.OVERWRITE) == ()
    assert own.read_text() == "a film"


def test_a_game_is_replaced_with_its_evidence_and_its_recording(tmp_path: Path) -> None:
    game = tmp_path / "game"
    for name in ("evidence", "video"):
        (game / name).mkdir(parents=True)
        (game / name / "old").touch()
    (game / "game.jsonl").write_text("old")
    with open_source(str(some_stills(tmp_path / "stills"))) as source:
        assert prepare_folder(game, source, Mode.OVERWRITE) == ()
    assert list(game.iterdir()) == []


@pytest.mark.parametrize("is_second", [False, True])
def test_a_recording_in_the_game_is_not_deleted_while_it_is_watched(tmp_path: Path, is_second: bool) -> None:
    game = tmp_path / "game"
    inside, outside = some_stills(game / "video" / "film"), some_stills(tmp_path / "stills")
    (game / "game.jsonl").write_text("old")
    with open_source(str(inside)) as watched, open_source(str(outside)) as other:
        first, second = (other, watched) if is_second else (watched, other)
        with pytest.raises(KempsServerError, match="--overwrite would delete it"):
            prepare_folder(game, first, Mode.OVERWRITE, [second])
    assert (inside / "1.png").exists()
    assert (game / "game.jsonl").read_text() == "old"


def test_a_link_to_a_recording_elsewhere_may_go_with_the_game(tmp_path: Path) -> None:
    stills = some_stills(tmp_path / "stills")
    link = tmp_path / "game" / "video" / "film"
    link.parent.mkdir(parents=True)
    link.symlink_to(stills, target_is_directory=True)
    (tmp_path / "game" / "game.jsonl").write_text("old")
    with open_source(str(link)) as source:
        assert prepare_folder(tmp_path / "game", source, Mode.OVERWRITE) == ()
    assert not link.exists()
    assert (stills / "1.png").exists()


def test_a_game_that_somebody_is_writing_is_not_replaced(tmp_path: Path) -> None:
    game = tmp_path / "game"
    (game / "video").mkdir(parents=True)
    (game / "video" / "000001.mp4").touch()
    with (
        JournalWriter(game / "game.jsonl"),
        open_source(str(some_stills(tmp_path / "stills"))) as source,
        pytest.raises(JournalError, match="is being written by another process"),
    ):
        prepare_folder(game, source, Mode.OVERWRITE)
    assert (game / "game.jsonl").exists()
    assert (game / "video" / "000001.mp4").exists()


def test_a_game_of_which_something_is_held_is_not_replaced(tmp_path: Path) -> None:
    game = tmp_path / "game"
    game.mkdir()
    (game / "game.jsonl").write_text("old")
    (game / "held.jsonl").write_text('{"from_ms":0,"until_ms":5000,"why":"a call"}\n')
    with (
        open_source(str(some_stills(tmp_path / "stills"))) as source,
        pytest.raises(KempsServerError, match="held as evidence"),
    ):
        prepare_folder(game, source, Mode.OVERWRITE)
    assert (game / "game.jsonl").read_text() == "old"
