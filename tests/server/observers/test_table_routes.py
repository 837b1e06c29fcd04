"""Tables by the server's addresses: run, called at, set up, and closed to those who may not."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from kemps_server.errors import KempsServerError
from kemps_server.observers.clock import begin_clock
from kemps_server.observers.looking import ListedCamera, listed_cameras, look_apart, try_camera
from kemps_server.observers.observers import Observers
from kemps_server.observers.pictures import WANTED, picture_path
from kemps_server.page.words import LANGUAGES, load_words
from kemps_server.routes import table_set_up
from kemps_server.routes.table_answers import told_table
from kemps_server.shipped import shipped_clip
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_vision.errors import SourceError

Ask = Callable[..., httpx.Response]
Until = Callable[[Callable[[], bool]], None]

SET_UP: dict[str, Any] = {
    "rules": "leaflet",
    "deck": "any",
    "alphabet": "any",
    "cameras": [
        {
            "name": "table",
            "role": "table",
            "source": "0",
            "size": [1280, 720],
            "centre": [[330, 298], [949, 298], [949, 434], [330, 434]],
        },
        {"name": "faces", "role": "faces", "source": "1", "size": [640, 480]},
    ],
    "seats": [
        {"id": "A", "name": "Ana «x»", "at": [640, 828]},
        {"id": "B", "name": "Boris", "at": [-37, 365.4]},
        {"id": "C", "name": "Chloé", "face": {"camera": "faces", "box": [10, 20, 90, 90]}},
        {"id": "D", "name": "Diego"},
    ],
    "disk_budget": "5G",
    "loop": True,
}


def state(ask: Ask) -> dict[str, Any]:
    told: dict[str, Any] = ask("GET", "/api/tables/club").json()
    return told


def test_a_clip_that_is_over_takes_no_calls_and_its_recording_keeps_its_size(
    ask: Ask, store: Store, until: Until, script: Callable[..., list[str]]
) -> None:
    place = ask.app.state.place  # type: ignore[attr-defined]
    place.observers.close()
    place.observers = Observers(store, command=lambda *_: script(""))
    game = ask("POST", "/api/tables/club/start").json()["game"]["id"]
    until(lambda: state(ask)["state"] == "ended")
    folder = store.folder.beside(game)
    begin_clock(folder)
    (folder / "video" / "table").mkdir(parents=True)
    (folder / "video" / "table" / "0.mp4").write_bytes(b"x" * 1234)
    assert state(ask)["recording"]["used_bytes"] == 1234
    call = {"seat": "A", "call": "kemps"}
    assert ask("POST", "/api/tables/club/calls", call).status_code == 200  # pressed at the very end
    place.observers._running["club"]._ended -= 60
    late = ask("POST", "/api/tables/club/calls", call)
    assert (late.status_code, late.json()["code"]) == (409, "call_over")
    assert ask("POST", "/api/tables/club/calls", {**call, "age_ms": 30_000}).status_code == 409


def test_a_game_is_begun_called_at_stopped_and_ended_by_addresses(
    ask: Ask, store: Store, until: Until
) -> None:
    assert state(ask)["state"] == "off"
    assert state(ask)["game"] is None
    assert ask("POST", "/api/tables/club/calls", {"seat": "A", "call": "kemps"}).status_code == 409
    begun = ask("POST", "/api/tables/club/start", {"title": "Thursday", "consent": "all"})
    assert begun.status_code == 200
    assert begun.json()["game"]["title"] == "Thursday"
    until(lambda: state(ask)["state"] == "watching")
    game = state(ask)["game"]["id"]
    early = ask("POST", "/api/tables/club/calls", {"seat": "A", "call": "kemps"})
    assert (early.status_code, "not watched yet" in early.json()["detail"]) == (409, True)
    begin_clock(store.folder.beside(game))
    calls = [ask("POST", "/api/tables/club/calls", {"seat": seat, "call": "kemps"}).json() for seat in "ACAB"]
    assert [call["line"] for call in calls] == [1, 2, 3, 4]
    assert all(call["uncertainty_ms"] == 500 for call in calls)
    wrong = ask("POST", "/api/tables/club/calls", {"seat": "Z", "call": "kemps"})
    assert (wrong.status_code, wrong.json()["detail"]) == (
        409,
        "there is no seat 'Z' at this table of A B C D",
    )
    assert state(ask)["game"]["lines"] == 5
    assert state(ask)["game"]["at_ms"] >= calls[-1]["at_ms"]
    assert ask("POST", "/api/tables/club/stop").json()["state"] in {"stopping", "off"}
    assert ask("DELETE", "/api/tables/club").status_code == 409
    assert ask("POST", f"/api/games/{game}/release").status_code == 409
    assert ask("POST", "/api/tables/club/end", {"release": False}).json() == {
        "game": game,
        "is_released": False,
    }
    assert ask("POST", f"/api/games/{game}/release").json() == {"game": game, "is_released": True}
    assert store.games.journal(game).read()[-1].event.kind == "game_closed"
    assert ask("POST", "/api/tables/club/end").status_code == 409
    following = ask("POST", "/api/tables/club/next", {"title": "Friday"}).json()
    assert following["game"]["title"] == "Friday"
    assert ask("POST", "/api/tables/club/next").json()["game"]["id"] != following["game"]["id"]


def test_only_an_owner_says_that_what_was_secret_may_be_told(ask: Ask, store: Store, game: str) -> None:
    _, referee = store.tokens.issue(Role.REFEREE, "desk")
    refused = ask("POST", "/api/tables/club/end", {"release": True}, token=referee)
    assert refused.status_code == 403
    assert store.sittings.current("club") is not None
    assert ask("POST", f"/api/games/{game}/release", token=referee).status_code == 403
    assert ask("POST", "/api/tables/club/end", token=referee).json() == {"game": game, "is_released": False}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLAYER])
def test_viewers_and_players_see_nothing_of_how_tables_are_run(
    ask: Ask, store: Store, game: str, role: Role
) -> None:
    _, token = store.tokens.issue(role, "somebody")
    reading = ["/api/tables", "/api/tables/club", "/tables/club.json", "/tables/new"]
    reading += ["/tables/club/setup", "/tables/club/setup.json", "/api/tables/club/setup", "/api/cameras"]
    reading += ["/api/tables/club/cameras/table.jpg", "/index.json"]
    writing = [f"/api/tables/club/{act}" for act in ("start", "stop", "end", "next", "setup/undo")]
    writing += [f"/api/games/{game}/release"]
    answers = [ask("GET", path, token=token) for path in reading]
    answers += [ask("POST", path, token=token) for path in writing]
    answers += [ask("POST", "/api/tables/club/calls", {"seat": "A", "call": "kemps"}, token=token)]
    answers += [ask("POST", f"/api/cameras/{act}", {"source": "0"}, token=token) for act in ("try", "find")]
    answers += [ask("PUT", "/api/tables/club", {"set_up": {}}, token=token)]
    answers += [ask("DELETE", "/api/tables/club", token=token)]
    assert {answer.status_code for answer in answers} == {403}
    page = ask("GET", "/tables/club", token=token)
    assert page.status_code == 200
    assert "/setup" not in page.text
    for answer in (*answers, page):
        assert not any(secret in answer.text for secret in ("Ana", "Thursday", game))


def test_a_table_that_is_not_there_is_told_by_every_address(ask: Ask) -> None:
    for method, path, body in (
        ("GET", "/api/tables/attic", None),
        ("GET", "/tables/attic.json", None),
        ("GET", "/api/tables/attic/setup", None),
        ("GET", "/api/tables/attic/cameras/table.jpg", None),
        ("POST", "/api/tables/attic/start", None),
        ("POST", "/api/tables/attic/stop", None),
        ("POST", "/api/tables/attic/end", None),
        ("POST", "/api/tables/attic/calls", {"call": "kemps"}),
        ("POST", "/api/tables/attic/setup/undo", None),
        ("DELETE", "/api/tables/attic", None),
        ("POST", "/api/games/attic/release", None),
    ):
        assert ask(method, path, body).status_code == 404, path
    assert ask("GET", "/api/tables/club/cameras/attic.jpg").status_code == 404


def test_a_table_is_set_up_as_it_was_told_and_can_be_had_back(ask: Ask, store: Store) -> None:
    saved = ask("PUT", "/api/tables/kitchen", {"set_up": SET_UP, "delay_ms": 30_000})
    assert saved.status_code == 200
    told = ask("GET", "/tables/kitchen/setup.json").json()
    assert told == saved.json()
    assert told["delay_ms"] == 30_000
    assert told["set_up"]["seats"][1]["at"] == [-37, 365]  # whole px
    assert told["set_up"]["seats"][2]["face"] == {"camera": "faces", "box": [10, 20, 90, 90]}
    record = store.tables.find("kitchen")
    assert record is not None
    config = record.parsed
    assert config.seat_names["A"] == "Ana «x»"
    assert [list(corner) for corner in config.table_camera.centre or ()] == SET_UP["cameras"][0]["centre"]
    assert config.face_boxes(config.cameras[1], 640, 480) == {"C": (10, 20, 100, 110)}
    other = SET_UP | {"rules": "points", "cameras": SET_UP["cameras"][:1], "seats": []}
    taken = ask("PUT", "/api/tables/kitchen", {"set_up": other, "is_new": True})
    assert (taken.status_code, "choose another name" in taken.json()["detail"]) == (409, True)
    assert ask("PUT", "/api/tables/kitchen", {"set_up": other}).json()["delay_ms"] == 30_000
    back = ask("POST", "/api/tables/kitchen/setup/undo").json()
    assert back["set_up"] == told["set_up"]
    assert ask("POST", "/api/tables/kitchen/setup/undo").status_code == 409
    assert ask("DELETE", "/api/tables/kitchen").status_code == 204
    assert ask("GET", "/api/tables/kitchen").status_code == 404


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"rules": "chess"}, "chess"),
        ({"disk_budget": "much"}, "much"),
        ({"seats": SET_UP["seats"][:3]}, "give 4, 6 or 8"),
        ({"cameras": [SET_UP["cameras"][0] | {"centre": [[0, 0], [1, 1], [2, 2]]}]}, "is no area"),
        ({"alphabet": "klingon"}, "alphabet"),
        ({"extra": 1}, "extra"),
        ({"seats": [{"id": "A", "name": "x" * 61}]}, "60"),
        ({"seats": [{"id": "A", "name": "\u202e\u200b "}]}, "at least 1"),
    ],
)
def test_a_set_up_that_makes_no_sense_is_told_and_what_was_saved_stays(
    ask: Ask, store: Store, wrong: dict[str, Any], says: str
) -> None:
    before = store.tables.find("club")
    answer = ask("PUT", "/api/tables/club", {"set_up": SET_UP | wrong})
    assert answer.status_code == 422
    assert says in answer.json()["detail"]
    assert answer.text.count("\n") == 1
    assert store.tables.find("club") == before


def test_a_name_turns_no_line_round(ask: Ask, store: Store) -> None:
    seats = [*SET_UP["seats"][:3], {"id": "D", "name": " Die\u202ego\u0007\n "}]
    assert ask("PUT", "/api/tables/kitchen", {"set_up": SET_UP | {"seats": seats}}).status_code == 200
    kept = store.tables.find("kitchen")
    assert kept is not None
    assert kept.parsed.seat_names["D"] == "Die go"


def test_a_set_up_of_a_later_version_is_told_in_the_language_of_the_page(ask: Ask, store: Store) -> None:
    club = store.tables.find("club")
    assert club is not None
    later = replace(club, config='[[seat]]\nid = "A"\npose = "a"\n')
    told = told_table(later, store, ask.app.state.place.observers, "fr")  # type: ignore[attr-defined]
    assert told.problem == "table club: seat 1: unknown key 'pose'; known are id, name, at, face"
    assert told.problem_said == "table club: seat 1 : clé inconnue 'pose' ; on connaît id, name, at, face"


@pytest.mark.parametrize("name", ["new", "Kitchen", "a b", "x" * 41])
def test_a_name_that_cannot_stand_in_an_address_is_refused(ask: Ask, name: str) -> None:
    assert ask("PUT", f"/api/tables/{name}", {"set_up": SET_UP}).status_code == 422


def test_a_camera_shows_its_latest_picture_while_it_is_watched(ask: Ask, store: Store, until: Until) -> None:
    address = "/api/tables/club/cameras/table.jpg?marked=false"
    assert ask("GET", address).status_code == 204
    ask("POST", "/api/tables/club/start")
    until(lambda: state(ask)["state"] == "watching")
    folder = store.folder.beside(state(ask)["game"]["id"])
    path = picture_path(folder, "table", is_marked=False)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"picture")
    answer = ask("GET", address)
    assert (answer.status_code, answer.content) == (200, b"picture")
    assert answer.headers["content-type"] == "image/jpeg"
    assert (path.parent / WANTED).exists()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("game")
def test_the_pages_of_tables_are_there_in_every_language(ask: Ask, language: str) -> None:
    words = load_words(language, "site", "tables")
    for path, key in (("/", "home.title"), ("/tables/club", "run.calls"), ("/tables/new", "setup.find")):
        page = ask("GET", f"{path}?lang={language}")
        assert page.status_code == 200
        assert words.say(key) in page.text
        assert f'data-no-answer="{words.say("site.no_answer")}"' in page.text
        assert not re.search(r"\{\w+\}</(p|h1|h2|button|span)>", page.text)
    assert 'value="club" readonly' in ask("GET", f"/tables/club/setup?lang={language}").text
    assert "Ana" in ask("GET", f"/tables/club?lang={language}").text
    assert load_words("en", "site", "tables").texts.keys() == words.texts.keys()


def test_the_first_page_tells_tables_and_games_to_programs_too(ask: Ask, game: str) -> None:
    told = ask("GET", "/index.json").json()
    assert [table["name"] for table in told["tables"]] == ["club"]
    assert told["tables"][0]["game"]["id"] == game
    assert [one["address"] for one in told["games"]] == [game]


def test_cameras_are_listed_without_being_opened(ask: Ask, tmp_path: Path) -> None:
    devices = tmp_path / "class" / "video4linux"
    assert listed_cameras(devices) == [ListedCamera(str(number), "") for number in range(4)]
    devices.parent.mkdir()
    assert listed_cameras(devices) == []
    for name, index in (("video2", "0"), ("video3", "1"), ("video10", "0"), ("vbi0", "0")):
        (devices / name).mkdir(parents=True)
        (devices / name / "name").write_text("Cam\n")
        (devices / name / "index").write_text(index)
    assert listed_cameras(devices) == [ListedCamera("2", "Cam"), ListedCamera("10", "Cam")]
    assert ask("GET", "/api/cameras").json()[-1]["is_sample"] is True


def test_a_camera_that_hangs_costs_its_own_process_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with shipped_clip() as clip, pytest.raises(KempsServerError, match="nothing came within 0 s"):
        look_apart({"do": "try", "source": str(clip.video)}, 0.05)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(KempsServerError, match="crashed"):
        look_apart({"do": "try", "source": "0"}, 5.0)


def test_a_camera_is_tried_in_a_process_of_its_own(ask: Ask) -> None:
    with shipped_clip() as clip:
        told = ask("POST", "/api/cameras/try", {"source": str(clip.video)}).json()
    assert told["size"] == [1280, 720]
    assert told["picture"].startswith("data:image/jpeg;base64,")


def test_what_the_doctor_says_of_a_table_is_said_in_the_language_of_the_page(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty: dict[str, Any] = {"cameras": [], "seats": [], "seen": [], "picture": "data:,", "stood": ""}
    size: dict[str, Any] = {"size": [1280, 720], "edge": None, "card_px": None, "good_px": [90, 200]}
    notes = ["only 3 cards were seen in the centre: see that its outline has room for four"]
    says = "the centre is found by itself, with 3 cards in it"
    findings = [{"level": "ok", "about": "centre", "says": says}]
    found = empty | size | {"is_good": False, "notes": notes, "findings": findings}
    monkeypatch.setattr(table_set_up, "look_apart", lambda *_: found)
    told = ask("POST", "/api/cameras/find", {"source": "0"}, language="es").json()
    assert told["findings"] == findings
    assert told["findings_said"] == [
        {"level": "ok", "about": "centro", "says": "el centro se encontró, con 3 cartas"}
    ]
    assert told["notes_said"][0].startswith("solo se vieron 3 cartas en el centro")


@pytest.mark.parametrize("where", ["/no/such/film.mp4", ".", ""])
def test_what_is_no_camera_is_told_in_a_line(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((KempsServerError, SourceError)):
        try_camera(where)
    assert capsys.readouterr().err == ""


def test_why_an_observer_failed_is_told_in_the_language_of_the_page(
    ask: Ask, store: Store, until: Until, script: Callable[..., list[str]]
) -> None:
    place = ask.app.state.place  # type: ignore[attr-defined]
    place.observers.close()
    text = "import sys; print(\"camera 'table' has no source; choose one on the table's set-up page\", "
    failing = script(f"{text}file=sys.stderr); sys.exit(2)", watches=False)
    place.observers = Observers(store, command=lambda *_: failing)
    ask("POST", "/api/tables/club/start")
    until(lambda: state(ask)["state"] == "failed")
    told = state(ask)
    assert told["reason"] == told["reason_said"]
    assert "a pas de source ; choisissez-en une" in ask("GET", "/tables/club?lang=fr").text
