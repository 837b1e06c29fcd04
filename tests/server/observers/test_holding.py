"""Recordings that a referee holds."""

from __future__ import annotations

from pathlib import Path

from kemps_rules.events import Called, HandHidden, Reviewed
from kemps_server.observers.holding import HoldWatch, keep_held
from kemps_server.recording.disk import HELD, Held, HeldSpan, hold, spans_in
from kemps_server.store.store import Store


def test_the_video_round_a_flag_on_hold_is_held_once(store: Store, game: str) -> None:
    journal, folder = store.games.journal(game), store.folder.beside(game)
    journal.append(Called(at_ms=200_000, seat="A", call="kemps"))
    journal.append(HandHidden(at_ms=100_000, until_ms=103_000, seat="C"))
    journal.append(Reviewed(at_ms=210_000, rule="R10", events=(2,), decision="confirm", by="r", why="seen"))
    watch = HoldWatch(store)
    watch.look()
    assert not (folder / HELD).exists()
    review = Reviewed(at_ms=220_000, rule="R10", events=(2,), decision="hold", by="r", why="later")
    journal.append(review)
    watch.look()
    watch.look()
    assert spans_in(folder / HELD) == (HeldSpan(70_000, 163_000, "hold R10 3"),)
    assert Held(folder).covers(160_000, 162_000)
    assert not Held(folder).covers(164_000, 180_000)
    assert keep_held(store, game) == 0  # also after the server's restart
    journal.append(Reviewed(at_ms=230_000, rule="R12", events=(1, 99), decision="hold", by="r", why="too"))
    assert keep_held(store, game) == 1
    assert Held(folder).covers(240_000, 250_000)


def test_a_decision_about_lines_that_are_not_there_holds_nothing(store: Store, game: str) -> None:
    journal = store.games.journal(game)
    journal.append(Reviewed(at_ms=0, rule="R10", events=(7,), decision="hold", by="r", why="?"))
    assert keep_held(store, game) == 0


def test_spans_are_read_as_they_were_held(tmp_path: Path) -> None:
    assert spans_in(tmp_path / HELD) == ()
    hold(tmp_path, HeldSpan(1, 2, "call"))
    hold(tmp_path, HeldSpan(5, 9, "case «7»"))
    assert spans_in(tmp_path / HELD) == (HeldSpan(1, 2, "call"), HeldSpan(5, 9, "case «7»"))
