"""Who may what: each address says so itself, and those that are for everybody are listed here."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIWebSocketRoute
from tests.server.access.conftest import AskFrom

from kemps_server.app import ROUTERS
from kemps_server.live.delay import MOST_MS, set_delay
from kemps_server.store.store import Store
from kemps_server.store.users import Role

PAGE = {"accept": "text/html"}
TABLE = '[[camera]]\nname = "table"\nrole = "table"\n'
# For strangers, too; sockets look at the visitor themselves, so that their pages hear why they are refused.
FOR_EVERYBODY = {
    "GET /health",
    "GET /static/{name}",
    "GET /login",
    "POST /login",
    "GET /login.json",
    "GET /api/session",
    "POST /api/session",
    "DELETE /api/session",
    "POST /logout",
    "GET /enter",
    "WEBSOCKET /api/tables/{table}/live",
    "WEBSOCKET /api/games/{game}/live",
}
# Acts of somebody who is no referee: on their own account.
OF_VIEWERS = {"PUT /api/account/password", "DELETE /api/account/sessions"}


def roles_of(dependant: Dependant) -> Iterator[Role]:
    for one in dependant.dependencies:
        if getattr(one.call, "__qualname__", "").startswith("at_least.") and one.call is not None:
            yield Role(inspect.getclosurevars(one.call).nonlocals["role"])
        yield from roles_of(one)


def addresses() -> Iterator[tuple[str, str, set[Role]]]:
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, (APIRoute, APIWebSocketRoute)):
                methods = (route.methods if isinstance(route, APIRoute) else None) or {"WEBSOCKET"}
                for method in methods:
                    yield method, f"{method} {route.path}", set(roles_of(route.dependant))


def test_each_address_says_who_may_or_is_for_everybody() -> None:
    open_to_all = {address for _, address, roles in addresses() if not roles}
    assert open_to_all == FOR_EVERYBODY


def test_whoever_is_no_referee_changes_nothing_but_their_own_account() -> None:
    acts = {
        address
        for method, address, roles in addresses()
        if method not in {"GET", "WEBSOCKET"} and roles and not roles & {Role.REFEREE, Role.OWNER}
    }
    assert acts == OF_VIEWERS


def test_viewers_have_a_page_of_their_own_with_tables_and_games_that_are_over(
    ask_from: AskFrom, store: Store, game_text: str
) -> None:
    store.tables.save("one", TABLE)
    set_delay(store.tables, "one", MOST_MS)
    closed = game_text + '{"kind":"game_closed","at_ms":31000}\n'
    told = store.games.take_in("Told <b>game", closed.encode()).game.id
    late = store.games.take_in("Late game", closed.replace("Boris", "Bo").encode()).game.id
    store.sittings.begin("one", late)
    store.games.take_in("Open game", game_text.replace("Boris", "Bob").encode())
    viewer = ask_from()
    viewer.log_in("Vic")
    assert viewer.get("/", headers=PAGE).headers["location"] == "/watch"
    assert viewer.get("/?lang=ru&token=", headers=PAGE).headers["location"] == "/watch?lang=ru&token="
    page = viewer.get("/watch", headers=PAGE).text
    assert f'href="/games/{told}"' in page
    assert "Told &lt;b&gt;game" in page
    assert 'data-table="one"' in page
    assert "Late game" not in page
    assert "Open game" not in page
    assert viewer.get("/watch.json").json() == {
        "tables": ["one"],
        "games": [{"name": told, "title": "Told <b>game"}],
    }
    owner = ask_from()
    owner.log_in("Ida")
    assert owner.get("/watch.json").json() == viewer.get("/watch.json").json()
    assert ask_from().get("/watch.json").status_code == 401
