"""The walls: one-way imports, small modules, one wheel of four packages, nothing of this machine in files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "kemps_rules": ROOT / "rules/kemps_rules",
    "kemps_models": ROOT / "models/kemps_models",
    "kemps_vision": ROOT / "vision/kemps_vision",
    "kemps_server": ROOT / "server/kemps_server",
    "kemps_scenes": ROOT / "samples/kemps_scenes",
    "kemps_training": ROOT / "models/kemps_training",
}
MODULES = sorted(path for folder in PACKAGES.values() for path in folder.rglob("*.py"))
MOST_LINES = 400
TEXT_SUFFIXES = {
    ".py",
    ".md",
    ".toml",
    ".lock",
    ".json",
    ".jsonl",
    ".sh",
    ".html",
    ".css",
    ".js",
    ".svg",
    ".yaml",
    "",
}


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).is_file()]


def test_import_contracts_are_kept() -> None:
    result = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_is_small_and_says_what_it_is(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= MOST_LINES
    assert ast.get_docstring(ast.parse(source)), "a module's first line says what it is"
    assert path.stem not in {"utils", "helpers", "common", "core", "manager", "misc"}


def test_rules_read_no_clock_and_roll_no_dice() -> None:
    for path in PACKAGES["kemps_rules"].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name.split(".")[0] for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [(node.module or "").split(".")[0]]
            for name in names:
                assert name == "kemps_rules" or name in sys.stdlib_module_names, f"{path.name} imports {name}"
                assert name not in {"random", "time", "datetime", "secrets"}, f"{path.name} imports {name}"


def test_the_wheel_holds_the_four_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packages == [
        "rules/kemps_rules",
        "models/kemps_models",
        "vision/kemps_vision",
        "server/kemps_server",
    ]


@pytest.mark.git
def test_no_file_names_a_registry_or_a_folder_of_some_machine() -> None:
    forbidden = re.compile(
        r"(index-url|find-links|/(home|work|opt|root)/[a-z]|(pypi|npmjs|registry)\.[a-z.]+/)", re.IGNORECASE
    )
    found = []
    for path in tracked_files():
        if path.suffix not in TEXT_SUFFIXES or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="ignore").splitlines(), 1):
            if (match := forbidden.search(line)) and "--no-emit-index-url" not in line:
                found.append(f"{path.relative_to(ROOT)}:{number}: {match.group()}")
    assert not found


def test_lock_files_hold_a_hash_for_each_release() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        pinned = re.findall(r"^[a-z0-9][\w.-]*==", text, re.MULTILINE | re.IGNORECASE)
        assert len(pinned) > 10
        assert len(
            re.findall(r"^[a-z0-9][\w.-]*==.*\\\n    --hash=sha256:", text, re.MULTILINE | re.IGNORECASE)
        ) == len(pinned)
