"""Figures and the reel in a real browser: languages, keyboard, narrow windows, a report without a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kemps_rules.events import Corrected
from kemps_server.analysis.telling import figures_of
from kemps_server.app import create_app
from kemps_server.bench.long_game import journal_text, long_game
from kemps_server.data_folder import DataFolder
from kemps_server.games import find_game
from kemps_server.library import Library
from kemps_server.page.render import render_page
from kemps_server.page.telling import tell_game
from kemps_server.page.words import LANGUAGES
from kemps_server.routes.place import Place
from kemps_server.store.store import Store
from kemps_server.taking_in import take_in
from kemps_vision.draw.video import VideoWriter

Serving = Callable[[FastAPI], str]

pytestmark = [pytest.mark.long, pytest.mark.browser]

LONG = journal_text(long_game(4, minutes=35))
FILMED = """
{"kind":"game_opened","at_ms":0,"seats":{"A":"Ann","B":"Ben","C":"Cem","D":"Dot"}}
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":500,"cards":["9c","2h","5d","Js"]}
{"kind":"card_taken","at_ms":1000,"seat":"A","card":"9c"}
{"kind":"card_laid","at_ms":1500,"seat":"A","card":"Kc"}
{"kind":"called","at_ms":3000,"seat":"C","call":"kemps"}
{"kind":"hand_shown","at_ms":4000,"seat":"A","cards":["9s","9h","9d","9c"]}
{"kind":"deal_ended","at_ms":5000,"why":"call"}
""".lstrip()
# What is cut off or stands over the edge of the window.
CLIPPED = """() => [...document.querySelectorAll('main *')].filter((one) => {
  const box = one.getBoundingClientRect();
  if (!box.width || one.closest('.scroll, .hidden-text, svg, video')) return false;
  const isCut = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'hidden';
  return box.right > innerWidth + 1 || isCut;
}).map((one) => one.outerHTML.slice(0, 120))"""


# What runs out of its chart.
OVERLONG = """() => [...document.querySelectorAll('svg.chart')].flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  return [...chart.querySelectorAll('text')].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1;
  }).map((text) => text.textContent);
})"""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        store.games.take_in("Thursday", LONG.encode())
        folder = tmp_path / "filmed"
        folder.mkdir()
        with VideoWriter(folder / "table.mp4", fps=10) as writer:
            for at_ms in range(0, 7_000, 100):
                writer.add(np.full((90, 160, 3), 40 + at_ms // 50, np.uint8), at_ms)
        (folder / "game.jsonl").write_text(FILMED, encoding="utf-8")
        note = {"kind": "file", "name": "table.mp4", "size": [160, 90], "fps": 10.0}
        note |= {"path": str(folder / "table.mp4")}
        (folder / "recording.json").write_text(json.dumps(note), encoding="utf-8")
        take_in(store, folder)
        yield create_app(Library(store))


def test_pages_fit_in_every_language_and_at_every_width(
    app: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    home = serving(app)
    page = context.new_page()
    for language in LANGUAGES:
        addresses = ("/games/thursday/analysis", "/players", "/players/Ana")
        for address in addresses if language in ("en", "ru") else addresses[:1]:
            page.goto(f"{home}{address}?lang={language}")
            for width in (1280, 360) if language in ("en", "ru") else (1280,):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, language)
                assert page.evaluate(CLIPPED) == [], (address, language, width)
            cut = page.evaluate(OVERLONG)
            assert cut == [], (address, language)


def test_marks_are_reached_by_the_keyboard_and_say_what_they_are(
    app: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    page = context.new_page()
    page.goto(f"{serving(app)}/games/thursday/analysis")
    mark = page.locator("svg.chart .point").first
    expect(mark.locator(".tip")).to_be_hidden()
    page.locator("#letters-title").evaluate("(one) => { one.tabIndex = -1; one.focus(); }")
    page.keyboard.press("Tab")
    assert mark.evaluate("(one) => one.contains(document.activeElement)")
    expect(mark.locator(".tip")).to_be_visible()
    label = mark.locator("a").get_attribute("aria-label") or ""
    assert "Clara" in label
    assert mark.locator(".tip").text_content() == label
    page.keyboard.press("Enter")
    page.wait_for_url("**/games/thursday?at=*")


def test_the_reel_is_made_from_the_page_and_played_on_it(
    app: FastAPI, context: BrowserContext, serving: Serving
) -> None:
    page = context.new_page()
    page.goto(f"{serving(app)}/games/filmed/analysis")
    expect(page.locator("#reel-shown")).to_be_hidden()
    page.locator("#reel-make").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#reel-stop")).to_be_visible()
    expect(page.locator("#reel-shown")).to_be_visible(timeout=60_000)
    length_s = page.locator("#reel video").evaluate(
        "(video) => video.readyState ? video.duration : new Promise((told) => "
        "video.addEventListener('loadedmetadata', () => told(video.duration)))"
    )
    assert length_s > 5
    expect(page.locator("#reel-stop")).to_be_hidden()
    page.reload()
    assert page.inner_text("#reel-shown p").endswith("Moments: 1, 0:09")
    place: Place = app.state.place
    shown = {"cards": ["9s", "9h", "9d", "8c"]}
    place.store.games.journal("filmed").append(
        Corrected(at_ms=9_000, event=6, to=shown, by="ref", why="glare")
    )
    page.reload()
    assert "made before something was decided" in page.inner_text("#reel-shown p")


@pytest.fixture
def report(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    (tmp_path / "game.jsonl").write_text("".join(LONG.splitlines(keepends=True)[:900]), encoding="utf-8")
    game = find_game(tmp_path)
    html = render_page(tell_game(game), figures=figures_of(game))
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    yield page
    context.close()
    assert all(address.startswith(("file:", "data:")) for address in asked)


def test_a_report_shows_its_charts_without_a_script_and_loads_nothing(report: Page) -> None:
    assert report.locator(".figures svg.chart").count() >= 4
    step = report.locator(".figures .step").first
    assert step.evaluate("(one) => one.getTotalLength()") > 300
    assert report.locator(".figures .point").count() > 10
    assert "Each figure says how far it may be off" in report.inner_text(".figures")


def test_a_report_changes_the_language_of_its_figures(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text(FILMED, encoding="utf-8")
    game = find_game(tmp_path)
    (tmp_path / "page.html").write_text(
        render_page(tell_game(game), figures=figures_of(game)), encoding="utf-8"
    )
    page = browser.new_page(locale="en-US")
    page.goto((tmp_path / "page.html").as_uri())
    page.select_option("#language", "ru")
    text = page.inner_text(".figures")
    assert "Что было видно" in text
    assert "What was seen" not in text
    label = page.locator(".figures .point").first.get_attribute("aria-label") or ""
    assert "раздача" in label
    page.close()
