"""Logging in, links and the owner's page in a real browser; and what a page of another site cannot do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store import passwords
from kemps_server.store.store import Store
from kemps_server.store.users import Role

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.e2e]

Serving = Callable[[FastAPI], str]
TABLE = '[[camera]]\nname = "table"\nrole = "table"\n'
HEADER = '{"kind":"game_opened","at_ms":0,"version":1,"seats":{"A":"Anna","B":"Bo","C":"Cleo","D":"Dan"}}\n'
GAME = (
    HEADER,
    '{"kind":"deal_started","at_ms":0,"dealer":"A"}',
    '{"kind":"centre_turned","at_ms":1200,"cards":["9c","2h","5d","Js"]}',
    '{"kind":"hand_hidden","at_ms":2000,"until_ms":4300,"seat":"C"}',
    '{"kind":"called","at_ms":23250,"seat":"C","call":"kemps"}',
    '{"kind":"hand_shown","at_ms":26000,"seat":"A","cards":["9s","9h","9d","9c"],"unread":0}',
    '{"kind":"settled","at_ms":30000,"camera":"table"}',
)
READY = ".settings-grid:not([inert])"
CLIPPED = """() => [...document.querySelectorAll("main *, header *")].filter((one) =>
  one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible"
  && one.tagName !== "INPUT" && !one.closest(".scroll, .hidden-text")).map((one) => one.textContent)"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(passwords, "_LOG_N", 4)
    with Store.open(DataFolder(tmp_path / "kept")) as store:
        store.users.add("Ida", Role.OWNER, "correct horse")
        store.tables.save("one", TABLE)
        store.games.take_in("Thursday", HEADER.encode())
        yield store


@pytest.fixture
def club(store: Store, serving: Serving) -> str:
    """A server that asks who is there, on a port of this machine."""
    return serving(create_app(Library(store), host="192.168.1.5"))


def log_in(page: Page) -> None:
    """By the keyboard alone: the first field has the focus, a moment after the page is there."""
    expect(page.locator("[autofocus]")).to_be_focused()
    page.keyboard.type("Ida")
    page.keyboard.press("Tab")
    page.keyboard.type("correct horse")
    page.keyboard.press("Enter")


def test_an_owner_logs_in_makes_a_link_and_takes_it_back(
    context: BrowserContext, browser: Browser, club: str, store: Store
) -> None:
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{club}/settings")
    expect(page).to_have_url(f"{club}/login?next=/settings")
    log_in(page)
    expect(page).to_have_url(f"{club}/settings")
    page.wait_for_selector(READY)
    page.fill("#link [name=label]", "Anna's phone")
    page.select_option("#link [name=role]", "player")
    page.click("#link .main-button")
    expect(page.locator("#made")).to_be_visible()
    expect(page.locator("#made-address")).not_to_have_value("")
    address = page.input_value("#made-address")
    phone = browser.new_context()
    other = phone.new_page()
    other.goto(address)
    other.wait_for_url(f"{club}/watch")
    expect(other.locator(".watched")).to_contain_text("No game is played")
    assert "#" not in other.url
    assert {cookie["name"]: cookie["httpOnly"] for cookie in phone.cookies()} == {"kemps_session": True}
    page.reload()
    page.wait_for_selector(READY)
    page.click("text=Take back")
    expect(page.locator("tbody td", has_text="taken back")).to_be_visible()
    other.goto(f"{club}/watch")
    expect(other).to_have_url(f"{club}/login?next=/watch")
    phone.close()
    assert [link.revoked_at is None for link in store.tokens.links()] == [False]


def test_a_person_is_forgotten_from_the_page(context: BrowserContext, club: str, store: Store) -> None:
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{club}/login?next=/settings")
    log_in(page)
    page.wait_for_selector(READY)
    page.fill("#look [name=name]", "anna")
    page.keyboard.press("Enter")
    expect(page.locator("#traces-list")).to_contain_text("Thursday")
    page.fill("#forget [name=pseudonym]", "player-x")
    page.click("#forget-button")
    expect(page.locator("#forget .told")).to_contain_text("anna is player-x")
    (line,) = store.games.journal("thursday").read()
    assert line.text == HEADER.replace("Anna", "player-x")


@pytest.mark.parametrize("language", ["en", "ru", "pt", "fr", "es"])
def test_no_text_is_clipped_in_any_language(context: BrowserContext, club: str, language: str) -> None:
    page = context.new_page()
    page.goto(f"{club}/login?lang={language}&next=/settings")
    assert page.evaluate(CLIPPED) == []
    log_in(page)
    page.wait_for_url(f"{club}/settings")
    for width, path in ((1280, "/settings"), (400, "/settings"), (400, "/account")):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{club}{path}?lang={language}")
        assert page.evaluate(CLIPPED) == [], (path, width)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)


def test_another_site_may_link_here_but_does_nothing_in_the_visitors_name(
    browser: Browser, serving: Serving, club: str, store: Store
) -> None:
    elsewhere = FastAPI()
    fetching = f"""fetch("{club}/api/users", {{method: "POST", mode: "no-cors", credentials: "include",
      body: '{{"name": "Eve", "role": "owner", "password": "12345678"}}'}})
      .then(() => document.title = "sent", () => document.title = "failed");"""

    @elsewhere.get("/", response_class=HTMLResponse)
    def evil() -> str:
        form = f'<form id="form" method="post" action="{club}/logout"><button>x</button></form>'
        return f'<a id="link" href="{club}/account">x</a>{form}<script>{fetching}</script>'

    visitor = browser.new_context()
    page = visitor.new_page()
    page.goto(f"{club}/login?next=/account")
    log_in(page)
    expect(page.locator("main")).to_contain_text("You are Ida")
    page.goto(serving(elsewhere).replace("127.0.0.1", "localhost"))
    page.wait_for_function("document.title !== ''")
    assert store.users.find("Eve") is None
    page.click("#link")
    expect(page.locator("main")).to_contain_text("You are Ida")  # also by a link from there
    page.go_back()
    page.click("#form button")
    page.wait_for_load_state()
    page.goto(f"{club}/account")
    expect(page.locator("main")).to_contain_text("You are Ida")
    visitor.close()


def test_names_that_are_markup_are_text_on_every_page(
    browser: Browser, serving: Serving, store: Store
) -> None:
    evil = '<img src=x class=evil onerror="document.title=1"><b class=evil>'
    lines = [json.loads(line) for line in GAME]
    lines[0]["seats"] = {seat: f"{evil}{seat}" for seat in "ABCD"}
    lines.append({"kind": "ruled", "at_ms": 31_000, "event": 4, "ruling": "wrong", "by": evil, "why": evil})
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    game = store.games.take_in(evil, text.encode()).game.id
    store.sittings.begin("one", game)
    _, secret = store.tokens.issue(Role.VIEWER, evil, leads_to="/overlay/one")
    app = create_app(Library(store))
    here = serving(app)
    visitor = browser.new_context()
    page = visitor.new_page()
    policed: list[str] = []
    page.on("console", lambda told: policed.append(told.text) if "Content Security" in told.text else None)
    seen = 0
    for path, methods in app.openapi()["paths"].items():
        kinds = methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        if "text/html" not in kinds:
            continue
        filled = path.format(table="one", game=game, name=quote(f"{evil}A", safe=""))
        query = f"?token={secret}" if path == "/overlay/{table}" else ""
        page.goto(f"{here}{filled}{query}")
        page.wait_for_timeout(250)  # its script asks for the rest
        assert page.locator(".evil").count() == 0, path
        seen += 1
    visitor.close()
    assert seen > 12
    assert policed == []


def test_a_long_word_as_a_title_widens_no_page_and_only_a_made_link_is_offered_for_copying(
    context: BrowserContext, serving: Serving, store: Store
) -> None:
    lines = "".join(f"{json.dumps(json.loads(line))}\n" for line in GAME)
    game = store.games.take_in("W" * 190, lines.encode()).game.id
    store.sittings.begin("one", game)
    here = serving(create_app(Library(store)))
    page = context.new_page()
    for path in ("/", "/watch", "/settings", "/tables/one", f"/games/{game}/analysis"):
        page.goto(f"{here}{path}")
        page.wait_for_timeout(250)  # its script asks for the rest
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        if path == "/settings":
            expect(page.locator("#made")).to_be_hidden()
    page.goto(f"{here}/desk?game={game}")
    page.locator("#items a").first.click()
    expect(page.locator("#subline")).to_contain_text("WWW")
    fits = (
        "(one) => one.scrollWidth <= one.clientWidth && document.scrollingElement.scrollHeight <= innerHeight"
    )
    assert page.locator("#item").evaluate(fits)
