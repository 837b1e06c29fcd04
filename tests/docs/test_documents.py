"""Documents are true: links lead somewhere, decisions are listed, every command of the README exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kemps_rules import events
from kemps_server.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "rules/*.md",
        "vision/*.md",
        "models/*.md",
        "server/*.md",
        "samples/*.md",
    )
    for path in ROOT.glob(pattern)
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_that_are_there(path: Path) -> None:
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_each_decision_is_listed() -> None:
    listed = (ROOT / "docs/adr/README.md").read_text(encoding="utf-8")
    for path in (ROOT / "docs/adr").glob("[0-9]*.md"):
        assert path.name in listed


def test_the_readme_shows_only_commands_that_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    known = {command.name for command in COMMANDS} | {command.group for command in COMMANDS}
    shown = set(re.findall(r"^\s*kemps (\w+)", text, re.MULTILINE)) | set(re.findall(r"`kemps (\w+)", text))
    assert shown, "the README shows how to use it"
    assert shown <= known


def test_the_readme_shows_only_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        used = set(re.findall(r"(?:^|`)make ([a-z]+)", path.read_text(encoding="utf-8"), re.MULTILINE))
        assert used <= targets
    assert {"demo", "test", "check", "serve", "train", "bench"} <= targets


def test_the_journal_document_tells_every_kind() -> None:
    text = (ROOT / "docs/journal.md").read_text(encoding="utf-8")
    classes = [value for value in vars(events).values() if isinstance(value, type)]
    kinds = {kind for one in classes if isinstance(kind := getattr(one, "kind", None), str)}
    assert len(kinds) > 20
    assert {kind for kind in kinds if f"`{kind}`" not in text} == set()
