"""The replay of a whole evening in a real browser: how soon it is usable, and what a step of a drag takes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from kemps_server.bench.long_game import journal_text, long_game
from kemps_server.bench.numbered_film import HEIGHT, WIDTH, Kind, make_clip
from kemps_server.bench.served_game import ServedGame, percentile
from kemps_server.errors import KempsServerError
from kemps_server.page.words import LANGUAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

GAME: Final = "evening"
MINUTES: Final = 60
SCALE: Final = 8
_VIEW: Final = {"width": 1280, "height": 900}
_LEFT: Final = 118  # px of the timeline that are names
_WORK: Final = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
_DRAWN: Final = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass(frozen=True, slots=True)
class PageSpeed:
    """The page of a game of an hour, with a film of that length.

    Attributes:
        events: Lines of its journal.
        first_most_ms: From asking for the page until it could be used, the slowest of its first showings, one
            in each language, for which the server tells the game anew.
        again_p50_ms: The same when the game was told before, with an empty cache in the browser.
        steps: How many steps a drag over the whole timeline had.
        work_p95_ms: Script, style and layout of 95 of 100 of them.
        work_most_ms: Of all of them.
        rows: Rows of the list of events that were there at the end.
    """

    events: int
    first_most_ms: float
    again_p50_ms: float
    steps: int
    work_p95_ms: float
    work_most_ms: float
    rows: int


def page_speed(steps: int, loads: int = 9) -> PageSpeed:
    """What the page takes in chromium, the server in a process of its own.

    Raises:
        KempsServerError: There is no Playwright here, which only developers need.
        WorkFailedError: The server does not start.
    """
    with TemporaryDirectory() as place, ServedGame(Path(place) / "data") as server:
        events = _evening(Path(place), Path(place) / "data" / "games" / GAME)
        address = f"{server.origin}/games/{GAME}"
        with _chromium() as browser:
            first = [_usable_ms(browser, f"{address}?lang={language}") for language in LANGUAGES]
            again = [_usable_ms(browser, f"{address}?lang=en") for _ in range(loads)]
            work, rows = _dragged(browser, address, steps)
    return PageSpeed(
        events=events,
        first_most_ms=max(first),
        again_p50_ms=percentile(again, 0.5),
        steps=len(work),
        work_p95_ms=percentile(work, 0.95),
        work_most_ms=max(work),
        rows=rows,
    )


def _evening(place: Path, folder: Path) -> int:
    """Writes the game and its film; gives the lines of its journal."""
    folder.mkdir(parents=True)
    journal = journal_text(long_game(minutes=MINUTES))
    (folder / "game.jsonl").write_text(journal, encoding="utf-8")
    kind = Kind(name="hour.mp4", steps=(1000,), gop=10, scale=SCALE, options={"preset": "ultrafast"})
    clip = make_clip(place, kind, 60 * MINUTES)
    size = [WIDTH * SCALE, HEIGHT * SCALE]
    note = {"kind": "file", "name": clip.name, "size": size, "fps": 1.0, "path": str(clip)}
    (folder / "recording.json").write_text(json.dumps(note), encoding="utf-8")
    return journal.count("\n")


@contextmanager
def _chromium() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not needed to serve
    except ImportError:
        raise KempsServerError(
            "kemps bench replay needs a browser; in a checkout: pip install -e '.[dev]', and install chromium"
        ) from None
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def _usable_ms(browser: Browser, address: str) -> float:
    """How long after it was asked for a page had its table, timeline and events, and heard keys."""
    context = browser.new_context(viewport=_VIEW)  # type: ignore[arg-type]  # two numbers
    try:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("body[data-is-usable]")
        return float(page.evaluate("performance.getEntriesByName('replay-usable')[0].startTime"))
    finally:
        context.close()


def _dragged(browser: Browser, address: str, steps: int) -> tuple[list[float], int]:
    """The work of each step of a drag over the whole timeline, and the rows that are there at its end."""
    context = browser.new_context(viewport=_VIEW)  # type: ignore[arg-type]  # as above
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("body[data-is-filmed]")
    box = page.locator("#lanes").bounding_box()
    if box is None:
        raise KempsServerError("the timeline is not to be seen")
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    width = box["width"] - _LEFT - 10
    page.mouse.move(box["x"] + _LEFT, box["y"] + 12)
    page.mouse.down()
    work = [
        _step(page, session, box["x"] + _LEFT + width * number / steps, box["y"] + 12)
        for number in range(1, steps + 1)
    ]
    page.mouse.up()
    rows = page.locator(".event-row").count()
    context.close()
    return work, rows


def _step(page: Page, session: CDPSession, x: float, y: float) -> float:
    before = _worked_s(session)
    page.mouse.move(x, y)
    page.evaluate(_DRAWN)
    return 1000 * (_worked_s(session) - before)


def _worked_s(session: CDPSession) -> float:
    told: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return float(sum(one["value"] for one in told if one["name"] in _WORK))
