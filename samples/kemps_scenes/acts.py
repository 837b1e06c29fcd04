"""What players do with one card: take it, lay it, think better of it, or only reach for it."""

from __future__ import annotations

from math import cos, hypot, sin
from typing import Final

from kemps_rules.cards import Card
from kemps_scenes.errors import SceneError
from kemps_scenes.layout import CARD_M, Place
from kemps_scenes.motion import FACE_UP, CardPose, CardTrack, Held, Slide
from kemps_scenes.troupe import Troupe

SWAP_NEEDS_MS: Final = 650  # the quickest that a hand brings one card home and the next one out
_SHORTEST_CARRY_MS: Final = 170
_TO_NEXT_CARD_MS: Final = 130
_ON_TABLE_Z: Final = 0.007


def find_in_centre(
    troupe: Troupe, card: Card | None, at_ms: float, seat: str, *, is_strict: bool = True
) -> int:
    """The place of a card in the centre; of any card when it is not known which.

    One who only reaches may come too late: without ``is_strict`` any card will do for one that has gone.

    Raises:
        SceneError: The card is not there.
    """
    there = {slot: track.card for slot, track in enumerate(troupe.slots) if track is not None}
    if card is None and there:
        return int(troupe.rng.choice(list(there)))
    for slot, name in there.items():
        if name == card:
            return slot
    if there and not is_strict:
        return int(troupe.rng.choice(list(there)))
    names = ", ".join(map(str, there.values())) or "nothing"
    raise SceneError(f"{at_ms:.0f} ms: {seat} reaches for {card or 'a card'}, but in the centre is {names}")


def take(troupe: Troupe, seat: str, card: Card | None, at_ms: int, next_ms: float) -> None:
    """A card starts to follow the hand at ``at_ms`` and is in the packet well before ``next_ms``."""
    slot = find_in_centre(troupe, card, at_ms, seat)
    track = _grip(troupe, seat, slot, at_ms)
    count = len(troupe.packets[seat]) + 1
    home = troupe.packet_pose(seat, count - 1, count)
    hand = troupe.hands[seat, False]
    fx, fy = (float(v) for v in troupe.layout.forward(seat))
    goal = (home.x + 0.030 * fy - 0.022 * fx, home.y - 0.030 * fx - 0.022 * fy, home.z + 0.016)
    natural = troupe.travel_ms(hypot(goal[0] - hand.last.x, goal[1] - hand.last.y)) * 1.15
    end = at_ms + max(_SHORTEST_CARRY_MS, min(natural, (next_ms - at_ms) * 0.4))
    start = track.pose(at_ms)
    troupe.carry(seat, end, goal)
    carried = Held(at_ms, end, hand, start, home, turn_at=(0.12, 0.62), beneath_from=0.72)
    track.put(at_ms, f"hand:{seat}", carried, troupe.next_level())
    troupe.packets[seat].append(track)
    troupe.arrange_packet(seat, end)
    troupe.set_slot(slot, None, at_ms)
    troupe.emptied[seat] = slot
    troupe.note(
        "take",
        at_ms - 90,
        end,
        seat=seat,
        slot=slot,
        card=str(track.card),
        card_uid=track.uid,
        lifted_ms=at_ms,
    )


def _grip(troupe: Troupe, seat: str, slot: int, at_ms: float) -> CardTrack:
    """Brings the right hand to a centre card, closes the fingers and waits until ``at_ms``."""
    track = troupe.slots[slot]
    if track is None:
        raise SceneError(f"{at_ms:.0f} ms: no card lies in place {slot}")
    hand = troupe.hands[seat, False]
    x, y = troupe.grip_point(hand, track.pose(at_ms))
    pause = float(troupe.rng.uniform(70, 140))
    wait = max(20.0, min(pause, (at_ms - hand.last.at_ms) * 0.3))
    troupe.reach(seat, at_ms - wait, (x, y, _ON_TABLE_Z), "grip")
    hand.add(at_ms, x, y, _ON_TABLE_Z, "grip")
    return track


def free_slot(troupe: Troupe, seat: str, at_ms: float) -> int:
    """The place that a seat lays its card to: the one it emptied itself, else one that nobody else will fill.

    Raises:
        SceneError: The centre has no room left.
    """
    own = troupe.emptied.get(seat)
    if own is not None and troupe.slots[own] is None:
        return own
    awaited = {slot for other, slot in troupe.emptied.items() if other != seat}
    free = [slot for slot, track in enumerate(troupe.slots) if track is None]
    if not free:
        raise SceneError(f"{at_ms:.0f} ms: no room for one more card in the centre")
    return next((slot for slot in free if slot not in awaited), free[0])


def lay(troupe: Troupe, seat: str, card: Card | None, at_ms: int, *, onto: Card | None = None) -> None:
    """A card comes out of the packet, is turned on its way and let go in the centre at ``at_ms``.

    With ``onto`` it comes to lie partly on that card of the centre instead of in a place of its own.

    Raises:
        SceneError: The hand has no time for it, or the packet no such card.
    """
    slot = free_slot(troupe, seat, at_ms)
    hand = troupe.hands[seat, False]
    rest = troupe.skewed(troupe.layout.slots[slot], FACE_UP)
    if onto is not None:
        rest = _partly_on(troupe, find_in_centre(troupe, onto, at_ms, seat), at_ms)
    packet = troupe.layout.packet(seat)
    distance = hypot(rest.x - packet.x, rest.y - packet.y)
    free = hand.last.at_ms
    wait = min(float(troupe.rng.uniform(60, 120)), max(0.0, at_ms - free) * 0.2)
    spare = at_ms - wait - free
    carry = min(
        troupe.travel_ms(distance) * 1.2,
        spare - _TO_NEXT_CARD_MS if troupe.is_at_packet(seat) else spare * 0.6,
    )
    if carry < _SHORTEST_CARRY_MS:
        raise SceneError(
            f"{at_ms} ms: {seat}'s hand is busy until {free:.0f} ms, too late to lay {card or 'a card'};"
            f" a swap needs {SWAP_NEEDS_MS} ms"
        )
    pick = at_ms - wait - carry
    track = troupe.draw_from_packet(seat, card, at_ms)
    start = track.pose(pick)
    fx, fy = (float(v) for v in troupe.layout.forward(seat))
    troupe.reach(
        seat,
        pick,
        (start.x + 0.030 * fy - 0.02 * fx, start.y - 0.030 * fx - 0.02 * fy, start.z + 0.014),
        "grip",
    )
    x, y = troupe.grip_point(hand, rest)
    troupe.carry(seat, at_ms - wait, (x, y, _ON_TABLE_Z))
    hand.add(at_ms, x, y, _ON_TABLE_Z, "rest")
    level = troupe.next_level()
    carried = Held(pick, at_ms - wait, hand, start, rest, turn_at=(0.30, 0.82))
    track.put(pick, f"hand:{seat}", carried, level)
    track.put(at_ms - wait, f"hand:{seat}", rest, level)
    track.put(at_ms, f"slot:{slot}", rest, level)
    troupe.arrange_packet(seat, pick)
    troupe.set_slot(slot, track, at_ms)
    troupe.emptied.pop(seat, None)
    troupe.note(
        "lay", pick, at_ms, seat=seat, slot=slot, card=str(track.card), card_uid=track.uid, released_ms=at_ms
    )


def _partly_on(troupe: Troupe, slot: int, at_ms: float) -> CardPose:
    """Where a card lies that covers a part of another; an index of either stays in view."""
    track = troupe.slots[slot]
    assert track is not None  # noqa: S101 - the place of a card that was found
    below = track.pose(at_ms)
    sign = float(troupe.rng.choice((-1.0, 1.0)))
    right, up = sign * 0.55 * CARD_M[0], sign * 0.32 * CARD_M[1]
    c, s = cos(below.yaw), sin(below.yaw)
    place = Place(below.x + right * c - up * s, below.y + right * s + up * c, below.yaw)
    return troupe.skewed(place, FACE_UP)


def push(
    troupe: Troupe,
    seat: str,
    card: Card | None,
    at_ms: int,
    by_mm: tuple[float, float],
    *,
    takes_ms: int = 260,
) -> None:
    """Fingers come down on a centre card at ``at_ms`` and push it aside by millimetres east and north."""
    slot = find_in_centre(troupe, card, at_ms, seat)
    track = _grip(troupe, seat, slot, at_ms)
    hand = troupe.hands[seat, False]
    dx, dy = (value / 1000 for value in by_mm)
    there = (hand.last.x + dx, hand.last.y + dy, _ON_TABLE_Z)
    start, end = track.pose(at_ms), at_ms + takes_ms
    turned = start.yaw + float(troupe.rng.normal(0, 0.06))
    rest = CardPose(start.x + dx, start.y + dy, start.z, turned, FACE_UP)
    troupe.carry(seat, end, there, "rest")
    hand.add(end + 90, *there, "rest")
    level = track.states[-1].level
    track.put(at_ms, f"slot:{slot}", Slide(at_ms, end, start, rest), level)
    track.put(end, f"slot:{slot}", rest, level)
    names = {"seat": seat, "slot": slot, "card": str(track.card), "card_uid": track.uid}
    troupe.note("push", at_ms - 90, end + 90, **names, pushed_mm=list(by_mm))


def take_and_put_back(troupe: Troupe, seat: str, card: Card, at_ms: int, back_ms: int) -> None:
    """A card is lifted at ``at_ms``, looked at, and laid back at ``back_ms``."""
    slot = find_in_centre(troupe, card, at_ms, seat)
    track = _grip(troupe, seat, slot, at_ms)
    hand = troupe.hands[seat, False]
    fx, fy = (float(v) for v in troupe.layout.forward(seat))
    there = (hand.last.x, hand.last.y)
    lift = (back_ms - at_ms) * 0.36
    start, rest = track.pose(at_ms), troupe.skewed(troupe.layout.slots[slot], FACE_UP)
    high = CardPose(start.x - 0.09 * fx, start.y - 0.09 * fy, 0.05, start.yaw, FACE_UP)
    troupe.carry(seat, at_ms + lift, (there[0] - 0.09 * fx, there[1] - 0.09 * fy, 0.05))
    troupe.carry(seat, back_ms - lift, (there[0] - 0.085 * fx, there[1] - 0.088 * fy, 0.048))
    x, y = troupe.grip_point(hand, rest)
    troupe.carry(seat, back_ms - 60, (x, y, _ON_TABLE_Z))
    hand.add(back_ms, x, y, _ON_TABLE_Z, "rest")
    level = troupe.next_level()
    track.put(at_ms, f"hand:{seat}", Held(at_ms, at_ms + lift, hand, start, high), level)
    track.put(at_ms + lift, f"hand:{seat}", Held(at_ms + lift, back_ms - 60, hand, high, rest), level)
    track.put(back_ms - 60, f"hand:{seat}", rest, level)
    track.put(back_ms, f"slot:{slot}", rest, level)
    troupe.set_slot(slot, None, at_ms)
    troupe.set_slot(slot, track, back_ms)
    names = {"seat": seat, "slot": slot, "card": str(card), "card_uid": track.uid}
    troupe.note("take", at_ms - 90, at_ms + lift, **names, lifted_ms=at_ms)
    troupe.note("lay", back_ms - lift, back_ms, **names, released_ms=back_ms)


def hover(troupe: Troupe, seat: str, card: Card | None, at_ms: int, until_ms: int) -> None:
    """A hand lies over a place of the centre from ``at_ms`` to ``until_ms`` and takes nothing."""
    slot = find_in_centre(troupe, card, at_ms, seat, is_strict=False)
    track = troupe.slots[slot]
    pose = track.pose(at_ms) if track else troupe.skewed(troupe.layout.slots[slot], FACE_UP)
    hand = troupe.hands[seat, False]
    direction = hand.direction(pose.x, pose.y)
    x, y = pose.x + 0.018 * cos(direction), pose.y + 0.018 * sin(direction)
    start = troupe.reach(seat, at_ms, (x, y, 0.018), "cover")
    steps = max(1, round((until_ms - at_ms) / 700))
    for step in range(1, steps + 1):
        dx, dy = (float(v) for v in troupe.rng.normal(0, 0.003, 2))
        hand.add(at_ms + (until_ms - at_ms) * step / steps, x + dx, y + dy, 0.018, "cover")
    troupe.note("hover", start, until_ms, seat=seat, slot=slot, card=str(track.card) if track else None)


def touch(troupe: Troupe, seat: str, card: Card | None, at_ms: int) -> None:
    """Fingers come down on a centre card at ``at_ms``; the card stays."""
    slot = find_in_centre(troupe, card, at_ms, seat, is_strict=False)
    track = troupe.slots[slot]
    if track is None:
        return
    hand = troupe.hands[seat, False]
    x, y = troupe.grip_point(hand, track.pose(at_ms))
    start = troupe.reach(seat, at_ms, (x, y, 0.008), "rest")
    hand.add(at_ms + 160, x, y, 0.008, "rest")
    troupe.note("hover", start, at_ms + 160, seat=seat, slot=slot, card=str(track.card), touched_ms=at_ms)
