from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kemps_server.bench import card_enrolment
from kemps_server.bench.card_enrolment import LAYOUTS, SCENE_SEED, SWEEP_SEED, Tally
from kemps_server.cli import main


def test_a_card_not_named_is_an_error_and_a_name_not_there_is_told() -> None:
    tally = Tally()
    tally.add("separate", Counter(["As", "Kd", "9c"]), Counter(["As", "9c"]))
    tally.add("fan", Counter(["2h"]), Counter(["2d"]))
    figures = tally.as_json()
    assert (figures["pictures"], figures["cards"], figures["errors"], figures["wrong_names"]) == (2, 4, 2, 1)
    assert figures["error"] == 0.5
    low, high = figures["error_95"]
    assert low <= 1 / 3 + 1e-3
    assert high == 1.0
    apart = tally.as_json(("separate",))
    assert (apart["cards"], apart["errors"], apart["wrong_names"]) == (3, 1, 0)


def test_no_table_has_the_seed_of_a_sweep_and_half_of_them_have_cards_apart() -> None:
    assert SWEEP_SEED + 100 < SCENE_SEED
    assert LAYOUTS.count("separate") * 2 == len(LAYOUTS)


def test_the_command_tells_errors_before_and_after(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = Tally()
    tally.add("separate", Counter(["As", "Kd"]), Counter(["As"]))
    tally.add("fan", Counter(["2h"]), Counter(["2d"]))
    parts = {
        "all": tally.as_json(),
        "separate": tally.as_json(("separate",)),
        "covered": tally.as_json(("fan",)),
    }
    report = {
        "decks": {"tiny": {"passed": True, "score": 0.99, "before": parts, "ratio": 0.5}},
        "halved": ["tiny"],
    }
    monkeypatch.setattr(card_enrolment, "measure_enrolment", lambda **_: report)
    for words in ([], ["--json", "--out", str(tmp_path / "report.json")]):
        with pytest.raises(SystemExit) as left:
            main(["bench", "enrolment", *words])
        assert not left.value.code
    table, _, line = capsys.readouterr().out.rpartition("\n{")
    assert next(row.split()[:3] for row in table.splitlines() if "tiny" in row) == ["tiny", "before", "2/3"]
    assert json.loads("{" + line) == report == json.loads((tmp_path / "report.json").read_text())
