"""What goes and what stays: recordings by age, whole games, and people who want to be forgotten."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kemps_rules.events import Reviewed
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.forgetting.daily import DailyRetention
from kemps_server.forgetting.material import pieces_beside, remove_pieces
from kemps_server.forgetting.person import Wish, forget, people_in, traces_of
from kemps_server.forgetting.removal import remove_game
from kemps_server.forgetting.retention import due_games, remove_due
from kemps_server.forgetting.rewriting import Renaming, new_pseudonym
from kemps_server.library import Library
from kemps_server.recording.disk import HeldSpan, hold
from kemps_server.store.games import Novelty
from kemps_server.store.journals import content_of
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_vision.sources.segments import segment_name

WriteGame = Callable[..., Path]
NOTES = {"recording.json", "evidence/index.json", "offsets.jsonl"}
NOW = datetime(2026, 6, 1, tzinfo=UTC)
JUDGED = (
    '{"kind":"ruled","at_ms":31000,"event":11,"ruling":"right","by":"Anna","why":"ANNA saw, Annabel too"}\n'
    '{"kind":"seat_changed","at_ms":31500,"seat":"B","to":"anna"}\n'
    '{"kind":"seat_changed","at_ms":31600,"seat":"C","to":"A"}\n'
)


@pytest.fixture
def now() -> list[datetime]:
    return [NOW]


@pytest.fixture
def library(write_game: WriteGame, now: list[datetime]) -> Iterator[Library]:
    data = write_game().parent
    with Store.open(DataFolder(data), clock=lambda: now[0]) as store:
        yield Library(store)


@pytest.fixture
def game(library: Library, game_text: str) -> str:
    """A stored game that Anna sat in, with all that can lie beside one."""
    record = library.store.games.take_in("Anna's evening", (game_text + JUDGED).encode()).game
    fill(library.store.folder.beside(record.id))
    return record.id


def fill(folder: Path) -> None:
    table = folder / "video/table"
    table.mkdir(parents=True)
    for at_ms in range(0, 10_000, 2000):
        (table / segment_name(at_ms, at_ms + 1900)).write_bytes(b"v" * 100)
    (table / segment_name(10_000)).write_bytes(b"v" * 100)
    (folder / "evidence").mkdir()
    rows = [{"file": f"{n}.jpg", "line": n, "kind": "x", "moment": "at", "at_ms": n * 1000} for n in range(8)]
    for row in rows:
        (folder / f"evidence/{row['file']}").write_bytes(b"p" * 10)
    (folder / "evidence/index.json").write_text(json.dumps({"pictures": rows}), encoding="utf-8")
    (folder / "traces/table").mkdir(parents=True)
    for at_ms in (0, 20_000):
        (folder / f"traces/table/{at_ms:012}.npz").write_bytes(b"t")
    (folder / "film/cuts").mkdir(parents=True)
    (folder / "film/cuts/clip.mp4").write_bytes(b"c")
    (folder / "page.html").write_text("Anna", encoding="utf-8")
    (folder / "recording.json").write_text("{}", encoding="utf-8")
    (folder / "reel.mp4").write_bytes(b"r")
    said = '{"camera":"table","offset_ms":40,"by":"Anna","why":"","written_ms":1}\n'
    (folder / "offsets.jsonl").write_text(said, encoding="utf-8")


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_a_span_holds_stays_and_the_list_of_pictures_names_those_that_are_there(
    library: Library, game: str
) -> None:
    folder = library.store.folder.beside(game)
    hold(folder, HeldSpan(2500, 4100, "call"))
    removed = remove_pieces(folder, pieces_beside(folder))
    assert names_in(folder) == {
        "video/table/000000002000-000000003900.mp4",
        "video/table/000000004000-000000005900.mp4",
        "evidence/3.jpg",
        "evidence/4.jpg",
        "evidence/index.json",
        "traces/table/000000000000.npz",
        "recording.json",
        "held.jsonl",
        "offsets.jsonl",
    }
    rows = json.loads((folder / "evidence/index.json").read_text(encoding="utf-8"))["pictures"]
    assert [row["file"] for row in rows] == ["3.jpg", "4.jpg"]
    assert (removed.held_files, removed.failed) == (5, 0)
    assert removed.files == 4 + 6 + 1 + 1 + 1 + 1


def test_nothing_goes_while_the_list_of_what_is_held_cannot_be_read(library: Library, game: str) -> None:
    folder = library.store.folder.beside(game)
    (folder / "held.jsonl").write_text("not json\n", encoding="utf-8")
    before = names_in(folder) - {
        "page.html",
        "reel.mp4",
        "film/cuts/clip.mp4",
    }  # made anew whenever they are asked for
    remove_pieces(folder, pieces_beside(folder))
    assert names_in(folder) == before


def test_links_are_not_followed(library: Library, game: str, tmp_path: Path) -> None:
    folder = library.store.folder.beside(game)
    elsewhere = tmp_path / "holiday"
    elsewhere.mkdir()
    (elsewhere / "film.mp4").write_bytes(b"mine")
    (folder / "video/film.mp4").symlink_to(elsewhere / "film.mp4")
    (folder / "video/more").symlink_to(elsewhere)
    remove_pieces(folder, pieces_beside(folder))
    assert (elsewhere / "film.mp4").read_bytes() == b"mine"
    assert not (folder / "video").exists()
    assert pieces_beside(elsewhere / "nothing") == []


def test_recordings_go_by_age_and_journals_stay(
    library: Library, game: str, now: list[datetime], caplog: pytest.LogCaptureFixture
) -> None:
    old = library.root / "thursday"
    (old / "video").mkdir()
    (old / "video/whole.mp4").write_bytes(b"v")
    os.utime(old / "game.jsonl", (NOW.timestamp(), NOW.timestamp()))
    assert due_games(library, None, NOW + timedelta(days=9999)) == []
    assert due_games(library, 30, NOW + timedelta(days=30)) == []
    now[0] = NOW + timedelta(days=31)
    assert {due.name for due in due_games(library, 30, now[0])} == {game, "thursday"}
    with caplog.at_level("INFO"):
        removed = remove_due(library, 30, now[0])
    assert removed.files == 6 + 8 + 2 + 1 + 1 + 1 + 1
    assert f"retention: {game}: 19 files" in caplog.text
    assert names_in(library.store.folder.beside(game)) == NOTES
    assert (old / "game.jsonl").is_file()
    assert len(library.store.games.journal(game)) > 10
    assert due_games(library, 30, now[0]) == []


def test_a_game_that_is_played_or_kept_is_left_alone(library: Library, game: str, game_text: str) -> None:
    later = NOW + timedelta(days=100)
    library.store.games.set_settings(game, keep={"why": "the final", "by": "Ida", "at": "now"})
    assert due_games(library, 1, later) == []
    library.store.games.set_settings(game, keep=None)
    assert [due.name for due in due_games(library, 1, later)] == [game]
    status = library.store.folder.beside(game) / "live.json"
    status.write_text('{"is_running": true}', encoding="utf-8")
    assert due_games(library, 1, later) == []
    os.utime(status, (time.time() - 3600, time.time() - 3600))  # killed an hour ago
    assert [due.name for due in due_games(library, 1, later)] == [game]
    other = library.store.games.take_in("Tonight", game_text.replace("Boris", "Bo").encode()).game.id
    fill(library.store.folder.beside(other))
    library.store.sittings.begin("one", other)
    assert other not in {due.name for due in due_games(library, 1, later)}
    library.store.sittings.end(other)
    assert other in {due.name for due in due_games(library, 1, later)}


def test_a_flag_that_a_referee_holds_keeps_its_recording(library: Library, game: str) -> None:
    hidden = 7  # at 15 to 17.3 s: the recording half a minute before it is evidence, too
    library.store.decisions.add(
        game, Reviewed(at_ms=40_000, rule="R10", events=(hidden,), decision="hold", by="Rex", why="unsure")
    )
    folder = library.store.folder.beside(game)
    remove_due(library, 1, NOW + timedelta(days=100))
    assert "video/table/000000002000-000000003900.mp4" in names_in(folder)
    assert "page.html" not in names_in(folder)


def test_the_job_looks_at_once_and_goes_on_after_a_failure(
    library: Library, game: str, now: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    library.store.choices.set(video_days=1)
    now[0] = NOW + timedelta(days=3)
    calls: list[str] = []
    whole = library.store.choices.read

    def failing_once() -> object:
        calls.append("read")
        if len(calls) == 1:
            raise StoreError("the disk is full")
        return whole()

    monkeypatch.setattr(library.store.choices, "read", failing_once)
    job = DailyRetention(library, every_s=0.01)
    job.start()
    ends = time.monotonic() + 20
    while (library.store.folder.beside(game) / "page.html").exists() and time.monotonic() < ends:
        time.sleep(0.01)
    job.stop()
    assert not (library.store.folder.beside(game) / "page.html").exists()


def test_a_deleted_game_is_gone_with_everything_beside_it(library: Library, game: str) -> None:
    folder = library.store.folder.beside(game)
    hold(folder, HeldSpan(2500, 4100, "call"))
    with pytest.raises(KempsServerError, match=r"5 files of .* are held as evidence"):
        remove_game(library, game, with_held=False)
    assert folder.exists()
    library.store.sittings.begin("one", game)
    with pytest.raises(KempsServerError, match="is being played"):
        remove_game(library, game, with_held=True)
    library.store.sittings.end(game)
    remove_game(library, game, with_held=True)
    assert not folder.exists()
    assert not (library.root / "thursday").exists()  # the same game, before it was taken in
    assert library.find(game) is None
    assert library.store.sittings.of_game(game) is None
    assert library.shown() == ()
    for name in ("thursday", "..", "../.."):
        with pytest.raises(KempsServerError, match="there is no game"):
            remove_game(library, name, with_held=True)
    assert library.root.is_dir()


def test_a_persons_name_gives_way_everywhere_and_all_else_stays(library: Library, game: str) -> None:
    store = library.store
    store.users.add("Anna", Role.PLAYER, "correct horse")
    store.tokens.issue(Role.PLAYER, "Anna's phone")
    seat = "".join(
        f'[[seat]]\nid = "{n}"\nname = "{name}"\n' for n, name in zip("ABCD", ["Anna", *"xyz"], strict=True)
    )
    config = '[[camera]]\nname = "table"\nrole = "table"\nsize = [1280, 720]\n'
    store.tables.save("one", f"{config}{seat}")
    before = content_of(store.games.journal(game).read()).decode()
    found = traces_of(library, " ANNA ")
    assert {(one.name, one.lines, one.sat_in) for one in found.games} == {
        (game, 3, True),
        ("thursday", 1, True),
    }
    assert (found.titles, found.tables, found.links, found.has_account) == (1, ["one"], 1, True)
    done = forget(library, "Anna", Wish(pseudonym="player-x"))
    after = content_of(store.games.journal(game).read()).decode()
    expected = before.replace('"A":"Anna"', '"A":"player-x"').replace('"by":"Anna"', '"by":"player-x"')
    expected = expected.replace("ANNA saw", "player-x saw").replace('"to":"anna"', '"to":"player-x"')
    assert after == expected
    assert done.is_compacted
    assert people_in(library) == {"Boris": 2, "Carla": 2, "Dmitri": 2, "player-x": 2}
    left = b"".join(path.read_bytes() for path in library.root.rglob("*") if path.is_file())
    assert b"Annabel" in left
    assert [bad for bad in (b"Anna'", b'"Anna"', b"ANNA", b'"anna"', b"Anna\x00") if bad in left] == []
    assert store.users.find("Anna") is None
    assert store.games.find(game).title == "player-x's evening"  # type: ignore[union-attr]
    assert store.games.find(game).revision == 1  # type: ignore[union-attr]
    assert store.tables.find("one").parsed.seats[0].name == "player-x"  # type: ignore[union-attr]
    assert names_in(store.folder.beside(game)) == NOTES
    assert store.games.take_in("again", after.encode()).novelty is Novelty.KNOWN
    with pytest.raises(KempsServerError, match="nothing is kept under the name"):
        forget(library, "Anna", Wish(pseudonym="player-y"))


def test_copies_are_kept_or_removed_as_it_was_wished(library: Library, game: str) -> None:
    kept = forget(library, "Anna", Wish(pseudonym="player-x", keep_copy=True))
    copy = library.store.folder.backups / kept.copy
    assert b"Anna" in copy.read_bytes()
    assert traces_of(library, "Boris").copies == [kept.copy]
    done = forget(library, "Boris", Wish(pseudonym="player-y", with_copies=True))
    assert not copy.exists()
    assert done.copy == ""
    assert len(library.store.games.journal(game)) > 10


def test_what_is_held_stays_until_it_is_released_and_that_is_told(library: Library, game: str) -> None:
    folder = library.store.folder.beside(game)
    hold(folder, HeldSpan(0, 2000, "call"))
    (theirs,) = (one for one in traces_of(library, "Anna").games if one.name == game)
    assert theirs.held_files > 0
    done = forget(library, "Anna", Wish(pseudonym="player-x"))
    assert done.removed.held_files == theirs.held_files
    assert (folder / "video/table/000000000000-000000001900.mp4").exists()
    forget(library, "player-x", Wish(pseudonym="player-z", with_held=True))
    assert names_in(folder) == NOTES | {"held.jsonl"}


def test_nobody_is_forgotten_while_they_play(library: Library, game: str) -> None:
    library.store.sittings.begin("one", game)
    with pytest.raises(KempsServerError, match="is being played"):
        forget(library, "Anna", Wish(pseudonym="player-x"))
    assert b"Anna" in content_of(library.store.games.journal(game).read())


@pytest.mark.parametrize("name", ["", "  ", "A", "--", "x" * 300])
def test_what_is_no_name_forgets_nobody(library: Library, name: str) -> None:
    with pytest.raises(KempsServerError, match=r"is no name|is a seat"):
        forget(library, name, Wish(pseudonym="player-x"))


def test_lines_without_the_name_stay_byte_for_byte() -> None:
    renaming = Renaming("9s", "player-x")
    odd = '{"kind":"hand_shown", "at_ms":1,"seat":"A","cards":["9s"],"unread":0}\r\n'
    assert renaming.in_line(odd) == odd
    assert renaming.in_line("no json\n") == "no json\n"
    assert Renaming("José", "x").in_line('{"why":"Jose\u0301 did"}') == '{"why":"x did"}'
    assert Renaming("Аня", "x").in_line(r'{"by":"\u0410\u043d\u044f"}') == '{"by":"x"}'
    assert new_pseudonym() != new_pseudonym()
