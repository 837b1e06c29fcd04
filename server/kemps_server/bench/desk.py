"""How quick the referee's desk is: an hour's game in seconds of the processor, and two desks in a browser.

``python -m kemps_server.bench.desk`` prints a line for each figure, and ends with exit code 1 when the second
desk shows a decision later than a second after it was made (95 % of the times). It needs playwright and a
chromium for that; ``--no-browser`` leaves it out.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from kemps_rules.events import HandHidden
from kemps_server.bench.long_game import journal_text, long_game
from kemps_server.data_folder import DataFolder
from kemps_server.errors import WorkFailedError
from kemps_server.library import Library
from kemps_server.listening import listening
from kemps_server.page.words import load_words
from kemps_server.review.acts import Act
from kemps_server.review.desk import Desk
from kemps_server.routes.desk_answers import detail_answer, queue_answer
from kemps_server.store.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LATEST_MS: Final = 1000
TIMES: Final = 30
PATIENCE_S: Final = 20
_STATE: Final = "document.querySelector('#state .chip')?.className ?? ''"


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m kemps_server.bench.desk")
    parser.add_argument("--no-browser", action="store_true", help="leave out the two desks in a browser")
    parser.add_argument("--times", type=int, default=TIMES, help="decisions made at one desk")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, Store.open(DataFolder(Path(folder) / "data")) as store:
        game = store.games.take_in("An evening", journal_text(long_game()).encode()).game
        _say(f"a game of {game.lines} lines")
        for name, cpu_ms in processor_ms(store, game.id):
            _say(f"{name}: {cpu_ms:.1f} ms of the processor")
        if asked.no_browser:
            return 0
        seen_ms = sorted(converging_ms(store, asked.times))
        late_ms = seen_ms[int(0.95 * (len(seen_ms) - 1))]
        _say(f"decided at one desk, seen at another: median {median(seen_ms):.0f} ms, 95 % {late_ms:.0f} ms")
        return 0 if late_ms <= LATEST_MS else 1


def processor_ms(store: Store, game: str) -> Iterator[tuple[str, float]]:
    """What the server does for a desk, in ms of the processor: each once, as it comes."""
    desk, words = Desk(store), load_words("en", "site", "desk")
    desk.find(game).incident(desk.find(game).incidents[0].id)
    fresh = Desk(store)
    yield "all incidents, read for the first time", _cpu_ms(fresh.queue)
    name = desk.find(game).incidents[0].id
    yield "one incident, shown first", _cpu_ms(lambda: detail_answer(store, desk.find(game), name, words, ""))
    yield "one incident, again", _cpu_ms(lambda: detail_answer(store, desk.find(game), name, words, ""))
    yield "nothing new", _cpu_ms(desk.version)
    latest_ms = desk.find(game).look.latest_ms
    store.games.journal(game).append(HandHidden(at_ms=latest_ms, until_ms=latest_ms + 700, seat="A"))
    yield "the queue after a line", _cpu_ms(lambda: queue_answer(desk.queue(), words, ""))
    flag = next(one for one in desk.find(game).incidents if one.rule == "R10")
    act = Act(word="hold", key="bench-hold")
    yield "an act", _cpu_ms(lambda: desk.act(game, flag.id, act, "bench"))
    yield "the queue after an act", _cpu_ms(lambda: queue_answer(desk.queue(), words, ""))


def converging_ms(store: Store, times: int) -> list[float]:
    """How long after a key at one desk another shows the decision, in ms of the wall."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for developers only

    with served(store) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        here, there = (_opened(chromium, address) for _ in range(2))
        found = []
        for number in range(times):
            word, state = ("hold", "held") if number % 2 == 0 else ("reopen", "open")
            here.wait_for_selector(f"#choices [data-word={word}]")
            here.keyboard.press(word[0])
            begun = time.perf_counter()
            _wait(there, state)
            found.append((time.perf_counter() - begun) * 1000)
            here.wait_for_timeout(100 + 37 * (number % 17))  # at any time between two looks of the other
        chromium.close()
        return found


def _wait(page: Page, state: str) -> None:
    ends = time.perf_counter() + PATIENCE_S
    while state not in page.evaluate(_STATE):
        if time.perf_counter() > ends:
            raise WorkFailedError(f"a desk did not show {state} within {PATIENCE_S} s")
        time.sleep(0.005)


def _opened(browser: Browser, address: str) -> Page:
    page = browser.new_page()
    page.goto(f"{address}/desk")
    page.wait_for_selector("#state .chip")
    return page


@contextmanager
def served(store: Store) -> Iterator[str]:
    """The address of a server over a store, which ends with the context."""
    import uvicorn  # noqa: PLC0415 - slow to import

    from kemps_server.app import create_app  # noqa: PLC0415

    listener = listening()
    server = uvicorn.Server(uvicorn.Config(create_app(Library(store)), log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _cpu_ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    sys.exit(main())
