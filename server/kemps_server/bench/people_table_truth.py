"""What truly happens in clips of a table with players round it: of our own renderer, and of another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

Rows = Sequence[Mapping[str, Any]]

PLANNED: Final = frozenset({"touch", "clasp", "pass_over", "pass_under", "hands_touch", "direct_pass"})
"""Acts in which hands of two players are meant to meet."""

REACHES: Final = ("take", "lay", "hover", "contested", "sweep", "deal")
_NEAR_ACT_MS: Final = 300
_HALF: Final = 0.5  # of a hand in the picture, or hidden
_LEAST_SEEN: Final = 0.15  # of a hand that is in the picture and not covered
_MARGIN_PX: Final = 40.0  # round the four cards of the centre
_SEAT_BEYOND: Final = 1.5  # times as far from the centre as the hands at rest
_FRAMES_AT_REST: Final = 30


class TableSpan(NamedTuple):
    """Something that hands do; ``seats`` are one or two, ``kind`` what it belongs to."""

    kind: str
    seats: tuple[str, ...]
    at_ms: float
    until_ms: float

    def meets(self, other: TableSpan, slack_ms: float) -> bool:
        """Whether both are of the same time."""
        return self.at_ms <= other.until_ms + slack_ms and self.until_ms >= other.at_ms - slack_ms


class SeenHand(NamedTuple):
    """Where a hand is in one frame; the box is left, top, right, bottom, px."""

    seat: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TableTruth:
    """One clip.

    Attributes:
        duration_ms: How long it lasts.
        reaches: Each reach into the centre while its hand is there.
        over: All times at which a seat's hand is over the centre.
        contacts: Hands of two seats that touch; ``kind`` is that of the act, or ``brush`` if none was meant.
        near: Hands of two seats that are meant to miss each other.
        hidden: Hands out of view while their place is in the picture, and was on their way there.
        hands: For each frame its time and the hands to be seen.
    """

    duration_ms: int
    reaches: list[TableSpan] = field(default_factory=list)
    over: list[TableSpan] = field(default_factory=list)
    contacts: list[TableSpan] = field(default_factory=list)
    near: list[TableSpan] = field(default_factory=list)
    hidden: list[TableSpan] = field(default_factory=list)
    hands: list[tuple[int, list[SeenHand]]] = field(default_factory=list)


def own_truth(truth: Mapping[str, Any]) -> TableTruth:
    """The truth of a clip of ``kemps_scenes.bodies``."""
    acts = [
        TableSpan(act["kind"], tuple(hand[0] for hand in act["hands"]), *act["core_ms"])
        for act in truth["acts"]
    ]
    whole = [
        TableSpan(act["kind"], tuple(hand[0] for hand in act["hands"]), act["at_ms"], act["until_ms"])
        for act in truth["acts"]
    ]
    return TableTruth(
        duration_ms=truth["duration_ms"],
        reaches=[act for act in acts if act.kind == "reach"],
        over=[
            TableSpan("over", (row["hand"][0],), row["at_ms"], row["until_ms"])
            for row in truth["over_centre"]
        ],
        contacts=[
            _named(TableSpan("brush", tuple(row["seats"]), row["at_ms"], row["until_ms"]), whole)
            for row in truth["contacts"]
        ],
        near=[act for act in acts if act.kind == "near_miss"],
        hidden=[
            TableSpan(row["why"], (row["seat"],), row["at_ms"], row["until_ms"])
            for row in truth["hidden"]
            if _stays_in_picture(row, truth["frames"])
        ],
        hands=[(frame["at_ms"], _seen(frame["hands"])) for frame in truth["frames"]],
    )


def shared_truth(truth: Mapping[str, Any]) -> TableTruth:
    """The truth of a clip of the other renderer; its README tells the format."""
    events = truth["events"]
    meetings = [
        TableSpan(event["type"], _pair_of(event), event["t0_ms"], event["t1_ms"])
        for event in events
        if event["type"] in ("hands_touch", "near_miss", "direct_pass")
    ]
    outline = np.array([slot["nominal_quad"] for slot in truth["slots"]]).reshape(-1, 2)
    frames = [(frame["t_ms"], _seen(frame["hands"])) for frame in truth["frames"]]
    return TableTruth(
        duration_ms=truth["duration_ms"],
        reaches=[
            TableSpan(event["type"], (event["seat"],), at_ms, at_ms)
            for event in events
            if event["type"] in REACHES
            for at_ms in [_moment(event)]
        ],
        over=list(_over(frames, outline)),
        contacts=[
            _named(
                TableSpan("brush", tuple(hand[0] for hand in row["hands"]), row["t0_ms"], row["t1_ms"]),
                meetings,
            )
            for row in truth["measured_contacts"]
        ],
        near=[span for span in meetings if span.kind == "near_miss"],
        hidden=[
            TableSpan("below_table", (event["seat"],), *event["hidden_ms"])
            for event in events
            if event["type"] == "under_table"
        ],
        hands=frames,
    )


def shared_table(truth: Mapping[str, Any]) -> str:
    """A ``table.toml`` for a clip of the other renderer, as its scorer makes it."""
    outline = np.array([slot["nominal_quad"] for slot in truth["slots"]]).reshape(-1, 2)
    (left, top), (right, bottom) = outline.min(axis=0) - _MARGIN_PX, outline.max(axis=0) + _MARGIN_PX
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    middle = outline.mean(axis=0)
    places: dict[str, list[tuple[float, float]]] = {}
    for frame in truth["frames"][:_FRAMES_AT_REST]:
        for hand in frame["hands"]:
            x0, y0, x1, y1 = hand["box"]
            places.setdefault(hand["seat"], []).append(((x0 + x1) / 2, (y0 + y1) / 2))
    lines = ["[[camera]]", 'name = "table"', 'role = "table"']
    lines.append(f"centre = [{', '.join(f'[{x:.0f}, {y:.0f}]' for x, y in corners)}]")
    for seat, some in sorted(places.items()):
        x, y = middle + _SEAT_BEYOND * (np.mean(some, axis=0) - middle)
        lines += ["[[seat]]", f'id = "{seat}"', f"at = [{x:.0f}, {y:.0f}]"]
    return "\n".join(lines) + "\n"


def _named(contact: TableSpan, acts: Sequence[TableSpan]) -> TableSpan:
    """The contact with the kind of the act that it belongs to."""
    for act in acts:
        is_meant = act.kind in PLANNED and set(act.seats) == set(contact.seats)
        if is_meant and act.meets(contact, _NEAR_ACT_MS):
            return contact._replace(kind=act.kind)
    return contact


def _seen(hands: Rows) -> list[SeenHand]:
    return [
        SeenHand(hand["seat"], (box[0], box[1], box[2], box[3]))
        for hand in hands
        if hand["in_frame"] * hand.get("visible", 1.0) >= _LEAST_SEEN
        for box in [hand["box"]]
    ]


def _stays_in_picture(hidden: Mapping[str, Any], frames: Rows) -> bool:
    """Whether a hand was in the picture from when it was last to be seen until it was hidden.

    One that left the picture and was hidden outside of it, or on its way back, was not observed: no camera
    that sees this picture can know where it went.
    """
    for frame in reversed(frames):
        if frame["at_ms"] > hidden["at_ms"]:
            continue
        own = [
            hand
            for hand in frame["hands"]
            if (hand["seat"], hand["side"]) == (hidden["seat"], hidden["side"])
        ]
        if not own or own[0]["in_frame"] < _HALF:
            return False
        if own[0]["hidden"] < _HALF:
            return True
    return True  # hidden from the beginning on


def _pair_of(event: Mapping[str, Any]) -> tuple[str, ...]:
    if "seats" in event:
        return tuple(event["seats"])
    return event["giver"], event["receiver"]


def _moment(event: Mapping[str, Any]) -> float:
    """When the hand is at its card."""
    for name in ("lifted_ms", "released_ms", "first_card_moves_ms"):
        if name in event:
            return float(event[name])
    return (float(event["t0_ms"]) + float(event.get("t1_ms", event["t0_ms"]))) / 2


def _over(
    frames: Sequence[tuple[int, Sequence[SeenHand]]], outline: np.ndarray[Any, Any]
) -> Iterator[TableSpan]:
    """Each frame in which a corner or the middle of a hand's box lies over the centre and its margin."""
    low, high = outline.min(axis=0) - _MARGIN_PX, outline.max(axis=0) + _MARGIN_PX
    for at_ms, hands in frames:
        for hand in hands:
            x0, y0, x1, y1 = hand.box
            is_beside = x1 < low[0] or x0 > high[0] or y1 < low[1] or y0 > high[1]
            if not is_beside:
                yield TableSpan("over", (hand.seat,), at_ms, at_ms)
