"""The page on which an owner sets an overlay up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, expect

from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store.store import Store

pytestmark = pytest.mark.browser


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        store.tables.save("club", "")
        yield store


@pytest.fixture
def page(store: Store, context: BrowserContext, serving: Callable[[FastAPI], str]) -> Page:
    page = context.new_page()
    page.goto(serving(create_app(Library(store))) + "/overlay/club")
    expect(page).to_have_url(re.compile("/overlay/club/setup$"))
    return page


def settings(store: Store) -> dict[str, object]:
    record = store.tables.find("club")
    assert record is not None
    return dict(record.settings)


def test_what_is_changed_is_kept_and_seen_at_once(store: Store, page: Page) -> None:
    shown = page.frame_locator("#shown")
    expect(shown.locator(".call .ruling")).to_have_text("Right")
    page.select_option("[name=theme]", "paper")
    expect(shown.locator("main")).to_have_attribute("data-theme", "paper")
    page.get_by_label("Stock").uncheck()
    expect(shown.locator(".stock")).to_be_hidden()
    expect(page.locator("#looks .told")).to_have_text("Saved.")
    page.reload()
    expect(page.locator("[name=theme]")).to_have_value("paper")
    expect(page.get_by_label("Stock")).not_to_be_checked()
    overlay = settings(store)["overlay"]
    assert isinstance(overlay, dict)
    assert "stock" not in overlay["parts"]


def test_a_link_that_is_made_there_opens_the_overlay_and_nothing_else(
    page: Page, context: BrowserContext
) -> None:
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#made-address")).to_have_value(re.compile("token="))
    address = page.locator("#made-address").input_value()
    other = context.new_page()
    answer = other.goto(address)
    assert answer is not None
    assert answer.status == 200
    secret = address.split("token=")[1]
    assert other.request.get(page.url.replace("/setup", "/setup.json") + f"?token={secret}").status == 403


def test_obs_is_set_tried_and_forgotten_with_a_line_each_time(store: Store, page: Page) -> None:
    page.get_by_label("Address of OBS").fill("ws://127.0.0.1:9")
    page.get_by_label("Password").fill("correct horse")
    page.locator("[data-moment=call] [name=save_replay]").check()
    page.get_by_role("button", name="Save", exact=True).click()
    told = page.locator("#obs .told")
    expect(told).to_have_text("Saved.")
    kept = settings(store)["obs"]
    assert isinstance(kept, dict)
    assert kept["call"]["save_replay"]
    assert "correct horse" not in page.content()
    page.get_by_role("button", name="Forget OBS").click()
    expect(told).to_have_text("Forgotten.")
    assert settings(store)["obs"] is None
