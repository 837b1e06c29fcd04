"""What a card's middle says of it: how its pips lie, and what shape and colour they have.

An index of a small or blurred card is a few px high, but its pips are many and lie in standard
places: compared with the layouts of the ranks, and laid over each other and compared with the four
suits, they still tell most number cards. Courts have no pips; of them this says only that, unless a reader
of large ``signs`` is there: it tells suits better, and the letter that some courts have in their middle.

Only for a card that lies uncovered: in a fan the pips are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, Protocol, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import RANKS, SUITS
from kemps_vision.appearance import Quad
from kemps_vision.frame import Image

Floats: TypeAlias = NDArray[np.float32]

WIDTH, HEIGHT = 120, 168  # px of the upright card
LAYOUT: Final = (60, 84)  # px in which layouts are compared
PIP: Final = 26  # px of one pip
PIP_INK: Final = 0.4  # of the darkest: where a pip ends
FLOOR_NATS: Final = -8.0
RANK_NATS: Final = 25.0  # a unit of correlation; the right layout has 0.70 to 0.90, the next 0.03 to 0.4 less
COURT: Final = 0.56  # courts correlate less than this with the layouts, pip cards more
PIP_CARD: Final = 0.62  # so much that shape and colour of the pips can be asked for
SHAPE_NATS: Final = 50.0
COLOUR_NATS: Final = 20.0
RED: Final = 0.28  # of the ink's own colour: black ink has up to 0.13, red from 0.47, also in dull light

RED_COURT: Final = 0.2  # courts painted in colours have 0.21 to 0.55, whatever their suit

UNKNOWN_NATS: Final = -2.5  # of a number card when no layout fits
TIGHT_X: Final = (1.0, 0.85, 0.7)  # decks with large indices push the pips together
TIGHT_Y: Final = (1.0, 0.85, 0.7)

_X: Final = (0.30, 0.50, 0.70)
_ROWS_OF_4: Final = (0.17, 0.39, 0.61, 0.83)


def _sides(*rows: float) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x in (_X[0], _X[2]) for y in rows)


def _middle(*rows: float) -> tuple[tuple[float, float], ...]:
    return tuple((_X[1], y) for y in rows)


LAYOUTS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "A": _middle(0.5),
    "2": _middle(0.17, 0.83),
    "3": _middle(0.17, 0.5, 0.83),
    "4": _sides(0.17, 0.83),
    "5": _sides(0.17, 0.83) + _middle(0.5),
    "6": _sides(0.17, 0.5, 0.83),
    "7": _sides(0.17, 0.5, 0.83) + _middle(0.335),
    "8": _sides(0.17, 0.5, 0.83) + _middle(0.335, 0.665),
    "9": _sides(*_ROWS_OF_4) + _middle(0.5),
    "T": _sides(*_ROWS_OF_4) + _middle(0.28, 0.72),
}


class ReadsSigns(Protocol):
    """A reader of large signs, such as ``signs.SignReader``."""

    def suits(self, card: Floats, places: Sequence[tuple[float, float]], size: float) -> NDArray[np.float64]:
        """(4,) log-likelihoods of the suits by the pips of a card set upright, (h, w, 3); all in px of it."""

    def court(
        self, card: Floats, alphabet: str | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """(13,) and (4,) log-likelihoods of rank and suit of a court; None when nothing tells."""


def pip_log_p(
    pixels: Image, quad: Quad, signs: ReadsSigns | None = None, alphabet: str | None = None
) -> NDArray[np.float64]:
    """(52,) log-likelihoods in the order of ``DECK_52``, the best 0, none under ``FLOOR_NATS``.

    ``quad`` are the card's corners in px of the RGB picture, from the top left, clockwise; ``alphabet`` is
    the deck's, where it is known.
    """
    card = _upright(pixels, quad)
    paper = _paper(card)
    ink = np.maximum(0, paper - card).max(axis=2)
    fits = _layout_fits(ink)
    ranks = np.array([fits[rank].likeness if rank in fits else COURT for rank in RANKS])
    ranks[RANKS.index("A")] = max(ranks[RANKS.index("A")], COURT)  # some aces are ornate
    best = max((fit for rank, fit in fits.items() if rank != "A"), key=lambda fit: fit.likeness)
    is_pip_card = best.likeness >= PIP_CARD
    # No known layout is a weak sign of a court: the deck may lay its pips in its own way.
    rank_nats = np.maximum(RANK_NATS * (ranks - ranks.max()), FLOOR_NATS if is_pip_card else UNKNOWN_NATS)
    red = redness(card / paper, ink)
    suit_nats = _colour_nats(red)
    if is_pip_card:
        suit_nats += _shape_nats(ink, best) if signs is None else _sign_nats(card, ink, best, signs)
    suit_nats -= suit_nats.max()
    court = None if signs is None or is_pip_card else signs.court(card, alphabet)
    if court is not None:
        nats = court[0][None, :] + (suit_nats + court[1])[:, None]
        return np.asarray(np.maximum(nats - nats.max(), FLOOR_NATS).ravel(), np.float64)
    is_court = np.array([rank not in LAYOUTS for rank in RANKS])
    nats = rank_nats[None, :] + np.where(
        is_court[None, :], _court_colour_nats(red)[:, None], suit_nats[:, None]
    )
    return np.asarray(np.maximum(nats - nats.max(), FLOOR_NATS).ravel(), np.float64)


def _upright(pixels: Image, quad: Quad) -> Floats:
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32) - np.float32(0.5)
    warp = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), corners)
    size = float(np.linalg.norm(quad[3] - quad[0]))
    if size > 1.5 * HEIGHT:  # a warp that shrinks must not skip pixels
        pixels = np.asarray(cv2.blur(pixels, (round(size / HEIGHT),) * 2), np.uint8)
    return np.asarray(cv2.warpPerspective(pixels, warp, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR), np.float32)


def _paper(card: Floats) -> Floats:
    """The paper's colour: the median of the brighter part."""
    values = card.reshape(-1, 3)
    total = values.sum(axis=1)
    bright = np.median(values[total >= np.quantile(total, 0.6)], axis=0)
    return np.asarray(np.maximum(bright, 1.0), np.float32)


def _inner(width: int, height: int) -> tuple[slice, slice]:
    """The part without the columns of the indices."""
    return slice(round(0.06 * height), round(0.94 * height)), slice(round(0.19 * width), round(0.81 * width))


@dataclass(frozen=True, slots=True)
class _Fit:
    """How well the ink correlates with a layout, and where its pips then are (shares of the card)."""

    likeness: float
    places: tuple[tuple[float, float], ...]

    @property
    def outer_places(self) -> list[tuple[float, float]]:
        """The places whose pips have a known way up, or all where there are none."""
        return [place for place in self.places if place[1] != 0.5] or list(self.places)


def _layout_fits(ink: Floats) -> dict[str, _Fit]:
    """The best fit of each rank's layout; a 7 may lie either way."""
    small = cv2.GaussianBlur(cv2.resize(ink, LAYOUT, interpolation=cv2.INTER_AREA), (0, 0), 1.2)
    seen = _normal(np.asarray(small, np.float32)[_inner(*LAYOUT)]).ravel()
    drawn, templates = _layout_templates()
    likeness = templates @ seen
    fits: dict[str, _Fit] = {}
    for (rank, places), like in zip(drawn, likeness.tolist(), strict=True):
        if rank not in fits or like > fits[rank].likeness:
            fits[rank] = _Fit(like, places)
    return fits


@lru_cache(maxsize=1)
def _layout_templates() -> tuple[list[tuple[str, tuple[tuple[float, float], ...]]], Floats]:
    """What is drawn, and (n, px) the pictures of it, normalised: each layout wide and tight."""
    drawn, templates = [], []
    for rank, layout in LAYOUTS.items():
        for tight_x, tight_y in product(TIGHT_X, TIGHT_Y):
            places = tuple((0.5 + (x - 0.5) * tight_x, 0.5 + (y - 0.5) * tight_y) for x, y in layout)
            turned = tuple((x, 1 - y) for x, y in places)
            for one in (places, turned) if rank == "7" else (places,):
                drawn.append((rank, one))
                templates.append(_drawn_layout(one, radius=round(4 * tight_y)))
    return drawn, np.asarray(templates, np.float32)


def _drawn_layout(places: tuple[tuple[float, float], ...], *, radius: int) -> Floats:
    width, height = LAYOUT
    picture = np.zeros((height, width), np.float32)
    for x, y in places:
        cv2.circle(picture, (round(x * width), round(y * height)), radius, 1.0, -1)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 2.0), np.float32)
    return _normal(blurred[_inner(width, height)]).ravel()


def _sign_nats(card: Floats, ink: Floats, fit: _Fit, signs: ReadsSigns) -> NDArray[np.float64]:
    """(4,) what a reader of signs says of the pips, in nats."""
    pips = _pips(ink, fit)
    if not pips:
        return np.zeros(len(SUITS))
    return signs.suits(
        card, [pip.middle for pip in pips], _pip_size(np.mean([pip.ink for pip in pips], axis=0))
    )


def _shape_nats(ink: Floats, fit: _Fit) -> NDArray[np.float64]:
    """(4,) how well the pips laid over each other correlate with each suit, in nats."""
    pips = _pips(ink, fit)
    if not pips:
        return np.zeros(len(SUITS))
    mean = _normal(np.mean([pip.ink for pip in pips], axis=0)).ravel()
    return np.asarray(SHAPE_NATS * (_suit_templates() @ mean).max(axis=1), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Pip:
    """The ink of one pip, (26, 26), set upright round its own middle, which is given in px of the card."""

    middle: tuple[float, float]
    ink: Floats


def _pips(ink: Floats, fit: _Fit) -> list[_Pip]:
    found = (_pip(ink, x * WIDTH, y * HEIGHT, is_turned=y > 0.5) for x, y in fit.outer_places)
    return [pip for pip in found if pip is not None]


def _pip(ink: Floats, x: float, y: float, *, is_turned: bool) -> _Pip | None:
    """The ink round a place, centred on its own middle, set upright; None where there is none."""
    reach = PIP // 2 + 4
    left, top = max(0, int(x - reach)), max(0, int(y - reach))
    part = ink[top : top + 2 * reach + 1, left : left + 2 * reach + 1]
    weight = np.maximum(0, part - 0.35 * part.max())
    total = float(weight.sum())
    if total < 1:
        return None
    rows, columns = np.indices(part.shape)
    middle = left + float((weight * columns).sum()) / total, top + float((weight * rows).sum()) / total
    shift = np.array([[1, 0, PIP / 2 - 0.5 - middle[0]], [0, 1, PIP / 2 - 0.5 - middle[1]]], np.float64)
    pip = np.asarray(cv2.warpAffine(ink, shift, (PIP, PIP)), np.float32)
    return _Pip(middle, (pip[::-1, ::-1] if is_turned else pip) / float(pip.max() + 1e-6))


def _pip_size(mean: Floats) -> float:
    """How large the sign of a mean pip is, in px: the longer side of what has much of its ink."""
    is_ink = mean > PIP_INK * float(mean.max())
    return float(max(np.count_nonzero(is_ink.any(axis=axis)) for axis in (0, 1)))


@lru_cache(maxsize=1)
def _suit_templates() -> Floats:
    """(4, n, PIP * PIP): each suit in some sizes, softness and heights, normalised."""
    middle = (PIP / 2 - 0.5, PIP / 2 - 0.5)
    rows = []
    for suit in SUITS:
        variants = []
        for softness in (1.2, 2.0):
            soft = cv2.GaussianBlur(_suit_shape(suit, 4 * PIP), (0, 0), softness * 4)
            small = np.asarray(cv2.resize(soft, (PIP, PIP), interpolation=cv2.INTER_AREA), np.float32)
            for size in (0.6, 0.75, 0.9, 1.05, 1.2):
                sized = cv2.warpAffine(small, cv2.getRotationMatrix2D(middle, 0, size), (PIP, PIP))
                variants += [
                    _normal(np.roll(np.asarray(sized, np.float32), up, axis=0)).ravel() for up in range(-2, 3)
                ]
        rows.append(variants)
    return np.asarray(rows, np.float32)


def _suit_shape(suit: str, size: int) -> Floats:
    """A suit's sign, drawn from circles and polygons."""
    canvas = np.zeros((size, size), np.float32)

    def disc(x: float, y: float, radius: float) -> None:
        cv2.circle(canvas, (round(x * size), round(y * size)), round(radius * size), 1.0, -1, cv2.LINE_AA)

    def area(*points: tuple[float, float]) -> None:
        cv2.fillPoly(canvas, [np.round(np.array(points) * size).astype(np.int32)], 1.0, cv2.LINE_AA)

    if suit == "d":
        area((0.5, 0.1), (0.8, 0.5), (0.5, 0.9), (0.2, 0.5))
    elif suit == "h":
        disc(0.34, 0.36, 0.19)
        disc(0.66, 0.36, 0.19)
        area((0.3, 0.3), (0.7, 0.3), (0.835, 0.43), (0.5, 0.9), (0.165, 0.43))
    elif suit == "s":
        disc(0.33, 0.58, 0.18)
        disc(0.67, 0.58, 0.18)
        area((0.16, 0.52), (0.5, 0.08), (0.84, 0.52), (0.7, 0.66), (0.3, 0.66))
        area((0.5, 0.55), (0.62, 0.9), (0.38, 0.9))
    else:
        disc(0.5, 0.29, 0.185)
        disc(0.31, 0.58, 0.185)
        disc(0.69, 0.58, 0.185)
        area((0.5, 0.4), (0.63, 0.9), (0.37, 0.9))
    return canvas


def _colour_nats(red: float) -> NDArray[np.float64]:
    """(4,) the ink's own colour, red or black, in nats."""
    nats = float(np.clip(COLOUR_NATS * (red - RED), -6.0, 6.0))
    return np.array([nats if suit in "dh" else 0.0 for suit in SUITS])


def _court_colour_nats(red: float) -> NDArray[np.float64]:
    """(4,) courts are painted in all colours; but one without any red is no red one."""
    against = float(np.clip((RED_COURT - red) * COLOUR_NATS, 0.0, 3.0))
    return np.array([-against if suit in "dh" else 0.0 for suit in SUITS])


def redness(relative: Floats, ink: Floats) -> float:
    """How red the ink is, as a share of how much it darkens the paper: 0 black, 1 pure red.

    ``relative`` is the card divided by its paper.
    """
    inside = _inner(WIDTH, HEIGHT)
    part, weight = relative[inside], ink[inside]
    darkest = weight >= np.quantile(weight, 0.97) * 0.7
    red, green, blue = (float(part[:, :, channel][darkest].mean()) for channel in range(3))
    return (red - (green + blue) / 2) / max(1.0 - min(red, green, blue), 0.05)


def _normal(values: Floats) -> Floats:
    centred = values - float(values.mean())
    return np.asarray(centred / np.sqrt((centred * centred).sum() + 1e-9), np.float32)
