"""The pages of figures and players, their twins for programs, and who may see them when."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from kemps_rules.events import Corrected, GameClosed
from kemps_rules.journal import Journal, journal_of
from kemps_rules.writer import format_event
from kemps_server.analysis.game import analyse
from kemps_server.analysis.players import ToldGame, known_as, players_of
from kemps_server.analysis.shelf import FigureShelf
from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.exports.figures import COLUMNS
from kemps_server.library import Library
from kemps_server.page.words import LANGUAGES
from kemps_server.store.store import Store
from kemps_server.store.users import Role

HOSTILE = "<b>A/n?n</b> 'é\""


class Asking:
    """Asks an application as a visitor."""

    def __init__(self, app: FastAPI, token: str = "") -> None:
        self.app, self.token = app, token

    def get(self, path: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.get(path, headers=headers)

        return asyncio.run(ask())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def app(store: Store) -> FastAPI:
    return create_app(Library(store))


@pytest.fixture
def owner(app: FastAPI) -> Asking:
    return Asking(app)


def visitor(app: FastAPI, store: Store, role: Role) -> Asking:
    return Asking(app, store.tokens.issue(role, f"a {role}")[1])


def take_in(store: Store, text: str, title: str = "Thursday") -> str:
    return store.games.take_in(title, text.encode()).game.id


def test_a_page_its_twin_and_its_table_say_the_same(owner: Asking, store: Store, short_text: str) -> None:
    game = take_in(store, short_text)
    figures = owner.get(f"/games/{game}/analysis.json").json()["figures"]
    assert [call["after_ms"] for call in figures["calls"]] == [11_600, 8_000, None]
    assert figures["swaps"][1]["takes"]["count"] == 2
    table = list(csv.DictReader(io.StringIO(owner.get(f"/games/{game}/analysis.csv").text)))
    assert list(table[0]) == list(COLUMNS)
    (ben,) = [row for row in table if row["figure"] == "takes" and row["player"] == "Ben"]
    assert (ben["n"], ben["value"], ben["unit"]) == ("2", "3.6364", "1/min")
    page = owner.get(f"/games/{game}/analysis").text
    assert "Dot calls Kemps 8.0 s (± 0.1 s) after Ben had four of rank 10" in page
    assert "Cem calls Kemps at most 12 s after Ann had four of rank 9" in page


def test_figures_are_those_of_the_journal_as_it_stands(owner: Asking, store: Store, short_text: str) -> None:
    game = take_in(store, short_text)
    assert owner.get(f"/games/{game}/analysis.json").json()["figures"]["calls"][2]["ruling"] == "wrong"
    shown = {"cards": ["2d", "2h", "2c", "2s"]}
    store.games.journal(game).append(Corrected(at_ms=99_000, event=31, to=shown, by="ref", why="glare"))
    assert owner.get(f"/games/{game}/analysis.json").json()["figures"]["calls"][2]["ruling"] == "right"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLAYER])
def test_nobody_but_those_who_judge_sees_figures_before_the_game_is_closed(
    app: FastAPI, store: Store, short_text: str, role: Role
) -> None:
    game = take_in(store, short_text)
    asking = visitor(app, store, role)
    addresses = [f"/games/{game}/analysis{end}" for end in ("", ".json", ".csv")]
    addresses += [f"/api/games/{game}/reel", f"/games/{game}/reel.mp4"]
    assert [asking.get(address).status_code for address in addresses] == [403] * 5
    assert "wink" not in "".join(asking.get(address).text for address in addresses)
    store.games.journal(game).append(GameClosed(at_ms=99_000))
    assert [asking.get(address).status_code for address in addresses] == [200, 200, 200, 200, 404]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLAYER])
def test_players_over_all_games_are_for_those_who_judge(
    app: FastAPI, store: Store, short_text: str, role: Role
) -> None:
    take_in(store, short_text)
    for address in ("/players", "/players.json", "/players/Ann", "/players/Ann.json"):
        assert visitor(app, store, role).get(address).status_code == 403
        assert visitor(app, store, Role.REFEREE).get(address).status_code == 200


def test_every_page_is_whole_in_every_language(owner: Asking, store: Store, long_journal: Journal) -> None:
    text = "".join(f"{format_event(event)}\n" for event in long_journal)
    game = take_in(store, text)
    for language in LANGUAGES:
        for address in (f"/games/{game}/analysis", "/players", "/players/Ana"):
            answer = owner.get(f"{address}?lang={language}")
            assert answer.status_code == 200
            assert f'<html lang="{language}">' in answer.text
            told = re.sub(r"<[^>]*>", " ", answer.text)
            assert not re.search(r"\{\w+\}|\b(figures|players|reel)\.\w", told)


def test_a_game_that_is_not_closed_says_that_its_signs_may_be_in_use(
    owner: Asking, store: Store, short_text: str
) -> None:
    game = take_in(store, short_text)
    assert "signs may still be in use" in owner.get(f"/games/{game}/analysis").text
    store.games.journal(game).append(GameClosed(at_ms=99_000))
    assert "signs may still be in use" not in owner.get(f"/games/{game}/analysis").text


def test_a_game_without_anything_says_so_and_shows_no_figure(owner: Asking, store: Store) -> None:
    game = take_in(store, '{"kind":"game_opened","at_ms":0,"seats":{"A":"","B":"","C":"","D":""}}\n')
    page = owner.get(f"/games/{game}/analysis").text
    for text in (
        "Nobody got a letter in this game.",
        "Nobody called in this game.",
        "Touches were not noted in this game",
        "Nobody's face was watched in this game",
        "no face was watched",
        "nothing to show",
    ):
        assert text in page.replace("&#39;", "'"), text
    assert "No game here names its players" in owner.get("/players").text


def test_a_player_is_found_by_name_over_games_and_seats(owner: Asking, store: Store, short_text: str) -> None:
    take_in(store, short_text, "One")
    take_in(store, short_text.replace('"A":"Ann"', '"A":"Zoe"').replace('"D":"Dot"', '"D":" ann "'), "Two")
    ann = owner.get("/players/ann.json").json()
    assert [(game["title"], game["seat"], game["partner"]) for game in ann["games"]] == [
        ("One", "A", "Cem"),
        ("Two", "D", "Ben"),
    ]
    assert ann["right"]["count"] == 1
    assert ann["right"]["of"] == 2
    assert ann["takes"] == {**ann["takes"], "count": 1, "watched_ms": 66_000}
    everybody = owner.get("/players.json").json()
    assert [player["name"] for player in everybody["players"]] == ["Ann", "Ben", "Cem", "Dot", "Zoe"]
    assert owner.get("/players/Nobody").status_code == 404


def test_names_are_text_and_lead_where_they_should(owner: Asking, store: Store, short_text: str) -> None:
    take_in(store, short_text.replace('"A":"Ann"', '"A":' + '"<b>A/n?n</b> \'é\\""'))
    page = owner.get("/players").text
    assert "<b>A" not in page
    (address,) = [
        piece.split('"')[0] for piece in page.split('href="')[1:] if piece.startswith("/players/%3Cb%3E")
    ]
    assert owner.get(address).status_code == 200
    assert owner.get(f"{address}.json").json()["name"] == HOSTILE
    game = owner.get("/players.json").json()["players"][0]["games"][0]["game"]
    assert "<b>A" not in owner.get(f"/games/{game}/analysis").text


def test_a_game_that_cannot_be_read_is_named_and_the_others_count(
    owner: Asking, store: Store, short_text: str
) -> None:
    take_in(store, short_text)
    broken = store.folder.root / "broken"
    broken.mkdir()
    (broken / "game.jsonl").write_text("no journal\n", encoding="utf-8")
    answer = owner.get("/players.json").json()
    assert (answer["games"], answer["unreadable"]) == (1, ["broken"])
    assert "broken" in owner.get("/players").text
    assert owner.get("/games/broken/analysis").status_code == 409
    assert owner.get("/games/nothing/analysis").status_code == 404


def test_figures_are_worked_out_once_while_a_journal_stays_as_it_is(store: Store, short_text: str) -> None:
    game = take_in(store, short_text)
    library, shelf = Library(store), FigureShelf()
    found = library.find(game)
    assert found is not None
    first = shelf.told(game, found)
    assert shelf.told(game, found) is first
    store.games.journal(game).append(GameClosed(at_ms=99_000))
    again = library.find(game)
    assert again is not None
    assert shelf.told(game, again).figures.is_closed


def test_pooled_figures_are_those_of_all_occasions_together(short_text: str, long_journal: Journal) -> None:
    games = [
        ToldGame("a", "A", analyse(long_journal)),
        ToldGame("b", "B", analyse(journal_of(short_text.replace('"Ann"', '"Ana"').encode()))),
    ]
    players = {known_as(one.name): one for one in players_of(games)}
    ana = players["ana"]
    assert len(ana.games) == 2
    assert ana.right.of == sum(game.right.of for game in ana.games)
    assert ana.takes.count == sum(game.takes.count for game in ana.games)
    assert ana.takes.watched_ms == sum(game.takes.watched_ms for game in ana.games)
    assert sum(ana.ranks.values()) >= ana.takes.count
    winks = next(one for one in ana.gestures if one.gesture == "wink_left")
    assert winks.total.count == 1 + sum(
        one.total.count for one in games[0].figures.gestures if (one.seat, one.gesture) == ("A", "wink_left")
    )
