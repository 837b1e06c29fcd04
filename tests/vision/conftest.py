"""A table drawn with a few rectangles, and a reader that knows its cards by the colours of their corners.

Everything is exact and seeded, so that tests say what happens at which millisecond and look at the
events. Use the fixture ``drawn`` (a fresh ``DrawnTable``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import TracebackType
from typing import Final, Self, TypeAlias

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_rules.events import Called, Event
from kemps_vision.cards.reading import CardReading, IndexReading, Reading
from kemps_vision.changes import Appeared, Left
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState
from kemps_vision.pipeline import Observer
from kemps_vision.zones import TableConfig, parse_config

Point: TypeAlias = tuple[float, float]
Path: TypeAlias = Callable[[int], Point | None]

WIDTH, HEIGHT, FPS = 640, 400, 15
CARD_W, CARD_H = 56, 78
MARK: Final = 10  # px, the coloured square in a corner
SEATS: Final[dict[str, Point]] = {"A": (320, 470), "B": (-70, 200), "C": (320, -70), "D": (710, 200)}
SLOTS: Final[tuple[Point, ...]] = ((205, 200), (280, 200), (355, 200), (430, 200), (317, 110))
SHOWN: Final[dict[str, Point]] = {"A": (230, 345), "C": (230, 50)}
CONFIG: Final = """
[[camera]]
size = [640, 400]
centre = [[160, 60], [480, 60], [480, 250], [160, 250]]
""" + "".join(f'[[seat]]\nid = "{seat}"\nat = [{x}, {y}]\n' for seat, (x, y) in SEATS.items())


def moving(*keys: tuple[int, Point]) -> Path:
    """A path through points at times, straight between them, nowhere before and after."""

    def place(at_ms: int) -> Point | None:
        for (t0, (x0, y0)), (t1, (x1, y1)) in pairwise(keys):
            if t0 <= at_ms <= t1:
                share = (at_ms - t0) / max(t1 - t0, 1)
                return x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        return None

    return place


def resting(at: Point, start: int, end: int) -> Path:
    return lambda at_ms: at if start <= at_ms < end else None


def after(start: int, path: Path) -> Path:
    return lambda at_ms: path(at_ms) if at_ms > start else None


@dataclass
class DrawnTable:
    """Cards and arms with their paths; times in ms."""

    duration_ms: int = 8000
    cards: list[tuple[Card, Path]] = field(default_factory=list)
    arms: list[tuple[str, Path]] = field(default_factory=list)
    alike: dict[str, str] = field(default_factory=dict)  # cards whose pips lie like those of another

    def lies(self, card: str, at: int | Point, start: int = -1, end: int = 10**6) -> None:
        """A card lies in a slot or at a point."""
        place = SLOTS[at] if isinstance(at, int) else at
        self.cards.append((Card.parse(card), resting(place, start, end)))

    def centre(self, cards: str, end: Sequence[int] = ()) -> None:
        """Four cards in the slots, each until its time."""
        for slot, card in enumerate(cards.split()):
            self.lies(card, slot, end=end[slot] if slot < len(end) else 10**6)

    def reaches(self, seat: str, slot: int, start: int, until: int, dx: float = 0, dy: float = 0) -> None:
        """An arm goes to a slot, stays, and goes back."""
        home, (x, y) = SEATS[seat], SLOTS[slot]
        there = (x + dx, y + dy)
        self.arms.append(
            (seat, moving((start - 400, home), (start, there), (until, there), (until + 400, home)))
        )

    def takes(self, seat: str, slot: int, card: str, at: int) -> None:
        """A card that lies in a slot until ``at`` is carried away; give its end to ``lies`` or ``centre``."""
        self.reaches(seat, slot, at - 200, at, dy=22 if seat == "A" else 0)
        home, there = SEATS[seat], SLOTS[slot]
        self.cards.append((Card.parse(card), moving((at + 1, there), (at + 400, home))))

    def lays(self, seat: str, slot: int, card: str, at: int, end: int = 10**6) -> None:
        """A card is brought, lies from ``at`` - 130 on, and the hand lets go at ``at``."""
        home, there = SEATS[seat], SLOTS[slot]
        self.reaches(seat, slot, at - 130, at, dy=22 if seat == "A" else 0)
        self.cards.append((Card.parse(card), moving((at - 530, home), (at - 130, there))))
        self.lies(card, slot, at - 129, end)

    def pushes(self, card: str, slot: int, at: int, dx: float) -> None:
        """A card that lies in a slot until ``at`` slides aside in 0.4 s."""
        x, y = SLOTS[slot]
        self.cards.append((Card.parse(card), moving((at + 1, (x, y)), (at + 400, (x + dx, y)))))
        self.lies(card, (x + dx, y), at + 401)

    def sweeps(self, seat: str, cards: Sequence[str], at: int, each: int = 200) -> None:
        """Slot after slot is emptied, all cards end up in the hand."""
        home = SEATS[seat]
        keys = [(at - 500, home)]
        for slot in range(len(cards)):
            keys += [(at + slot * each - 60, SLOTS[slot]), (at + slot * each, SLOTS[slot])]
        last = at + (len(cards) - 1) * each
        hand = moving(*keys, (last + 500, home))
        self.arms.append((seat, hand))
        for slot, card in enumerate(cards):
            self.cards.append((Card.parse(card), after(at + slot * each, hand)))

    def shows(self, seat: str, cards: str, at: int, gap: int = 62) -> None:
        """A hand laid open in a row in front of the seat, a card every 300 ms."""
        x, y = SHOWN[seat]
        for i, card in enumerate(cards.split()):
            there, start = (x + gap * i, y), at + 300 * i
            self.lies(card, there, start)
            self.arms.append(
                (seat, moving((start - 250, SEATS[seat]), (start, there), (start + 250, SEATS[seat])))
            )

    def picture(self, at_ms: int) -> Image:
        """The table at a time; cards in the order they were given, arms above them."""
        canvas = _wood().copy()
        for card, path in self.cards:
            place = path(at_ms)
            if place is not None:
                _paste(canvas, _face(card, self.alike.get(str(card), str(card))), place)
        for seat, path in self.arms:
            hand = path(at_ms)
            if hand is not None:
                _draw_arm(canvas, SEATS[seat], hand)
        return canvas

    def frames(self) -> Iterator[Frame]:
        for index in range(self.duration_ms * FPS // 1000):
            at_ms = round(index * 1000 / FPS)
            yield Frame("table", index, at_ms, self.picture(at_ms))

    def observe(
        self,
        calls: Sequence[Called] = (),
        *,
        reader: DrawnReader | None = None,
        config: TableConfig | None = None,
        has_config: bool = True,
    ) -> list[Event]:
        """All events but the header."""
        observer = self.observer(calls, reader=reader, config=config, has_config=has_config)
        events = [event for frame in self.frames() for event in observer.step(frame)]
        return events + observer.finish()

    def observer(
        self,
        calls: Sequence[Called] = (),
        *,
        reader: DrawnReader | None = None,
        config: TableConfig | None = None,
        has_config: bool = True,
    ) -> Observer:
        """One that has seen nothing yet."""
        table = (config or parse_config(CONFIG)) if has_config else None
        return Observer(INFO, reader or DrawnReader(), table, calls=calls)

    def source(self) -> DrawnSource:
        return DrawnSource(self)


INFO: Final = SourceInfo(name="drawn", where="drawn", kind="file", width=WIDTH, height=HEIGHT, fps=FPS)


class DrawnSource:
    """The drawn table as a ``FrameSource``."""

    def __init__(self, table: DrawnTable, kind: str = "file") -> None:
        self._table = table
        self.info = SourceInfo(
            name="drawn",
            where="drawn",
            kind=kind,
            width=WIDTH,
            height=HEIGHT,
            fps=FPS,
            duration_ms=table.duration_ms,
        )
        self.state = SourceState.OPEN
        self.dropped = 0
        self.skipped = 0
        self.notes: tuple[str, ...] = ()
        self.lost_spans: tuple[tuple[int, int | None], ...] = ()

    def __iter__(self) -> Iterator[Frame]:
        return self._table.frames()

    def close(self) -> None:
        self.state = SourceState.CLOSED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class DrawnReader:
    """Finds the coloured corners of drawn cards.

    ``lies(n)`` maps cards to what the n-th reading calls them, None for a card that cannot be read.
    """

    def __init__(self, lies: Callable[[int], dict[str, str | None]] = lambda _: {}) -> None:
        self.count = 0
        self._lies = lies

    def read(
        self, pixels: Image, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        del card_length_px, alphabet  # drawn cards have one size and no letters
        lies = self._lies(self.count)
        self.count += 1
        coded = pixels.astype(np.int64) @ np.array([65536, 256, 1])
        marks: dict[Card, list[tuple[int, Point]]] = {}
        rows, columns = np.nonzero(np.isin(coded, _CODES))
        codes = coded[rows, columns]
        for code in np.unique(codes):
            card, corner = _CARD_OF[int(code)]
            for x, y in _squares(columns[codes == code], rows[codes == code]):
                marks.setdefault(card, []).append((corner, (x, y)))
        cards = [one for card, found in marks.items() for one in _readings(card, found, lies)]
        return Reading(tuple(cards), unread=0, face_down=0, alphabet="international", ms=0.0)


def _squares(columns: NDArray[np.int64], rows: NDArray[np.int64]) -> list[Point]:
    """The left top corners of whole squares of one colour."""
    mask = np.zeros((rows.max() + 2, columns.max() + 2), np.uint8)
    mask[rows, columns] = 1
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    whole = [stats[i] for i in range(1, count) if stats[i][4] == MARK * MARK]
    return [(float(one[0]), float(one[1])) for one in whole]


def _readings(card: Card, found: list[tuple[int, Point]], lies: dict[str, str | None]) -> list[CardReading]:
    """The corners put together to cards; a name of None is a card that cannot be read."""
    text = lies.get(str(card), str(card))
    name = None if text is None else Card.parse(text)
    log_p = np.full(52, -8.0 if name else -4.0)
    if name is not None:
        log_p[DECK_52.index(name)] = -0.02
    origins: dict[Point, list[IndexReading]] = {}
    for corner, (x, y) in found:
        origin = (x - 3, y - 3) if corner == 0 else (x + MARK + 3 - CARD_W, y + MARK + 3 - CARD_H)
        origins.setdefault(origin, []).append(_index((x + MARK / 2, y + MARK / 2), corner, log_p))
    return [
        CardReading(name, 0.98, _quad(origin), log_p * len(indices), tuple(indices))
        for origin, indices in origins.items()
    ]


def _quad(origin: Point) -> NDArray[np.float64]:
    x, y = origin
    return np.array([[x, y], [x + CARD_W, y], [x + CARD_W, y + CARD_H], [x, y + CARD_H]], np.float64)


def _index(middle: Point, corner: int, log_p: NDArray[np.float64]) -> IndexReading:
    side = 10.0 if corner == 0 else -10.0  # as large as legible print; the mark itself is smaller
    by_suit = log_p.reshape(4, 13)  # flat enough to say the same of rank and suit
    return IndexReading(
        centre=np.asarray(middle),
        up=np.array([0.0, -side]),
        right=np.array([side, 0.0]),
        heat=0.9,
        rank_log_p=by_suit.max(axis=0) / 2,
        suit_log_p=by_suit.max(axis=1) / 2,
        none_p=0.0,
    )


def _code(card: Card, corner: int) -> tuple[int, int, int]:
    number = DECK_52.index(card)
    return 7 + number * 4, 250 if corner == 0 else 3, 201


_CARD_OF: Final = {
    (r << 16) + (g << 8) + b: (card, corner)
    for card in DECK_52
    for corner in (0, 1)
    for r, g, b in [_code(card, corner)]
}
_CODES: Final = np.array(sorted(_CARD_OF))
_CACHE: Final[dict[str, Image]] = {}


def _wood() -> Image:
    if "wood" not in _CACHE:
        rng = np.random.default_rng(5)
        grain = cv2.GaussianBlur(rng.normal(0, 14, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 6, sigmaY=1)
        wood = np.array([150, 105, 62], np.float32) * (1 + np.asarray(grain)[:, :, None] / 60)
        _CACHE["wood"] = np.clip(wood, 0, 255).astype(np.uint8)
    return _CACHE["wood"]


def _face(card: Card, like: str) -> Image:
    key = f"{card} like {like}"
    if key not in _CACHE:
        rng = np.random.default_rng(DECK_52.index(Card.parse(like)))
        face = np.full((CARD_H, CARD_W, 3), 236, np.uint8)
        for _ in range(7):
            x, y = int(rng.integers(14, CARD_W - 18)), int(rng.integers(4, CARD_H - 16))
            face[y : y + 11, x : x + 9] = (190, 30, 40) if card.suit in "dh" else (30, 30, 34)
        face[3 : 3 + MARK, 3 : 3 + MARK] = _code(card, 0)
        face[-3 - MARK : -3, -3 - MARK : -3] = _code(card, 1)
        _CACHE[key] = face
    return _CACHE[key]


def _paste(canvas: Image, face: Image, middle: Point) -> None:
    left, top = round(middle[0] - CARD_W / 2), round(middle[1] - CARD_H / 2)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(WIDTH, left + CARD_W), min(HEIGHT, top + CARD_H)
    if x0 < x1 and y0 < y1:
        canvas[y0:y1, x0:x1] = face[y0 - top : y1 - top, x0 - left : x1 - left]


def _draw_arm(canvas: Image, seat: Point, hand: Point) -> None:
    start, end = (round(seat[0]), round(seat[1])), (round(hand[0]), round(hand[1]))
    cv2.line(canvas, start, end, (36, 42, 96), 34)
    cv2.ellipse(canvas, end, (27, 20), 20, 0, 360, (222, 176, 150), -1)
    cv2.ellipse(canvas, end, (12, 16), 70, 0, 360, (196, 148, 122), -1)


@pytest.fixture
def drawn() -> DrawnTable:
    """A fresh table of eight seconds; set ``duration_ms`` for another length."""
    return DrawnTable()


@pytest.fixture
def drawn_reader() -> type[DrawnReader]:
    """The class of the reader that knows drawn cards."""
    return DrawnReader


def gone(one: Appeared, at_ms: int) -> Left:
    """A card that lay there shows no more, and its place is bare a moment later."""
    return Left(
        spot=one.spot,
        card=one.card,
        quad=one.quad,
        covered_ms=at_ms,
        shown_ms=at_ms,
        bare_ms=at_ms + 100,
        is_sharp=False,
    )
