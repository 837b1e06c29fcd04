"""Tables in a real browser: set up and run by the keyboard alone, a real game from a clip, five languages."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kemps_rules.events import Called, CardLaid, Retracted
from kemps_rules.journal import journal_of
from kemps_rules.replay import judge
from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.observers.clock import begin_clock
from kemps_server.observers.observers import Observers
from kemps_server.page.words import LANGUAGES
from kemps_server.store.journals import content_of
from kemps_server.store.sql_journal import SqlJournal
from kemps_server.store.store import Store

pytestmark = [pytest.mark.long, pytest.mark.browser]

Serving = Callable[[FastAPI], str]
CLIP = Path(__file__).resolve().parents[2] / "samples" / "clips" / "wrong_call.mp4"
LONG_MS = 120_000  # the clip plays as slowly as this machine watches it
MANY_SEATS = "".join(f'[[seat]]\nid = "{seat}"\nname = "Player number {seat}"\n' for seat in "ABCDEF")
WATCHING = 'print(\'{"told":"watching","at_ms":0}\', flush=True); import sys; sys.stdin.read()'
CLIPPED = """
() => {
  const told = "button, a.act, .chip, h1, h2, h3, dt, label, select, kbd, .seat-who span";
  const isClipped = (one) => one.offsetParent && getComputedStyle(one).display !== "inline"
    && one.scrollWidth > one.clientWidth + 1;
  return [...document.querySelectorAll(told)].filter(isClipped).map((one) => one.textContent);
}
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def resting(store: Store) -> FastAPI:
    """The application with observers that only rest, and the table ``club`` of six."""
    store.tables.save("club", f'[[camera]]\nsource = "0"\n{MANY_SEATS}')
    app = create_app(Library(store))
    app.state.place.observers = Observers(store, command=lambda *_: [sys.executable, "-c", WATCHING])
    return app


def reach(page: Page, selector: str, *, back: bool = False) -> None:
    """Go there by Tab alone."""
    wanted = page.locator(selector).first
    for _ in range(80):
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"{selector} is not reached by Tab")


def wait_for(journal: SqlJournal, kind: type) -> None:
    ends = time.monotonic() + LONG_MS / 1000
    while not any(isinstance(line.event, kind) for line in journal.read()):
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_a_table_is_set_up_and_a_game_run_to_its_verdict_by_the_keyboard_alone(
    store: Store, context: BrowserContext, serving: Serving
) -> None:
    page = context.new_page()
    page.set_default_timeout(LONG_MS)
    page.goto(f"{serving(create_app(Library(store)))}/tables/new")
    set_up(page)
    table = store.tables.find("kitchen")
    assert table is not None
    assert table.parsed.seat_names == {"A": "Anna", "B": "Bo", "C": "Player C", "D": "Player D"}
    assert table.parsed.table_camera.source == str(CLIP)
    assert table.settings["observer"]["people"] is False

    reach(page, "#run", back=True)
    page.keyboard.press("Enter")
    reach(page, "#start")
    page.keyboard.press("Enter")
    page.keyboard.type("Thursday")
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("Watching", timeout=LONG_MS)
    expect(page.locator("#picture")).to_be_visible(timeout=LONG_MS)
    sitting = store.sittings.current("kitchen")
    assert sitting is not None
    journal = store.games.journal(sitting.game)
    wait_for(journal, CardLaid)
    page.keyboard.press("a")
    expect(page.locator("#picking")).to_contain_text("Anna")
    page.keyboard.press("k")
    expect(page.locator("#taken li").first).to_contain_text("Kemps by Anna")
    expect(page.locator("#verdict.ruling-wrong")).to_be_visible(timeout=LONG_MS)
    reach(page, "#end")
    page.keyboard.press("Enter")
    reach(page, "#release")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("#end")).to_be_hidden(timeout=LONG_MS)

    assert store.sittings.current("kitchen") is None
    lines = journal.read()
    assert lines[-1].event.kind == "game_closed"
    call = next(line.event for line in lines if isinstance(line.event, Called))
    assert 3000 < call.at_ms < 60_000
    verdict = judge(journal_of(content_of(lines))).deals[0].verdict
    assert verdict is not None
    assert (verdict.ruling, verdict.call, verdict.letters_to) == ("wrong", "kemps", ("AC",))
    assert (store.folder.beside(sitting.game) / "video" / "table").is_dir()


def set_up(page: Page) -> None:
    """The table ``kitchen`` with the clip as its camera, by keys."""
    reach(page, "#other")
    page.keyboard.type(str(CLIP))
    page.keyboard.press("Enter")
    expect(page.locator("#camera-list li.is-chosen img")).to_be_visible(timeout=LONG_MS)
    reach(page, "#find", back=True)
    page.keyboard.press("Enter")
    expect(page.locator("#quality.is-good")).to_be_visible(timeout=LONG_MS)
    corner = page.locator('[data-key="corner-0"]')
    before = corner.get_attribute("aria-label") or ""
    x, y = (int(part) for part in before.rpartition(": ")[2].split(", "))
    reach(page, '[data-key="corner-0"]')
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowDown"):
        page.keyboard.press(key)
    expect(corner).to_have_attribute("aria-label", f"Corner 1 of the centre: {x + 2}, {y + 10}")
    for _ in range(3):
        page.keyboard.press("Control+z")
    expect(corner).to_have_attribute("aria-label", before)
    page.keyboard.press("Control+Shift+z")
    expect(corner).to_have_attribute("aria-label", f"Corner 1 of the centre: {x + 1}, {y}")
    reach(page, "#seat-A")
    for name in ("Anna", "Bo"):
        page.keyboard.press("Control+a")
        page.keyboard.type(name)
        reach(page, f"#seat-{chr(ord(name[0]) + 1)}")
    reach(page, "#name")
    page.keyboard.type("kitchen")
    reach(page, "#people")
    page.keyboard.press("Space")
    reach(page, "#save", back=True)
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_have_text("Saved.")


def test_a_stop_among_three_pairs_names_one_of_the_others_by_key(
    store: Store, resting: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    page = context.new_page()
    address = serving(resting)
    game = resting.state.place.observers.start("club")
    begin_clock(store.folder.beside(game))
    page.goto(f"{address}/tables/club")
    expect(page.locator("[data-seat=A] button").first).to_be_enabled(timeout=20_000)
    for key in ("c", "Escape", "a", "s"):
        page.keyboard.press(key)
    expect(page.locator("#picking")).to_contain_text("press a seat of the accused pair")
    page.keyboard.press("d")  # the caller's own partner
    assert len(store.games.journal(game)) == 1
    page.keyboard.press("b")
    expect(page.locator("#taken li")).to_have_count(1)
    expect(page.locator("#taken li").first).to_contain_text("Stop Kemps by Player number A")
    page.keyboard.press("0")
    page.keyboard.press("k")
    expect(page.locator("#taken li")).to_have_count(2)
    expect(page.locator("#taken li").first).to_contain_text("nobody knows")
    reach(page, "#taken button")
    page.keyboard.press("Enter")
    expect(page.locator("#taken li.is-gone")).to_have_count(1)
    calls = [line.event for line in store.games.journal(game).read(1)]
    assert isinstance(calls[-1], Retracted)
    assert (calls[-1].event, calls[-1].by) == (2, "owner")
    assert [(call.seat, call.call, call.against) for call in calls if isinstance(call, Called)] == [
        ("A", "stop", "B"),
        (None, "kemps", None),
    ]


def test_a_call_is_being_checked_until_hands_lie_open_and_not_beyond_verifying(
    store: Store, resting: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    page, watching = context.new_page(), context.new_page()
    address = serving(resting)
    game = resting.state.place.observers.start("club")
    begin_clock(store.folder.beside(game))
    deal = ('"deal_started","dealer":null', '"centre_turned","cards":["9c","2h","5d","Js"]')
    store.games.journal(game).append_texts([f'{{"at_ms":0,"kind":{line}}}' for line in deal])
    watching.goto(f"{address}/watch")
    page.goto(f"{address}/tables/club")
    expect(page.locator("[data-seat=A] button").first).to_be_enabled(timeout=20_000)
    page.keyboard.press("a")
    page.keyboard.press("k")
    expect(page.locator("#verdict")).to_have_text("… Player number A: Kemps · The hands are being checked")
    expect(page.locator("#verdict")).not_to_have_class("verdict-line ruling-cannot_verify")
    expect(watching.locator(".watched-verdict")).to_contain_text("The hands are being checked")


def test_a_name_is_made_one_for_addresses_and_no_new_table_takes_the_place_of_another(
    store: Store, resting: FastAPI, browser: Browser, serving: Serving
) -> None:
    visitor = browser.new_context()  # its console tells of the refusal
    page = visitor.new_page()
    page.goto(f"{serving(resting)}/tables/new")
    expect(page.locator("#seat-A")).to_be_visible()
    expect(page.locator("#told")).to_have_text("")
    names = (("Кухня", ""), ("New!", "new"), ("Club", "club"), ("Café Table, 2 ", "cafe-table-2"))
    for typed, name in names:
        page.fill("#name", typed)
        page.click("#save")
        expect(page.locator("#name")).to_have_value(name)
        expect(page.locator("#told")).not_to_have_text("")
    expect(page.locator("#told")).to_have_text("Saved.")
    visitor.close()
    club, cafe = (store.tables.find(name) for name in ("club", "cafe-table-2"))
    assert club is not None
    assert "Player number F" in club.config, "it was there before"
    assert cafe is not None


def test_a_link_for_obs_shows_a_viewer_what_lies_open_and_nothing_of_how_the_table_is_run(
    resting: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    page = context.new_page()
    address = serving(resting)
    resting.state.place.observers.start("club")
    page.goto(f"{address}/tables/club")
    reach(page, "a[href='/overlay/club']")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/overlay/club/setup")
    reach(page, "#make-link")
    page.keyboard.press("Enter")
    expect(page.locator("#made-address")).to_be_focused()
    link = page.locator("#made-address").input_value()
    assert link.startswith(f"{address}/overlay/club?token=")
    page.goto(f"{address}/tables/club?{link.partition('?')[2]}")
    expect(page.locator("#pairs .pair")).to_have_count(3)
    expect(page.locator("#pairs")).to_contain_text("Player number A & Player number D")
    assert page.locator("button[data-call], #state, .acts").count() == 0


def test_no_text_is_clipped_in_any_language_and_nothing_runs_out_of_the_window(
    resting: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    page = context.new_page()
    address = serving(resting)
    resting.state.place.observers.start("club")
    for language in LANGUAGES:
        for path in ("/", "/tables/club", "/tables/new"):
            page.goto(f"{address}{path}?lang={language}")
            assert page.evaluate(CLIPPED) == [], (language, path)
            for width in (1280, 400):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (language, path, width)
