"""Each rule has a paragraph, journals of breaches and of fair play; a breach shows as exactly that rule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.journal import read_journal
from kemps_rules.judgement import Judgement
from kemps_rules.replay import judge

ROOT = Path(__file__).resolve().parents[2]
JOURNALS = sorted((ROOT / "samples" / "journals").glob("R*.jsonl"))
RULES = [f"R{number}" for number in range(1, 19)]
IN_THE_VERDICT = {"R12", "R13", "R14", "R15", "R16", "R17"}


def rule_of(path: Path) -> str:
    return path.name.split("-")[0]


def expected_of(path: Path) -> dict[str, Any] | None:
    answer = path.with_suffix("").with_suffix(".expected.json")
    return json.loads(answer.read_text("utf-8")) if answer.exists() else None


def told(judgement: Judgement) -> dict[str, Any]:
    """What an expected answer says of a judgement."""
    deals = [
        {"ended": deal.ended}
        if deal.verdict is None
        else {
            "ruling": deal.verdict.ruling,
            "call": deal.verdict.call,
            "by": deal.verdict.by,
            "hands": list(deal.verdict.hands),
            "letters_to": list(deal.verdict.letters_to),
        }
        for deal in judgement.deals
    ]
    answer: dict[str, Any] = {
        "letters": dict(judgement.letters),
        "lost": list(judgement.lost),
        "won": list(judgement.won),
        "deals": deals,
        "flags": sorted([flag.rule, "".join(flag.seats)] for flag in judgement.flags),
    }
    return answer | ({"points": dict(judgement.points)} if judgement.points else {})


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_breach_a_fair_play_and_a_paragraph(rule: str) -> None:
    names = [path.name for path in JOURNALS]
    assert any(name.startswith(f"{rule}-breach-") for name in names)
    assert any(name.startswith(f"{rule}-fair-") for name in names)
    text = (ROOT / "rules" / "README.md").read_text("utf-8")
    paragraph = re.search(rf"^### {rule} [^\n]+\n\n(.+?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert paragraph is not None
    assert len(paragraph.group(1)) > 120


@pytest.mark.golden
@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_sample_journal_is_judged_as_its_name_says(path: Path) -> None:
    judgement = judge(read_journal(path))
    expected = expected_of(path)
    if expected is not None:
        expected["flags"] = sorted(expected["flags"])
        assert told(judgement) == expected
    elif "-breach-" in path.name:
        assert {flag.rule for flag in judgement.flags} == {rule_of(path)}
    if "-fair-" in path.name:
        assert not judgement.flags


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_rules_that_show_in_the_verdict_have_their_answer_beside_them(path: Path) -> None:
    assert rule_of(path) not in IN_THE_VERDICT or expected_of(path) is not None
