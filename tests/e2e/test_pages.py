"""The page of a game in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from kemps_rules.journal import read_journal
from kemps_server.page.binding import tell_story
from kemps_server.page.render import render_page

pytestmark = pytest.mark.browser

EVENTS = [
    {
        "kind": "game_opened",
        "at_ms": 0,
        "version": 1,
        "rules": "leaflet",
        "seats": {"A": "Anna", "B": "<i>Bo</i>", "C": "Carla", "D": "Dmitri"},
    },
    {"kind": "deal_started", "at_ms": 0, "dealer": "A"},
    {"kind": "centre_turned", "at_ms": 1200, "cards": ["9c", "2h", "5d", "Js"]},
    {"kind": "card_taken", "at_ms": 8400, "seat": "A", "card": "9c"},
    {"kind": "card_laid", "at_ms": 9300, "seat": "A", "card": "Kc"},
    {"kind": "called", "at_ms": 13250, "seat": "C", "call": "kemps"},
    {"kind": "hand_shown", "at_ms": 16000, "seat": "A", "cards": ["9s", "9h", "9d", "9c"]},
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("pages")
    journal = folder / "game.jsonl"
    journal.write_text("".join(json.dumps(event) + "\n" for event in EVENTS), encoding="utf-8")
    story = tell_story(
        read_journal(journal), title="Thursday", lines=journal.read_text(encoding="utf-8").splitlines()
    )
    (folder / "page.html").write_text(render_page(story), encoding="utf-8")
    return (folder / "page.html").as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type in {"error", "warning"} else None,
    )
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: (
            problems.append(request.url) if not request.url.startswith(("file:", "data:")) else None
        ),
    )
    page.goto(address)
    yield page
    context.close()
    assert problems == []


def now(page: Page) -> str:
    return page.locator("#now").inner_text()


def cards(page: Page, place: str) -> list[str]:
    """The names of the cards drawn at a place, from left to right."""
    return [(use.get_attribute("href") or "")[len("#card-") :] for use in page.locator(f"{place} use").all()]


def test_arrow_keys_step_through_the_events_and_the_table_follows(page: Page) -> None:
    assert now(page).startswith("Anna shows")
    page.keyboard.press("Home")
    assert now(page).startswith("Deal 1 begins")
    page.keyboard.press("ArrowRight")
    assert cards(page, "#centre-cards") == ["9c", "2h", "5d", "Js"]
    page.keyboard.press("ArrowRight")
    assert now(page) == "Anna takes 9♣"
    assert cards(page, "#centre-cards") == ["2h", "5d", "Js"]
    assert cards(page, "#seat-A .hand") == ["9c", "back", "back", "back", "back"]
    assert "owes a card to the centre" in page.locator("#ledger-A").inner_text()
    page.keyboard.press("ArrowLeft")
    assert cards(page, "#seat-A .hand") == ["back"] * 4
    page.keyboard.press("End")
    assert cards(page, "#seat-A .hand") == ["9s", "9h", "9d", "9c"]
    page.keyboard.press("ArrowRight")
    assert now(page).startswith("Anna shows")


def test_an_event_in_the_list_and_a_mark_on_the_timeline_lead_to_their_moment(page: Page) -> None:
    page.click(".events a.k-called")
    assert now(page) == "Carla calls Kemps"
    assert page.locator("#bubble").text_content() == "Kemps!"
    page.dispatch_event(".mark.swap", "click")
    assert now(page) == "Anna takes 9♣"
    assert page.locator(".events [aria-current]").inner_text().endswith("Anna takes 9♣")


def test_the_event_shown_is_in_view_in_its_list(browser: Browser, tmp_path: Path) -> None:
    lines = [json.dumps(event) for event in EVENTS[:3]]
    lines += [
        json.dumps({"kind": "card_touched", "at_ms": 2000 + n, "seat": "A", "card": "2h"}) for n in range(600)
    ]
    (tmp_path / "game.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    story = tell_story(read_journal(tmp_path / "game.jsonl"), title="Long")
    (tmp_path / "page.html").write_text(render_page(story), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    for key in ("End", "Home", "End", "ArrowLeft"):
        page.keyboard.press(key)
        box, current = (
            page.locator(".events").bounding_box(),
            page.locator(".events [aria-current]").bounding_box(),
        )
        assert box is not None
        assert current is not None
        assert box["y"] <= current["y"] <= box["y"] + box["height"] - current["height"], key
    page.close()


def test_the_slider_keeps_its_own_arrow_keys(page: Page) -> None:
    page.focus("#slider")
    page.keyboard.press("ArrowLeft")
    assert now(page) == "Carla calls Kemps"


def test_changing_the_language_changes_every_text(page: Page) -> None:
    page.select_option("#language", "ru")
    assert page.get_attribute("html", "lang") == "ru"
    text = page.inner_text("main")
    assert "Вердикты" in text
    assert not re.search(r"\b(the|calls|takes|Flags)\b", re.sub(r"A shows.*", "", text))
    assert page.title() == "Thursday · партия в Кемпс"


@pytest.mark.parametrize(
    ("locale", "query", "language"), [("fr-CA", "", "fr"), ("de-DE", "", "en"), ("fr-FR", "?lang=es", "es")]
)
def test_the_language_comes_from_the_address_or_the_browser(
    browser: Browser, address: str, locale: str, query: str, language: str
) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(address + query)
    assert page.get_attribute("html", "lang") == language
    context.close()


def test_names_are_text_in_the_browser_too(page: Page) -> None:
    assert page.locator("i").count() == 0
    assert "<i>Bo</i>" in page.inner_text(".score")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_drawn_in_light_and_in_dark(browser: Browser, address: str, scheme: str) -> None:
    context = browser.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": 1280, "height": 900}
    )
    page = context.new_page()
    page.goto(address)
    picture = cv2.imdecode(np.frombuffer(page.screenshot(full_page=True), np.uint8), cv2.IMREAD_COLOR)
    context.close()
    assert picture is not None
    corner = float(picture[:20, :20].mean())
    assert corner > 200 if scheme == "light" else corner < 60
    assert picture.std() > 15
    felt = (picture[..., 1].astype(int) - picture[..., 2] > 25) & (picture[..., 1] < 120)
    assert felt.mean() > 0.03


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_nothing_runs_out_of_the_window_at_any_width_or_text_size(
    browser: Browser, address: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(address)
    for size in ("16px", "24px"):
        page.evaluate(f"document.documentElement.style.fontSize = '{size}'")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_without_script_all_is_there_but_the_stepping(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.inner_text("#now").startswith("Anna shows")
    assert "JavaScript" in page.inner_text("footer")
    context.close()


def test_it_prints(browser: Browser, address: str, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.is_visible(".controls")
    context.close()
    assert (tmp_path / "page.pdf").stat().st_size > 20_000
