"""Made-up hands: their labels, and a fixed few of them read as well as they were when the report was made.

The report is made again, when weights or reader become better, by::

    kemps bench cards --fans 24 --out models/reports/cards_fast.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kemps_models.registry import FOLDER
from kemps_rules.cards import Card
from kemps_server.bench.card_fans import fan_outcomes, fan_report
from kemps_server.bench.card_letters import GIVEN, letters_figures
from kemps_server.bench.card_looks import Look, LookStore, SeenCard, committed_networks
from kemps_server.bench.card_photos import Photo
from kemps_server.bench.fan_pictures import FanPicture, fan_pictures, label_of
from kemps_vision.cards.alphabets import NAMES

pytestmark = pytest.mark.long

FAST_REPORT = FOLDER.parent / "reports" / "cards_fast.json"
ONE_CARD = 0.012
"""Of the ninety cards of the fast report; processors differ in how they round, so one may be lost."""


def a_truth() -> dict[str, Any]:
    def entry(name: str, shares: list[float], x: float) -> dict[str, Any]:
        return {"card": name, "indices": shares, "quad": [[x, 10.5], [x + 40, 10], [x + 40, 70], [x, 70]]}

    cards = [entry("9s", [0.95, 0.0], 5.0), entry("Kd", [0.6, 0.89], 20.0), entry("Th", [1.0, 1.0], 35.0)]
    how = {"layout": "fan", "lying": "fan", "light": "dim", "tilt_deg": 20.0, "card_px": 85.0}
    return {"cards": cards, "spec": {"deck": "club", "surface": "felt"}, **how}


def test_a_card_without_a_whole_index_need_not_be_read() -> None:
    label = label_of(a_truth(), 0.9)
    assert label["cards"] == ["9s", "Th"]
    assert label["may_be_read"] == ["Kd"]
    assert label["box"] == [5.0, 10.0, 75.0, 70.0]


def test_made_up_hands_are_told_by_deck_size_light_and_tilt() -> None:
    look = Look((SeenCard("9s", 0.99, 80.0),), 0, 1.0, 50.0, 20.0, (), label_of(a_truth(), 0.9))
    pictures = [FanPicture(7)]
    report = fan_report(pictures, fan_outcomes(pictures, [look]))
    assert report["seeds"] == [7, 7]
    assert report["decks"] == ["club"]
    assert report["need_not_be_read"] == 1
    assert {"deck club", "card length 70–110 px", "light dim", "tilt 20–40°"} <= set(report["groups"])
    assert report["groups"]["all"]["recall"] == 0.5
    assert report["errors"][0]["missed"] == ["Th"]


def test_a_fixed_few_hands_are_read_as_well_as_the_report_says() -> None:
    committed = json.loads(FAST_REPORT.read_text("utf-8"))["rendered"]
    pictures = fan_pictures(24)
    assert committed["seeds"] == [pictures[0].seed, pictures[-1].seed]
    store = LookStore(None, committed_networks())
    now = fan_report(pictures, fan_outcomes(pictures, store.looks(pictures)))
    before, after = committed["groups"]["all"], now["groups"]["all"]
    assert after["cards"] == before["cards"], "the pictures changed: make the fast report again"
    for figure in ("precision", "recall", "f1"):
        assert after[figure] >= before[figure] - ONE_CARD, (figure, now["errors"])


class StoreOfLetters:
    """Looks whose one card speaks for German; notes by which letters each photo was asked for."""

    def __init__(self, nats: float) -> None:
        evidence = [nats if name == "german" else 0.0 for name in NAMES]
        self.look = Look((SeenCard("Jd", 0.9, 80.0),), 0, 1.0, 50.0, 20.0, (tuple(evidence),))
        self.asked: list[list[str]] = []

    def looks(self, pictures: Any) -> list[Look]:  # noqa: ANN401 - stands for a LookStore
        """The same look for each."""
        self.asked.append([picture.alphabet for picture in pictures])
        return [self.look] * len(pictures)


@pytest.mark.parametrize(("nats", "after"), [(20.0, 1), (6.5, 2), (0.0, None)])
def test_letters_settle_over_the_photos_of_a_deck(nats: float, after: int | None) -> None:
    photos = [Photo(Path(f"{n}.png"), (Card.parse("Jd"),), "overlap", "x", False, "GERMAN") for n in range(4)]
    store = StoreOfLetters(nats)
    figures = letters_figures(photos, store, 0)  # type: ignore[arg-type]
    report = figures.as_json()
    assert report["settled_after_photos"] == after
    assert report["settled_as"] == ("german" if after else "international")
    assert ["german"] * 4 in store.asked
    assert ["any"] * 4 in store.asked
    assert {*report["groups"]} == {"given", "each photo by itself", "settled over the photos"}
    assert report["groups"][GIVEN]["f1"] == 1.0
    assert [picture.alphabet for picture in figures.given] == ["german"] * 4
    assert report["errors"] == []
