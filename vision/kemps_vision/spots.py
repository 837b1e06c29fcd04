"""One place where a card lies face up: the votes on what it is, and how much of its look is left."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_vision.appearance import Look, Patch, Quad, TableColour
from kemps_vision.cards.quads import is_inside
from kemps_vision.cards.reading import CardReading
from kemps_vision.surroundings import Surroundings

FLOOR_NATS: Final = -7.0  # the most that one reading can say against a card
UNREAD_FLOOR_NATS: Final = -2.5  # ... one that the reader itself did not trust
MARGIN_NATS: Final = 6.0  # e^6 = 400 to 1 over the next best card
SMALL_PX: Final = 60.0  # cards shorter than this need more: readings of blurred signs err alike
INDEPENDENT_READS: Final = 4  # readings of one still picture repeat their error: more count as so many
FACE_WEIGHT: Final = 3.0  # of what the card's middle says, which needs no index
FACE_FLOOR_NATS: Final = -12.0
LEGIBLE_PX: Final = 17.0  # an index so high is read as well as a larger one
LEGIBLE_POWER: Final = 4.0
LEAST_LEGIBILITY: Final = 0.1
HARDLY_LEGIBLE: Final = 0.6  # then the middle may overrule what all readings of the indices name
AGREEMENT: Final = 0.7  # of the readings that name a card name the winner
READS_WITH_TWO_CORNERS: Final = 3
READS_WITH_ONE_CORNER: Final = 6  # a lone corner was wrong in 3 % of single frames, two alike in none of 1446
READS_HARDLY_NAMED: Final = 12  # ... of which the reader itself named less than three
READS_ELSEWHERE: Final = 4  # that agree, before a card counts as moved
SAME_INDEX: Final = (
    0.1  # card lengths between two sights of one index; a lone one is known better than its card
)
BESIDE: Final = -0.1  # of the card's size outside its edge: there an index may still be its own
STEADY_FRAMES: Final = 8
STEADY_LEAST, STEADY_WITHIN = 0.5, 0.15  # of the look
STRAY: Final = 0.6  # card lengths: farther a lone corner does not misplace its card
PLACED_READS: Final = 11
PLATEAU_FRAMES: Final = 3  # in which a view must be steady before it is lost at once
RECENT: Final = 10  # readings in which another card must be named nearly always to be a conflict

CLEAR: Final = 0.85  # of the look kept: nothing lies over the card; another card kept up to 0.79
LOST_SIGHT: Final = 0.5  # of the look: less, and the card may be gone or another by the time it shows again
SEEN: Final = 0.2  # some of the card still shows in its place
NOT_SEEN: Final = 0.15
OUT_OF_SIGHT_MS: Final = 500  # after so long what shows in part may be another card or a hand


def name_of(reading: CardReading) -> Card:
    """The card a reading names, or what an unread one most likely is."""
    return reading.card or DECK_52[int(reading.log_p.argmax())]


def turned_alike(quad: Quad, other: Quad) -> Quad:
    """The quad with its corners in the order that is nearer to ``other``: a card reads both ways up."""
    turned = quad[[2, 3, 0, 1]]
    is_turned = np.abs(turned - other).sum() < np.abs(quad - other).sum()
    return np.asarray(turned if is_turned else quad, np.float64)


@dataclass(slots=True, eq=False)
class Spot:
    """A card that lies somewhere, or may; times in ms, quads in px of the picture."""

    id: int
    quad: Quad
    first_read_ms: int
    evidence: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(DECK_52)))
    corners: int = 1  # that the quad is made from
    size: float = 1.0  # at which it was first read: quads of other sizes are off in other ways
    quads: deque[Quad] = field(default_factory=lambda: deque(maxlen=PLACED_READS))  # that it is the median of
    index_centres: list[NDArray[np.float64]] = field(default_factory=list)  # (2,) px each
    hints: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(DECK_52)))  # of unread ones
    prior: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(DECK_52)))  # what others leave it
    reads: int = 0
    named_reads: int = 0
    two_corner_reads: int = 0
    misses: int = 0
    elsewhere: tuple[int, Quad] | None = None  # readings in a row beside the place, the last one's quad
    faces: deque[NDArray[np.float64]] = field(default_factory=lambda: deque(maxlen=RECENT))
    recent: deque[Card] = field(default_factory=lambda: deque(maxlen=RECENT))
    index_px: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))  # heights of its indices

    card: Card | None = None  # settled by voting; the journal has heard of it
    is_settled: bool = False
    settled_ms: int = 0
    conflicts: set[Card] = field(default_factory=set)

    look: Look | None = None
    table: TableColour | None = None
    surroundings: Surroundings = field(default_factory=Surroundings)
    patches: deque[Patch] = field(default_factory=lambda: deque(maxlen=3))
    kept: float = 1.0
    timeline: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=120))
    found_ms: int = -1  # when a reading last named it
    is_doubted: bool = False  # out of sight since then: another card of the same rank looks much alike
    bare_frames: int = 0
    bare_from_ms: int = 0
    quiet_from_ms: int | None = None  # covered and nothing moves: since when

    @property
    def centre(self) -> NDArray[np.float64]:
        """(2,) px: the middle of the quad's corners."""
        return np.asarray(self.quad.mean(axis=0), np.float64)

    @property
    def length_px(self) -> float:
        """The mean length of the two long sides."""
        return float(np.linalg.norm(self.quad[[3, 2]] - self.quad[[0, 1]], axis=1).mean())

    @property
    def guess(self) -> Card | None:
        """The card that is ahead so far."""
        return self.card or (DECK_52[int(self.log_p.argmax())] if self.reads else None)

    @property
    def index_guess(self) -> Card | None:
        """The card that its indices alone name, if any reading of them says something."""
        nats = self.evidence + self.hints
        return DECK_52[int(nats.argmax())] if np.ptp(nats) > 0 else None

    @property
    def is_clear(self) -> bool:
        """Whether nothing covers the card now, as far as its look says."""
        return self.kept >= CLEAR

    @property
    def is_in_view(self) -> bool:
        """Whether nothing covers the card now and it is sure to be this one still."""
        return self.is_clear and not self.is_doubted

    @property
    def log_p(self) -> NDArray[np.float64]:
        """(52,) what its readings say, and which names other cards leave it, up to a constant."""
        return np.asarray(self.votes + self.prior, np.float64)

    @property
    def votes(self) -> NDArray[np.float64]:
        """(52,) what indices and the card's middle say together, up to a constant."""
        unread_reads = self.reads - self.named_reads
        nats = self.evidence * min(1.0, INDEPENDENT_READS / max(self.named_reads, 1))
        nats = nats + self.hints * min(1.0, INDEPENDENT_READS / max(unread_reads, 1))
        if not self.faces:
            return nats
        nats = nats * self.legibility
        face = FACE_WEIGHT * np.asarray(np.mean(self.faces, axis=0), np.float64)
        # A deck may be drawn in its own way: indices that were read outweigh the middle.
        is_read = self.named_reads >= READS_WITH_TWO_CORNERS
        floor = FACE_FLOOR_NATS / self.legibility if is_read else -np.inf
        return np.asarray(nats + np.maximum(face, floor), np.float64)

    @property
    def legibility(self) -> float:
        """How far its indices can be trusted where its middle speaks too, 0..1: tiny ones err alike."""
        if not self.index_px:
            return 1.0
        share = float(np.median(self.index_px)) / LEGIBLE_PX
        return float(np.clip(share**LEGIBLE_POWER, LEAST_LEGIBILITY, 1.0))

    @property
    def margin_nats(self) -> float:
        """How far the leading card is ahead of the next."""
        second, first = np.partition(self.log_p, -2)[-2:]
        return float(first - second)

    @property
    def _least_margin_nats(self) -> float:
        return MARGIN_NATS * max(1.0, SMALL_PX / max(self.length_px, 1.0)) ** 2

    @property
    def is_sure(self) -> bool:
        """Whether enough readings agree to name the card; never after a lone frame."""
        if not self.reads or self.margin_nats < self._least_margin_nats:
            return False
        if self.named_reads < READS_WITH_TWO_CORNERS and self.reads < READS_HARDLY_NAMED:
            return False  # print on a note pad looks like a card now and then
        agreeing = Counter(self.recent)[DECK_52[int(self.log_p.argmax())]]
        is_hardly_legible = bool(self.faces) and self.legibility < HARDLY_LEGIBLE
        if agreeing < AGREEMENT * len(self.recent) and not is_hardly_legible:
            return False
        return self.reads >= READS_WITH_ONE_CORNER or (
            self.reads >= READS_WITH_TWO_CORNERS and self.two_corner_reads * 2 >= self.reads
        )

    @property
    def confidence(self) -> float:
        """The posterior of the card that is ahead, 0..1, given what else lies there."""
        nats = self.log_p
        weights = np.exp(nats - nats.max())
        return float(weights.max() / weights.sum())

    def compare(self, patch: Patch, at_ms: int) -> None:
        """How much of the look is left in the present patch of the place."""
        if self.look is None:
            return
        self.kept = self.look.kept(patch)
        self.is_doubted |= self.kept < LOST_SIGHT
        self.timeline.append((at_ms, self.kept))

    def found(self, at_ms: int) -> None:
        """A reading named it."""
        self.found_ms = at_ms
        self.is_doubted = False

    def vote(self, reading: CardReading) -> None:
        """Count one more reading of the card; one that the reader could not name says what it may be."""
        self.misses = 0
        self.reads += 1
        if not self.index_centres or name_of(reading) == self.guess:
            self._learn_indices(reading)
        self.two_corner_reads += len(reading.indices) >= 2
        self.index_px.extend(2 * float(np.linalg.norm(index.up)) for index in reading.indices[:1])
        if reading.card is not None:
            self.named_reads += 1
            self.recent.append(reading.card)
        if not self.is_settled or name_of(reading) == self.card:
            relative = reading.log_p - reading.log_p.max()
            if reading.card is None:
                self.hints += np.maximum(relative, UNREAD_FLOOR_NATS)
            else:
                self.evidence += np.maximum(relative, FLOOR_NATS)

    def index_shift(self, reading: CardReading) -> float:
        """How far, in card lengths, the nearest index of a reading is from a known one; inf without any."""
        return min((self._index_gap(index.centre)[0] for index in reading.indices), default=np.inf)

    def _index_gap(self, centre: NDArray[np.float64]) -> tuple[float, int]:
        gaps = [float(np.linalg.norm(centre - known)) / self.length_px for known in self.index_centres]
        return min(((gap, place) for place, gap in enumerate(gaps)), default=(float(np.inf), -1))

    def _learn_indices(self, reading: CardReading) -> None:
        for index in reading.indices:
            if not is_inside(reading.quad, index.centre, inset=BESIDE):
                continue  # joined in error: it is of the card beside
            gap, place = self._index_gap(index.centre)
            if gap < SAME_INDEX:
                self.index_centres[place] = (self.index_centres[place] + index.centre) / 2
            else:
                self.index_centres.append(index.centre)

    def place(self, reading: CardReading, size: float) -> None:
        """Learn better where the card lies: two corners know it better than one, many readings than one."""
        corners = len(reading.indices)
        if corners < self.corners or self._is_stray(reading):
            return
        if corners > self.corners or not self.quads:
            self.quads.clear()
            self.quads.extend([self.quad] if corners == self.corners else [])
        self.corners, self.size = corners, size
        self.quads.append(turned_alike(reading.quad, self.quad))
        # The median: two corners of different cards, joined in one reading, make a quad that is far off.
        self.quad = np.asarray(np.median(np.stack(self.quads), axis=0), np.float64)

    def _is_stray(self, reading: CardReading) -> bool:
        """Whether two corners were joined that put the card where its lone ones, read before, never did."""
        if self.corners > 1 or len(reading.indices) < 2:
            return False
        return float(np.linalg.norm(reading.centre - self.centre)) > STRAY * self.length_px

    def move_to(self, quad: Quad) -> None:
        """Put the settled card there: it was pushed."""
        self.quad = quad
        self.patches.clear()
        self.surroundings = Surroundings()

    def camera_moved(self, moved: Callable[[Quad], Quad]) -> None:
        """The card lies where it did, in another place of the picture: ``moved`` maps points (n, 2)."""
        self.move_to(moved(self.quad))
        self.quads.clear()
        self.elsewhere = None
        self.index_centres = [moved(centre[None])[0] for centre in self.index_centres]

    def restart(self, reading: CardReading, at_ms: int, size: float) -> None:
        """Forget the votes: the card moved, or this is another."""
        self.quad = np.asarray(reading.quad, np.float64)
        self.corners, self.size = len(reading.indices), size
        self.quads.clear()
        self.first_read_ms = at_ms
        self.evidence[:] = 0
        self.hints[:] = 0
        self.reads = self.named_reads = self.two_corner_reads = self.misses = 0
        self.recent.clear()
        self.faces.clear()
        self.index_centres.clear()
        self.look = None
        self.patches.clear()
        self.timeline.clear()
        self.vote(reading)

    def is_read_elsewhere(self, reading: CardReading, near: float) -> bool:
        """Whether this is the last of several readings that all put the card at one other place."""
        count = 0
        if self.elsewhere is not None:
            moved = float(np.linalg.norm(reading.quad.mean(axis=0) - self.elsewhere[1].mean(axis=0)))
            count = self.elsewhere[0] if moved < near * self.length_px else 0
        self.elsewhere = (count + 1, np.asarray(reading.quad, np.float64))
        if count + 1 < READS_ELSEWHERE:
            return False
        self.elsewhere = None
        return True

    def contradiction(self) -> Card | None:
        """Another card that nearly all recent readings name although the look has not changed."""
        if not self.is_settled or self.card is None or len(self.recent) < RECENT or not self.is_clear:
            return None
        card, count = Counter(self.recent).most_common(1)[0]
        return card if card != self.card and count >= RECENT - 1 and card not in self.conflicts else None

    def last_shown(self, before_ms: int) -> tuple[int, float] | None:
        """The last (time, kept share) before ``before_ms`` at which some of the card showed.

        A hand at rest, or another card that comes to lie in its place, looks like it in part: that little
        shows counts only for a while after more of it, and what shows after a time out of sight only in
        full view, or if a reading found the card then or later.
        """
        last: tuple[int, float] | None = None
        sure_ms = 0
        for at_ms, kept in self.timeline:
            if at_ms >= before_ms:
                break
            if kept < SEEN:
                continue
            least = LOST_SIGHT if at_ms - sure_ms <= OUT_OF_SIGHT_MS else CLEAR
            if last is None or at_ms <= self.found_ms or kept >= least:
                sure_ms = at_ms
            if at_ms - sure_ms <= OUT_OF_SIGHT_MS:
                last = at_ms, kept
        return last

    def shown_ms(self, before_ms: int) -> int:
        """When some of the card showed last before then; when it was settled if nothing is known of that."""
        shown = self.last_shown(before_ms)
        return shown[0] if shown else self.settled_ms

    def was_clear_since(self, since_ms: int) -> bool:
        """Whether nothing covered the card at some moment from ``since_ms`` on."""
        return any(at_ms >= since_ms and kept >= CLEAR for at_ms, kept in self.timeline)

    @property
    def is_steady(self) -> bool:
        """Whether about the same share of the look, not all but most, has shown for a while."""
        shares = [kept for _, kept in list(self.timeline)[-STEADY_FRAMES:]]
        is_long = len(shares) == STEADY_FRAMES
        return is_long and min(shares) > STEADY_LEAST and max(shares) - min(shares) < STEADY_WITHIN

    def vanished_at_once(self, shown_ms: int) -> bool:
        """Whether the card's view was steady and partial before it was lost: the hand lay on it then.

        A view lost from the full may as well mean a hand that came fast and covers the card whole.
        """
        before = [kept for at_ms, kept in self.timeline if at_ms <= shown_ms][-PLATEAU_FRAMES:]
        after = [kept for at_ms, kept in self.timeline if at_ms > shown_ms][:2]
        is_steady = len(before) == PLATEAU_FRAMES and max(before) - min(before) < 0.15 and max(before) < 0.98
        return is_steady and min(before) >= 0.25 and bool(after) and min(after) < NOT_SEEN
