"""What the doctor and a calibration say, in the languages of pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import pytest

from kemps_server.doctoring.advice import advise
from kemps_server.doctoring.card_sizes import size_table
from kemps_server.doctoring.findings import Finding
from kemps_server.doctoring.light import Light
from kemps_server.doctoring.measures import CardMeasures, Measures
from kemps_server.doctoring.telling import doctor_phrase, doctor_says
from kemps_server.page.words import LANGUAGES, load_words

STEADY = Light(burnt=0.0, dark=0.0, paper=230.0, contrast=160.0)
CARDS = CardMeasures(
    looks=10,
    seen=40,
    unread=0,
    length_px=110.0,
    shortest_px=104.0,
    index_px=23.0,
    across_cm=100.0,
    fill=0.05,
    extent=(0.4, 0.2),
    blur_px=0.4,
)
KEPT = r"table\.toml|kemps read --draw DIR|\d+x\d+|\bpx\b|\bUSB\b"
"""What stands in every language as it is."""


def measured(cards: CardMeasures | None = CARDS, **figures: object) -> Measures:
    known = Measures(
        size=(1280, 720),
        looks=10,
        fps=15.0,
        told_fps=15.0,
        longest_gap_ms=70,
        cards=cards,
        light=STEADY,
        flicker=0.0,
        centre=((500, 260), (780, 260), (780, 460), (500, 460)),
        is_centre_told=True,
        in_centre=4,
        read_ms=120.0,
    )
    return replace(known, **figures)  # type: ignore[arg-type]


FAULTS = {
    "good": measured(),
    "no cards": measured(None, looks=1),
    "none in the dark": measured(None, light=Light(0.0, 0.3, 30.0, 20.0)),
    "slow": measured(fps=5.0, read_ms=400.0),
    "gaps": measured(longest_gap_ms=900, flicker=0.08),
    "fewer than told": measured(told_fps=30.0),
    "few": measured(fps=12.0, told_fps=12.0),
    "small": measured(replace(CARDS, length_px=42.0, index_px=9.0, blur_px=2.0)),
    "small and spread": measured(replace(CARDS, length_px=42.0, index_px=None, extent=(0.9, 0.9))),
    "small indices": measured(replace(CARDS, index_px=9.0)),
    "large": measured(replace(CARDS, length_px=420.0, index_px=90.0)),
    "unread": measured(replace(CARDS, unread=30)),
    "dark": measured(light=Light(0.0, 0.1, 70.0, 50.0)),
    "burnt": measured(light=Light(0.9, 0.0, 255.0, 150.0)),
    "pale": measured(light=Light(0.0, 0.0, 230.0, 60.0)),
    "no centre": measured(centre=None),
    "centre found": measured(is_centre_told=False),
    "empty centre": measured(in_centre=0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_all_that_the_doctor_says_of_a_picture_is_said_in_every_language(fault: str) -> None:
    for finding in advise(FAULTS[fault], size_table()):
        for line in _lines(finding):
            assert doctor_says("en", line) == line
            russian = re.sub(KEPT, "", doctor_says("ru", line))
            assert not re.search("[a-z]{2}", russian), line


def _lines(finding: Finding) -> list[str]:
    is_bare = re.fullmatch(r"\d+x\d+", finding.says)
    return [finding.about, *([] if is_bare else [finding.says]), *([finding.todo] if finding.todo else [])]


def test_each_doubt_of_a_calibration_has_words() -> None:
    doubts = list(_doubts())
    assert len(doubts) == 5
    for doubt in doubts:
        phrase = doctor_phrase(doubt.replace("{}", "3"))
        assert phrase is not None, doubt
        assert phrase.key.startswith("doctor.note.")


def _doubts() -> Iterator[str]:
    """The doubts as they stand in the code of the calibration: constants, and f-strings with places."""
    code = ast.parse(files("kemps_vision.calibration").joinpath("finding.py").read_text("utf-8"))
    for node in ast.walk(code):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="doubts"), attr="append"), args=[text]):
                yield re.sub(r"\{[^}]*\}", "{}", ast.unparse(text).strip("f\"'"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_in_the_catalogue_is_said_as_it_is(language: str) -> None:
    assert doctor_says(language, "the moon is full") == "the moon is full"
    assert "px" in load_words(language, "site", "doctor").say("doctor.says.blur", px="0.4")
