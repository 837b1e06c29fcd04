"""What the dealer does: deal, turn cards from the stock, sweep the centre aside, gather everything up."""

from __future__ import annotations

from math import hypot
from typing import Final

from kemps_rules.cards import Card
from kemps_scenes.errors import SceneError
from kemps_scenes.layout import Place
from kemps_scenes.motion import FACE_DOWN, FACE_UP, CardPose, CardTrack, Held, Slide, minimum_jerk
from kemps_scenes.troupe import CARD_Z, HAND_SIZE, Troupe

TURN_NEEDS_MS: Final = 235  # the quickest that a dealer turns one card
SWEEP_NEEDS_MS: Final = 1000
_USUAL_TURN_MS: Final = 470


def stock_left(troupe: Troupe) -> int:
    """How many cards are in the stock at the end of the plan so far."""
    return troupe.stock[-1][1]


def lay_out(troupe: Troupe, cards: tuple[Card | None, ...], at_ms: float) -> None:
    """Cards that lie face up in the centre when the clip begins."""
    for card in cards:
        slot = _first_free(troupe, at_ms)
        track = troupe.new_card(card)
        track.put(
            at_ms, f"slot:{slot}", troupe.skewed(troupe.layout.slots[slot], FACE_UP), troupe.next_level()
        )
        troupe.set_slot(slot, track, at_ms)
    troupe.stock.append((at_ms, max(0, stock_left(troupe) - len(cards))))


def turn(troupe: Troupe, seat: str, cards: tuple[Card | None, ...], at_ms: int) -> None:
    """The dealer turns cards from the stock one by one; the last is let go at ``at_ms``.

    Raises:
        SceneError: There is no time, no room or no stock for them.
    """
    if stock_left(troupe) < len(cards):
        raise SceneError(f"{at_ms} ms: {len(cards)} cards are turned, but the stock has {stock_left(troupe)}")
    hand = troupe.hands[seat, False]
    step = min(_USUAL_TURN_MS, (at_ms - hand.last.at_ms - 150) / len(cards))
    if step < TURN_NEEDS_MS:
        need = TURN_NEEDS_MS * len(cards) + 150
        raise SceneError(
            f"{at_ms} ms: turning {len(cards)} cards takes {need} ms,"
            f" but {seat} is busy until {hand.last.at_ms:.0f} ms"
        )
    for index, card in enumerate(cards):
        _turn_one(troupe, seat, card, at_ms - (len(cards) - 1 - index) * step, step)


def _turn_one(troupe: Troupe, seat: str, card: Card | None, at_ms: float, step: float) -> None:
    slot = _first_free(troupe, at_ms)
    hand, stock = troupe.hands[seat, False], troupe.layout.stock
    wait = min(60.0, step * 0.09)
    pick = at_ms - wait - step * 0.43
    left = stock_left(troupe)
    start = CardPose(stock.x, stock.y, left * CARD_Z, stock.yaw, FACE_DOWN)
    rest = troupe.skewed(troupe.layout.slots[slot], FACE_UP)
    x, y = troupe.grip_point(hand, start)
    troupe.reach(seat, pick, (x, y, start.z + 0.008), "grip")
    gx, gy = troupe.grip_point(hand, rest)
    troupe.carry(seat, at_ms - wait, (gx, gy, 0.007))
    hand.add(at_ms, gx, gy, 0.007, "rest")
    track, level = troupe.new_card(card), troupe.next_level()
    track.put(pick, f"hand:{seat}", Held(pick, at_ms - wait, hand, start, rest, turn_at=(0.25, 0.8)), level)
    track.put(at_ms - wait, f"hand:{seat}", rest, level)
    track.put(round(at_ms), f"slot:{slot}", rest, level)
    troupe.stock.append((pick, left - 1))
    troupe.set_slot(slot, track, at_ms)
    names = {"seat": seat, "slot": slot, "card": str(card), "card_uid": track.uid}
    troupe.note("deal", pick, at_ms, **names, released_ms=round(at_ms))


def _first_free(troupe: Troupe, at_ms: float) -> int:
    for slot, track in enumerate(troupe.slots):
        if track is None:
            return slot
    raise SceneError(f"{at_ms:.0f} ms: no room for one more card in the centre")


def sweep(troupe: Troupe, seat: str, at_ms: int, next_ms: float) -> None:
    """The dealer's hand gathers the centre from one end, beginning at ``at_ms``, and puts it aside.

    Raises:
        SceneError: The centre is empty, or there is no time.
    """
    there = [(slot, track) for slot, track in enumerate(troupe.slots) if track is not None]
    if not there:
        raise SceneError(f"{at_ms} ms: the centre is swept, but nothing lies there")
    aside, hand = troupe.layout.aside, troupe.hands[seat, False]
    there.sort(key=lambda item: item[1].pose(at_ms).x)
    poses = [track.pose(at_ms) for _, track in there]
    span = min(1500.0, max(SWEEP_NEEDS_MS * 0.8, next_ms - at_ms - 500))
    along, end = span * 0.55, at_ms + span
    begin = troupe.grip_point(hand, poses[0])
    troupe.reach(seat, at_ms - 60, (*begin, 0.007), "grip")
    hand.add(at_ms, *begin, 0.007, "grip")
    first_x, last_x = poses[0].x, poses[-1].x
    heap = troupe.grip_point(hand, poses[-1])
    troupe.carry(seat, at_ms + along, (*heap, 0.010))
    resting = [
        troupe.skewed(Place(aside.x, aside.y, aside.yaw), FACE_DOWN, degrees=5.0, metres=0.004) for _ in there
    ]
    final = troupe.grip_point(hand, resting[0])
    troupe.carry(seat, end, (*final, 0.012))
    for index, ((slot, track), pose) in enumerate(zip(there, poses, strict=True)):
        reached = at_ms + along * _time_of_share((pose.x - first_x) / max(1e-6, last_x - first_x)) * 0.97
        heap_pose = CardPose(poses[-1].x + index * 0.003, poses[-1].y, 0.002, poses[-1].yaw, FACE_UP)
        height = (len(troupe.aside) + index) * CARD_Z
        rest = CardPose(resting[index].x, resting[index].y, height, resting[index].yaw, FACE_DOWN)
        level = troupe.next_level()
        track.put(reached, f"hand:{seat}", Held(reached, at_ms + along, hand, pose, heap_pose), level)
        track.put(
            at_ms + along,
            f"hand:{seat}",
            Held(at_ms + along, end, hand, heap_pose, rest, (0.15, 0.75)),
            level,
        )
        track.put(end, "aside", rest, level)
        troupe.set_slot(slot, None, reached)
    troupe.aside.extend(track for _, track in there)
    troupe.emptied.clear()
    names = [str(track.card) for _, track in there]
    troupe.note(
        "sweep",
        at_ms,
        end,
        seat=seat,
        cards=names,
        first_card_moves_ms=at_ms,
        table_clear_ms=round(at_ms + along),
    )


def _time_of_share(way: float) -> float:
    """When a minimum-jerk reach has done a share of its way, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if minimum_jerk(middle) < way else (low, middle)
    return low


def gather(troupe: Troupe, seat: str, start_ms: float, end_ms: float, pack: int) -> None:
    """Everything on the table goes back to the stock; both hands of the dealer push it there."""
    stock = troupe.layout.stock
    for left in (False, True):
        hand = troupe.hands[seat, left]
        if start_ms > hand.last.at_ms + 150:
            troupe.reach(seat, start_ms, (0.03 if left else -0.03, -0.02, 0.012), "cover", left=left)
            hand.add(end_ms - 150, stock.x + (0.05 if left else -0.02), stock.y, 0.012, "cover")
    for track in troupe.cards:
        state = track.states[-1]
        if state.where != "stock":
            pose = track.pose(start_ms)
            goal = CardPose(stock.x, stock.y, 0.002, stock.yaw, FACE_DOWN)
            delay = min(0.6, 1.1 * hypot(pose.x - stock.x, pose.y - stock.y)) * (end_ms - start_ms) * 0.5
            level = troupe.next_level()
            track.put(start_ms, "hand:" + seat, pose, level)
            track.put(start_ms + delay, "hand:" + seat, Slide(start_ms + delay, end_ms, pose, goal), level)
            track.put(end_ms, "stock", goal, level)
    for slot, lying in enumerate(troupe.slots):
        if lying is not None:
            troupe.set_slot(slot, None, start_ms)
    for packet in troupe.packets.values():
        packet.clear()
    troupe.shown.clear()
    troupe.aside.clear()
    troupe.emptied.clear()
    troupe.stock.append((end_ms, pack))


def deal(troupe: Troupe, seat: str, start_ms: float, end_ms: float) -> None:
    """Backs slide from the stock to all packets, one after another."""
    stock, seats = troupe.layout.stock, troupe.layout.seats
    first = seats.index(seat) + 1
    order: list[tuple[str, int]] = []
    for round_ in range(HAND_SIZE):
        order.extend((seats[(first + k) % len(seats)], round_) for k in range(len(seats)))
    hand = troupe.hands[seat, False]
    beat = (end_ms - start_ms) / (len(order) + 2)
    pack = stock_left(troupe)
    top = CardPose(stock.x, stock.y, pack * CARD_Z, stock.yaw, FACE_DOWN)
    for k, (owner, index) in enumerate(order):
        track: CardTrack = troupe.new_card(None)
        leave = start_ms + k * beat
        home = troupe.packet_pose(owner, index, HAND_SIZE)
        track.put(leave, "hand:" + seat, Slide(leave, leave + 2 * beat, top, home), troupe.next_level())
        track.put(leave + 2 * beat, f"packet:{owner}", home, index)
        troupe.packets[owner].append(track)
        troupe.stock.append((leave, pack - k - 1))
    for owner in seats:
        if troupe.hands[owner, True].last.posture != troupe.rest_posture(left=True)[1]:
            troupe.go_home(owner, left=True, at_ms=start_ms - 150)
    x, y = troupe.grip_point(hand, top)
    if start_ms > hand.last.at_ms + 120:
        troupe.reach(seat, start_ms, (x, y, 0.03), "grip")
        for k in range(0, len(order), 2):
            hand.add(start_ms + (k + 1) * beat, x + 0.02 * (k % 4 - 1), y - 0.015 * (k % 4), 0.035, "grip")
        hand.add(end_ms - beat, x, y, 0.03, "rest")
