"""The report as tables of a document."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kemps_server.bench.card_markdown import BEGIN, END, markdown, put_into
from kemps_server.errors import KempsServerError

SPANS = {f"{name}_95": [0.9, 1.0] for name in ("f1", "precision", "recall", "exact")}
GROUP = {"photos": 4, "cards": 20, "f1": 0.97, "precision": 1.0, "recall": 0.95, "exact": 0.75, **SPANS}
SCENE = {
    "observations": 50,
    "wrong": 0,
    "wrong_95": [0.0, 0.07],
    "found_share": 0.98,
    "found_95": [0.9, 1.0],
    "named_later": 1,
    "lost": 0,
}
REPORT: dict[str, Any] = {
    "weights": {"detector": "0123456789abcdef", "classifier": "fedcba9876543210"},
    "bars": [
        {
            "what": "F1",
            "bar": "at least 0.9",
            "figures": {"native": "0.97", "960 px": "0.95"},
            "verdict": "met",
        },
        {"what": "speed", "bar": "at most 20", "figures": {}, "verdict": "not measured"},
    ],
    "photos": {
        "native": {"groups": {"all": GROUP, "light dim": GROUP, "source x": GROUP}},
        "960 px": {"groups": {"all": GROUP}},
    },
    "german": {
        "native": {"groups": {"given": GROUP}, "settled_after_photos": 3, "settled_as": "german"},
        "960 px": {"groups": {"given": GROUP}, "settled_after_photos": None, "settled_as": None},
    },
    "rendered": {"seeds": [1, 4], "groups": {"all": GROUP, "deck club": GROUP, "other": GROUP}},
    "scenes": {
        "clips": 9,
        "seeds": [1, 9],
        "counted": SCENE,
        "small": SCENE,
        "by": {"deck": {"club": SCENE}},
        "made_up": 0,
        "centre_right": 99,
        "centre_moments": 100,
        "centre_95": [0.98, 1.0],
    },
    "speed": [{"width": 640, "height": 384, "crops": 8, "cpu_ms": 14.04, "fastest_ms": 13.0}],
}


def test_every_part_that_was_measured_has_its_table() -> None:
    lines = markdown(REPORT).splitlines()
    assert lines[0] == "Weights (sha256): detector 0123456789ab, classifier fedcba987654."
    assert "| F1 | at least 0.9 | native: 0.97<br>960 px: 0.95 | **met** |" in lines
    assert "| speed | at most 20 | – | **not measured** |" in lines
    share = "1.0000 (0.900–1.000) | 0.9500 (0.900–1.000) | 0.9700 (0.900–1.000)"
    assert lines.count(f"| all | 4 | 20 | {share} | 3/4 (0.900–1.000) |") == 2
    assert "| all | 0.9700 (0.900–1.000) | 0.9700 (0.900–1.000) |" in lines
    assert "* native: the alphabet settled as german after photo 3." in lines
    assert "* 960 px: the alphabet did not settle." in lines
    assert "| deck club | 50 | 0 (0.0000–0.0700) | 0.9800 (0.9000–1.0000) | 1 | 0 |" in lines
    assert "| 640x384, 8 crops | 14.0 | 13.0 |" in lines
    assert not any(line.startswith("| other") for line in lines)


def test_tables_have_as_many_cells_in_each_line() -> None:
    lines = markdown(REPORT).splitlines()
    tables = [line.count("|") if line.startswith("|") else 0 for line in lines]
    for before, now in pairwise(tables):
        assert 0 in (before, now) or before == now


def test_what_was_not_measured_has_no_table() -> None:
    assert markdown({"weights": {}, "bars": []}).count("###") == 1


def test_tables_take_the_place_of_those_before_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "figures.md"
    path.write_text(f"# Figures\n\n{BEGIN}\nold\n{END}\n\nThe rest.\n")
    for _ in range(2):
        put_into(path, {"weights": {}, "bars": []})
        text = path.read_text()
        assert text.startswith(f"# Figures\n\n{BEGIN}\n\nWeights (sha256): .\n\n### Bars\n")
        assert text.endswith(f"{END}\n\nThe rest.\n")
        assert "old" not in text


@pytest.mark.parametrize(("text", "reason"), [(None, "no document"), (f"{BEGIN}\n", "lacks the lines")])
def test_a_document_without_marks_is_told(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "figures.md"
    if text is not None:
        path.write_text(text)
    with pytest.raises(KempsServerError, match=reason):
        put_into(path, {"weights": {}, "bars": []})
