from __future__ import annotations

import json
from typing import Any

import pytest

from kemps_server.bench.report_comparison import fallen
from kemps_server.errors import KempsServerError

FIGURES = {"cards": 90, "precision": 0.99, "recall": 0.98, "f1": 0.985, "exact": 0.9}
REPORT: dict[str, Any] = {
    "photos": {
        "native": {
            "groups": {"all": FIGURES, "card length 70–110 px, as read": FIGURES},
            "wrong_and_sure": {"cards": 90, "wrong": 0},
        }
    },
    "german": {"native": {"groups": {"given": FIGURES}}},
    "rendered": {"groups": {"all": FIGURES, "deck club": FIGURES}},
    "scenes": {
        "clips": 10,
        "counted": {"observations": 100, "wrong": 1, "found_share": 0.99},
        "centre_right": 99,
        "centre_moments": 100,
    },
    "speed": [{"cpu_ms": 10.0}],
}


@pytest.fixture
def later() -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(REPORT))  # no part shared with another
    return copy


def test_the_same_figures_and_better_ones_have_not_fallen(later: dict[str, Any]) -> None:
    assert fallen(REPORT, later) == []
    later["rendered"]["groups"]["all"]["f1"] = 1.0
    later["speed"][0]["cpu_ms"] = 99.0
    assert fallen(REPORT, later) == []


def test_each_figure_that_fell_by_more_than_the_tolerance_has_a_line(later: dict[str, Any]) -> None:
    later["rendered"]["groups"]["deck club"].update(f1=0.981, recall=0.9775)
    later["german"]["native"]["groups"]["given"]["exact"] = 0.5
    assert fallen(REPORT, later) == [
        "german at native, given: exact fell from 0.9000 to 0.5000",
        "made-up hands, deck club: f1 fell from 0.9850 to 0.9810",
    ]
    assert len(fallen(REPORT, later, 0.0)) == 3


def test_wrong_cards_and_scene_clips_are_compared_too(later: dict[str, Any]) -> None:
    later["photos"]["native"]["wrong_and_sure"]["wrong"] = 3
    later["scenes"]["counted"]["wrong"] = 3
    later["scenes"]["centre_right"] = 90
    lines = fallen(REPORT, later)
    assert [line.partition(" fell")[0] for line in lines] == [
        "photos at native, sure, all: not wrong",
        "scene clips, all: not wrong",
        "scene clips, all: centre right",
    ]


def test_parts_that_were_not_measured_again_are_left_out(later: dict[str, Any]) -> None:
    del later["photos"], later["german"], later["scenes"]
    later["rendered"]["groups"]["all"]["precision"] = 0.5
    assert len(fallen(REPORT, later)) == 1


def test_groups_that_the_reader_itself_makes_are_left_out(later: dict[str, Any]) -> None:
    del later["photos"]["native"]["groups"]["card length 70–110 px, as read"]
    assert fallen(REPORT, later) == []


def test_figures_of_other_pictures_cannot_be_compared(later: dict[str, Any]) -> None:
    later["rendered"]["groups"]["all"]["cards"] = 80
    with pytest.raises(KempsServerError, match="not the same pictures"):
        fallen(REPORT, later)
    with pytest.raises(KempsServerError, match="no part in common"):
        fallen(REPORT, {"speed": []})
