"""Skips are told apart by kind, summed up at the end, and forbidden for the kinds named in KEMPS_REQUIRE."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable
from ctypes.util import find_library
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from kemps_models.landmarkers import are_fetched

settings.register_profile("kemps", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("kemps")

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("KEMPS_SHARED", ROOT.parent / "shared"))


def has_browser() -> bool:
    """Whether a page can be opened: Debian's chromium, and what Playwright's own driver links to."""
    return shutil.which("chromium") is not None and find_library("atomic") is not None


def postgres_binaries() -> Path | None:
    """The folder of PostgreSQL's own programs, which Debian keeps off the path."""
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    found += [Path(place).parent for place in (shutil.which("initdb"),) if place]
    return next((folder for folder in found if (folder / "pg_ctl").exists()), None)


# marker -> (is it there?, what is missing)
KINDS: dict[str, tuple[Callable[[], bool], str]] = {
    "browser": (has_browser, "chromium, or libatomic1 of Playwright's driver, is not installed"),
    "git": (lambda: shutil.which("git") is not None and (ROOT / ".git").exists(), "not a git checkout"),
    "shared": ((SHARED / "data").is_dir, "no evaluation data (KEMPS_SHARED)"),
    "people": (are_fetched, "MediaPipe's task files were not fetched (kemps models)"),
    "boris": (
        lambda: "KEMPS_BORIS" in os.environ,
        "no BORIS (KEMPS_BORIS names a Python that has boris-behav-obs)",
    ),
    "camera": (Path("/dev/video0").exists, "no webcam"),
    "postgres": (lambda: postgres_binaries() is not None, "no PostgreSQL server (Debian's postgresql)"),
    "training": (lambda: find_spec("torch") is not None, "the train extra (torch) is not installed"),
}
_skipped: Counter[str] = Counter()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, then those of many tests: workers take whole files, and end together that way."""
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.get_closest_marker("long") is None, -tests[item.path]))


def pytest_runtest_setup(item: pytest.Item) -> None:
    required = {kind for kind in os.environ.get("KEMPS_REQUIRE", "").split(",") if kind}
    for kind, (is_there, what) in KINDS.items():
        if item.get_closest_marker(kind) and not is_there():
            if kind in required:
                pytest.fail(f"{kind} is required here, but {what}", pytrace=False)
            _skipped[f"{kind}: {what}"] += 1
            pytest.skip(f"{kind}: {what}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reason, count in sorted(_skipped.items()):
        terminalreporter.write_line(f"skipped {count} ({reason})")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of evaluation photos and clips; use it with the marker ``shared``."""
    return SHARED


@pytest.fixture(scope="session")
def postgres_programs() -> Path:
    """The folder of PostgreSQL's own programs; use it with the marker ``postgres``."""
    folder = postgres_binaries()
    assert folder is not None
    return folder
