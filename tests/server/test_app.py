from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from kemps_rules.events import Ruled
from kemps_server.app import create_app, is_loopback
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.games import find_game, game_named, games_in
from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.users import Role

WriteGame = Callable[..., Path]


class Client:
    """Asks an application in this process, one question at a time."""

    def __init__(self, app: FastAPI, address: str = "http://127.0.0.1") -> None:
        self._app, self._address = app, address

    def get(self, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url=self._address) as client:
                return await client.get(path, headers=headers)

        return asyncio.run(ask())


@pytest.fixture
def data(write_game: WriteGame) -> Path:
    return write_game().parent


@pytest.fixture
def library(data: Path) -> Iterator[Library]:
    with Store.open(DataFolder(data)) as store:
        yield Library(store)


@pytest.fixture
def client(library: Library) -> Client:
    return Client(create_app(library))


def test_the_list_links_each_game_with_its_letters_and_last_verdict(client: Client) -> None:
    page = client.get("/").text
    assert 'href="/games/thursday' in page
    assert "Carla calls Kemps" in page
    assert "Right" in page


def test_the_page_of_a_game_is_the_page_of_the_report_with_a_way_back(client: Client) -> None:
    answer = client.get("/games/thursday?lang=ru")
    assert answer.status_code == 200
    assert '<html lang="ru">' in answer.text
    assert 'href="/"' in answer.text


def test_the_json_of_a_game_has_its_judgement_and_a_table_for_each_line(
    client: Client, game_text: str
) -> None:
    answer = client.get("/games/thursday.json").json()
    assert answer["judgement"]["letters"] == {"AC": "", "BD": "K"}
    assert answer["seats"]["A"] == "Anna"
    assert len(answer["steps"]) == len(game_text.splitlines()) - 1
    taken = next(step for step in answer["steps"] if step["line"] == 3)
    assert taken["event"]["kind"] == "card_taken"
    assert taken["table"]["hands"]["A"] == {"known": ["9c"], "size": 5}
    assert taken["table"]["open_swaps"] == {"A": 1}


def test_a_broken_journal_is_a_row_that_says_why_and_the_others_go_on(
    client: Client, write_game: WriteGame
) -> None:
    write_game('{"kind":"game_opened"}\n', "broken")
    write_game("\x00\x01\n", "binary")
    write_game("", "blank")
    page = client.get("/").text
    assert page.count("Cannot be shown") == 3
    assert 'href="/games/thursday' in page
    answer = client.get("/games/broken")
    assert answer.status_code == 409
    assert answer.text.count("\n") == 1
    assert client.get("/games/broken.json").status_code == 409


def test_a_journal_that_has_grown_is_told_anew(client: Client, data: Path) -> None:
    client.get("/")
    with (data / "thursday/game.jsonl").open("a", encoding="utf-8") as journal:
        journal.write(
            '{"kind":"reviewed","at_ms":31000,"target":{"rule":"R10","events":[7]},"decision":"dismiss","by":"r"}\n'
        )
        journal.write('{"kind":"ruled","at_ms":32000,"event":11,"ruling":"wrong","by":"ref","why":"seen"}\n')
    assert "Wrong" in client.get("/").text


@pytest.mark.parametrize(
    "name",
    [
        "%2e%2e",
        "..%2f..%2fetc%2fpasswd",
        "%2fetc",
        "thursday%2f..%2f..",
        "nothing",
        "thursday%00",
        "a\\b",
        "%ff",
    ],
)
def test_a_name_that_is_no_game_of_the_folder_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/games/{name}").status_code == 404
    assert client.get(f"/games/{name}.json").status_code == 404


def test_links_that_lead_out_of_the_folder_are_no_games(
    client: Client, data: Path, write_game: WriteGame
) -> None:
    outside = data.parent / "outside"
    outside.mkdir()
    (outside / "game.jsonl").write_text(
        (data / "thursday/game.jsonl").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (data / "link").symlink_to(outside)
    inside = write_game(name="inside")
    (inside / "game.jsonl").unlink()
    (inside / "game.jsonl").symlink_to(outside / "game.jsonl")
    assert client.get("/games/link").status_code == 404
    assert client.get("/games/inside").status_code == 404
    assert [game.title for game in games_in(data)] == ["thursday"]


@pytest.mark.parametrize(
    "name", ["<script>alert(1)<", "müll & co #1?", "a.json", "100%", "{{7*7}}", "' onload='x"]
)
def test_odd_names_are_shown_as_text_and_their_links_work(
    client: Client, write_game: WriteGame, name: str
) -> None:
    write_game(name=name)
    page = client.get("/").text
    assert "<script>" not in page
    links = [part.split('"')[0] for part in page.split('href="')[1:] if part.startswith("/games/")]
    assert len(links) == 4
    assert all(client.get(link).status_code == 200 for link in links)


def test_a_folder_name_that_is_no_text_is_a_row_without_link(client: Client, data: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(data) + b"/odd\xff"))
    folder.mkdir()
    (folder / "game.jsonl").write_text(
        (data / "thursday/game.jsonl").read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert "rename it" in client.get("/").text


def test_the_list_speaks_the_browsers_language(client: Client) -> None:
    assert '<html lang="pt">' in client.get("/", headers={"accept-language": "de, pt-BR;q=0.8, en"}).text
    assert '<html lang="fr">' in client.get("/?lang=fr", headers={"accept-language": "pt"}).text
    assert '<html lang="en">' in client.get("/?lang=%3Cx%3E", headers={"accept-language": "*"}).text


def test_health_counts_games_and_the_interface_is_described(client: Client) -> None:
    health = client.get("/health").json()
    assert (health["status"], health["games"]) == ("ok", 1)
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/", "/health", "/games/{game}.json", "/games/{game}"} <= set(paths)


def test_only_the_machines_own_names_are_answered_on_loopback(client: Client, library: Library) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "localhost:8000"}).status_code == 200
    app = create_app(library, host="192.168.1.5", names=["table.example"])
    open_to_all = Client(app, "http://table.example")
    assert open_to_all.get("/").status_code == 401
    assert open_to_all.get("/health").status_code == 200


def test_a_token_gives_its_role_and_no_more_also_on_this_machine(client: Client, library: Library) -> None:
    _, viewer = library.store.tokens.issue(Role.VIEWER, "overlay")
    _, referee = library.store.tokens.issue(Role.REFEREE, "desk")
    assert client.get(f"/index.json?token={viewer}").status_code == 403
    assert client.get(f"/?token={referee}").status_code == 200
    assert client.get("/index.json", {"authorization": f"Bearer {viewer}"}).status_code == 403
    assert client.get("/?token=made-up").status_code == 401
    assert client.get("/index.json", {"cookie": f"kemps_session={viewer}"}).status_code == 403
    library.store.tokens.revoke(library.store.tokens.find(referee).id)  # type: ignore[union-attr]
    assert client.get(f"/?token={referee}").status_code == 401


def test_pages_may_not_be_framed_sniffed_or_kept(client: Client) -> None:
    headers = client.get("/games/thursday").headers
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_an_empty_folder_is_a_page_that_says_what_to_do(tmp_path: Path) -> None:
    with Store.open(DataFolder(tmp_path / "empty")) as store:
        page = Client(create_app(Library(store)), "http://localhost").get("/").text
    assert "kemps observe" in page


def test_a_stored_game_is_listed_and_shown_as_one_in_a_folder_is(
    client: Client, library: Library, game_text: str
) -> None:
    library.store.games.take_in("Z", game_text.replace("Carla", "Cleo").encode())
    stored = library.store.games.take_in("Friday & co", game_text.replace("Carla", "Carmen").encode()).game
    page = client.get("/").text
    assert 'href="/games/friday-co?' in page
    assert "Friday &amp; co" in page
    assert "Carmen calls Kemps" in page
    assert page.index(">Friday &amp; co<") < page.index(">thursday<") < page.index(">Z<")
    assert client.get("/health").json()["games"] == 3
    assert "Carmen" in client.get(f"/games/{stored.id}/report").text
    answer = client.get(f"/games/{stored.id}.json").json()
    assert (answer["game"], answer["seats"]["C"]) == ("friday-co", "Carmen")
    assert len(answer["steps"]) == len(game_text.splitlines()) - 1


def test_a_stored_game_that_has_grown_is_told_anew(client: Client, library: Library, game_text: str) -> None:
    journal = library.store.games.journal(library.store.games.take_in("Friday", game_text.encode()).game.id)
    assert "Right" in client.get("/").text
    journal.append(Ruled(at_ms=32_000, event=11, ruling="wrong", by="ref", why="seen"))
    assert "Wrong" in client.get("/").text


def test_a_folder_that_was_taken_in_is_listed_once(
    client: Client, library: Library, data: Path, game_text: str
) -> None:
    library.store.games.take_in("thursday", game_text.encode())
    page = client.get("/").text
    assert page.count('<th scope="row">') == 1
    with (data / "thursday/game.jsonl").open("a", encoding="utf-8") as journal:
        journal.write('{"kind":"settled","at_ms":31000,"camera":"table"}\n')
    assert "another game of this name" in client.get("/").text


def test_a_game_in_the_folder_of_games_is_shown(client: Client, write_game: WriteGame) -> None:
    write_game(name="games/tonight")
    assert 'href="/games/tonight' in client.get("/").text
    assert client.get("/games/tonight").status_code == 200


def test_a_damaged_store_is_a_line_not_a_traceback(client: Client, library: Library) -> None:
    with library.store.database.writing() as connection:
        connection.exec_driver_sql("DROP TABLE lines")
    answer = client.get("/")
    assert answer.status_code == 503
    assert answer.text.count("\n") == 1


def test_loopback_is_told_from_the_rest() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("::", "192.168.1.5", "table.example"))


def test_a_game_is_a_folder_or_a_journal(write_game: WriteGame, tmp_path: Path) -> None:
    folder = write_game()
    assert find_game(folder).title == "thursday"
    assert find_game(folder / "game.jsonl") == find_game(folder)
    other = folder / "golden.jsonl"
    other.write_text("", encoding="utf-8")
    assert (find_game(other).title, find_game(other).folder) == ("golden", None)
    assert find_game(other).page == folder / "golden.html"
    with pytest.raises(KempsServerError, match=r"no game\.jsonl in this folder"):
        find_game(tmp_path)
    with pytest.raises(KempsServerError, match="no such game"):
        find_game(tmp_path / "nowhere")
    assert game_named(folder.parent, "") is None
