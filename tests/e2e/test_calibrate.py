"""A shipped clip calibrated by the command, against the table.toml of its maker."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kemps_server.bench.calibration_tables import overlap
from kemps_server.cli import calibrate as command
from kemps_server.cli import main
from kemps_vision.zones import load_config

CLIPS = Path(__file__).resolve().parents[2] / "samples" / "clips"
SIZE = (960, 540)

pytestmark = pytest.mark.e2e


def test_a_clip_gets_the_centre_and_the_seats_that_its_maker_gave_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "are_fetched", lambda: False)  # packets alone, on every machine
    out = tmp_path / "table.toml"
    with pytest.raises(SystemExit) as left:
        main(["calibrate", str(CLIPS / "wrong_call.mp4"), "--out", str(out), "--seconds", "2.5", "--json"])
    assert left.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fit"] < 0.02
    given = load_config(CLIPS / "wrong_call.table.toml").zones(*SIZE)
    found = load_config(out).zones(*SIZE)
    assert given.centre is not None
    assert found.centre is not None
    assert overlap(given.centre, found.centre) > 0.6
    for seat, at in found.seats.items():
        assert min(given.seats, key=lambda one: float(np.hypot(*np.subtract(given.seats[one], at)))) == seat
