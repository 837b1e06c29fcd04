"""Tables full of cards that lie still, for those who follow cards over time.

A scene here is planned without a journal: the four cards of the centre, what seats have laid open in rows,
fans and piles, cards alone, hands that pass over them. Which cards, where and when is drawn by lot from the
spec's seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_scenes import acts, dealing, showing
from kemps_scenes.layout import Layout, Place
from kemps_scenes.motion import FACE_UP, CardPose, Slide
from kemps_scenes.script import Scene, centre_rows
from kemps_scenes.spec import SceneSpec
from kemps_scenes.troupe import CARD_Z, Troupe

TABLE_MS: Final = 3600
_LAID_OPEN: Final = (3, 4)  # cards of a hand that lies open
_CORNERS: Final = ((-0.236, -0.142), (0.236, -0.142), (0.236, 0.142))  # places for cards alone
_SHOWN_AT_MS: Final = (1300, 1700)
_COVER_Z: Final = 0.018
_SWAP_MS: Final = 380
_PULLED_M: Final = 0.28  # so far along the arm that it is out of the picture, or under the sleeve


def table_scene(spec: SceneSpec, *, duration_ms: int = TABLE_MS) -> Scene:
    """About twenty cards at rest, one hand more laid open after a second, two body-hands that pass.

    In the centre lie four cards, before three seats a row, fan or pile of three or four, at three corners
    cards alone; the fourth seat lays its cards open as a fan or pile.
    """
    layout = Layout(4, spec.centre)
    troupe = Troupe.seated(layout, spec)
    deck = [DECK_52[int(index)] for index in troupe.rng.permutation(len(DECK_52))]
    troupe.stock.append((0.0, 24))
    dealing.lay_out(troupe, tuple(deck.pop() for _ in range(4)), 0)
    late, *open_already = (str(seat) for seat in troupe.rng.permutation(list(layout.seats)))
    troupe.fill_packet(late, 0)
    for seat in open_already:
        _lie_open(troupe, seat, [deck.pop() for _ in range(int(troupe.rng.choice(_LAID_OPEN)))])
        troupe.withdraw(seat, 0)
    for x, y in _CORNERS:
        yaw = float(troupe.rng.uniform(-np.pi, np.pi))
        _lie(troupe, deck.pop(), troupe.skewed(Place(x, y, yaw), FACE_UP))
    showing.show(troupe, late, tuple(deck.pop() for _ in range(4)), int(troupe.rng.integers(*_SHOWN_AT_MS)))
    for seat in open_already[:2]:
        _pass_over(troupe, seat, float(troupe.rng.uniform(500, 1600)), duration_ms)
    return _planned(spec, layout, troupe, duration_ms)


def covered_scene(
    spec: SceneSpec,
    centre: Sequence[Card],
    *,
    slot: int = 1,
    from_ms: int = 1500,
    until_ms: int = 6500,
    swapped_for: Card | None = None,
    duration_ms: int = 9500,
) -> Scene:
    """Four cards in the centre and a body-hand of seat A that covers one of them for a while.

    With ``swapped_for`` that card lies there afterwards: the other was pulled away under the arm.
    """
    layout = Layout(4, spec.centre)
    troupe = Troupe.seated(layout, spec)
    troupe.stock.append((0.0, 32))
    for seat in layout.seats:
        troupe.fill_packet(seat, 0)
    dealing.lay_out(troupe, tuple(centre), 0)
    acts.hover(troupe, "A", centre[slot], from_ms, until_ms)
    if swapped_for is not None:
        _swap_beneath(troupe, slot, swapped_for, (from_ms + until_ms) / 2)
    troupe.go_home("A", left=False, at_ms=until_ms)
    return _planned(spec, layout, troupe, duration_ms)


def still_scene(
    spec: SceneSpec, centre: Sequence[Card], alone: Sequence[Card] = (), *, duration_ms: int = 10_000
) -> Scene:
    """Cards that lie in the centre, up to three alone beside it, and nobody moves."""
    layout = Layout(4, spec.centre)
    troupe = Troupe.seated(layout, spec)
    troupe.stock.append((0.0, 32))
    for seat in layout.seats:
        troupe.fill_packet(seat, 0)
    dealing.lay_out(troupe, tuple(centre), 0)
    for card, (x, y) in zip(alone, _CORNERS, strict=False):
        _lie(troupe, card, troupe.skewed(Place(x, y), FACE_UP))
    return _planned(spec, layout, troupe, duration_ms)


def _planned(spec: SceneSpec, layout: Layout, troupe: Troupe, duration_ms: int) -> Scene:
    happenings = tuple(sorted(troupe.happenings, key=lambda row: row["t0_ms"]))
    return Scene(spec, layout, troupe, (), happenings, centre_rows(troupe), duration_ms)


def _lie(troupe: Troupe, card: Card, pose: CardPose) -> None:
    troupe.new_card(card).put(0.0, "table", pose, troupe.next_level())


def _lie_open(troupe: Troupe, seat: str, cards: Sequence[Card]) -> None:
    style = str(troupe.rng.choice(["row", "row", "fan", "fan", "pile"]))
    for index, (card, place) in enumerate(
        zip(cards, troupe.layout.shown(seat, len(cards), style), strict=True)
    ):
        pose = troupe.skewed(place, FACE_UP, degrees=1.6, metres=0.0012)
        height = 0.0 if style == "row" else index * CARD_Z
        _lie(troupe, card, CardPose(pose.x, pose.y, height, pose.yaw, FACE_UP))


def _pass_over(troupe: Troupe, seat: str, at_ms: float, end_ms: int) -> None:
    """A hand goes to a place among the cards, stays for a moment and goes back."""
    x, y = (float(v) for v in troupe.rng.uniform((-0.24, -0.10), (0.24, 0.10)))
    stay = float(troupe.rng.uniform(120, 500))
    troupe.reach(seat, at_ms + 300, (x, y, 0.02), str(troupe.rng.choice(["cover", "grip", "rest"])))
    hand = troupe.hands[seat, False]
    hand.add(at_ms + 300 + stay, x, y, 0.02, hand.last.posture)
    if at_ms + 300 + stay < end_ms:
        troupe.go_home(seat, left=False, at_ms=at_ms + 300 + stay)


def _swap_beneath(troupe: Troupe, slot: int, card: Card, at_ms: float) -> None:
    """Under the arm that lies over it a card of the centre is pulled home, and another pushed in."""
    old = troupe.slots[slot]
    if old is None:
        return
    start, direction = old.pose(at_ms), troupe.hands["A", False].pose(at_ms).direction
    dx, dy = -_PULLED_M * float(np.cos(direction)), -_PULLED_M * float(np.sin(direction))
    along = direction - float(np.pi) / 2  # a card that lies along the arm is hidden by it
    away = CardPose(start.x + dx, start.y + dy, 0.0, along, FACE_UP)
    rest, begin, end = troupe.skewed(troupe.layout.slots[slot], FACE_UP), at_ms - _SWAP_MS, at_ms + _SWAP_MS
    old.put(begin, "hand:A", Slide(begin, at_ms, start, away), troupe.next_level())
    old.put(at_ms, "stock", away)
    new = troupe.new_card(card)
    new.put(at_ms, "hand:A", Slide(at_ms, end, away, rest), troupe.next_level())
    new.put(end, f"slot:{slot}", rest, troupe.level)
    troupe.set_slot(slot, None, at_ms - _SWAP_MS)
    troupe.set_slot(slot, new, at_ms + _SWAP_MS)
