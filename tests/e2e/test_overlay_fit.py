"""An overlay on air whatever its address says: as large as fits, and transparent when it is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from kemps_rules.journal import parse_line
from kemps_server.app import create_app
from kemps_server.bench.played_game import PlayedGame
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.users import Role

pytestmark = [pytest.mark.long, pytest.mark.browser]

LONG = ("Maximiliana-Theodora", "Bartholomew Featherstone", "Konstantinopolita", "Wolfeschlegelstein")
LINES = (
    '{"kind":"deal_started","at_ms":0,"dealer":"A"}',
    '{"kind":"centre_turned","at_ms":1200,"cards":["9c","2h","5d"],"unread":1}',
    '{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}',
    '{"kind":"card_laid","at_ms":9300,"seat":"A","card":"Kc"}',
)
CALL = (
    '{{"kind":"called","at_ms":41250,"seat":"{}","call":"kemps","uncertainty_ms":120}}',
    '{"kind":"hand_shown","at_ms":44000,"seat":"A","cards":["9s","9h","9d","9c"],"unread":0}',
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        yield store


def begun(store: Store, seats: int = 4) -> PlayedGame:
    store.tables.save("club", "")
    names = [LONG[number % 4] + ("" if number < 4 else " II") for number in range(seats)]
    header = {"kind": "game_opened", "seats": dict(zip("ABCDEFGH"[:seats], names, strict=True))}
    game = PlayedGame(store, "club", "club", [parse_line(json.dumps(header)), parse_line(LINES[0])])
    game.play()
    game.play(*LINES[1:])
    return game


@pytest.fixture
def goto(store: Store, browser: Browser, serving: Callable[[FastAPI], str]) -> Iterator[Callable[..., Page]]:
    """Opens an address; not with ``context``, as the browser itself complains of what is refused."""
    origin = serving(create_app(Library(store)))
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 720})
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))

    def open_page(address: str, status: int = 200) -> Page:
        answer = page.goto(origin + address)
        assert answer is not None
        assert answer.status == status
        return page

    yield open_page
    context.close()
    assert broken == []


def opaque_beside(page: Page, selector: str) -> tuple[int, int, int, int] | None:
    """What is drawn outside of a part."""
    shot = page.screenshot(omit_background=True, animations="disabled")
    alpha = Image.open(io.BytesIO(shot)).convert("RGBA").getchannel("A")
    assert alpha.getbbox() is not None
    box = page.locator(selector).bounding_box()
    assert box is not None
    left, top = int(box["x"]) - 2, int(box["y"]) - 2  # edges of letters and corners are smoothed
    alpha.paste(0, (left, top, int(left + box["width"]) + 5, int(top + box["height"]) + 5))
    return alpha.getbbox()


def test_a_slip_in_the_address_is_left_out_and_named(store: Store, goto: Callable[..., Page]) -> None:
    begun(store)
    secret = store.tokens.issue(Role.VIEWER, "overlay")[1]
    page = goto(
        f"/overlay/club?token={secret}&scale=abc&theme=mauve&hide=stock,ghosts&side=top&lang=xx&sample=7"
    )
    expect(page.locator("main")).to_be_visible()
    expect(page.locator(".link")).to_have_text(
        "This overlay's address has a slip and shows without it: theme, lang, hide, scale, sample"
    )
    expect(page.locator("main")).to_have_attribute("data-theme", "felt")
    expect(page.locator("main")).to_have_attribute("data-side", "top")
    expect(page.locator(".stock")).to_be_hidden()
    expect(page.locator(".centre")).to_be_visible()
    goto(f"/overlay/club?token={secret}&scale=&theme=slate")
    expect(page.locator("main")).to_have_attribute("data-theme", "slate")
    expect(page.locator(".link")).to_be_hidden()


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/overlay/club?token=nonsense&lang=fr", 401, "Le lien de cette incrustation n'est plus valable"),
        ("/overlay/club?token=", 403, "An overlay's address ends in ?token=… with a link for viewers"),
        ("/overlay/attic?token={}", 404, "There is no such table here"),
    ],
)
def test_what_is_refused_is_a_transparent_page_with_a_line(
    store: Store, goto: Callable[..., Page], address: str, status: int, said: str
) -> None:
    begun(store)
    page = goto(address.format(store.tokens.issue(Role.VIEWER, "overlay")[1]), status)
    expect(page.locator("body")).to_have_text(said)
    assert opaque_beside(page, ".link") is None


def test_a_page_that_is_loaded_again_after_its_link_was_revoked_is_transparent(
    store: Store, goto: Callable[..., Page]
) -> None:
    begun(store)
    token, secret = store.tokens.issue(Role.VIEWER, "overlay")
    page = goto(f"/overlay/club?token={secret}")
    expect(page.locator("main")).to_be_visible()
    store.tokens.revoke(token.id)
    answer = page.reload()
    assert answer is not None
    assert answer.status == 401
    expect(page.locator("body")).to_have_text("This overlay's link holds no more")
    assert opaque_beside(page, ".link") is None


@pytest.mark.parametrize("seats", [4, 8])
def test_with_long_names_nothing_leaves_the_picture_or_lies_on_another_at_the_largest_size(
    store: Store, goto: Callable[..., Page], seats: int
) -> None:
    game = begun(store, seats)
    secret = store.tokens.issue(Role.VIEWER, "overlay")[1]
    for layout in ("column", "corners", "bar"):
        page = goto(f"/overlay/club?token={secret}&scale=200&layout={layout}")
        expect(page.locator(".pair")).to_have_count(seats // 2)
        if layout == "column":
            assert misplaced(page) == []
            game.play(CALL[0].format("ABCDEFGH"[seats // 2]), CALL[1])
        expect(page.locator(".call .ruling")).to_have_text("Right")
        for width in (1280, 1920):
            page.set_viewport_size({"width": width, "height": width * 9 // 16})
            assert misplaced(page) == [], (layout, width)


def test_a_size_that_fits_is_the_size_that_was_asked_for(store: Store, goto: Callable[..., Page]) -> None:
    begun(store)
    secret = store.tokens.issue(Role.VIEWER, "overlay")[1]
    letters = {}
    for scale in (50, 100, 200):
        page = goto(f"/overlay/club?token={secret}&scale={scale}")
        expect(page.locator(".pair")).to_have_count(2)
        letters[scale] = float(
            page.locator(".names").first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
        )
    assert letters[100] == pytest.approx(2 * letters[50], rel=1e-3)
    assert letters[100] < letters[200] < 2 * letters[100]


def misplaced(page: Page) -> list[object]:
    """What reaches out of the picture, parts that lie on each other or do not hold what is in them."""
    size = page.viewport_size
    assert size is not None
    page.evaluate("() => Promise.allSettled(document.getAnimations().map(one => one.finished))")
    found: list[dict[str, Any]] = page.locator(".pair, .middle, .call").evaluate_all(
        """all => all.filter(one => one.offsetWidth > 0).map(one => (
            {...one.getBoundingClientRect().toJSON(), wide: one.scrollWidth > one.clientWidth + 1}))"""
    )
    out: list[object] = [
        one
        for one in found
        if one["left"] < 0
        or one["right"] > size["width"]
        or one["top"] < 0
        or one["bottom"] > size["height"]
        or one["wide"]
    ]
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            is_beside = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
            if not is_beside and one["top"] < other["bottom"] - 1 and other["top"] < one["bottom"] - 1:
                out.append((one, other))
    return out
