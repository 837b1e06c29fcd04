"""The hands, cards and piles of a scene while it is being planned, and what a hand can do in a given time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from kemps_rules.cards import Card
from kemps_rules.events import Json
from kemps_scenes.errors import SceneError
from kemps_scenes.layout import CARD_M, Layout, Place
from kemps_scenes.motion import FACE_DOWN, CardPose, CardTrack, HandTrack
from kemps_scenes.spec import SceneSpec

HAND_SIZE: Final = 4
CARD_Z: Final = 0.0006  # cards lie on one another, so each a little higher
_GRIP_INSIDE_M: Final = 0.010
_SHORTEST_REACH_MS: Final = 110


@dataclass(slots=True)
class Troupe:
    """Everything that can move. Acts add keys to hands and states to cards; times are ms from frame 0.

    Attributes:
        hands: (seat, is left) -> the arm.
        slots: What lies in each place of the centre.
        emptied: seat -> the place its latest take left empty.
        happenings: What happened, for the truth.
        centre_changes: Time, place and card of each change in the centre, for the truth.
        away: Hands that have not been sent home yet.
    """

    layout: Layout
    spec: SceneSpec
    rng: np.random.Generator
    hands: dict[tuple[str, bool], HandTrack] = field(default_factory=dict)
    cards: list[CardTrack] = field(default_factory=list)
    slots: list[CardTrack | None] = field(default_factory=list)
    packets: dict[str, list[CardTrack]] = field(default_factory=dict)
    shown: list[CardTrack] = field(default_factory=list)
    aside: list[CardTrack] = field(default_factory=list)
    stock: list[tuple[float, int]] = field(default_factory=list)
    emptied: dict[str, int] = field(default_factory=dict)
    away: dict[tuple[str, bool], bool] = field(default_factory=dict)
    happenings: list[dict[str, Any]] = field(default_factory=list)
    centre_changes: list[tuple[int, int, CardTrack | None]] = field(default_factory=list)
    shows: int = 0
    level: float = 0.0

    @classmethod
    def seated(cls, layout: Layout, spec: SceneSpec) -> Troupe:
        """Everyone at the table, hands at rest, no cards yet."""
        troupe = cls(layout, spec, np.random.default_rng(spec.seed))
        troupe.slots = [None] * len(layout.slots)
        for index, seat in enumerate(layout.seats):
            for left in (False, True):
                track = HandTrack(layout.shoulder(seat, left=left), left, spec.seed * 100 + index * 2 + left)
                x, y = troupe.rest_place(seat, left=left)
                track.add(0, x, y, *troupe.rest_posture(left=left))
                troupe.hands[seat, left] = track
            troupe.packets[seat] = []
        return troupe

    def rest_posture(self, *, left: bool) -> tuple[float, str]:
        """Height and posture of an idle hand: the left one holds the packet or rests beside it."""
        return (0.022, "hold") if left and self.spec.packets == "held" else (0.004, "rest")

    def rest_place(self, seat: str, *, left: bool) -> tuple[float, float]:
        """Where an idle hand is."""
        if left and self.spec.packets == "held":
            packet, (fx, fy) = self.layout.packet(seat), self.layout.forward(seat)
            return (packet.x - float(fx) * 0.036, packet.y - float(fy) * 0.036)
        return self.layout.arm_rest(seat, left=left)

    def new_card(self, card: Card | None) -> CardTrack:
        """A card that was not there before."""
        track = CardTrack(len(self.cards), card)
        self.cards.append(track)
        return track

    def skewed(self, place: Place, turn: float, *, degrees: float = 3.0, metres: float = 0.0025) -> CardPose:
        """A card put down at a place by a hand that is not a machine."""
        dx, dy, dyaw = self.rng.normal(size=3)
        yaw = place.yaw + float(np.radians(degrees * np.clip(dyaw, -2, 2)))
        x, y = (float(v + metres * np.clip(d, -2, 2)) for v, d in ((place.x, dx), (place.y, dy)))
        return CardPose(x, y, 0.0, yaw, turn)

    def next_level(self) -> float:
        """A drawing level above all cards put down so far."""
        self.level += 1
        return self.level

    def packet_pose(self, seat: str, index: int, count: int) -> CardPose:
        """A card of a packet: a fan of backs in the left hand, or a pile on the table."""
        place, (fx, fy) = self.layout.packet(seat), self.layout.forward(seat)
        if self.spec.packets == "lying":
            wobble = np.random.default_rng([self.spec.seed, ord(seat), index]).normal(size=3)
            shift = (index - (count - 1) / 2) * 0.004
            x = place.x + float(fy) * shift + 0.0012 * float(wobble[0])
            y = place.y - float(fx) * shift + 0.0012 * float(wobble[1])
            return CardPose(x, y, index * CARD_Z, place.yaw + 0.03 * float(wobble[2]), FACE_DOWN)
        turn = ((count - 1) / 2 - index) * np.radians(11.0)
        pivot = np.array([place.x, place.y]) - np.array([fx, fy]) * 0.055
        direction = np.array([fx * np.cos(turn) - fy * np.sin(turn), fx * np.sin(turn) + fy * np.cos(turn)])
        x, y = (float(v) for v in pivot + direction * 0.062)
        return CardPose(x, y, 0.026 + index * CARD_Z, place.yaw + float(turn), FACE_DOWN, 0.22)

    def arrange_packet(self, seat: str, at_ms: float) -> None:
        """Closes the gaps of a packet after a card came or went."""
        packet = self.packets[seat]
        for index, track in enumerate(packet):
            track.put(at_ms, f"packet:{seat}", self.packet_pose(seat, index, len(packet)), index)

    def is_at_packet(self, seat: str) -> bool:
        """Whether the right hand is where the seat's packet is."""
        place, key = self.layout.packet(seat), self.hands[seat, False].last
        return float(np.hypot(place.x - key.x, place.y - key.y)) < 0.10

    def fill_packet(self, seat: str, at_ms: float, count: int = HAND_SIZE) -> None:
        """Gives a seat ``count`` cards that nobody has seen."""
        self.packets[seat].extend(self.new_card(None) for _ in range(count))
        self.arrange_packet(seat, at_ms)

    def draw_from_packet(self, seat: str, card: Card | None, at_ms: float) -> CardTrack:
        """Takes a card out of a packet: the one known to be it, else one that nobody has seen.

        Raises:
            SceneError: The packet's cards are all known to be others.
        """
        packet = self.packets[seat]
        same = [track for track in packet if card is not None and track.card == card]
        unseen = [track for track in packet if track.card is None]
        if not same and not unseen:
            held = ", ".join(str(track.card) for track in packet) or "nothing"
            raise SceneError(
                f"{at_ms:.0f} ms: {seat} cannot show or lay {card or 'a card'}: in the hand is {held}"
            )
        track = (same or unseen)[0]
        track.card = card if card is not None else track.card
        packet.remove(track)
        return track

    def grip_point(self, hand: HandTrack, card: CardPose) -> tuple[float, float]:
        """Where the fingers hold a card: a little inside its edge on the arm's side."""
        direction = hand.direction(card.x, card.y)
        across = direction - card.yaw
        edge = min(
            CARD_M[0] / 2 / max(1e-6, abs(float(np.cos(across)))),
            CARD_M[1] / 2 / max(1e-6, abs(float(np.sin(across)))),
        )
        back = edge - _GRIP_INSIDE_M
        return (card.x - back * float(np.cos(direction)), card.y - back * float(np.sin(direction)))

    def travel_ms(self, distance_m: float) -> float:
        """How long an unhurried reach over a distance takes, a little different each time."""
        return float((250 + 950 * distance_m) * self.rng.uniform(0.88, 1.18))

    def reach(
        self, seat: str, at_ms: float, point: tuple[float, float, float], posture: str, *, left: bool = False
    ) -> float:
        """Brings a hand to a point at exactly ``at_ms``; returns when it set off.

        Raises:
            SceneError: The hand has no time to get there.
        """
        key = (seat, left)
        hand = self.hands[key]
        self._return_if_time(seat, at_ms, left=left)
        distance = float(np.hypot(point[0] - hand.last.x, point[1] - hand.last.y))
        free = hand.last.at_ms
        least = _SHORTEST_REACH_MS if distance > 0.02 else 0
        if at_ms - free < least:
            raise SceneError(
                f"{at_ms:.0f} ms: {seat}'s hand is busy until {free:.0f} ms"
                f" and needs {least} ms to get there; leave more time"
            )
        depart = max(free, at_ms - self.travel_ms(distance))
        hand.add(depart, hand.last.x, hand.last.y, hand.last.z, hand.last.posture)
        hand.add(at_ms, *point, posture)
        self.away[key] = True
        return depart

    def carry(
        self, seat: str, at_ms: float, point: tuple[float, float, float], posture: str = "grip"
    ) -> None:
        """Moves a hand that holds something from where it is to a point by ``at_ms``."""
        self.hands[seat, False].add(at_ms, *point, posture)

    def go_home(self, seat: str, *, left: bool, at_ms: float | None = None) -> None:
        """Brings a hand back to where it rests, beginning now or at a time."""
        hand = self.hands[seat, left]
        start = max(hand.last.at_ms, at_ms or 0)
        x, y = self.rest_place(seat, left=left)
        x, y = x + float(self.rng.normal(0, 0.004)), y + float(self.rng.normal(0, 0.004))
        distance = float(np.hypot(x - hand.last.x, y - hand.last.y))
        hand.add(start, hand.last.x, hand.last.y, hand.last.z, hand.last.posture)
        hand.add(start + self.travel_ms(distance), x, y, *self.rest_posture(left=left))
        self.away[seat, left] = False

    def withdraw(self, seat: str, at_ms: float) -> None:
        """The left hand lets go of what is no packet any more and lies down beside it."""
        hand = self.hands[seat, True]
        start = max(hand.last.at_ms, at_ms)
        x, y = self.layout.arm_rest(seat, left=True)
        hand.add(start, hand.last.x, hand.last.y, hand.last.z, "rest")
        hand.add(start + 600, x, y, 0.004, "rest")

    def _return_if_time(self, seat: str, at_ms: float, *, left: bool) -> None:
        hand = self.hands[seat, left]
        if not self.away.get((seat, left)):
            return
        x, y = self.rest_place(seat, left=left)
        distance = float(np.hypot(x - hand.last.x, y - hand.last.y))
        if at_ms - hand.last.at_ms > 2.6 * (300 + 1000 * distance):
            self.go_home(seat, left=left, at_ms=hand.last.at_ms + float(self.rng.uniform(30, 160)))

    def note(self, kind: str, start_ms: float, end_ms: float, **fields: Json) -> None:
        """Writes down a happening for the truth."""
        self.happenings.append({"t0_ms": round(start_ms), "t1_ms": round(end_ms), "type": kind, **fields})

    def set_slot(self, slot: int, track: CardTrack | None, at_ms: float) -> None:
        """Puts a card into a place of the centre, or empties it, for the plan and for the truth."""
        self.slots[slot] = track
        self.centre_changes.append((round(at_ms), slot, track))
