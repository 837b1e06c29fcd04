"""What the doctor's tables are made from: cards counted by their length, and spoilt on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kemps_rules.cards import DECK_52
from kemps_server.bench import card_faults, card_sizes
from kemps_server.bench.card_sizes import Row, Tally, nearest, quad_length
from kemps_server.doctoring.card_sizes import size_table
from kemps_vision.cards.reading import CardReading, Pixels, Reading


class GlimpsingReader:
    """Names the same card at the same place in every picture."""

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        assert alphabet is None
        length = card_length_px or pixels.shape[1] / 11
        quad = np.array([[0.0, 0.0], [0.7, 0.0], [0.7, 1.0], [0.0, 1.0]]) * length
        card = CardReading(DECK_52[0], 0.99, quad, np.zeros(52), ())
        return Reading((card,), unread=0, face_down=0, alphabet="international", ms=1.0)


def test_right_wrong_and_missing_names_are_counted() -> None:
    tally = Tally()
    tally.count(["9s", "Td", "2c"], ["9s", "Kh"])
    assert (tally.cards, tally.right, tally.wrong) == (3, 1, 1)


def test_a_card_counts_for_the_length_that_is_nearest_in_ratio() -> None:
    rows = [Row(40), Row(80), Row(160)]
    assert nearest(rows, 58).length_px == 80
    assert nearest(rows, 55).length_px == 40
    assert quad_length([(0, 0), (30, 0), (30, 40), (0, 40)]) == 40


def test_the_table_that_is_written_is_one_that_the_doctor_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_sizes, "LENGTHS_PX", (36,))
    monkeypatch.setattr(card_sizes, "WATCHED_MS", 200)
    monkeypatch.setattr(card_sizes, "default_reader", lambda **_: GlimpsingReader())
    out = tmp_path / "sizes.json"
    assert card_sizes.main(["--stills", "2", "--clips", "1", "--out", str(out)]) == 0
    (row,) = size_table(out).rows
    assert row.one_look.cards > 4
    assert row.watched.cards == 4
    assert row.one_look.right + row.one_look.wrong <= 2
    assert json.loads(out.read_text())["weights"]


def test_the_figures_of_a_fault_follow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_faults, "_WIDTHS", (640,))
    none, blurred, dark, burnt = (
        next(fault for fault in card_faults.faults() if fault[0].startswith(name))
        for name in ("none", "blur of 2.5", "25%", "exposed 3")
    )
    monkeypatch.setattr(card_faults, "faults", lambda: iter((none, blurred, dark, burnt)))
    plain, soft, dim, white = card_faults.measure(1, GlimpsingReader())
    assert soft.blur_share > 1.5 * plain.blur_share
    assert dim.paper < 0.4 * plain.paper
    assert white.burnt > 0.6 > plain.burnt
