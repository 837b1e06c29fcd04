"""Cards at rest, followed over time: what newly lies there, what has left, what contradicts itself.

``watch`` looks at every frame with the cheap test of ``appearance``; ``read`` takes a reader's
answer about a region now and then. A card that a hand covers is not gone: it has left when the bare
table shows in its place, or another card. Names come from votes (see ``spots``), times from the
frames that were kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_vision.appearance import Look, Quad, TableColour, stillness
from kemps_vision.cards.alphabets import GameLetters
from kemps_vision.cards.reading import CardReading, Reading
from kemps_vision.changes import Appeared, Change, Conflict, Left
from kemps_vision.frame import Image
from kemps_vision.history import GreyHistory
from kemps_vision.matching import LEAST_LENGTH, MOST_LENGTH, matched_to, shifted
from kemps_vision.naming import Counts, certain_of, copies_of, priors_of
from kemps_vision.neighbours import REPLACED, distance, is_part_of_another, is_pushed, is_replaced, is_told
from kemps_vision.pairing import Pairing
from kemps_vision.pips import ReadsSigns, pip_log_p
from kemps_vision.schedule import Box, is_inside
from kemps_vision.spots import CLEAR, NOT_SEEN, SAME_INDEX, Spot, name_of, turned_alike
from kemps_vision.surroundings import FREE_SHARE, WHOLLY_FREE_SHARE
from kemps_vision.twins import Twins

SAME_PLACE: Final = 0.12  # card lengths between two readings of one card at rest
ALIKE: Final = 0.5  # of the look kept in a place to which a card was pushed
NEAR_PLACE: Final = 0.25  # ... when the two were made at different sizes
NUDGE: Final = 0.03  # less is the readings' own error
STILL_GREYS: Final = 3.5
PASSING_GREYS: Final = 15.0  # an arm's shadow; an arm itself changes more
TABLE_SHARE: Final = 0.8
TABLE_SHARE_PASSING: Final = 0.93
FAINT: Final = 0.3  # of the look: so much a checked cloth may have in common with a card that lay on it
TABLE_SHARE_PATTERN: Final = 0.4  # of a table in several colours, of which one was measured
BARE_FRAMES: Final = 3
REST_MS: Final = 400  # a card held over the table for a moment does not lie there
HELD_MS: Final = 3000  # ... nor over another card for so long, while a hand is there
UNREAD_AFTER_MS: Final = 5500  # a card that cannot be read is told after this long in full view
UNREAD_READS: Final = 8
GONE_FREE_MS: Final = 1500  # nothing moves, no reading finds it, and the table round its place is as it was
GONE_UNSEEN_MS: Final = 5000  # covered, nothing moves, and no reading finds it
DROP_AFTER_MISSES: Final = 5
NUDGED_MS: Final = 700  # a card that lies elsewhere so soon was pushed, not taken
LENGTH_FROM: Final = 4  # settled cards, before it is known how long cards are
INDEX_CHECKS: Final = 8  # last cards of which index and middle were compared
LEAST_CHECKS, MOST_WRONG = 2, 0.25  # from so many on, and of them, indices that named another card
ONE_DECK: Final = copies_of(DECK_52)


class Tracker:
    """All cards at rest in one camera's pictures.

    ``lie_apart`` says of a point whether cards there do not overlap, as in the centre; ``copies`` how often
    each card is in play, see ``naming``; ``signs`` reads the large signs of cards, see ``pips``.
    """

    def __init__(
        self,
        lie_apart: Callable[[NDArray[np.float64]], bool] = lambda _: False,
        *,
        copies: Counts = ONE_DECK,
        signs: ReadsSigns | None = None,
    ) -> None:
        self._lie_apart = lie_apart
        self._signs = signs
        self._copies = copies
        self._twins = Twins(copies)
        self.spots: list[Spot] = []
        self.letters = GameLetters()
        self._pairing = Pairing()
        self._history = GreyHistory()
        self._next_id = 0
        self._start_ms: int | None = None
        self._changes: list[Change] = []
        self._left: deque[Left] = deque(maxlen=16)
        self._index_checks: deque[bool] = deque(maxlen=INDEX_CHECKS)
        self._length_px: float | None = None

    @property
    def settled(self) -> tuple[Spot, ...]:
        """The cards that are known to lie there."""
        return tuple(spot for spot in self.spots if spot.is_settled)

    def set_card_length(self, length_px: float) -> None:
        """How long cards are; pictures are kept so small that it is about 90 px: more says nothing more."""
        self._length_px = length_px if len(self.settled) >= LENGTH_FROM else None
        if self._history.set_card_length(length_px):
            for spot in self.spots:
                spot.patches.clear()

    def take_changes(self) -> list[Change]:
        """What has changed since the last call."""
        changes, self._changes = self._changes, []
        return changes

    def let_go(self, spot: Spot, at_ms: int) -> None:
        """A card is known to have left, though its place was not seen without it."""
        self._leave(spot, at_ms)

    def watch(self, pixels: Image, at_ms: int) -> None:
        """Compare each card's place with its look; call this with every frame watched."""
        if self._start_ms is None:
            self._start_ms = at_ms
        self._history.add(pixels, at_ms)
        for spot in list(self.spots):
            self._compare(spot, pixels, at_ms)
        self._changes += self._twins.watch(self.settled, at_ms)

    def read(self, reading: Reading, region: Box, pixels: Image, at_ms: int, *, size: float = 1.0) -> None:
        """Take a reading of ``region``; its quads are moved by its corner to px of the whole picture.

        ``pixels`` is the picture given to ``watch`` last. ``size`` tells readings at different sizes
        apart (see ``Schedule``): their votes count alike, but only quads of one size are compared.
        """
        read = [shifted(card, region[:2]) for card in reading.cards]
        cards = [card for card in self._pairing.parted_among(read, self.settled) if self._is_of_size(card)]
        matched = matched_to(cards, self.spots, self._lie_apart)
        seen = set()
        for card, known in zip(cards, matched, strict=True):
            spot = self._add(card, at_ms, size) if known is None else known
            if known is not None:
                self._renew(spot, card, at_ms, size)
            self._pairing.learn(card, spot)
            seen.add(spot.id)
            self.letters.see(spot.id, card.indices)
            self._remember_table(spot, pixels)
            self._read_face(spot, pixels)
            is_same = name_of(card) == spot.guess
            if is_same:
                spot.found(at_ms)
            self._remember_look(spot, is_same=is_same, is_whole=is_same and len(card.indices) > 1)
        for spot in list(self.spots):
            if spot.id not in seen and spot.size == size and is_inside(spot.centre, region):
                spot.misses += 1
                if not spot.is_settled and spot.misses >= DROP_AFTER_MISSES:
                    self.spots.remove(spot)
        self._share_names()
        for spot in list(self.spots):
            self._settle(spot, pixels, at_ms)
            self._check_conflict(spot, at_ms)

    # -- every frame ------------------------------------------------------------------------------

    def _compare(self, spot: Spot, pixels: Image, at_ms: int) -> None:
        if spot.look is None:
            return
        patch = self._history.patch(spot.quad)
        spot.compare(patch, at_ms)
        moved = stillness(patch, spot.patches[0]) if len(spot.patches) == spot.patches.maxlen else np.inf
        spot.patches.append(patch)
        if not spot.is_settled:
            return
        if spot.kept >= FAINT or moved >= PASSING_GREYS:
            spot.bare_frames = 0
            spot.quiet_from_ms = None
            return
        if spot.quiet_from_ms is None:
            spot.quiet_from_ms = at_ms
        is_unseen = spot.kept < NOT_SEEN
        if is_unseen and self._is_bare(spot, pixels, moved):
            spot.bare_from_ms = at_ms if spot.bare_frames == 0 else spot.bare_from_ms
            spot.bare_frames += 1
            if spot.bare_frames >= BARE_FRAMES and self._is_uncovered(spot, pixels):
                self._leave(spot, spot.bare_from_ms)
            return
        spot.bare_frames = 0
        quiet_ms = at_ms - spot.quiet_from_ms
        if spot.misses < DROP_AFTER_MISSES or moved >= STILL_GREYS or quiet_ms <= GONE_FREE_MS:
            return
        if is_unseen and quiet_ms > GONE_UNSEEN_MS:
            self._leave(spot, at_ms)
        elif self._is_patterned_table(spot, pixels):
            self._leave(spot, spot.quiet_from_ms)

    def _is_patterned_table(self, spot: Spot, pixels: Image) -> bool:
        """Whether no card lies there but a table of several colours, and no arm over it."""
        is_table = spot.table is not None and spot.table.share_in(pixels, spot.quad) >= TABLE_SHARE_PATTERN
        return is_table and self._is_uncovered(spot, pixels)

    def _is_bare(self, spot: Spot, pixels: Image, moved: float) -> bool:
        """Whether the table shows in the card's place; an arm's shadow may pass over it."""
        if spot.table is None or not spot.table.is_clean:
            return False
        least = TABLE_SHARE if moved < STILL_GREYS else TABLE_SHARE_PASSING
        return spot.table.share_in(pixels, spot.quad) >= least

    def _is_uncovered(
        self, spot: Spot, pixels: Image, but: tuple[Quad, ...] = (), least: float = FREE_SHARE
    ) -> bool:
        """Whether nothing but the cards ``but`` lies over its place.

        An arm in a sleeve of the table's colour lies round it too.
        """
        return spot.table is None or spot.surroundings.is_free(pixels, spot.quad, spot.table, but, least)

    def _leave(self, spot: Spot, bare_ms: int) -> None:
        self.spots.remove(spot)
        shown_ms = spot.shown_ms(bare_ms)
        clear = [at_ms for at_ms, share in spot.timeline if at_ms <= shown_ms and share >= CLEAR]
        left = Left(
            spot=spot.id,
            card=spot.card,
            quad=spot.quad,
            covered_ms=clear[-1] if clear else shown_ms,
            shown_ms=shown_ms,
            bare_ms=bare_ms,
            is_sharp=spot.vanished_at_once(shown_ms),
        )
        self._left.append(left)
        self._changes.append(left)

    # -- every reading ----------------------------------------------------------------------------

    def _is_of_size(self, card: CardReading) -> bool:
        """Whether it is as long as cards here are; indices of two cards joined to one make a longer one."""
        if self._length_px is None:
            return True
        return LEAST_LENGTH < card.length_px / self._length_px < MOST_LENGTH

    def _add(self, card: CardReading, at_ms: int, size: float) -> Spot:
        quad = np.asarray(card.quad, np.float64)
        spot = Spot(id=self._next_id, quad=quad, first_read_ms=at_ms, corners=len(card.indices), size=size)
        self._next_id += 1
        spot.vote(card)
        self.spots.append(spot)
        return spot

    def _renew(self, spot: Spot, card: CardReading, at_ms: int, size: float) -> None:
        distance = float(np.linalg.norm(card.centre - spot.centre)) / max(spot.length_px, 1.0)
        if not spot.is_settled:
            is_comparable = size == spot.size
            is_here = distance < (SAME_PLACE if is_comparable else NEAR_PLACE)
            # Where a card lies of which one index shows is a guess; where that index lies is none.
            is_here = is_here or spot.index_shift(card) < SAME_INDEX
            is_there = is_here and name_of(card) == spot.guess  # maybe with a hand over part of it
            is_misplaced = is_comparable and not is_here and len(card.indices) >= spot.corners
            if is_misplaced or (spot.kept < 0.5 and not is_there):
                spot.restart(card, at_ms, size)
                return
            spot.vote(card)
            if is_comparable or len(card.indices) > spot.corners:
                spot.place(card, size)
            return
        index_shift = spot.index_shift(card)
        spot.vote(card)
        # In full view its look says where it lies, better than a reading does.
        is_same = spot.is_clear or distance <= NUDGE or index_shift < NUDGE
        if is_same or name_of(card) != spot.card:
            spot.elsewhere = None
        elif spot.is_read_elsewhere(card, SAME_PLACE):
            quad = turned_alike(card.quad, spot.quad)
            if self._looks_alike(spot, quad):
                spot.move_to(quad)

    def _looks_alike(self, spot: Spot, quad: Quad) -> bool:
        patch = self._history.patch(turned_alike(quad, spot.quad))
        return spot.look is not None and spot.look.kept(patch) >= ALIKE

    def _remember_look(self, spot: Spot, *, is_same: bool, is_whole: bool) -> None:
        """Take the present look if nothing moves over the card, or at least a first one.

        Where the camera shakes something always moves: then a card that ``is_whole``, read by two corners,
        and of which as much as ever has shown for a while, is in full view too.
        """
        patch = self._history.patch(spot.quad)
        # The quad is learnt better with each reading, so patches kept under earlier quads would not do.
        is_still = self._history.moved(spot.quad) < STILL_GREYS
        is_shown = is_still and (spot.is_in_view or not spot.is_settled or is_same)
        if spot.look is None or is_shown or (is_whole and spot.is_settled and spot.is_steady):
            spot.look = Look.of(patch)
            spot.kept = 1.0

    def _read_face(self, spot: Spot, pixels: Image) -> None:
        """Let the card's middle speak too, where cards do not overlap and no hand is over it."""
        if not spot.is_settled and spot.is_clear and len(spot.patches) > 1 and self._lie_apart(spot.centre):
            spot.faces.append(pip_log_p(pixels, spot.quad, self._signs, self.letters.alphabet))

    def _remember_table(self, spot: Spot, pixels: Image) -> None:
        """How it looks round the card; the table's colour again while it is not clean: a hand lay there."""
        if spot.is_settled and spot.is_clear:
            spot.surroundings.see(pixels, spot.quad)
        if spot.is_settled and spot.is_clear and (spot.table is None or not spot.table.is_clean):
            others = tuple(other.quad for other in self.spots if other is not spot)
            spot.table = TableColour.round_card(pixels, spot.quad, others) or spot.table

    def _settle(self, spot: Spot, pixels: Image, at_ms: int) -> None:
        if spot.is_settled or spot.look is None or at_ms - spot.first_read_ms < REST_MS:
            return
        is_unreadable = spot.reads >= UNREAD_READS and at_ms - spot.first_read_ms >= UNREAD_AFTER_MS
        if not spot.is_sure and not is_unreadable:
            return
        lie_apart = self._lie_apart(spot.centre)
        if lie_apart and is_part_of_another(spot, self.settled):
            return
        if is_told(spot, self.settled, self._copies):
            self.spots.remove(spot)
            return
        card = spot.guess if spot.is_sure and (spot.faces or not self._do_indices_err) else None
        twin = next((o for o in self.settled if card is not None and o.card == card), None)
        if twin is not None and is_pushed(twin, spot, self._copies) and self._looks_alike(twin, spot.quad):
            self.spots.remove(spot)
            twin.move_to(turned_alike(spot.quad, twin.quad))
            return
        if twin is not None and not twin.is_clear and twin.kept < CLEAR and self._may_yet_leave(twin, at_ms):
            return  # pushed or carried over here? its old place will tell
        rest_ms, clear_ms = self._rest_from(spot)
        if at_ms - rest_ms < REST_MS:
            return  # its place is not sure yet, or it has just moved
        replaced = [old for old in self.settled if is_replaced(old, spot, lie_apart=lie_apart)]
        if (
            lie_apart
            and at_ms - rest_ms < HELD_MS
            and self._may_be_held(spot, card, rest_ms, replaced, pixels)
        ):
            return
        for old in replaced:
            self._leave(old, rest_ms)
        spot.card, spot.is_settled, spot.settled_ms = card, True, at_ms
        if card is not None and spot.faces:
            self._index_checks.append(spot.index_guess == card)
        self._remember_table(spot, pixels)
        self._changes.append(
            Appeared(
                spot=spot.id,
                card=card,
                quad=spot.quad,
                rest_ms=rest_ms,
                clear_ms=clear_ms,
                settled_ms=at_ms,
                confidence=round(spot.confidence, 4) if card else 0.5,
                nudged_from=self._nudged_from(card, rest_ms),
                is_duplicate=twin is not None and twin in self.spots,
            )
        )

    @property
    def _do_indices_err(self) -> bool:
        """Whether the indices often name another card than the middle: then they are not trusted."""
        checks = self._index_checks
        return len(checks) >= LEAST_CHECKS and checks.count(False) > MOST_WRONG * len(checks)

    def _may_be_held(
        self, spot: Spot, card: Card | None, rest_ms: int, below: Sequence[Spot], pixels: Image
    ) -> bool:
        """Whether a hand that is there may hold a card over others."""
        has_left = any(left.card == card and rest_ms - left.shown_ms <= HELD_MS for left in self._left)
        # Its place may be under the arm that holds it, so that nobody knows yet that it has left.
        is_there = card is not None and any(old.card == card for old in self.settled if old is not spot)
        if has_left or is_there:
            return not all(self._is_uncovered(old, pixels, (spot.quad,), WHOLLY_FREE_SHARE) for old in below)
        # In the place of another it is laid, though arms stay near; it may cover some of the ring itself.
        askew = [old for old in below if distance(old, spot) >= REPLACED * spot.length_px]
        return not all(self._is_uncovered(old, pixels, (spot.quad,)) for old in askew)

    def _share_names(self) -> None:
        """Tell the cards that wait for a name which names the others leave them."""
        waiting = [spot for spot in self.spots if not spot.is_settled and spot.reads]
        if not waiting:
            return
        lying = [certain_of(spot.card) for spot in self.settled if spot.card is not None and spot.is_clear]
        priors = priors_of([*(spot.votes for spot in waiting), *lying], self._copies)
        for spot, prior in zip(waiting, priors, strict=False):
            spot.prior = prior

    def _may_yet_leave(self, twin: Spot, at_ms: int) -> bool:
        clear = [then for then, kept in twin.timeline if kept >= CLEAR]
        return at_ms - (clear[-1] if clear else twin.settled_ms) < GONE_UNSEEN_MS

    def _nudged_from(self, card: Card | None, rest_ms: int) -> int | None:
        for left in reversed(self._left):
            if card is not None and left.card == card and abs(rest_ms - left.shown_ms) <= NUDGED_MS:
                return left.spot
        return None

    def _rest_from(self, spot: Spot) -> tuple[int, int]:
        if spot.look is None:
            return spot.first_read_ms, spot.first_read_ms
        near = REPLACED * spot.length_px
        # A card that still shows in full is no predecessor but a neighbour in a fan or pile.
        others = [other for other in self.settled if other is not spot and not other.is_clear]
        before = [other for other in others if np.linalg.norm(other.centre - spot.centre) < near]
        return self._history.rest_from(spot.look, spot.quad, before, spot.first_read_ms)

    def _check_conflict(self, spot: Spot, at_ms: int) -> None:
        seen = spot.contradiction()
        if seen is not None:
            spot.conflicts.add(seen)
            self._changes.append(Conflict(spot=spot.id, card=spot.card, seen=seen, at_ms=at_ms))
