"""Made-up hands that overlap, of decks that nothing was trained on: how they were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from kemps_rules.cards import Card
from kemps_server.bench.card_looks import Look
from kemps_server.bench.card_photos import Outcome, Photo, length_class, outcome_of
from kemps_server.bench.card_scores import error_line, groups, score, wrong_and_sure
from kemps_server.bench.fan_pictures import FanPicture

FULL: Final = 300
_TILTS: Final = (20, 40)


def fan_outcomes(pictures: Sequence[FanPicture], looks: Iterable[Look]) -> list[Outcome]:
    """How each picture was read; cards of which no index is seen whole may be read, but need not be."""
    return [
        outcome_of(_photo(picture, look.label), look) for picture, look in zip(pictures, looks, strict=True)
    ]


def fan_headings(one: Outcome) -> list[str]:
    """The headings of the report that a made-up picture stands under."""
    label = one.label
    tilt = sum(label["tilt_deg"] >= bound for bound in _TILTS)
    return [
        "all",
        f"layout {label['layout']}",
        f"lying {label['lying']}",
        f"deck {label['deck']}",
        length_class(label["card_px"]),
        f"light {label['light']}",
        f"surface {label['surface']}",
        ("tilt under 20°", "tilt 20–40°", "tilt over 40°")[tilt],
    ]


def fan_report(pictures: Sequence[FanPicture], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The part of the report about made-up hands."""
    sure = wrong_and_sure(outcomes)
    return {
        "seeds": [pictures[0].seed, pictures[-1].seed],
        "size": "1280x720",
        "decks": sorted({one.label["deck"] for one in outcomes}),
        "need_not_be_read": sum(len(one.photo.may_be_read) for one in outcomes),
        "groups": {name: score(some).as_json() for name, some in groups(outcomes, fan_headings).items()},
        "wrong_and_sure": {
            "score": sure.score,
            "sure": sure.sure,
            "wrong": sure.wrong,
            "names": [*sure.names],
        },
        "errors": [
            {**error_line(one), **{name: one.label[name] for name in ("lying", "card_px", "tilt_deg")}}
            for one in outcomes
            if not one.is_exact
        ],
    }


def _photo(picture: FanPicture, label: dict[str, Any]) -> Photo:
    cards, may_be_read = (
        tuple(Card.parse(name) for name in label[part]) for part in ("cards", "may_be_read")
    )
    return Photo(
        Path(f"fan {picture.seed}, {label['deck']}, {label['light']} light"),
        cards,
        label["layout"],
        source="made-up table",
        is_recall_only=False,
        may_be_read=may_be_read,
    )
