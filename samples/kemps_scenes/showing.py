"""How a hand is shown: in a row, quickly or singly, as a fan or pile in one go, or held up to the camera."""

from __future__ import annotations

from math import cos, sin
from typing import Final

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.errors import SceneError
from kemps_scenes.layout import Place
from kemps_scenes.motion import FACE_DOWN, FACE_UP, CardPose, CardTrack, Held
from kemps_scenes.troupe import CARD_Z, Troupe

_USUAL_STEPS_MS: Final = {"row": 420, "singly": 680}
_HELD_M: Final = 0.11  # over the table
_HELD_FOR_MS: Final = 20_000
_LEAST_STEP_MS: Final = 250


def show(
    troupe: Troupe,
    seat: str,
    cards: tuple[Card, ...],
    at_ms: int,
    *,
    unread: int = 0,
    face_down: int = 0,
    under: tuple[Card, ...] = (),
) -> None:
    """Lays a hand open before its seat; the last card is let go at ``at_ms``.

    The style is the next one of the spec. ``unread`` further cards lie face up, leftmost, under the player's
    left hand, and ``face_down`` further ones show their backs. ``under`` says which the unread ones are, as
    far as that matters.

    Raises:
        SceneError: The packet cannot be that hand, or there is no time.
    """
    style = troupe.spec.shows[troupe.shows % len(troupe.spec.shows)]
    troupe.shows += 1
    count = len(cards) + unread + face_down
    if not count:
        raise SceneError(f"{at_ms} ms: {seat} shows a hand without cards")
    missing = count - len(troupe.packets[seat])
    if missing > 0:
        troupe.fill_packet(
            seat, 0 if not troupe.packets[seat] else troupe.packets[seat][0].states[-1].at_ms, missing
        )
    covered = [*under[:unread], *unused_cards(troupe, (*cards, *under), unread - len(under[:unread]))]
    named: list[Card | None] = [*covered, *cards, *[None] * face_down]
    places = troupe.layout.shown(seat, count, style)
    start = (
        _lay_row(troupe, seat, named, places, at_ms, _USUAL_STEPS_MS[style])
        if style in _USUAL_STEPS_MS
        else _lay_at_once(troupe, seat, named, places, at_ms, is_held=style == "held_up")
    )
    if unread:
        _cover(troupe, seat, places[(unread - 1) // 2], at_ms)
    elif troupe.spec.packets == "held":
        troupe.withdraw(seat, at_ms)
    ranks = {card.rank for card in cards}
    troupe.note(
        "reveal",
        start,
        at_ms,
        seat=seat,
        style=style,
        cards=[str(card) for card in cards],
        n_cards=count,
        is_quad=len(cards) == 4 and count == 4 and len(ranks) == 1,
        all_down_ms=at_ms,
        unread=unread,
        face_down=face_down,
        under=[str(card) for card in covered],
    )


def unused_cards(troupe: Troupe, shown: tuple[Card, ...], count: int) -> list[Card]:
    """Cards that nothing in the scene is yet, for places where the script does not say which card it is."""
    used = {track.card for track in troupe.cards} | set(shown)
    rest = [card for card in DECK_52 if card not in used]
    return [rest[int(i)] for i in troupe.rng.permutation(len(rest))[:count]]


def _draw(troupe: Troupe, seat: str, named: list[Card | None], at_ms: float) -> list[CardTrack]:
    """The packet's cards in the order shown; known ones are drawn first, to leave unseen ones over."""
    packet = troupe.packets[seat]
    chosen: dict[int, CardTrack] = {}
    for index, card in enumerate(named):
        same = next((track for track in packet if card is not None and track.card == card), None)
        if same is not None:
            chosen[index] = same
            packet.remove(same)
    for index, card in enumerate(named):
        if index not in chosen and card is not None:
            chosen[index] = troupe.draw_from_packet(seat, card, at_ms)
    for index in range(len(named)):
        if index not in chosen:
            chosen[index] = packet.pop(0)
    return [chosen[index] for index in range(len(named))]


def _lay_row(
    troupe: Troupe, seat: str, named: list[Card | None], places: list[Place], at_ms: int, usual_step_ms: int
) -> float:
    hand = troupe.hands[seat, False]
    step = min(usual_step_ms, (at_ms - hand.last.at_ms - 120) / len(named))
    if step < _LEAST_STEP_MS:
        need = _LEAST_STEP_MS * len(named) + 120
        raise SceneError(
            f"{at_ms} ms: showing {len(named)} cards takes {need} ms,"
            f" but {seat} is busy until {hand.last.at_ms:.0f} ms"
        )
    tracks = _draw(troupe, seat, named, at_ms)
    first_pick = 0.0
    waiting = list(tracks)
    for index, (track, card, place) in enumerate(zip(tracks, named, places, strict=True)):
        down = at_ms - (len(named) - 1 - index) * step
        pick, settle = down - step * 0.55, down - step * 0.1
        start = track.pose(pick)
        rest = troupe.skewed(place, FACE_DOWN if card is None else FACE_UP)
        fx, fy = (float(v) for v in troupe.layout.forward(seat))
        troupe.reach(
            seat,
            pick,
            (start.x + 0.03 * fy - 0.02 * fx, start.y - 0.03 * fx - 0.02 * fy, start.z + 0.012),
            "grip",
        )
        x, y = troupe.grip_point(hand, rest)
        troupe.carry(seat, settle, (x, y, 0.008))
        hand.add(down, x, y, 0.008, "rest")
        level = troupe.next_level()
        track.put(pick, f"hand:{seat}", Held(pick, settle, hand, start, rest, (0.2, 0.8)), level)
        track.put(settle, f"hand:{seat}", rest, level)
        track.put(round(down), f"shown:{seat}", rest, level)
        waiting.remove(track)
        _close_up(troupe, seat, waiting, pick)
        first_pick = first_pick or pick
    troupe.shown.extend(tracks)
    return first_pick


def _close_up(troupe: Troupe, seat: str, waiting: list[CardTrack], at_ms: float) -> None:
    kept = [*waiting, *troupe.packets[seat]]
    for index, track in enumerate(kept):
        track.put(at_ms, f"packet:{seat}", troupe.packet_pose(seat, index, len(kept)), index)


def _lay_at_once(
    troupe: Troupe,
    seat: str,
    named: list[Card | None],
    places: list[Place],
    at_ms: int,
    *,
    is_held: bool = False,
) -> float:
    hand = troupe.hands[seat, False]
    carry = min(900.0, (at_ms - hand.last.at_ms - 60) * 0.6)
    if carry < 300:
        raise SceneError(
            f"{at_ms} ms: showing a hand takes 600 ms, but {seat} is free from {hand.last.at_ms:.0f} ms"
        )
    pick, settle = at_ms - 60 - carry, at_ms - 60
    tracks = _draw(troupe, seat, named, at_ms)
    start = tracks[-1].pose(pick)
    troupe.reach(seat, pick, (*troupe.grip_point(hand, start), start.z + 0.006), "grip")
    anchor = places[len(places) // 2]
    x, y = troupe.grip_point(hand, CardPose(anchor.x, anchor.y, 0.0, anchor.yaw))
    height = _HELD_M if is_held else 0.0
    troupe.carry(seat, settle, (x, y, height + 0.010))
    hand.add(at_ms, x, y, height + 0.010, "grip" if is_held else "rest")
    if is_held:
        _keep_up(troupe, seat, at_ms)
    for index, (track, card, place) in enumerate(zip(tracks, named, places, strict=True)):
        rest = troupe.skewed(place, FACE_DOWN if card is None else FACE_UP, degrees=1.6, metres=0.0012)
        rest = CardPose(rest.x, rest.y, height + index * CARD_Z, rest.yaw, rest.turn)
        level = troupe.next_level()
        track.put(pick, f"hand:{seat}", Held(pick, settle, hand, track.pose(pick), rest, (0.15, 0.6)), level)
        if is_held:
            end = at_ms + _HELD_FOR_MS
            track.put(settle, f"hand:{seat}", Held(settle, end, hand, rest, rest, (2.0, 3.0)), level)
            continue
        track.put(settle, f"hand:{seat}", rest, level)
        track.put(at_ms, f"shown:{seat}", rest, level)
    troupe.shown.extend(tracks)
    return pick


def _keep_up(troupe: Troupe, seat: str, at_ms: int) -> None:
    """The right hand stays where it is, as still as a hand held in the air can be."""
    hand = troupe.hands[seat, False]
    x, y, z = hand.last.x, hand.last.y, hand.last.z
    for step in range(1, _HELD_FOR_MS // 400 + 1):
        dx, dy, dz = (float(v) for v in troupe.rng.normal(0, 0.0016, 3))
        hand.add(at_ms + 400 * step, x + dx, y + dy, z + dz, "grip")


def _cover(troupe: Troupe, seat: str, place: Place, at_ms: int) -> None:
    """The player's left hand stays on a card."""
    hand = troupe.hands[seat, True]
    begin = max(hand.last.at_ms, at_ms - 500)
    hand.add(begin, hand.last.x, hand.last.y, hand.last.z, "cover")
    direction = hand.direction(place.x, place.y)
    hand.add(at_ms, place.x + 0.022 * cos(direction), place.y + 0.022 * sin(direction), 0.012, "cover")
