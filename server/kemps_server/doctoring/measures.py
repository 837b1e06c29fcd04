"""The figures of a camera, put together from all looks at what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_server.doctoring.light import Light, flicker
from kemps_server.doctoring.looks import Look, Sighting
from kemps_vision.centre_finding import find_centre
from kemps_vision.zones import Polygon, TableZones

CARD_CM: Final = 8.8
"""The length of a card: 88 mm for poker and bridge size alike."""

USUAL_INDEX: Final = 0.215
"""Height of an index by the length of its card, as read on the decks ``card_sizes`` was measured with."""

_LEAST_IN_CENTRE: Final = 3
_SHORTEST: Final = 10.0  # percentile: the far edge of the table, and no single misplaced quad


@dataclass(frozen=True, slots=True)
class CardMeasures:
    """The cards in the looks.

    Attributes:
        looks: How many looks showed any.
        seen: How many there were over all looks, named or not.
        unread: How many of them were not named.
        length_px: The median length of those that were, or of all where none was.
        shortest_px: The length that one in ten falls short of.
        index_px: The median height of an index, rank and suit together; None when the reader does not tell.
        across_cm: How much of the table the picture is wide, where the cards lie.
        fill: The share of the picture that is cards.
        extent: The share of the picture's width and height over which the cards lie.
        blur_px: How blurred they are; None where no edges are seen.
    """

    looks: int
    seen: int
    unread: int
    length_px: float
    shortest_px: float
    index_px: float | None
    across_cm: float
    fill: float
    extent: tuple[float, float]
    blur_px: float | None

    @property
    def reads_as_px(self) -> float:
        """How long cards with usual indices of this height would be; no longer than these cards are."""
        if self.index_px is None:
            return self.length_px
        return min(self.length_px, self.index_px / USUAL_INDEX)


@dataclass(frozen=True, slots=True)
class Measures:
    """All that was measured of one camera.

    Attributes:
        size: Width and height of the pictures in px.
        fps: Frames a second as they came; None for stills and single pictures.
        longest_gap_ms: The longest wait for a frame in the first seconds; None likewise.
        looks: How many frames were read.
        cards: None when no look showed any.
        light: The median over the looks, on the cards where there are any.
        flicker: How far the brightness swings from frame to frame, as a share.
        read_ms: How long a reading of the whole picture takes on this machine at best, the size of the cards
            being known; None without cards.
        centre: The outline of the centre, as told or found; None when it is neither.
        is_centre_told: Whether ``table.toml`` tells it.
        in_centre: How many cards lie in the centre in the median look.
        told_fps: The frames a second that a live camera says it sends; None for all else.
    """

    size: tuple[int, int]
    fps: float | None
    longest_gap_ms: int | None
    looks: int
    cards: CardMeasures | None
    light: Light
    flicker: float
    read_ms: float | None
    centre: Polygon | None
    is_centre_told: bool
    in_centre: int
    told_fps: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded, for programs."""
        return {name: _rounded(value) for name, value in asdict(self).items()}


def measure(sighting: Sighting, zones: TableZones) -> Measures:
    """The figures of what was seen; there is at least one look."""
    info, looks = sighting.info, sighting.looks
    steps = np.diff(sighting.times_ms)
    centre = zones.centre or _centre_of(looks, (info.width, info.height))
    cards = _card_measures(looks, (info.width, info.height))
    with_cards = [look for look in looks if look.quads] or looks
    inside = _count_inside(TableZones(centre=centre), with_cards)
    if zones.centre is None and inside < _LEAST_IN_CENTRE:
        centre, inside = None, 0  # cards lie now here, now there
    return Measures(
        size=(info.width, info.height),
        fps=float(1000 * len(steps) / steps.sum()) if len(steps) else None,
        longest_gap_ms=int(steps.max()) if len(steps) else None,
        looks=len(looks),
        cards=cards,
        light=_median_light([look.light for look in with_cards]),
        flicker=flicker(sighting.levels),
        read_ms=min((look.read_ms for look in looks if look.read_ms is not None), default=None),
        centre=centre,
        is_centre_told=zones.centre is not None,
        in_centre=inside,
        told_fps=info.fps if info.is_live else None,
    )


def _card_measures(looks: Sequence[Look], size: tuple[int, int]) -> CardMeasures | None:
    shown = [look for look in looks if look.quads]
    if not shown:
        return None
    cards = [card for look in shown for card in look.cards]
    lengths = [card.length_px for card in cards]
    heights = [2 * float(np.linalg.norm(card.indices[0].up)) for card in cards if card.indices]
    blurs = [look.blur_px for look in shown if look.blur_px is not None]
    length = float(np.median(lengths))
    named = sum(len(look.reading.known) for look in shown)
    unread = sum(look.reading.unread for look in shown)
    return CardMeasures(
        looks=len(shown),
        seen=named + unread,
        unread=unread,
        length_px=length,
        shortest_px=float(np.percentile(lengths, _SHORTEST)),
        index_px=float(np.median(heights)) if heights else None,
        across_cm=size[0] / max(1.0, length) * CARD_CM,
        fill=float(np.median([_fill(look.quads, size) for look in shown])),
        extent=_extent([quad for look in shown for quad in look.quads], size),
        blur_px=float(np.median(blurs)) if blurs else None,
    )


def _fill(quads: Sequence[NDArray[np.float64]], size: tuple[int, int]) -> float:
    return float(sum(_area(quad) for quad in quads) / (size[0] * size[1]))


def _area(quad: NDArray[np.float64]) -> float:
    first, second = quad[2] - quad[0], quad[3] - quad[1]
    return float(abs(first[0] * second[1] - first[1] * second[0]) / 2)


def _extent(quads: Sequence[NDArray[np.float64]], size: tuple[int, int]) -> tuple[float, float]:
    """The share of width and height over which cards lie, misplaced quads left out of account."""
    centres = np.array([quad.mean(axis=0) for quad in quads])
    low, high = np.percentile(centres, [2, 98], axis=0)
    length = float(np.median([np.linalg.norm(quad[3] - quad[0]) for quad in quads]))
    width, height = np.minimum(1.0, (high - low + length) / np.array(size)).tolist()
    return float(width), float(height)


def _centre_of(looks: Sequence[Look], size: tuple[int, int]) -> Polygon | None:
    """The centre as most looks have it that show one, from the last of them; None when most show none."""
    found = [find_centre(look.quads, size) for look in looks if look.quads]
    there = [centre for centre in found if centre is not None]
    return there[-1] if len(there) * 2 > len(found) else None


def _count_inside(zones: TableZones, looks: Sequence[Look]) -> int:
    counts = [sum(zones.is_in_centre(quad.mean(axis=0)) for quad in look.quads) for look in looks]
    return int(np.median(counts))


def _median_light(lights: Sequence[Light]) -> Light:
    return Light(
        burnt=float(np.median([light.burnt for light in lights])),
        dark=float(np.median([light.dark for light in lights])),
        paper=float(np.median([light.paper for light in lights])),
        contrast=float(np.median([light.contrast for light in lights])),
    )


def _rounded(value: Any) -> Any:  # noqa: ANN401 - any of the figures
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    return value
