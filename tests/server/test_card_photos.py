"""Labelled pictures of cards, and readings held against them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kemps_rules.cards import Card
from kemps_server.bench.card_looks import Look, SeenCard
from kemps_server.bench.card_photos import Outcome, Photo, load_photos, outcome, outcome_of, photo_headings
from kemps_server.bench.card_scores import groups, score, wrong_and_sure
from kemps_server.errors import KempsServerError


def parsed(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(name) for name in text.split())


def a_photo(
    cards: str,
    *,
    is_recall_only: bool = False,
    may_be_read: str = "",
    layout: str = "separate",
    source: str = "x",
    notes: str = "",
) -> Photo:
    return Photo(
        Path("a.png"), parsed(cards), layout, source, is_recall_only, notes, may_be_read=parsed(may_be_read)
    )


def read(photo: Photo, cards: str, unread: int = 0) -> Outcome:
    return outcome(photo, parsed(cards), 1.0, unread)


def a_look(*cards: tuple[str, float], brightness: float = 100.0, contrast: float = 50.0) -> Look:
    seen = tuple(SeenCard(name, sure, 100.0 + 10 * n) for n, (name, sure) in enumerate(cards))
    return Look(seen, unread=0, ms=1.0, brightness=brightness, contrast=contrast)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (None, "not there"),
        ("image,cards\na.png,9S\n", "lacks the columns layout, source"),
        ("image,cards,layout,source\na.png,1S,single,x\n", "line 2: '1S' is no card"),
    ],
)
def test_labels_that_cannot_be_used_are_told(tmp_path: Path, labels: str | None, reason: str) -> None:
    if labels is not None:
        (tmp_path / "labels.csv").write_text(labels)
    with pytest.raises(KempsServerError, match=reason):
        load_photos(tmp_path)


def test_labels_of_low_confidence_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(
        "image,cards,layout,source,confidence\na.png,9S,single,x,low\nb.png,9S,single,x,high\n"
    )
    assert [photo.path.name for photo in load_photos(tmp_path)] == ["b.png"]


def test_equal_cards_are_counted_not_just_named() -> None:
    twice = read(a_photo("9s 9s Kd"), "9s Kd")
    assert [str(card) for card in twice.missed] == ["9s"]
    thrice = read(a_photo("9s"), "9s 9s 9s")
    assert len(thrice.extra) == 2
    assert not thrice.is_exact


def test_nothing_is_extra_in_a_photo_that_counts_for_recall_alone() -> None:
    assert read(a_photo("9s", is_recall_only=True), "9s Kd").is_exact


def test_a_card_that_shows_too_little_may_be_read_once_and_need_not_be() -> None:
    photo = a_photo("9s", may_be_read="Kd")
    assert read(photo, "9s").is_exact
    assert read(photo, "9s Kd").is_exact
    assert [str(card) for card in read(photo, "9s Kd Kd").extra] == ["Kd"]
    assert [str(card) for card in read(photo, "9s Qd").extra] == ["Qd"]


def test_a_look_tells_how_sure_right_and_wrong_cards_were_and_their_length() -> None:
    one = outcome_of(a_photo("9s Kd"), a_look(("9s", 0.99), ("Qd", 0.9), ("9s", 0.85)))
    assert one.right_scores == (0.99,)
    assert one.extra_scores == (0.9, 0.85)
    assert one.length_px == 110.0


def test_unread_cards_are_right_as_far_as_cards_were_missed() -> None:
    some = [read(a_photo("9s Kd"), "9s", unread) for unread in (0, 1, 3)]
    assert (score(some).unread_right, score(some).unread_wrong) == (2, 2)


def test_no_photos_have_no_figures() -> None:
    nothing = score([])
    assert (nothing.photos, nothing.f1, nothing.exact_95) == (0, 0.0, (0.0, 1.0))
    assert groups([], photo_headings) == {}
    assert wrong_and_sure([]).wrong == 0


def test_tuning_reporting_and_other_sources_are_told_apart() -> None:
    sources = ("sergiodomgui/a", "wmcnicho/b", "AnimaNoProject/c")
    headings = [photo_headings(read(a_photo("9s", source=source), "9s")) for source in sources]
    assert {"tuning sources", "layout separate, tuning sources"} < {*headings[0]}
    assert {"reporting sources", "layout separate, up to 6 cards, reporting sources"} < {*headings[1]}
    assert "sources neither tuned on nor listed" in headings[2]
    german = a_photo("Jd", source=sources[2], notes="GERMAN indices (B=J, D=Q)")
    assert photo_headings(read(german, "Jd")) == ["other letters"]


def test_fans_and_overlaps_of_a_hand_stand_together() -> None:
    name = "overlaps and fans, up to 6 cards"
    assert name in photo_headings(read(a_photo("9s Kd", layout="fan"), ""))
    assert name in photo_headings(read(a_photo("9s Kd", layout="overlap"), ""))
    assert name not in photo_headings(read(a_photo("9s 8s 7s 6s 5s 4s 3s", layout="fan"), ""))


def test_webcam_singles_with_a_jumbo_index_have_a_heading_of_their_own() -> None:
    single = a_photo("9s", layout="single", notes="640x480 webcam, grey light, jumbo index deck")
    assert "640x480 webcam singles, jumbo index" in photo_headings(read(single, "9s"))
    other = a_photo("9s", notes="USB webcam 1280x800, jumbo index deck")
    assert "jumbo index" in photo_headings(read(other, "9s"))
    assert "640x480 webcam singles, jumbo index" not in photo_headings(read(other, "9s"))


@pytest.mark.parametrize(
    ("brightness", "contrast", "light", "flatness"),
    [(40, 60, "dim", "usual"), (110, 15, "usual", "low"), (180, 60, "bright", "usual")],
)
def test_light_is_told_by_the_picture_itself(
    brightness: float, contrast: float, light: str, flatness: str
) -> None:
    look = a_look(("9s", 0.9), brightness=brightness, contrast=contrast)
    headings = photo_headings(outcome_of(a_photo("9s"), look))
    assert f"light {light}" in headings
    assert f"contrast {flatness}" in headings


def test_wrong_cards_count_as_sure_from_the_score_that_nine_of_ten_cards_have() -> None:
    scores = [0.90 + 0.01 * n for n in range(10)]
    right = [outcome_of(a_photo("9s"), a_look(("9s", sure))) for sure in scores]
    wrong = outcome_of(a_photo(""), a_look(("Kd", 0.92), ("Kc", 0.905)))
    sure = wrong_and_sure([*right, wrong])
    assert sure.score == 0.91
    assert (sure.cards, sure.sure, sure.wrong) == (10, 9, 1)
    assert sure.names == ("Kd in a.png (0.920)",)


def test_where_fewer_were_read_at_all_every_wrong_card_counts() -> None:
    sure = wrong_and_sure([outcome_of(a_photo("9s Td"), a_look(("9s", 0.9), ("Kd", 0.3)))])
    assert (sure.score, sure.wrong) == (0.0, 1)


def test_lengths_stand_in_their_order() -> None:
    names = ["card length from 400 px", "card length 70–110 px", "card length under 70 px", "deck x", "all"]
    one = read(a_photo("9s"), "9s")
    assert [*groups([one], lambda _: names)] == [
        "all",
        "card length under 70 px",
        "card length 70–110 px",
        "card length from 400 px",
        "deck x",
    ]
