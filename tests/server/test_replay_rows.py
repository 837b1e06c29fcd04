"""What the replay page draws: rows that tell what changed, told once and anew when the journal has grown."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.errors import JournalError
from kemps_server.errors import KempsServerError
from kemps_server.games import find_game
from kemps_server.page.told_games import ToldGames

WriteGame = Callable[..., Path]
REACHED = '{"kind":"hand_reached","at_ms":8200,"until_ms":8700,"seat":"A"}\n'
UNSURE = '{"kind":"card_touched","at_ms":8300,"seat":"A","card":"2h","confidence":0.6}\n'


def rows_of(folder: Path, told: ToldGames | None = None, language: str = "en") -> dict[str, Any]:
    content = (told or ToldGames()).rows("a", find_game(folder), language).content
    rows: dict[str, Any] = json.loads(content)
    return rows


def test_steps_stand_in_the_order_of_time_and_tell_what_changed(
    write_game: WriteGame, game_text: str
) -> None:
    rows = rows_of(write_game(game_text + REACHED + UNSURE))
    steps = rows["steps"]
    assert [step["at_ms"] for step in steps] == sorted(step["at_ms"] for step in steps)
    taken = next(step for step in steps if step["kind"] == "card_taken")
    assert taken["text"] == "Anna takes 9♣"
    assert "9c" not in taken["centre"]
    assert list(taken["hands"]) == ["A"]
    assert taken["hands"]["A"]["faces"].count("9c") == 1
    touched = next(step for step in steps if step["kind"] == "card_touched")
    assert touched["is_unsure"]
    assert not {"hands", "centre", "stock", "deal"} & set(touched)
    called = next(step for step in steps if step["kind"] == "called")
    assert called["bubble"] == ["C", "Kemps!"]


def test_a_heard_call_is_marked_until_somebody_confirms_it(write_game: WriteGame, game_text: str) -> None:
    lines = game_text.splitlines()
    line = next(place for place, text in enumerate(lines) if '"called"' in text)
    lines[line] = json.dumps(json.loads(lines[line]) | {"confidence": 0.7, "heard": {"score": 1.7}})
    heard = "".join(f"{text}\n" for text in lines)
    confirmed = heard + json.dumps(
        {"kind": "corrected", "at_ms": 99_000, "event": line, "to": {"confidence": 1}, "by": "Ida"}
    )
    for name, text, is_heard in (("one", heard, True), ("two", confirmed, False)):
        steps = rows_of(write_game(text, name))["steps"]
        assert next(step for step in steps if step["line"] == line).get("is_heard", False) is is_heard


def test_what_lasts_flags_and_verdicts_are_told(write_game: WriteGame, game_text: str) -> None:
    rows = rows_of(write_game(game_text + REACHED))
    assert ["reach", "A", 8200, 8700] in [span[:4] for span in rows["spans"]]
    assert {"swap", "hidden", "gesture", "shown"} <= {span[0] for span in rows["spans"]}
    (verdict,) = [deal["verdict"] for deal in rows["deals"]]
    assert (verdict["ruling"], verdict["said"], verdict["at_ms"]) == ("right", "Right", 23250)
    assert [flag["rule"] for flag in rows["flags"]] == ["R10"]
    assert (
        rows_of(write_game(game_text, "friday"), language="ru")["flags"][0]["name"]
        != rows["flags"][0]["name"]
    )


def test_a_game_is_told_once_until_its_journal_has_grown(write_game: WriteGame, game_text: str) -> None:
    folder, told = write_game(), ToldGames()
    first = told.rows("a", find_game(folder), "en")
    assert told.rows("a", find_game(folder), "en") is first
    assert told.rows("a", find_game(folder), "ru").tag != first.tag
    (folder / "game.jsonl").write_text(game_text + REACHED)
    assert len(rows_of(folder, told)["steps"]) == len(json.loads(first.content)["steps"]) + 1


def test_a_page_on_its_way_has_its_game_told_beside(write_game: WriteGame) -> None:
    told, game = ToldGames(), find_game(write_game())
    told.begin("a", game, "en")
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon:
            thread.join(5)
    before = told.rows("a", game, "en")
    told.begin("a", game, "en")
    assert told.rows("a", game, "en") is before


def test_what_is_no_game_is_told_before_the_page_is_made(write_game: WriteGame) -> None:
    folder, told = write_game("nonsense\n"), ToldGames()
    with pytest.raises(JournalError, match="line 1"):
        told.begin("a", find_game(folder), "en")
    game = find_game(folder)
    (folder / "game.jsonl").write_text('{"kind":"settled","at_ms":0,"camera":"table"}\n')
    with pytest.raises((KempsServerError, JournalError), match="header"):
        told.begin("a", game, "en")
    (folder / "game.jsonl").unlink()
    with pytest.raises(JournalError, match="cannot be read"):
        told.rows("a", game, "en")
