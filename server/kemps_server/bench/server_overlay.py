"""One overlay in a real browser: when its page changed, and what it takes when nothing happens."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import psutil  # type: ignore[import-untyped]

from kemps_server.errors import KempsServerError

if TYPE_CHECKING:
    from playwright.sync_api import Page

_READY_MS: Final = 20_000

# Notes the wall clock at each change of what is drawn in the centre; all changes of one task are one.
_WATCH: Final = """
() => {
  window.changes = [];
  const centre = document.querySelector(".centre");
  new MutationObserver(() => window.changes.push(performance.timeOrigin + performance.now()))
    .observe(centre, {childList: true, subtree: true, attributes: true});
}
"""


@dataclass(slots=True)
class OpenOverlay:
    """An overlay that is on show."""

    page: Page
    processes: list[psutil.Process]

    def watch(self) -> None:
        """Note each change from now on."""
        self.page.evaluate(_WATCH)

    def changes(self) -> list[float]:
        """When the page changed, in ms of the wall clock."""
        found: list[float] = self.page.evaluate("() => window.changes")
        return found

    def idle_cpu(self, seconds: float) -> float:
        """Percent of one core that the whole browser takes while nothing happens."""
        before, begun = self._cpu_s(), time.monotonic()
        time.sleep(seconds)  # not in the page: asking it would be work
        return 100 * (self._cpu_s() - before) / (time.monotonic() - begun)

    def _cpu_s(self) -> float:
        total = 0.0
        for process in self.processes:
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system
        return total


@contextmanager
def open_overlay(address: str) -> Iterator[OpenOverlay]:
    """The overlay at an address, in Debian's chromium or the one that Playwright brings.

    Raises:
        KempsServerError: There is no Playwright here, which only developers need.
    """
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not needed to serve
    except ImportError:
        raise KempsServerError(
            "kemps bench server needs a browser; in a checkout: pip install -e '.[dev]', and install chromium"
        ) from None
    known = set(psutil.Process().children(recursive=True))
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            page = chromium.new_page(viewport={"width": 1920, "height": 1080})
            page.goto(address)
            page.wait_for_selector("main:not([hidden])", timeout=_READY_MS)
            ours = [child for child in psutil.Process().children(recursive=True) if child not in known]
            yield OpenOverlay(page, [child for child in ours if "chrom" in child.name()])
        finally:
            chromium.close()
