"""The readers that ours is compared with, and how they are scored."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_rules.cards import DECK_52, Card
from kemps_server.bench.card_photos import Photo
from kemps_server.bench.comparisons import __main__ as command
from kemps_server.bench.comparisons.matching import Limits, TemplateMatcher, card_quads
from kemps_server.bench.comparisons.scoring import Told, best_threshold, load_told, outcomes_of, report
from kemps_server.bench.comparisons.templates import CARD_SIZE, Templates, index_of, templates_of
from kemps_server.bench.template_decks import rendered_faces
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reading import Pixels


@pytest.fixture(scope="module")
def templates() -> Templates:
    return templates_of([rendered_faces("club")])


def table_with(*faces: Pixels, turn_deg: float = 0.0) -> Pixels:
    """Faces in a row on a dark table, each turned by so many degrees."""
    width, height = CARD_SIZE
    table = np.full((560, 40 + 420 * len(faces), 3), 60, np.uint8)
    for place, face in enumerate(faces):
        framed = cv2.copyMakeBorder(face, 3, 3, 3, 3, cv2.BORDER_CONSTANT, value=(250, 250, 250))
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1.0)
        matrix[:, 2] += np.array([230 + 420 * place - width / 2, 280 - height / 2])
        size = (table.shape[1], table.shape[0])
        cv2.warpAffine(framed, matrix, size, dst=table, borderMode=cv2.BORDER_TRANSPARENT)
    return table


def test_every_card_of_a_deck_has_an_index_that_its_own_templates_name(templates: Templates) -> None:
    for card, face in rendered_faces("club").items():
        index = index_of(np.asarray(cv2.cvtColor(face, cv2.COLOR_RGB2GRAY), np.uint8))
        assert index is not None, card
        match = templates.match(index)
        assert match.card == card
        assert match.rank_off < 0.01


def test_a_blank_card_has_no_index() -> None:
    assert index_of(np.full((CARD_SIZE[1], CARD_SIZE[0]), 240, np.uint8)) is None


@pytest.mark.parametrize("turn_deg", [0.0, 25.0, 180.0, 250.0])
def test_cards_that_lie_apart_are_named_however_they_are_turned(
    templates: Templates, turn_deg: float
) -> None:
    cards = [Card.parse(text) for text in ("7h", "Ks", "Td")]
    faces = rendered_faces("club")
    picture = table_with(*(faces[card] for card in cards), turn_deg=turn_deg)
    named = TemplateMatcher(templates).read(picture)
    assert sorted(str(one.card) for one in named) == sorted(map(str, cards))
    assert all(0.8 < one.score <= 1.0 for one in named)


def test_what_fits_no_template_is_not_named(templates: Templates) -> None:
    picture = table_with(rendered_faces("club")[DECK_52[6]])
    assert TemplateMatcher(templates, Limits(0.0, 0.0)).read(picture) == []
    assert TemplateMatcher(templates).read(np.full((300, 400, 3), 90, np.uint8)) == []


def test_outlines_are_of_bright_things_with_four_corners_only() -> None:
    grey = np.full((400, 600), 40, np.uint8)
    cv2.rectangle(grey, (50, 50), (150, 190), 230, -1)
    cv2.circle(grey, (400, 200), 80, 230, -1)
    quads = list(card_quads(grey))
    assert quads
    assert all(np.allclose(quad.mean(axis=0), (100, 120), atol=2) for quad in quads)


# -- scoring --------------------------------------------------------------------------------------


def photo(name: str, cards: str, source: str = "x/geaxgx") -> Photo:
    return Photo(Path(name), tuple(map(Card.parse, cards.split())), "separate", source, is_recall_only=False)


def told(text: str, score: float = 1.0) -> Told:
    return Told(tuple((Card.parse(card), score) for card in text.split()), 5.0)


def test_what_was_told_is_scored_as_our_own_readings_are() -> None:
    photos = [photo("a.jpg", "9s Td"), photo("b.jpg", "2c")]
    figures = report(outcomes_of(photos, [told("9s Td"), told("2c Kh")]))
    assert figures["all"]["precision"] == 0.75
    assert figures["all"]["recall"] == 1.0
    assert figures["all"]["exact"] == 0.5
    assert figures["layout separate"]["cards"] == 3
    assert all("," not in name for name in figures)


def test_the_threshold_is_chosen_on_the_tuning_sources_alone() -> None:
    photos = [photo("a.jpg", "9s"), photo("b.jpg", "2c", source="x/erni27")]
    answers = [
        Told(((Card.parse("9s"), 0.8), (Card.parse("Kh"), 0.5)), 1.0),
        Told(((Card.parse("2c"), 0.2),), 1.0),
    ]
    assert best_threshold(photos, answers, (0.1, 0.6, 0.9)) == 0.6


def test_readings_of_another_program_are_taken_by_the_names_of_the_photos(tmp_path: Path) -> None:
    file = tmp_path / "read.jsonl"
    line = {"image": "/far/away/a.jpg", "cards": [{"card": "10h", "score": 0.5}, {"card": "Qs"}], "ms": 7}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    (one,) = load_told(file, [photo("a.jpg", "Th")])
    assert [(str(card), sure) for card, sure in one.cards] == [("Th", 0.5), ("Qs", 1.0)]
    assert one.cpu_ms == 7.0
    with pytest.raises(KempsServerError, match=r"says nothing about b\.jpg \(1 photos are missing\)"):
        load_told(file, [photo("a.jpg", "Th"), photo("b.jpg", "Th")])
    file.write_text('{"image": 3}\n', encoding="utf-8")
    with pytest.raises(KempsServerError, match="line 1"):
        load_told(file, [photo("a.jpg", "Th")])


def test_the_command_reads_photos_and_what_it_wrote_scores_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "DECKS", ("club",))
    faces = rendered_faces("club")
    shown = ("5c", "Jd")
    picture = table_with(*(faces[Card.parse(card)] for card in shown))
    cv2.imwrite(str(tmp_path / "a.png"), picture[..., ::-1])
    rows = "image,cards,layout,source,notes\na.png,5c Jd,separate,geaxgx,\n"
    (tmp_path / "labels.csv").write_text(rows, encoding="utf-8")
    out = tmp_path / "read.jsonl"
    assert command.main(["template", "--data", str(tmp_path), "--out", str(out), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["groups"]["all"]["f1"] == 1.0
    assert command.main(["score", str(out), "--data", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["groups"]["all"]["f1"] == 1.0
    assert command.main(["ours", "--data", str(tmp_path), "--json"]) == 0
    ours = json.loads(capsys.readouterr().out)
    assert ours["least_score"] == 0.0
    assert ours["groups"]["all"]["recall"] == 1.0
    assert command.main(["score", str(out), "--data", str(tmp_path / "none")]) == 2
    assert "labels.csv" in capsys.readouterr().err
