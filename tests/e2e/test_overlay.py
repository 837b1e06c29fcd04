"""The overlay in a browser: transparent, alive, honest about doubt, and back after a restart."""

from __future__ import annotations

import io
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import uvicorn
from fastapi import FastAPI
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kemps_rules.journal import parse_line
from kemps_server.app import create_app
from kemps_server.bench.played_game import PlayedGame
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.users import Role

pytestmark = pytest.mark.browser

NAMES = ("Anna", "Boris", "Carla", "Dmitri", "Elena", "Félix", "Gonçalo", "Hélène")
TURNED = '{"kind":"centre_turned","at_ms":1200,"cards":["9c","2h","5d"],"unread":1}'
TAKEN = '{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}'
LAID = '{"kind":"card_laid","at_ms":9300,"seat":"A","card":"Kc"}'
CALLED = '{{"kind":"called","at_ms":41250,"seat":"{}","call":"kemps","uncertainty_ms":120}}'
SHOWN = '{"kind":"hand_shown","at_ms":44000,"seat":"A","cards":["9s","9h","9d","9c"],"unread":0}'
SETTLED = '{"kind":"settled","at_ms":60000,"camera":"table"}'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        yield store


def begun(store: Store, seats: int = 4, house: dict[str, Any] | None = None) -> PlayedGame:
    """A game of so many with its first centre, at a table of its own."""
    table = f"table-{seats}"
    store.tables.save(table, "")
    header = {"kind": "game_opened", "seats": dict(zip("ABCDEFGH"[:seats], NAMES, strict=False))}
    lines = [
        json.dumps(header | ({"house": house} if house else {})),
        '{"kind":"deal_started","at_ms":0,"dealer":"A"}',
    ]
    game = PlayedGame(store, table, table, [parse_line(line) for line in lines])
    game.play()
    game.play(TURNED)
    return game


def secret_of(store: Store) -> str:
    return store.tokens.issue(Role.VIEWER, "overlay")[1]


@pytest.fixture
def show(store: Store, context: BrowserContext, serving: Callable[[FastAPI], str]) -> Callable[..., Page]:
    origin = serving(create_app(Library(store)))
    secret = secret_of(store)

    def open_page(table: str, query: str = "", width: int = 1920) -> Page:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": width * 9 // 16})
        page.goto(f"{origin}/overlay/{table}?token={secret}&{query}")
        expect(page.locator("main")).to_be_visible()
        return page

    return open_page


def picture(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot(omit_background=True, animations="disabled"))).convert(
        "RGBA"
    )


def boxes(page: Page, selector: str) -> list[dict[str, float]]:
    found: list[dict[str, float]] = page.locator(selector).evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    return found


@pytest.mark.parametrize(("width", "theme", "light"), [(1920, "felt", "light"), (1280, "clear", "dark")])
def test_outside_its_parts_every_pixel_is_transparent(
    store: Store, show: Callable[..., Page], width: int, theme: str, light: Literal["light", "dark"]
) -> None:
    begun(store)
    page = show("table-4", f"theme={theme}", width)
    page.emulate_media(color_scheme=light)  # in the dark browsers put a ground under pages that know it
    alpha = picture(page).getchannel("A")
    assert alpha.getbbox() is not None
    board = boxes(page, ".board")[0]
    margin = 12  # shadows of cards and letters reach a little beyond
    alpha.paste(
        0,
        (
            int(board["left"]) - margin,
            int(board["top"]) - margin,
            int(board["right"]) + margin,
            int(board["bottom"]) + margin,
        ),
    )
    assert alpha.getbbox() is None


def test_a_call_comes_with_its_word_and_is_settled_with_a_letter(
    store: Store, show: Callable[..., Page]
) -> None:
    game = begun(store, house={"call_words": {"en": ["Kent"]}})
    page = show("table-4")
    expect(page.locator(".centre li .card")).to_have_count(4)
    expect(page.locator('.centre li[data-card="unread"]')).to_have_count(1)
    game.play(TAKEN)
    expect(page.locator('.centre li[data-card="none"]')).to_have_count(1)
    game.play(LAID, CALLED.format("C"))
    expect(page.locator(".call .word")).to_have_text("Kent!")
    expect(page.locator(".call .ruling")).to_have_text("The hands are being checked")
    game.play(SHOWN)
    expect(page.locator(".call .ruling")).to_have_text("Right")
    expect(page.locator(".call .tag")).to_have_text("not final yet")
    expect(page.locator('[data-pair="BD"] .tile.lit.open')).to_have_count(1)
    game.play(SETTLED)
    expect(page.locator(".call .tag")).to_have_count(0)
    expect(page.locator('[data-pair="BD"] .tile.lit:not(.open)')).to_have_count(1)
    expect(page.locator(".call .shown .card")).to_have_count(4)
    game.play(
        '{"kind":"deal_ended","at_ms":61000,"why":"call"}',
        '{"kind":"deal_started","at_ms":62000,"dealer":"B"}',
    )
    expect(page.locator(".call")).to_be_hidden(timeout=15_000)


def test_a_verdict_that_a_person_changes_on_air_changes_with_a_note(
    store: Store, show: Callable[..., Page]
) -> None:
    game = begun(store)
    game.play(TAKEN, LAID, CALLED.format("C"), SHOWN, SETTLED)
    page = show("table-4")
    expect(page.locator(".call .ruling")).to_have_text("Right")
    expect(page.locator(".note")).to_have_count(0)
    game.play('{"kind":"ruled","at_ms":70000,"event":5,"ruling":"wrong","by":"Ida","why":"she spoke"}')
    expect(page.locator(".call .ruling")).to_have_text("Wrong")
    expect(page.locator(".note")).to_contain_text("Right is now Wrong")
    expect(page.locator(".note")).to_contain_text("decided by the referee")
    assert "Ida" not in page.content()


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_all_pairs_of_a_table_fit_into_the_picture_and_nothing_lies_on_another(
    store: Store, show: Callable[..., Page], seats: int
) -> None:
    game = begun(store, seats)
    game.play(TAKEN, LAID, CALLED.format("ABCDEFGH"[seats // 2]), SHOWN, SETTLED)
    page = show(f"table-{seats}", width=1280)
    expect(page.locator(".pair")).to_have_count(seats // 2)
    expect(page.locator(".call .ruling")).to_be_visible()
    at_rest(page)
    for layout in ("bar", "corners", "column"):
        for side in ("bottom", "top", "left"):
            page.evaluate(
                "looks => Object.assign(document.querySelector('main').dataset, looks)",
                {"layout": layout, "side": side},
            )
            assert misplaced(boxes(page, ".pair, .middle, .call")) == [], (layout, side)


def misplaced(found: list[dict[str, float]]) -> list[object]:
    """What reaches out of a picture of 1280x720, and pairs that lie on each other."""
    out: list[object] = [
        one
        for one in found
        if one["left"] < 0 or one["right"] > 1280 or one["top"] < 0 or one["bottom"] > 720
    ]
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            is_beside = one["right"] <= other["left"] or other["right"] <= one["left"]
            if not is_beside and one["top"] < other["bottom"] and other["top"] < one["bottom"]:
                out.append((one, other))
    return out


def at_rest(page: Page) -> None:
    page.evaluate("() => Promise.allSettled(document.getAnimations().map(one => one.finished))")


def test_no_language_is_cut_off(store: Store, show: Callable[..., Page]) -> None:
    game = begun(store)
    stop = '{"kind":"called","at_ms":41250,"seat":"B","call":"stop","against":"A","uncertainty_ms":120}'
    other = '{"kind":"hand_shown","at_ms":44100,"seat":"C","cards":["8s","8h","8d","2c"],"unread":0}'
    game.play(stop, SHOWN, other)
    page = show("table-4", width=1280)
    address = page.url
    for language in ("en", "ru", "pt", "fr", "es"):
        page.goto(f"{address}&lang={language}")
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator(".call .ruling")).to_be_visible()
        cut = page.evaluate(
            """() => [...document.querySelectorAll(".call *, .stock *, .pair *")]
                .filter(one => !one.closest("svg") && getComputedStyle(one).display !== "inline"
                    && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
                .map(one => `${one.className}: ${one.textContent}`)"""
        )
        assert cut == [], language


def test_parts_looks_and_language_are_as_the_address_asks_else_as_the_table_has_it(
    store: Store, show: Callable[..., Page]
) -> None:
    begun(store)
    store.tables.set_settings(
        "table-4", overlay={"theme": "slate", "parts": ["centre", "score"], "language": "fr"}
    )
    page = show("table-4")
    expect(page.locator("main")).to_have_attribute("data-theme", "slate")
    expect(page.locator(".stock")).to_be_hidden()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    other = show("table-4", "theme=paper&lang=ru&parts=stock,centre&hide=centre")
    expect(other.locator("main")).to_have_attribute("data-theme", "paper")
    expect(other.locator(".centre")).to_be_hidden()
    expect(other.locator(".stock span")).to_have_text("Запас")
    store.tables.set_settings("table-4", overlay={"theme": "felt"})
    expect(page.locator("main")).to_have_attribute("data-theme", "felt")
    expect(page.locator(".stock")).to_be_visible()


def test_nothing_moves_at_all_for_those_who_want_it_so(store: Store, show: Callable[..., Page]) -> None:
    game = begun(store)
    page = show("table-4")
    page.emulate_media(reduced_motion="reduce")
    at_rest(page)  # what began before that was asked for does not count
    page.evaluate("() => document.addEventListener('animationstart', () => { window.hasMoved = true; })")
    game.play(TAKEN, LAID, CALLED.format("C"), SHOWN, SETTLED)
    expect(page.locator('[data-pair="BD"] .tile.lit:not(.open)')).to_have_count(1)
    expect(page.locator(".call .ruling")).to_be_visible()
    assert page.evaluate("() => [window.hasMoved ?? false, document.getAnimations().length]") == [False, 0]


def test_nothing_moves_when_nothing_happens(store: Store, show: Callable[..., Page]) -> None:
    game = begun(store)
    game.play(TAKEN, LAID, CALLED.format("C"), SHOWN, SETTLED)
    page = show("table-4")
    expect(page.locator(".call .ruling")).to_be_visible()
    at_rest(page)
    frames = page.evaluate(
        """async () => {
            let changes = 0;
            const all = {subtree: true, childList: true, attributes: true, characterData: true};
            new MutationObserver(seen => { changes += seen.length; }).observe(document.body, all);
            await new Promise(done => setTimeout(done, 700));
            return [changes, document.getAnimations().filter(one => one.playState === "running").length];
        }"""
    )
    assert frames == [0, 0]


class Restarting:
    """A server on one port that can go and come back."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self._running: tuple[uvicorn.Server, threading.Thread] | None = None

    def start(self, app: FastAPI) -> None:
        config = uvicorn.Config(app, port=self.port, log_config=None, timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        self._running = server, thread

    def stop(self) -> None:
        assert self._running is not None
        server, thread = self._running
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def restarting() -> Restarting:
    return Restarting()


def test_it_says_that_the_server_is_away_and_is_right_again_when_it_is_back(
    store: Store, browser: Browser, restarting: Restarting
) -> None:
    game = begun(store)
    secret = secret_of(store)
    restarting.start(create_app(Library(store)))
    # A context of its own: the browser itself complains of a server that is away.
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-US")
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    for _ in range(50):
        try:
            page.goto(f"http://127.0.0.1:{restarting.port}/overlay/table-4?token={secret}")
            break
        except Exception:  # noqa: BLE001 - it has not begun to listen
            page.wait_for_timeout(100)
    expect(page.locator(".centre li .card")).to_have_count(4)
    game.play(
        TAKEN, '{"kind":"corrected","at_ms":9000,"event":3,"to":{"card":"2h"},"by":"Ida","why":"glare"}'
    )
    expect(page.locator(".note")).to_have_count(1)
    restarting.stop()
    expect(page.locator(".link")).to_have_text("This may be old: no connection")
    game.play(LAID, CALLED.format("C"), SHOWN, SETTLED)
    restarting.start(create_app(Library(store)))
    expect(page.locator(".call .ruling")).to_have_text("Right", timeout=15_000)
    expect(page.locator(".link")).to_be_hidden()
    game.play('{"kind":"ruled","at_ms":70000,"event":6,"ruling":"wrong","by":"Ida","why":"she spoke"}')
    expect(page.locator(".note").last).to_contain_text("Right is now Wrong")
    context.close()
    restarting.stop()
    assert broken == []


def test_a_link_that_is_revoked_while_the_overlay_is_open_ends_it(
    store: Store, context: BrowserContext, serving: Callable[[FastAPI], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemps_server.live.sockets.tell.__kwdefaults__", {"ping_s": 0.2, "patience_s": 2.0})
    begun(store)
    origin = serving(create_app(Library(store)))
    token, secret = store.tokens.issue(Role.VIEWER, "overlay")
    page = context.new_page()
    page.goto(f"{origin}/overlay/table-4?token={secret}")
    expect(page.locator("main")).to_be_visible()
    store.tokens.revoke(token.id)
    expect(page.locator(".link")).to_have_text("This overlay's link holds no more")
