"""Whether the zones of a ``table.toml`` fit the picture: centre in it, seats apart, hands large enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import cv2
import numpy as np

from kemps_server.doctoring.advice import WATCHED_ENOUGH
from kemps_server.doctoring.card_sizes import SizeTable
from kemps_server.doctoring.findings import Finding, Level
from kemps_vision.calibration.alignment import Alignment
from kemps_vision.calibration.plane import TablePlane, fit_plane
from kemps_vision.cards.quads import CARD_LENGTH_MM
from kemps_vision.cards.reading import Floats
from kemps_vision.zones import Point, TableConfig, TableZones

SHOWN: Final = 0.6  # of the way from the centre to a player: there hands are laid open
LEAST_APART_DEG: Final = 30.0  # between seats as seen from the centre; an arm is bound to one by 15
OUT_OF_SHARE: Final = 0.02  # of the centre may lie out of the picture
MOVED_PX: Final = 0.004  # of the picture's width: 5 px of 1280
LOST_PX: Final = 0.03


def check_places(
    table: TableConfig, plane: TablePlane | None, size: tuple[int, int], sizes: SizeTable
) -> list[Finding]:
    """The findings about centre and seats.

    Args:
        table: The configuration.
        plane: How the camera sees the table; None when no card told.
        size: Width and height of the pictures.
        sizes: What a card's length means.

    Raises:
        ConfigError: The zones belong to pictures of another shape.
    """
    zones = table.zones(*size)
    findings = [*_centre_in(zones, size), *_seats_apart(zones)]
    for seat, at in zones.seats.items():
        findings += _shown_before(zones, seat, at, plane, size, sizes)
    return findings


def plane_of(quads: Sequence[Floats], size: tuple[int, int]) -> TablePlane | None:
    """How the camera sees the table by the cards in one look; None without cards."""
    return fit_plane(quads, size) if quads else None


def moved(alignment: Alignment | None, size: tuple[int, int]) -> Finding:
    """Whether the camera stands as it did when it was calibrated; None: too little of that is seen."""
    again = "run kemps calibrate --update, or put the camera back"
    if alignment is None:
        says = "next to nothing is where it was at the calibration: the camera was moved far, or all else"
        return Finding(Level.NOTE, "moved", says, again)
    shift = alignment.shift_px
    if shift < MOVED_PX * size[0]:
        return Finding(Level.OK, "moved", "the camera stands as it was calibrated")
    says = f"the camera was moved by {shift:.0f} px since it was calibrated"
    if abs(alignment.turn_deg) >= 0.5:
        says += f", and turned by {abs(alignment.turn_deg):.1f} degrees"
    return Finding(Level.FIX if shift >= LOST_PX * size[0] else Level.NOTE, "moved", says, again)


def _centre_in(zones: TableZones, size: tuple[int, int]) -> list[Finding]:
    if zones.centre is None:
        return []
    outline = np.asarray(zones.centre, np.float32)
    picture = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    hull = np.asarray(cv2.convexHull(outline), np.float32)
    inside, _ = cv2.intersectConvexConvex(hull, picture)
    outside = 1 - inside / max(float(cv2.contourArea(hull)), 1.0)
    if outside <= OUT_OF_SHARE:
        return []
    todo = "turn the camera so that all of the centre is seen, then kemps calibrate --update"
    return [Finding(Level.FIX, "centre", f"{100 * outside:.0f} % of the centre is out of the picture", todo)]


def _seats_apart(zones: TableZones) -> list[Finding]:
    findings = []
    middle = zones.middle
    if middle is None:
        return []
    for seat, at in zones.seats.items():
        if zones.is_in_centre(at):
            findings.append(
                Finding(Level.FIX, "seats", f"seat {seat} is in the centre", "correct its at, in table.toml")
            )
    for (one, here), (other, there) in combinations(zones.seats.items(), 2):
        angles = [math.atan2(at[1] - middle[1], at[0] - middle[0]) for at in (here, there)]
        apart = abs(math.degrees((angles[0] - angles[1] + math.pi) % (2 * math.pi) - math.pi))
        if apart < LEAST_APART_DEG:
            says = f"seats {one} and {other} are only {apart:.0f} degrees apart, as seen from the centre"
            todo = "their arms cannot be told apart: correct at in table.toml, or raise the camera"
            findings.append(Finding(Level.FIX if apart < 15 else Level.NOTE, "seats", says, todo))
    return findings


def _shown_before(
    zones: TableZones,
    seat: str,
    at: Point,
    plane: TablePlane | None,
    size: tuple[int, int],
    sizes: SizeTable,
) -> list[Finding]:
    """Whether a hand laid open before the player is in the picture, and how large its cards are there."""
    middle = zones.middle
    if middle is None:
        return []
    place = np.array([middle]) + SHOWN * (np.array([at]) - np.array([middle]))
    if plane is not None:
        ends = plane.table(np.array([middle, at]))
        place = plane.pixels(ends[:1] + SHOWN * (ends[1:] - ends[:1]))
    x, y = place[0]
    if not (0 <= x < size[0] and 0 <= y < size[1]):
        says = f"where {seat} lays a hand open is out of the picture"
        todo = f"raise or turn the camera, or let {seat} show hands nearer to the middle"
        return [Finding(Level.NOTE, "seats", says, todo)]
    length = None if plane is None else _length_at(plane, place)
    if length is None or sizes.expected(length).watched >= WATCHED_ENOUGH:
        return []
    says = f"cards that {seat} lays open are about {length:.0f} px long: some will stay unread"
    return [Finding(Level.NOTE, "seats", says, f"let {seat} show hands nearer to the middle, or go nearer")]


def _length_at(plane: TablePlane, place: Floats) -> float:
    """How long a card is in the picture at a place (1, 2) in px, of its two directions the mean."""
    here = plane.table(place)[0]
    half = CARD_LENGTH_MM / 2
    ends = np.array([[half, 0.0], [-half, 0.0], [0.0, half], [0.0, -half]]) + here
    px = plane.pixels(ends)
    return float((np.linalg.norm(px[0] - px[1]) + np.linalg.norm(px[2] - px[3])) / 2)
