"""The referee's desk in a browser: all by keys, corrections in two presses, two desks that show one state."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kemps_rules.events import Corrected, Reviewed, Ruled
from kemps_server.access.gate import COOKIE
from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.shipped import shipped_clip
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_server.taking_in import take_in

pytestmark = [pytest.mark.long, pytest.mark.browser]

Serving = Callable[[FastAPI], str]
MORE: list[dict[str, Any]] = [
    {"kind": "hand_hidden", "at_ms": 9000, "until_ms": 11800, "seat": "C"},
    {"kind": "hand_hidden", "at_ms": 9700, "until_ms": 11500, "seat": "A"},
    {"kind": "card_taken", "at_ms": 19000, "seat": "B", "card": "2h"},
]
"""Both partners out of view (lines 16 and 17), and a card that moved after the call (line 18)."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with the game of the shipped clip, and more to look at in it."""
    folder = tmp_path / "club-night"
    folder.mkdir()
    with shipped_clip() as clip, Store.open(DataFolder(tmp_path / "data")) as opened:
        text = (clip.video.parent / "demo.game.jsonl").read_text(encoding="utf-8")
        lines = [*text.splitlines(), *(json.dumps(event) for event in MORE)]
        (folder / "game.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        note = {"kind": "file", "name": "demo.mp4", "size": [1280, 720], "fps": 15.0, "path": str(clip.video)}
        (folder / "recording.json").write_text(json.dumps(note), encoding="utf-8")
        take_in(opened, folder)
        yield opened


@pytest.fixture
def address(store: Store, serving: Serving) -> str:
    return serving(create_app(Library(store)))


@pytest.fixture
def desk(context: BrowserContext, address: str) -> Page:
    """The desk as the owner at this machine sees it."""
    page = context.new_page()
    page.goto(f"{address}/desk")
    expect(page.locator("#heading")).to_have_text("The call ends the deal: Boris")
    return page


def as_referee(browser: Browser, store: Store, address: str, name: str) -> Page:
    """The desk as a referee sees it who has a link."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    secret = store.tokens.issue(Role.REFEREE, name)[1]
    context.add_cookies([{"name": COOKIE, "value": secret, "url": address}])
    page = context.new_page()
    page.goto(f"{address}/desk")
    expect(page.locator(".you")).to_contain_text(name)
    return page


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def keys_that_do_not_fit_say_so(desk: Page) -> None:
    said = desk.locator("#told.is-failed")
    desk.keyboard.press("1")  # a ruling is for calls
    expect(said).to_contain_text("1, “Right”, does not fit this item")
    expect(said).to_contain_text("c It was so")
    desk.keyboard.press("y")
    expect(said).to_contain_text("Nothing was heard here")


def test_a_whole_review_by_keys_alone(desk: Page, store: Store) -> None:
    expect(desk.locator("#show option").first).to_have_text("To decide (2)")
    desk.keyboard.press("j")
    expect(desk.locator("#heading")).to_have_text("Signals: Ana, Chloé")
    desk.keyboard.press("k")
    desk.keyboard.press("j")
    expect(desk.locator("#clock")).to_have_text("0:09.700")

    video = desk.locator("#cameras video")
    desk.keyboard.press(" ")
    expect(desk.locator("#clock")).to_have_text(re.compile("0:1[0-3]"))
    desk.keyboard.press(" ")
    assert video.evaluate("video => video.paused")
    desk.keyboard.press("Home")
    expect(desk.locator("#clock")).to_have_text("0:06.700")
    expect(desk.locator("#cameras img")).to_be_visible()
    desk.keyboard.press("ArrowRight")  # the frames come each fifteenth of a second
    expect(desk.locator("#clock")).to_have_text("0:06.733")
    desk.keyboard.press("ArrowLeft")
    expect(desk.locator("#clock")).to_have_text("0:06.667")

    desk.keyboard.press("h")
    expect(desk.locator("#state .chip")).to_have_text("on hold, owner")
    desk.keyboard.press("r")
    expect(desk.locator("#state .chip")).to_have_text("open")
    keys_that_do_not_fit_say_so(desk)
    desk.keyboard.press("o")
    expect(desk.locator("#why")).to_be_focused()
    desk.keyboard.press("Enter")  # not without a reason
    desk.keyboard.type("both looked for the dice")
    desk.keyboard.press("Enter")
    expect(desk.locator("#state .chip")).to_have_text("overturned, owner")
    desk.keyboard.press("u")
    expect(desk.locator("#state .chip")).to_have_text("open")
    desk.keyboard.press("c")
    expect(desk.locator("#told")).to_have_text("Written: It was so.")
    decisions = [record.event for record in store.decisions.of("club-night")]
    reviews = [event.decision for event in decisions if isinstance(event, Reviewed)]
    assert reviews == ["hold", "reopen", "overturn", "confirm"]
    assert {record.by for record in store.decisions.of("club-night")} == {"owner"}

    desk.keyboard.press("a")
    desk.keyboard.press("a")
    assert desk.input_value("#show") == "all"
    desk.keyboard.press("j")
    expect(desk.locator("#heading")).to_have_text("Chloé calls Kemps")
    desk.keyboard.press("2")
    desk.keyboard.type("the swap was open")
    desk.keyboard.press("Enter")
    expect(desk.locator("#state .chip")).to_have_text("wrong, owner")
    ruled = store.decisions.of("club-night")[-1].event
    assert isinstance(ruled, Ruled)
    assert (ruled.ruling, ruled.why) == ("wrong", "the swap was open")


def test_a_card_a_seat_and_a_time_are_put_right_in_two_presses(desk: Page, store: Store) -> None:
    def last() -> Corrected:
        event = store.decisions.of("club-night")[-1].event
        assert isinstance(event, Corrected)
        return event

    row = desk.locator('#rows [data-line="18"]')
    row.locator(".row-card").click()
    desk.locator('#picker [data-card="8d"]').click()
    expect(row).to_contain_text("Boris takes 8♦")
    assert last().to == {"card": "8d"}
    assert last().why == "as seen at 0:19.0"

    row.locator(".row-seat").click()
    desk.locator("#picker").get_by_role("button", name="Diego").click()
    expect(row).to_contain_text("Diego takes 8♦")
    assert last().to == {"seat": "D"}

    row.locator(".row-time").click()
    desk.locator("#picker-seconds").fill("19.4")
    desk.keyboard.press("Enter")
    expect(row.locator(".row-time")).to_have_text("0:19.4")
    assert last().to == {"at_ms": 19400}

    desk.keyboard.press("e")  # and by keys: the line, then the card's letters
    desk.keyboard.press("q")
    desk.keyboard.press("s")
    expect(row).to_contain_text("Diego takes Q♠")
    assert last().to == {"card": "Qs"}


def test_identities_are_swapped_from_a_line_on(desk: Page, store: Store) -> None:
    desk.locator('#rows [data-line="18"] .row-text').click()
    desk.get_by_role("button", name="Swap two players").click()
    desk.locator("#picker select").nth(0).select_option("B")
    desk.locator("#picker select").nth(1).select_option("D")
    desk.get_by_role("button", name="Swap from 0:19.0 on").click()
    expect(desk.locator("#heading")).to_have_text("The call ends the deal: Diego")
    assert store.decisions.of("club-night")[-1].event.kind == "identities_swapped"


def test_two_desks_show_one_state_and_a_second_opinion_is_given_blindly(
    browser: Browser, store: Store, address: str
) -> None:
    ida, tom = (as_referee(browser, store, address, name) for name in ("Ida", "Tom"))
    for page in (ida, tom):
        expect(page.locator("#heading")).to_have_text("The call ends the deal: Boris")
    ida.keyboard.press("x")
    ida.keyboard.press("o")
    ida.keyboard.type("the zebra again")
    ida.keyboard.press("Enter")
    expect(ida.locator("#second")).to_have_text("Your sealed opinion: overturned. It waits for a second one.")
    expect(tom.locator("#state .chip")).to_have_text("second opinion asked for, Ida")
    assert "zebra" not in tom.content()
    tom.keyboard.press("c")
    expect(tom.locator("#told")).to_have_text("The opinions differ: held, both are shown below.")
    for page in (ida, tom):
        expect(page.locator("#state .chip")).to_have_text("on hold, Ida, Tom")
        expect(page.locator("#history")).to_contain_text("Ida: overturned: the zebra again")
        expect(page.locator("#history")).to_contain_text("Tom: confirmed")
    ida.keyboard.press("d")
    expect(tom.locator("#state .chip")).to_have_text("dismissed, Ida")
    for page in (ida, tom):
        page.context.close()


def test_the_help_names_each_key_and_focus_can_be_seen(desk: Page) -> None:
    desk.keyboard.press("?")
    assert desk.locator("#help dt kbd").count() >= 20
    desk.keyboard.press("Escape")
    expect(desk.locator("#help")).to_be_hidden()
    for _ in range(12):
        desk.keyboard.press("Tab")
        outline = desk.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", desk.evaluate("document.activeElement.outerHTML")


def test_no_text_is_cut_off_in_any_language(desk: Page, address: str) -> None:
    for language in ("en", "ru", "pt", "fr", "es"):
        desk.goto(f"{address}/desk?lang={language}")
        expect(desk.locator("#heading")).not_to_be_empty()
        for width in (1280, 1920):
            desk.set_viewport_size({"width": width, "height": 1000})
            cut = desk.evaluate(
                """[...document.querySelectorAll('button, h2, h3, p, label, .chip, th, td, .row-text, b')]
                .filter(one => one.offsetParent && getComputedStyle(one).display !== 'inline')
                .filter(one => one.scrollWidth > one.clientWidth + 1)
                .map(one => one.outerHTML.slice(0, 160))"""
            )
            assert cut == [], (language, width)
            assert desk.evaluate("document.documentElement.scrollWidth") <= width
