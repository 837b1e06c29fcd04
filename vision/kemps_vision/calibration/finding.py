"""What looks at a table tell of it: cards at rest, plane, centre, edge, and where players sit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import TABLE_SIZES
from kemps_vision.calibration.centre import cards_of_centre, centre_round
from kemps_vision.calibration.plane import Floats, TablePlane, fit_plane
from kemps_vision.calibration.seating import SeatPlace, Sign, holding, lay_out_seats, signs_of
from kemps_vision.cards.quads import CARD_LENGTH_MM
from kemps_vision.cards.reading import CardReading, Reading
from kemps_vision.errors import CalibrationError
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, HandPose
from kemps_vision.people.table_top import table_top
from kemps_vision.zones import Point, Polygon

AT_REST: Final = 0.5  # of the looks in which a card lies at its place
SAME_PLACE: Final = 0.3  # of its length
UNSURE_OFF: Final = 0.02  # of a card's length: corners that fit no plane better were misplaced
_WHOLE_TILE: Final = 0.62  # of width and height: four of them overlap over the middle


class FindsHands(Protocol):
    """A reader of hands, such as ``people.tasks.HandReader``."""

    def read(self, pixels: Image, box: Box | None = None) -> list[HandPose]:
        """The hands in the picture, or in a part of it."""


@dataclass(frozen=True, slots=True, eq=False)
class TableLook:
    """One picture of the table, and what was read in it."""

    pixels: Image
    reading: Reading
    hands: tuple[HandPose, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RestingCard:
    """A card that lies at one place: its quad (4, 2), the median over the looks, and whether it was named."""

    quad: Floats
    is_named: bool


@dataclass(frozen=True, slots=True, eq=False)
class FoundTable:
    """What was found of a table, in px of the pictures.

    Attributes:
        plane: How the camera sees the table's top.
        centre: The outline of the centre.
        cards: The quads (4, 2) of the centre's cards; empty when the outline was given by a person.
        card_px: How long a card is in the middle.
        edge: The outline of the table's top where its colour tells it.
        seats: The seats in order, clockwise as seen from above.
        notes: What is not sure, a line each, with what to do.
    """

    plane: TablePlane
    centre: Polygon
    cards: tuple[Floats, ...]
    card_px: float
    edge: Polygon | None
    seats: tuple[SeatPlace, ...]
    notes: tuple[str, ...] = ()


def find_table(
    looks: Sequence[TableLook],
    seats: int,
    *,
    clicks: Polygon | None = None,
    first: Point | None = None,
) -> FoundTable:
    """Plane, centre and seats, from looks at a table whose camera stands still.

    Args:
        looks: At least one, all of one size.
        seats: How many players there are.
        clicks: The corners of the centre as a person gave them, in px.
        first: Where seat A is, in px; see ``lay_out_seats``.

    Raises:
        CalibrationError: Nothing tells where the centre is; the text says what to do.
    """
    if seats not in TABLE_SIZES:
        raise CalibrationError(f"a table has {', '.join(map(str, TABLE_SIZES))} seats, not {seats}")
    height, width = looks[0].pixels.shape[:2]
    resting = cards_at_rest([look.reading for look in looks])
    cards = cards_of_centre([card.quad for card in resting], (width, height))
    if not cards and clicks is None:
        raise CalibrationError(_without_centre(len(resting)))
    named = [card.quad for card in resting if card.is_named]
    plane = fit_plane(named or cards, (width, height)) or _plane_of(clicks or (), (width, height))
    centre = clicks or centre_round(plane, cards)
    usual = np.asarray(np.median(np.stack([look.pixels for look in looks]), axis=0), np.uint8)
    edge = table_top(usual, centre)
    signs = _signs(plane, looks)
    places = lay_out_seats(plane, seats, signs, outline=edge, picture=(width, height), first=first)
    found = FoundTable(
        plane=plane,
        centre=centre,
        cards=tuple(cards),
        card_px=float(plane.px_per_mm * CARD_LENGTH_MM),
        edge=edge,
        seats=places,
    )
    return replace(found, notes=tuple(_doubts(found, (width, height), is_given=clicks is not None)))


def cards_at_rest(readings: Sequence[Reading]) -> list[RestingCard]:
    """The cards that lie face up at one place in most readings, named or not."""
    groups: list[list[CardReading]] = []
    for reading in readings:
        for card in reading.cards:
            near = next((group for group in groups if _lies_at(card.quad, group[-1].quad)), None)
            if near is None:
                groups.append([card])
            else:
                near.append(card)
    least = max(1, math.ceil(AT_REST * len(readings)))
    return [_resting(group) for group in groups if len(group) >= least]


def _resting(group: Sequence[CardReading]) -> RestingCard:
    named = [card.quad for card in group if card.card is not None]
    is_named = 2 * len(named) >= len(group)
    quads = named if is_named else [card.quad for card in group]
    upright = [quad if _is_same_way(quad, quads[0]) else np.roll(quad, 2, axis=0) for quad in quads]
    return RestingCard(np.median(np.stack(upright), axis=0), is_named)


def _is_same_way(quad: Floats, other: Floats) -> bool:
    """Whether two quads of one card begin at the same corner, not each at that of another index."""
    return bool(np.dot(quad[3] - quad[0], other[3] - other[0]) >= 0)


def look_for_hands(pixels: Image, reader: FindsHands) -> tuple[HandPose, ...]:
    """The hands in the whole picture and in its four corners, where they are larger; each once."""
    height, width = pixels.shape[:2]
    w, h = width * _WHOLE_TILE, height * _WHOLE_TILE
    tiles = [Box(x, y, x + w, y + h) for x in (0.0, width - w) for y in (0.0, height - h)]
    found: list[HandPose] = []
    for box in (None, *tiles):
        for hand in reader.read(pixels, box):
            if all(math.dist(hand.palm, other.palm) > max(hand.size_px, other.size_px) for other in found):
                found.append(hand)
    return tuple(found)


def _lies_at(quad: Floats, other: Floats) -> bool:
    length = float(np.linalg.norm(other[[3, 2]] - other[[0, 1]], axis=1).mean())
    return float(np.linalg.norm(quad.mean(axis=0) - other.mean(axis=0))) < SAME_PLACE * length


def _signs(plane: TablePlane, looks: Sequence[TableLook]) -> list[Sign]:
    hands = [np.asarray(hand.palm, np.float64) for look in looks for hand in look.hands]
    packets: list[NDArray[np.float64]] = [
        np.asarray(back.quad.mean(axis=0)) for look in looks for back in look.reading.backs
    ]
    seen = max(1, len(looks))
    signs = signs_of(plane, hands, "hand", looks=seen)
    return holding([*signs, *signs_of(plane, packets, "packet", looks=seen)])


def _plane_of(clicks: Polygon, picture: tuple[int, int]) -> TablePlane:
    """Without cards: as if the given outline were a card's length wide for each of four cards in a row.

    Only directions from it count; sizes are a guess.
    """
    outline = np.asarray(clicks, np.float64)
    middle = outline.mean(axis=0)
    scale = float(np.sqrt(np.ptp(outline[:, 0]) * np.ptp(outline[:, 1]) / (4 * 75.0 * 128.0)))
    to_picture = np.array([[scale, 0, middle[0]], [0, scale, middle[1]], [0, 0, 1]])
    return TablePlane(to_picture, tilt_deg=0.0, focal_px=float(picture[0]), off_share=math.inf)


def _without_centre(resting: int) -> str:
    todo = (
        "lay four cards face up side by side in the middle and run this again, or give the corners of the "
        "centre: --clicks x,y x,y x,y x,y"
    )
    if not resting:
        return f"no face-up card is seen at rest; {todo}"
    return f"{resting} face-up cards are seen, but no group of three to five that could be the centre; {todo}"


def _doubts(found: FoundTable, picture: tuple[int, int], *, is_given: bool) -> list[str]:
    """What a person should look at."""
    doubts = []
    if found.cards and len(found.cards) < 4 and not is_given:
        doubts.append(
            f"only {len(found.cards)} cards were seen in the centre: see that its outline has room for four"
        )
    if not found.cards:
        doubts.append("no card was seen: sizes on the table are guessed, and seats lie roughly")
    elif found.plane.off_share > UNSURE_OFF:
        doubts.append(
            "the cards' corners fit no table well: straighten the cards, bring more light, run again"
        )
    outline = np.asarray(found.centre)
    if (outline < 0).any() or (outline > np.array(picture) - 1).any():
        doubts.append("the centre reaches out of the picture: turn the camera so that all of it is seen")
    unseen = [place.seat for place in found.seats if not place.is_seen]
    if unseen:
        doubts.append(
            f"nothing was seen of {', '.join(unseen)}: put evenly round the table; run this while "
            "players sit there, or correct `at`"
        )
    return doubts
