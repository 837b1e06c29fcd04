"""Made-up tables calibrated from six pictures each: where centre and seats are found, against where they are.

A table's truth is the box round all places of its centre, turned as the cards are, and a point before each
player. Half the tables have four seats and half six; views, surfaces, decks and clutter are gone through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_server.bench.people_shares import share
from kemps_vision.calibration.finding import FindsHands, TableLook, find_table, look_for_hands
from kemps_vision.cards.reading import CardReader
from kemps_vision.errors import CalibrationError
from kemps_vision.zones import Polygon

FIRST_SEED: Final = 58_501
FRAMES: Final = (
    5,
    20,
    35,
    50,
    62,
    75,
)  # of 15 a second: in the fourth and fifth a card is gone, or a hand there

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MadeUpTable:
    """A table's pictures and truth; ``names`` say what it looks like."""

    names: str
    seats: int
    pictures: tuple[NDArray[np.uint8], ...]
    centre: Floats
    places: tuple[Floats, ...]
    at: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """How one table was found.

    Attributes:
        names: What it looks like.
        seats: How many it has.
        is_found: Whether there was an answer at all.
        overlap: The found centre with the true one, intersection over union.
        inside: Of the centre's own four places, how many lie in the found centre.
        right: How many seats are nearer to their own true place than to any other.
        seen: Of how many something was seen.
        turned_deg: How far off, as seen from the centre in the picture, seats are in the median.
    """

    names: str
    seats: int
    is_found: bool
    overlap: float = 0.0
    inside: int = 0
    right: int = 0
    seen: int = 0
    turned_deg: float = 0.0


def made_up_tables(count: int) -> Iterator[MadeUpTable]:
    """The first ``count`` tables, always the same."""
    for number in range(count):
        yield _table(number)


def calibrate_tables(
    count: int,
    reader: CardReader,
    hands: FindsHands | None,
    on_result: Callable[[TableResult], None] | None = None,
) -> list[TableResult]:
    """All of them calibrated; without ``hands`` packets alone tell of players."""
    results = []
    for table in made_up_tables(count):
        results.append(_calibrated(table, reader, hands))
        if on_result is not None:
            on_result(results[-1])
    return results


def summary(results: list[TableResult]) -> dict[str, Any]:
    """The figures of the report."""
    found = [one for one in results if one.is_found]
    overlaps = [one.overlap for one in found]
    answer: dict[str, Any] = {
        "found": share(len(found), len(results)),
        "overlap_median": round(float(np.median(overlaps)), 3) if overlaps else None,
        "overlap_least": round(min(overlaps), 3) if overlaps else None,
        "places_in_centre": share(sum(one.inside for one in found), 4 * len(results)),
    }
    for count in (4, 6):
        some = [one for one in results if one.seats == count]
        answer[f"seats_right_of_{count}"] = share(sum(one.right for one in some), count * len(some))
    answer["seats_seen"] = share(sum(one.seen for one in found), sum(one.seats for one in found))
    answer["seats_off_deg_median"] = (
        round(float(np.median([one.turned_deg for one in found])), 1) if found else None
    )
    return answer


def overlap(one: Polygon | Floats, other: Polygon | Floats) -> float:
    """Intersection over union of two convex outlines.

    >>> square = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    >>> overlap(square, square), overlap(square, tuple((x + 1, y) for x, y in square))
    (1.0, 0.3333333333333333)
    """
    first, second = (np.asarray(cv2.convexHull(np.asarray(q, np.float32)), np.float32) for q in (one, other))
    shared, _ = cv2.intersectConvexConvex(first, second)
    return float(shared / (cv2.contourArea(first) + cv2.contourArea(second) - shared))


def _calibrated(table: MadeUpTable, reader: CardReader, hands: FindsHands | None) -> TableResult:
    looks = [
        TableLook(pixels, reader.read(pixels), look_for_hands(pixels, hands) if hands else ())
        for pixels in table.pictures
    ]
    try:
        found = find_table(looks, table.seats)
    except CalibrationError:
        return TableResult(names=table.names, seats=table.seats, is_found=False)
    at = np.array([place.at for place in found.seats])
    nearest = np.linalg.norm(at[:, None] - table.at[None], axis=2).argmin(axis=1)
    outline = np.asarray(found.centre, np.float32)
    inside = [
        cv2.pointPolygonTest(outline, tuple(map(float, corner)), measureDist=False) >= 0
        for place in table.places
        for corner in place
    ]
    middle = table.centre.mean(axis=0)
    angles = [np.arctan2(*(points - middle).T[::-1]) for points in (at, table.at)]
    off = np.degrees(np.abs((angles[0] - angles[1] + np.pi) % (2 * np.pi) - np.pi))
    return TableResult(
        names=table.names,
        seats=table.seats,
        is_found=True,
        overlap=overlap(found.centre, table.centre),
        inside=sum(all(inside[n : n + 4]) for n in range(0, len(inside), 4)),
        right=int((nearest == np.arange(table.seats)).sum()),
        seen=sum(place.is_seen for place in found.seats),
        turned_deg=float(np.median(off)),
    )


def _table(number: int) -> MadeUpTable:
    import tomllib  # noqa: PLC0415 - only here

    from kemps_scenes.backs import BACKS  # noqa: PLC0415 - the wheel has no samples
    from kemps_scenes.camera import VIEWS  # noqa: PLC0415
    from kemps_scenes.script import plan_scene  # noqa: PLC0415
    from kemps_scenes.spec import CLUTTER, PACKETS, SURFACES, SceneSpec  # noqa: PLC0415
    from kemps_scenes.stage import Stage  # noqa: PLC0415
    from kemps_scenes.trials import TRIAL_DECKS  # noqa: PLC0415
    from kemps_scenes.truth import table_toml, truth_of  # noqa: PLC0415

    seed, seats = FIRST_SEED + number, (4, 6)[number % 2]
    rng = np.random.default_rng([seed, 59])
    spec = SceneSpec(
        seed=seed,
        camera=list(VIEWS)[number // 2 % len(VIEWS)],
        surface=SURFACES[(number + number // 5) % len(SURFACES)],
        deck=str(rng.choice(TRIAL_DECKS)),
        back=str(rng.choice(list(BACKS))),
        clutter=str(rng.choice(CLUTTER)),
        packets=str(rng.choice(PACKETS)),
        centre=str(rng.choice(["row", "square"])),
    )
    scene = plan_scene(_swap(seed, seats), spec)
    stage = Stage(scene)
    truth = truth_of(scene, stage.camera, "table", []).document
    told = tomllib.loads(table_toml(scene, stage.camera, is_close=True))
    return MadeUpTable(
        names=f"{spec.camera} {spec.surface} {spec.centre}, {seats} seats",
        seats=seats,
        pictures=tuple(stage.frame(index).pixels for index in FRAMES),
        centre=np.asarray(told["camera"][0]["centre"], np.float64),
        places=tuple(
            np.asarray(slot["nominal_quad"], np.float64) for slot in truth["slots"] if not slot["is_spare"]
        ),
        at=np.asarray([seat["at"] for seat in told["seat"]], np.float64),
    )


def _swap(seed: int, seats: int) -> list[Any]:
    """A centre that lies there, and one swap by somebody."""
    from kemps_rules.cards import DECK_52  # noqa: PLC0415
    from kemps_rules.events import CardLaid, CardTaken, CentreTurned, GameOpened  # noqa: PLC0415
    from kemps_rules.seats import seats_of  # noqa: PLC0415

    rng = np.random.default_rng([seed, 58])
    deck = [DECK_52[int(index)] for index in rng.permutation(len(DECK_52))]
    seat = seats_of(seats)[int(rng.integers(seats))]
    header = {one: f"Player {one}" for one in seats_of(seats)}
    return [
        GameOpened(at_ms=0, rules="leaflet", seats=header),
        CentreTurned(at_ms=0, cards=tuple(deck[:4]), first_sight=True),
        CardTaken(at_ms=3000, seat=seat, card=deck[1]),
        CardLaid(at_ms=4200, seat=seat, card=deck[6]),
    ]
