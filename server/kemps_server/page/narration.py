"""Events in people's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kemps_rules import events
from kemps_rules.cards import Card
from kemps_rules.errors import CardError
from kemps_rules.events import Event
from kemps_server.page.words import Arg, Phrase, load_words

_SOMEONE: Final = Phrase("event.someone")
_NO_REASON: Final = Phrase("event.no_reason")
_KNOWN: Final = load_words("en")


@dataclass(frozen=True, slots=True)
class Narrator:
    """Tells events with the names of the players at this table."""

    names: Mapping[str, str]

    def tell(self, event: Event, *, deal: int) -> Phrase:
        """The sentence of an event in deal number ``deal``."""
        teller = _TELLERS.get(event.kind)
        if teller is not None:
            return teller(self, event)
        match event:
            case events.DealStarted(dealer=None):
                return Phrase("event.deal_started", {"number": str(deal)})
            case events.DealStarted():
                return Phrase("event.deal_started_by", {"number": str(deal), "seat": self.name(event.dealer)})
            case events.Noted():
                return Phrase("event.noted", {"name": person(event.by), "why": event.why})
            case events.UnknownEvent(kind="card_conflict"):
                return _conflict(event.fields)
            case events.UnknownEvent():
                return Phrase("event.unknown", {"kind": event.kind})
        key = f"event.{event.kind}"
        return Phrase(key) if key in _KNOWN else Phrase("event.unknown", {"kind": event.kind})

    def name(self, seat: str | None) -> Arg:
        """Who sits there; "someone" when the seat is not known."""
        return _SOMEONE if seat is None else self.names.get(seat, seat)

    def all_names(self, seats: Sequence[str | None]) -> Arg:
        """Names in a row; "someone" when there are none."""
        known = [self.names.get(seat, seat) for seat in seats if seat is not None]
        return ", ".join(known) if known else _SOMEONE

    def claim(self, event: events.Called, prefix: str = "verdicts.call") -> Phrase:
        """Who calls what, and against whom."""
        args: dict[str, Arg] = {"seat": self.name(event.seat), "call": call_word(event.call)}
        if event.against is None:
            return Phrase({"verdicts.call": "verdicts.call_on", "event.called": "event.called"}[prefix], args)
        return Phrase(f"{prefix}_against", {**args, "against": self.name(event.against)})


def person(by: str) -> Arg:
    """Who decided: their name; whoever sits at this machine is its owner in any language."""
    return Phrase("event.owner") if by == "owner" else by or _SOMEONE


def call_word(call: str) -> Arg:
    """A call in the table's words: a phrase for the two usual ones, else the word as it is."""
    return Phrase(f"call.{call}") if f"call.{call}" in _KNOWN else call.replace("_", " ")


def cards_text(cards: Sequence[Card], unread: int = 0, face_down: int = 0) -> Arg:
    """Cards for people: ``9♠ 9♥``, with the number of those not read or face down."""
    text: Arg = " ".join(card.sign for card in cards)
    if unread:
        more = {"count": str(unread)}
        text = (
            Phrase("event.unread_more", {"cards": text, **more})
            if cards
            else Phrase("event.unread_only", more)
        )
    if face_down:
        text = Phrase("event.face_down", {"cards": text or "—", "count": str(face_down)})
    return text or "—"


def _conflict(fields: Mapping[str, Any]) -> Phrase:
    """A card that readings name another than the one that was settled, or that lies there twice."""
    card, seen = (_card(_parsed(fields.get(name))) for name in ("card", "seen"))
    if fields.get("lies_twice") is True:
        return Phrase("event.card_lies_twice", {"card": card})
    return Phrase("event.card_conflict", {"card": card, "seen": seen})


def _parsed(name: object) -> Card | None:
    try:
        return Card.parse(name) if isinstance(name, str) else None
    except CardError:
        return None


def _card(card: Card | None) -> Arg:
    return Phrase("event.unread_card") if card is None else card.sign


def reason_given(why: str) -> Arg:
    """Why a person decided so, or that they did not say."""
    return why or _NO_REASON


def _of_seat(*, card: bool = False) -> Callable[[Narrator, Any], Phrase]:
    def tell(narrator: Narrator, event: Any) -> Phrase:  # noqa: ANN401 - any event with a seat, told by its kind
        args: dict[str, Arg] = {"seat": narrator.name(event.seat)}
        if card:
            args["card"] = _card(event.card)
        return Phrase(f"event.{event.kind}", args)

    return tell


def _decision(narrator: Narrator, event: Any) -> Phrase:  # noqa: ANN401 - any decision, told by its kind
    del narrator
    args: dict[str, Arg] = {"name": person(event.by), "why": reason_given(event.why)}
    if hasattr(event, "event"):
        args["line"] = str(event.event + 1)
    return Phrase(f"event.{event.kind}", args)


def _turned(narrator: Narrator, event: events.CentreTurned) -> Phrase:
    del narrator
    key = "event.centre_first_sight" if event.first_sight else "event.centre_turned"
    return Phrase(key, {"cards": cards_text(event.cards, event.unread)})


def _swept(narrator: Narrator, event: events.CentreSwept) -> Phrase:
    if event.seat is None:
        return Phrase("event.centre_swept")
    return Phrase("event.centre_swept_by", {"seat": narrator.name(event.seat)})


def _shown(narrator: Narrator, event: events.HandShown) -> Phrase:
    cards = cards_text(event.cards, event.unread, event.face_down)
    return Phrase("event.hand_shown", {"seat": narrator.name(event.seat), "cards": cards})


def _gesture(narrator: Narrator, event: events.Gesture) -> Phrase:
    known = f"gesture.{event.gesture}"
    gesture: Arg = Phrase(known) if known in _KNOWN else event.gesture.replace("_", " ")
    return Phrase("event.gesture", {"seat": narrator.name(event.seat), "gesture": gesture})


def _passed(narrator: Narrator, event: events.CardPassed) -> Phrase:
    names = {"seat": narrator.name(event.from_seat), "to": narrator.name(event.to_seat)}
    return Phrase("event.card_passed", {**names, "card": _card(event.card)})


def _ended(narrator: Narrator, event: events.DealEnded) -> Phrase:
    del narrator
    why: Arg = Phrase(f"why.{event.why}") if f"why.{event.why}" in _KNOWN else event.why
    return Phrase("event.deal_ended", {"why": why})


def _ruled(narrator: Narrator, event: events.Ruled) -> Phrase:
    told = _decision(narrator, event)
    ruling: Arg = Phrase(f"ruling.{event.ruling}") if f"ruling.{event.ruling}" in _KNOWN else event.ruling
    return Phrase(told.key, {**told.args, "ruling": ruling})


def _reviewed(narrator: Narrator, event: events.Reviewed) -> Phrase:
    told = _decision(narrator, event)
    known = f"flags.decision_{event.decision}"
    decision: Arg = Phrase(known) if known in _KNOWN else event.decision
    if event.rule in ("call", "reading"):
        line = str(event.events[0] + 1) if event.events else "?"
        args = {"name": told.args["name"], "line": line, "decision": decision}
        return Phrase(f"event.reviewed_{event.rule}", args)
    return Phrase(told.key, {"name": told.args["name"], "rule": event.rule, "decision": decision})


_TELLERS: Final[Mapping[str, Callable[[Narrator, Any], Phrase]]] = {
    "centre_turned": _turned,
    "card_touched": _of_seat(card=True),
    "card_taken": _of_seat(card=True),
    "card_laid": _of_seat(card=True),
    "centre_swept": _swept,
    "called": lambda narrator, event: narrator.claim(event, "event.called"),
    "hand_shown": _shown,
    "gesture": _gesture,
    "hands_touched": lambda narrator, event: Phrase(
        "event.hands_touched", {"seats": narrator.all_names(event.seats)}
    ),
    "hand_reached": _of_seat(),
    "hand_hidden": _of_seat(),
    "packet_hidden": _of_seat(),
    "card_passed": _passed,
    "deal_ended": _ended,
    "not_measurable": lambda narrator, event: Phrase(
        "event.not_measurable", {"seat": narrator.name(event.seat), "what": event.what or "?"}
    ),
    "sign_named": _of_seat(),
    "show_refused": _of_seat(),
    "seat_changed": lambda narrator, event: Phrase(
        "event.seat_changed", {"seat": narrator.name(event.seat), "to": event.to}
    ),
    "identities_swapped": lambda narrator, event: Phrase(
        "event.identities_swapped", {"seats": narrator.all_names(event.seats)}
    ),
    "inserted": _decision,
    "retracted": _decision,
    "corrected": _decision,
    "undone": _decision,
    "ruled": _ruled,
    "reviewed": _reviewed,
}
