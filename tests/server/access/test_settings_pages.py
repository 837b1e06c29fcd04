"""The owner's page and what it does: users, links, choices, games, people."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from tests.server.access.conftest import PASSWORDS, Asker, AskFrom

from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.users import Role

PAGE = {"accept": "text/html"}
TABLE = '[[camera]]\nname = "table"\nrole = "table"\n'


@pytest.fixture
def owner(ask_from: AskFrom) -> Asker:
    """The owner, at another machine."""
    browser = ask_from()
    assert browser.log_in("Ida").status_code == 200
    return browser


@pytest.fixture
def game(store: Store, game_text: str) -> str:
    text = game_text.replace('"version":1', '"version":1,"consent":"at the door"')
    return store.games.take_in("Thursday", text.encode()).game.id


def test_only_the_owner_has_the_page(owner: Asker, ask_from: AskFrom) -> None:
    assert owner.get("/settings", headers=PAGE).status_code == 200
    assert {user["name"] for user in owner.get("/settings.json").json()["users"]} == set(PASSWORDS)
    referee = ask_from()
    referee.log_in("Rex")
    for path in ("/settings", "/settings.json", "/api/users", "/api/links", "/api/retention", "/api/people"):
        assert referee.get(path).status_code == 403
        assert ask_from().get(path).status_code == 401


@pytest.mark.parametrize("language", ["en", "ru", "pt", "fr", "es"])
def test_pages_speak_the_language(home: Asker, store: Store, game: str, language: str) -> None:
    store.tables.save("one", TABLE)
    store.tokens.issue(Role.VIEWER, "OBS")
    assert game in home.get(f"/settings?lang={language}", headers=PAGE).text
    for path in ("/settings", "/login", "/enter", "/account", "/games/nothing"):
        page = home.get(f"{path}?lang={language}", headers=PAGE).text
        assert f'<html lang="{language}">' in page


def test_names_are_text_and_never_markup(home: Asker, store: Store, game: str) -> None:
    evil = "<script>alert(1)<\"'"
    store.users.add("<b>Bo\"'", Role.PLAYER, "correct horse")
    store.tokens.issue(Role.VIEWER, evil)
    store.games.rename(game, evil)
    store.games.set_settings(game, consent=evil)
    page = home.get("/settings", headers=PAGE).text
    assert "<script>alert" not in page
    assert "<b>Bo" not in page
    missing = home.get("/games/%3Cscript%3Ealert(1)%3C", headers=PAGE).text
    assert "<script>alert" not in missing


def test_users_are_added_changed_and_removed(owner: Asker, ask_from: AskFrom) -> None:
    new = {"name": "Bo / x", "role": "player", "password": "paper lantern"}
    assert owner.post("/api/users", json=new).status_code == 422
    new["name"] = "Bo?#%&"
    assert owner.post("/api/users", json=new | {"password": "short"}).status_code == 422
    assert owner.post("/api/users", json=new).status_code == 201
    assert owner.post("/api/users", json=new).status_code == 409
    bo = ask_from("192.168.1.80")
    assert bo.log_in("Bo?#%&", "paper lantern").status_code == 200
    address = "/api/users/Bo%3F%23%25%26"
    assert owner.ask("PUT", address, json={"role": "referee"}).json()["role"] == "referee"
    assert bo.get("/api/session").json()["role"] == "referee"
    assert owner.ask("DELETE", f"{address}/sessions").status_code == 204
    assert bo.get("/api/session").json()["role"] is None
    assert owner.ask("PUT", f"{address}/password", json={"password": "tin soldier"}).status_code == 204
    assert bo.log_in("Bo?#%&", "tin soldier").status_code == 200
    assert owner.ask("DELETE", address).status_code == 204
    assert bo.get("/api/session").json()["role"] is None
    assert owner.ask("DELETE", address).status_code == 404
    for name in ("..", ".", " Bo", "B\no"):
        assert owner.post("/api/users", json=new | {"name": name}).status_code == 422


def test_the_last_owner_stays(owner: Asker, home: Asker) -> None:
    assert owner.ask("DELETE", "/api/users/Ida").status_code == 409
    assert owner.ask("PUT", "/api/users/Ida", json={"role": "viewer"}).status_code == 409
    assert home.ask("DELETE", "/api/users/Ida").status_code == 204  # this machine needs no password


def test_a_link_is_told_once_leads_where_it_should_and_is_taken_back(
    owner: Asker, ask_from: AskFrom, store: Store
) -> None:
    store.tables.save("one", TABLE)
    made = owner.post("/api/links", json={"role": "viewer", "label": "OBS", "table": "one", "days": 3}).json()
    where = urlsplit(made["address"])
    secret = where.query.removeprefix("token=")
    assert (where.netloc, where.path) == ("kemps.example", "/overlay/one")
    assert ask_from().get(f"/api/tables/one/state?token={secret}").status_code == 200
    told = owner.get("/settings", headers=PAGE).text + owner.get("/api/links").text
    assert secret not in told
    assert secret[-4:] not in told
    assert owner.ask("DELETE", f"/api/links/{made['id']}").status_code == 204
    assert ask_from().get(f"/api/tables/one/state?token={secret}").status_code == 401
    desk = owner.post("/api/links", json={"role": "referee", "label": "Rex's desk"}).json()["address"]
    assert urlsplit(desk).query == "next=/desk"
    assert urlsplit(desk).fragment
    phone = owner.post("/api/links", json={"role": "player", "label": "phone", "table": "one"}).json()
    assert phone["leads_to"] == "/watch"


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"role": "owner", "label": "me"}, 422),
        ({"role": "viewer", "label": "OBS"}, 422),
        ({"role": "viewer", "label": "OBS", "table": "nothing"}, 404),
        ({"role": "viewer", "label": "", "table": "one"}, 422),
        ({"role": "king", "label": "x"}, 422),
        ({"role": "player", "label": "x", "days": 0}, 422),
    ],
)
def test_a_link_that_cannot_be_is_one_line(owner: Asker, asked: dict[str, object], status: int) -> None:
    answer = owner.post("/api/links", json=asked)
    assert answer.status_code == status
    assert "\n" not in answer.json()["detail"]
    assert owner.ask("DELETE", "/api/links/nothing").status_code == 404


def test_choices_change_one_by_one(owner: Asker, store: Store) -> None:
    assert owner.ask("PUT", "/api/settings", json={"video_days": 30}).json() == {
        "video_days": 30,
        "blur_faces": False,
    }
    assert owner.ask("PUT", "/api/settings", json={"blur_faces": True}).json()["video_days"] == 30
    assert owner.ask("PUT", "/api/settings", json={"video_days": 0}).status_code == 422
    assert owner.ask("PUT", "/api/settings", json={"video_days": None}).json()["video_days"] is None
    assert store.choices.read().blur_faces


def test_a_dry_run_tells_and_removes_nothing(owner: Asker, store: Store, game: str) -> None:
    clip = store.folder.beside(game) / "video/table/000000000000-000000001900.mp4"
    clip.parent.mkdir(parents=True)
    clip.write_bytes(b"v" * 1000)
    assert owner.get("/api/retention").json() == {"video_days": None, "due": []}
    store.choices.set(video_days=1)
    assert owner.get("/api/retention").json()["due"] == []  # it was taken in just now
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE games SET added_at = '2020-01-01T00:00:00.000000+00:00'")
    (due,) = owner.get("/api/retention").json()["due"]
    assert (due["name"], due["files"], due["size"]) == (game, 1, 1000)
    assert clip.exists()
    keeping = f"/api/games/{game}/keeping"
    assert owner.ask("PUT", keeping, json={"keep": True, "why": "the final"}).status_code == 204
    assert owner.get("/api/retention").json()["due"] == []
    assert owner.get("/settings.json").json()["games"][0]["kept_why"] == "the final"
    assert owner.get("/settings.json").json()["games"][0]["consent"] == "at the door"
    assert owner.ask("PUT", keeping, json={"keep": False, "consent": "all agreed"}).status_code == 204
    assert owner.get("/settings.json").json()["games"][0]["consent"] == "all agreed"
    assert owner.post("/api/retention").json()["files"] == 1
    assert not clip.exists()
    assert owner.ask("PUT", "/api/games/nothing/keeping", json={"keep": True}).status_code == 404


def test_a_game_is_deleted_and_held_evidence_only_when_it_is_said(
    owner: Asker, store: Store, game: str
) -> None:
    folder = store.folder.beside(game)
    (folder / "cases").mkdir(parents=True)
    (folder / "cases/case.zip").write_bytes(b"case")
    refused = owner.ask("DELETE", f"/api/games/{game}")
    assert refused.status_code == 409
    assert "held as evidence" in refused.json()["detail"]
    assert owner.ask("DELETE", f"/api/games/{game}?with_held=true").json()["files"] == 1
    assert owner.ask("DELETE", f"/api/games/{game}").status_code == 404
    assert not folder.exists()


def test_a_person_is_forgotten_and_the_pages_know_it(owner: Asker, game: str) -> None:
    paths = [
        "/",
        "/index.json",
        "/players.json",
        "/desk.json",
        f"/games/{game}",
        f"/games/{game}.json",
        f"/games/{game}/analysis.json",
        f"/games/{game}/report",
        f"/api/games/{game}/replay",
        f"/api/games/{game}/state",
    ]
    assert "Carla" in "".join(owner.get(path, headers=PAGE).text for path in paths)
    assert {"name": "Carla", "games": 1} in owner.get("/api/people").json()
    found = owner.get("/api/people/traces?name=carla").json()
    assert [one["lines"] for one in found["games"]] == [1]
    assert owner.get("/api/people/traces?name=A").status_code == 422
    assert owner.post("/api/people/forget", json={"name": "Nobody"}).status_code == 409
    assert owner.post("/api/people/forget", json={"name": "Carla", "pseudonym": "a b"}).status_code == 422
    done = owner.post("/api/people/forget", json={"name": "Carla", "pseudonym": found["pseudonym"]})
    assert done.json()["pseudonym"] == found["pseudonym"]
    assert [path for path in paths if "Carla" in owner.get(path).text] == []
    assert found["pseudonym"] in owner.get(f"/games/{game}.json").text


def test_what_the_library_cannot_list_does_not_take_the_page_away(owner: Asker, store: Store) -> None:
    broken = store.folder.root / "broken"
    broken.mkdir()
    (broken / "game.jsonl").write_text("nonsense\n", encoding="utf-8")
    assert [game["name"] for game in owner.get("/settings.json").json()["games"]] == ["broken"]
    assert owner.get("/api/people").json() == []
    assert Library(store).kept()
