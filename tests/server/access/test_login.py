"""Names, passwords, sessions, links and the cookie that they end in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.server.access.conftest import PASSWORDS, Asker, AskFrom

from kemps_server.access.addresses import inner_address
from kemps_server.access.gate import COOKIE, Gate
from kemps_server.access.throttle import Throttle
from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.tokens import IDLE, LONGEST
from kemps_server.store.users import Role

PAGE = {"accept": "text/html"}


def test_a_stranger_is_led_to_the_login_page_and_back(ask_from: AskFrom) -> None:
    browser = ask_from()
    led = browser.get("/games/nothing?lang=ru", headers=PAGE)
    assert led.status_code == 303
    assert led.headers["location"] == "/login?next=/games/nothing%3Flang%3Dru"
    form = browser.get(led.headers["location"], headers=PAGE)
    assert 'name="next" value="/games/nothing?lang=ru"' in form.text
    done = browser.post(
        "/login", data={"name": "Rex", "password": PASSWORDS["Rex"], "next": "/games/nothing?lang=ru"}
    )
    assert (done.status_code, done.headers["location"]) == (303, "/games/nothing?lang=ru")
    assert browser.get("/games/nothing", headers=PAGE).status_code == 404
    assert browser.get("/login", headers=PAGE).status_code == 303


def test_programs_get_401_and_pages_that_are_not_for_a_role_say_so(ask_from: AskFrom) -> None:
    viewer = ask_from()
    assert viewer.get("/games/nothing.json", headers=PAGE).status_code == 401
    assert viewer.get("/games/nothing").status_code == 401
    assert viewer.get("/?token=made-up", headers=PAGE).status_code == 401
    viewer.log_in("Vic")
    refused = viewer.get("/games/nothing", headers=PAGE | {"accept-language": "ru"})
    assert refused.status_code == 403
    assert '<html lang="ru">' in refused.text


def test_the_cookie_is_for_this_server_and_no_script(ask_from: AskFrom) -> None:
    cookie = ask_from().log_in("Rex").headers["set-cookie"].lower()
    assert cookie.startswith(f"{COOKIE}=")
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "secure" not in cookie
    assert "domain" not in cookie
    secure = ask_from(address="https://kemps.example").log_in("Rex").headers["set-cookie"].lower()
    assert "secure" in {part.strip() for part in secure.split(";")}


def test_a_wrong_password_and_an_unknown_name_are_told_alike(ask_from: AskFrom) -> None:
    wrong, unknown = ask_from().log_in("Rex", "nonsense"), ask_from().log_in("Nobody", "nonsense")
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    form = ask_from().post("/login", data={"name": "<b>Rex", "password": "nonsense"}, headers=PAGE)
    assert form.status_code == 401
    assert "&lt;b&gt;Rex" in form.text
    assert "nonsense" not in form.text


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"name=Rex", b"&".join([b"name=x"] * 50), b"name=%00&password=%ed%a0%80", b"{}"],
)
def test_a_form_that_is_none_logs_nobody_in(ask_from: AskFrom, body: bytes) -> None:
    answer = ask_from().post("/login", content=body)
    assert answer.status_code in {400, 401}
    assert "set-cookie" not in answer.headers


def test_logging_out_ends_the_session_for_whoever_has_its_cookie(ask_from: AskFrom) -> None:
    browser, thief = ask_from(), ask_from("192.168.1.99")
    browser.log_in("Rex")
    thief.cookies.update(browser.cookies)
    assert thief.get("/api/session").json() == {"role": "referee", "name": "Rex", "is_session": True}
    assert browser.post("/logout").headers["location"] == "/login"
    assert browser.cookies.get(COOKIE) is None
    assert thief.get("/api/session").json()["role"] is None
    browser.log_in("Rex")
    assert browser.ask("DELETE", "/api/session").status_code == 204
    assert browser.get("/api/session").json()["role"] is None


def test_a_new_password_ends_all_other_sessions(ask_from: AskFrom) -> None:
    desk, phone = ask_from(), ask_from("192.168.1.78")
    desk.log_in("Rex")
    phone.log_in("Rex")
    asked = {"old": PASSWORDS["Rex"], "new": "a better one"}
    assert desk.ask("PUT", "/api/account/password", json=asked | {"old": "x"}).status_code == 403
    short = desk.ask("PUT", "/api/account/password", json=asked | {"new": "short"})
    assert (short.status_code, "at least 8" in short.json()["detail"]) == (422, True)
    assert desk.ask("PUT", "/api/account/password", json=asked).status_code == 204
    assert desk.get("/account.json").json()["name"] == "Rex"
    assert phone.get("/account.json").status_code == 401
    assert phone.log_in("Rex", "a better one").status_code == 200
    assert desk.ask("DELETE", "/api/account/sessions").status_code == 204
    assert phone.get("/account.json").status_code == 401


def test_a_session_has_the_role_that_its_user_has_now(ask_from: AskFrom, store: Store) -> None:
    browser = ask_from()
    browser.log_in("Rex")
    store.users.set_role("Rex", Role.VIEWER)
    assert browser.get("/api/session").json()["role"] == "viewer"
    store.users.remove("Rex")
    assert browser.get("/api/session").json()["role"] is None


def test_sessions_end_when_nobody_uses_them_and_after_a_week_in_any_case(tmp_path: Path) -> None:
    now = [datetime(2026, 3, 5, 21, 0, tzinfo=UTC)]
    with Store.open(DataFolder(tmp_path / "timed"), clock=lambda: now[0]) as store:
        rex = store.users.add("Rex", Role.REFEREE, "battery staple")
        token, secret = store.tokens.open_session(rex)
        for _ in range(14):
            now[0] += IDLE * 0.9
            assert store.tokens.find(secret) is not None
        now[0] += IDLE
        assert store.tokens.find(secret) is None
        _, secret = store.tokens.open_session(rex)
        assert [kept.id for kept in store.tokens.all()].count(token.id) == 0
        started = now[0]
        while now[0] - started < LONGEST:
            assert store.tokens.find(secret) is not None
            now[0] += IDLE * 0.9
        assert store.tokens.find(secret) is None
        assert store.tokens.links() == ()


def test_a_link_becomes_a_cookie_and_its_revocation_ends_that_too(ask_from: AskFrom, store: Store) -> None:
    token, secret = store.tokens.issue(Role.PLAYER, "Anna's phone", leads_to="/tables/one")
    browser, other = ask_from(), ask_from()
    assert "enter.js" in browser.get("/enter?next=/tables/one", headers=PAGE).text
    opened = browser.post("/api/session", json={"token": secret})
    assert opened.json() == {"role": "player", "name": "Anna's phone", "is_session": False}
    other.post("/api/session", json={"token": secret})
    browser.post("/logout")
    assert other.get("/api/session").json()["role"] == "player"
    assert other.ask("PUT", "/api/account/password", json={"old": "x", "new": "y"}).status_code == 409
    assert other.ask("DELETE", "/api/account/sessions").status_code == 409
    gate = Gate(store, is_home=False)
    visitor = gate._holder(secret)
    assert gate.still_admits(visitor)
    store.tokens.revoke(token.id)
    assert not gate.still_admits(visitor)
    assert other.get("/api/session").json()["role"] is None
    assert browser.post("/api/session", json={"token": secret}).status_code == 401


@pytest.mark.parametrize(
    "key", [{}, {"name": "Rex"}, {"token": "x", "name": "Rex", "password": "y"}, [], "x"]
)
def test_a_key_that_is_none_is_one_line(ask_from: AskFrom, key: object) -> None:
    answer = ask_from().post("/api/session", json=key)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)


def test_on_this_machine_a_browser_is_the_owner_but_not_what_a_proxy_passes_on(home: Asker) -> None:
    assert home.get("/api/session").json() == {"role": "owner", "name": "owner", "is_session": False}
    for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip"):
        assert home.get("/api/session", headers={name: "10.0.0.9"}).json()["role"] is None
    home.log_in("Vic")
    assert home.get("/api/session").json()["role"] == "viewer"


def test_behind_a_proxy_this_machine_is_no_owner(store: Store) -> None:
    app = create_app(Library(store), host="127.0.0.1", names=["kemps.example"], is_proxied=True)
    assert Asker(app, "http://kemps.example").get("/api/session").json()["role"] is None
    assert Asker(app).get("/games/nothing.json").status_code == 401


def test_guessing_is_slowed_down_and_ends_by_itself(ask_from: AskFrom) -> None:
    guesser = ask_from()
    answers = [guesser.log_in("Ida", "guess") for _ in range(7)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) <= 2
    form = guesser.post("/login", data={"name": "Ida", "password": PASSWORDS["Ida"]}, headers=PAGE)
    assert form.status_code == 429
    assert ask_from("192.168.1.78").log_in("Ida").status_code == 200


@pytest.fixture
def timed() -> tuple[Throttle, list[float]]:
    now = [0.0]
    return Throttle(lambda: now[0]), now


def test_the_wait_of_a_name_doubles_and_is_forgotten_in_an_hour(timed: tuple[Throttle, list[float]]) -> None:
    throttle, now = timed
    waits = []
    for _ in range(20):
        while wait_s := throttle.attempt("Ida", "10.0.0.1"):
            waits.append(wait_s)
            now[0] += wait_s
    assert waits[:4] == [2, 4, 8, 16]
    assert max(waits) == 900
    now[0] += 3601
    assert throttle.attempt("Ida", "10.0.0.1") == 0
    assert throttle.attempt("Ida", "10.0.0.1") == 0


def test_one_password_on_many_names_is_slow_too(timed: tuple[Throttle, list[float]]) -> None:
    throttle, _ = timed
    assert [throttle.attempt(f"name {n}", "2001:db8::1") for n in range(30)] == [0] * 30
    assert throttle.attempt("one more", "2001:db8::2") > 0  # of the same network
    assert throttle.attempt("one more", "2001:db9::2") == 0


def test_nobody_can_lock_the_owner_out(timed: tuple[Throttle, list[float]]) -> None:
    throttle, now = timed
    assert throttle.attempt("Ida", "192.168.1.2") == 0
    throttle.succeeded("Ida", "192.168.1.2")
    for n in range(200):
        throttle.attempt("Ida", f"10.0.{n}.1")
    assert throttle.attempt("Ida", "192.168.1.2") == 0
    assert 0 < throttle.attempt("Ida", "172.16.0.1") <= 30  # from where she never was: a short wait
    now[0] += 30
    assert throttle.attempt("Ida", "172.16.0.1") == 0


def test_a_flood_of_names_does_not_grow_without_end(timed: tuple[Throttle, list[float]]) -> None:
    throttle, _ = timed
    for n in range(12_000):
        throttle.attempt(f"name {n}", f"10.{n >> 8}.{n & 255}.1")
        throttle.succeeded(f"name {n}", f"10.{n >> 8}.{n & 255}.1")
    assert len(throttle._counts) <= 10_000
    assert len(throttle._known) <= 10_000


@pytest.mark.parametrize(
    "asked",
    [
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "/logout",
        "/login?next=/login",
        "",
        "desk",
        "/a b",
        "/\u0430",
        "/\r\nset-cookie: x=y",
    ],
)
def test_logging_in_never_leads_elsewhere(asked: str) -> None:
    assert inner_address(asked) == "/"
    assert not urlsplit(inner_address(asked)).netloc
