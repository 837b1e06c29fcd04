from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from kemps_server.app import create_app
from kemps_server.bench.played_game import PlayedGame
from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.users import Role

PASSWORD = "correct horse"  # noqa: S105 - of no OBS there is


class Asking:
    """Asks an application in this process, with a token or as the owner here."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def __call__(self, method: str, path: str, token: str = "", json: Any = None) -> httpx.Response:  # noqa: ANN401
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.request(method, path, headers=headers, json=json)

        return asyncio.run(ask())


@pytest.fixture
def ask(store: Store) -> Asking:
    return Asking(create_app(Library(store)))


def test_the_password_of_obs_is_kept_and_never_told(store: Store, ask: Asking) -> None:
    wish = {"address": "ws://127.0.0.1:4455", "password": PASSWORD, "call": {"save_replay": True}}
    told = [ask("PUT", "/api/tables/club/obs", json=wish), ask("GET", "/api/tables/club/obs")]
    for answer in told:
        assert answer.status_code == 200
        assert PASSWORD not in answer.text
        assert answer.json()["has_password"]
        assert answer.json()["call"]["save_replay"]
    record = store.tables.find("club")
    assert record is not None
    assert record.settings["obs"]["password"] == PASSWORD


def test_the_password_stays_when_other_things_are_set_but_goes_to_no_other_address(
    store: Store, ask: Asking
) -> None:
    ask("PUT", "/api/tables/club/obs", json={"password": PASSWORD})
    assert ask("PUT", "/api/tables/club/obs", json={"deal": {"scene": "Table"}}).json()["has_password"]
    moved = ask("PUT", "/api/tables/club/obs", json={"address": "ws://10.0.0.9:4455"})
    assert not moved.json()["has_password"]
    assert PASSWORD not in str(store.tables.all())


def test_obs_can_be_forgotten(ask: Asking) -> None:
    ask("PUT", "/api/tables/club/obs", json={"password": PASSWORD})
    assert not ask("DELETE", "/api/tables/club/obs").json()["is_set"]
    assert not ask("GET", "/api/tables/club/obs").json()["is_set"]
    assert "set its address" in ask("POST", "/api/tables/club/obs/try").text


def test_an_obs_that_does_not_answer_is_a_line_that_says_what_to_do(ask: Asking) -> None:
    ask("PUT", "/api/tables/club/obs", json={"address": "ws://127.0.0.1:9"})
    answer = ask("POST", "/api/tables/club/obs/try")
    assert answer.status_code == 409
    assert "WebSocket Server Settings" in answer.text


def test_nonsense_about_obs_is_refused(ask: Asking) -> None:
    nonsense: tuple[dict[str, Any], ...] = (
        {"address": "http://127.0.0.1"},
        {"address": "ws://a b"},
        {"call": {"wait_ms": -1}},
        {"nothing": 1},
    )
    for wish in nonsense:
        assert ask("PUT", "/api/tables/club/obs", json=wish).status_code == 422


def test_obs_is_the_owners(store: Store, ask: Asking) -> None:
    referee = store.tokens.issue(Role.REFEREE, "desk")[1]
    for method in ("GET", "PUT", "DELETE"):
        assert ask(method, "/api/tables/club/obs", referee, json={}).status_code == 403
    assert ask("POST", "/api/tables/club/obs/try", referee).status_code == 403
    assert ask("GET", "/api/tables/attic/obs").status_code == 404


def test_an_overlay_needs_a_link_and_its_page_holds_nothing_of_the_game(
    store: Store, ask: Asking, played: PlayedGame
) -> None:
    played.play()
    viewer = store.tokens.issue(Role.VIEWER, "overlay")[1]
    led = ask("GET", "/overlay/club")
    assert (led.status_code, led.headers["location"]) == (303, "/overlay/club/setup")
    assert ask("GET", "/overlay/club", viewer).status_code == 403
    assert ask("GET", "/overlay/club?sample=true", viewer).status_code == 403
    sample = ask("GET", "/overlay/club?sample=true")
    assert "frame-ancestors 'self'" in sample.headers["content-security-policy"]
    page = ask("GET", f"/overlay/club?token={viewer}&sample=true")
    assert page.status_code == 200
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "Player A" not in page.text
    slip = ask("GET", f"/overlay/club?token={viewer}&hide=stock,ghosts&theme=mauve")
    assert slip.status_code == 200
    assert '<script type="application/json" id="asked">{"hide": ["stock"]}</script>' in slip.text
    assert '<script type="application/json" id="slips">["theme", "hide"]</script>' in slip.text
    other = ask("GET", f"/overlay/club?token={viewer}&colour=red&theme=slate")
    assert '<script type="application/json" id="slips">[]</script>' in other.text
    assert '<script type="application/json" id="unknown">["colour"]</script>' in other.text
