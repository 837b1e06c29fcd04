"""All that a page of a game shows, as plain values: what a template needs and nothing it must work out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kemps_server.page.faces import BACK, UNREAD
from kemps_server.page.seating import MOST_IN_HAND
from kemps_server.page.words import Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLook:
    """A seat and who sits there."""

    id: str
    name: str
    pair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLook:
    """A pair's standing; ``standing`` is a key below ``page``: leads, level, lost, shared, won, or empty."""

    id: str
    letters: str = ""
    points: int | None = None
    standing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLook:
    """A seat's hand as far as it is known; cards as ``9s``, None for one that could not be read.

    Attributes:
        known: Cards that the hand surely holds.
        size: How many cards it holds, or None when that is not sure.
        size_text: The size for people: ``4``, ``3–5``.
        is_shown: Whether ``known`` are the cards laid open after a call.
        owes: ``lay`` when a card was taken and none laid yet, ``take`` the other way round, else empty.
    """

    known: tuple[str | None, ...] = ()
    size: int | None = 4
    size_text: str = "4"
    is_shown: bool = False
    owes: str = ""

    @property
    def faces(self) -> tuple[str, ...]:
        """What lies at the seat, left to right: known cards, ``unread`` ones, backs up to the size."""
        known = tuple(card or UNREAD for card in self.known)
        count = len(known) if self.is_shown else max(len(known), 4 if self.size is None else self.size)
        return (*known, *[BACK] * (count - len(known)))[:MOST_IN_HAND]

    def as_json(self) -> dict[str, Any]:
        """What the page's script needs to draw this hand."""
        return {"faces": self.faces, "known": self.known, "size": self.size_text, "owes": self.owes}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLook:
    """One event with the table just after it.

    ``loose`` cards are in some hand, nobody saw whose; ``doubt`` says how exact and sure it is if not quite.
    """

    index: int
    line: int
    at_ms: int
    kind: str
    text: Phrase
    deal: int
    doubt: str = ""
    seats: tuple[str, ...] = ()
    centre: tuple[str | None, ...] = ()
    fresh: tuple[str, ...] = ()
    hands: Mapping[str, HandLook] = field(default_factory=dict)
    loose: tuple[str, ...] = ()
    is_retracted: bool = False
    stock: int | None = None
    aside: int | None = None
    bubble: tuple[str, Phrase] | None = None
    flags: tuple[int, ...] = ()
    pictures: tuple[int, ...] = ()

    def as_json(self, before: StepLook | None = None) -> dict[str, Any]:
        """What the page's script needs to draw this moment; only hands that changed since ``before``."""
        known = {} if before is None else before.hands
        return {
            "at": self.at_ms,
            "line": self.line,
            "seats": self.seats,
            "centre": self.centre,
            "fresh": self.fresh,
            "hands": {seat: hand.as_json() for seat, hand in self.hands.items() if hand != known.get(seat)},
            "loose": self.loose,
            "stock": self.stock,
            "aside": self.aside,
            "bubble": None
            if self.bubble is None
            else {"seat": self.bubble[0], "text": self.bubble[1].as_json()},
            "doubt": self.doubt,
            "picture": self.pictures[len(self.pictures) // 2] if self.pictures else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLook:
    """A hand laid open after a call."""

    seat: str
    name: str
    cards: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLook:
    """A judged call; ``evidence`` are the steps it stands on."""

    ruling: str
    claim: Phrase
    at_ms: int
    reason: str  # the whole sentence, in English
    reason_said: Phrase | None = None  # the same for any language; None where the words for it are missing
    letters_to: tuple[str, ...] = ()
    shown: tuple[ShownLook, ...] = ()
    step: int | None = None
    is_provisional: bool = False
    because: Phrase
    points_to: tuple[tuple[str, int], ...] = ()
    evidence: tuple[int, ...] = ()
    is_double: bool = False
    is_by_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DealLook:
    """A deal and how it ended: by a verdict, or ``ended`` = dry, open, redeal, voided."""

    number: int
    verdict: VerdictLook | None = None
    ended: str = ""
    void_calls: tuple[tuple[int, Phrase], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagLook:
    """A suspicion for a person; ``decision`` is what a person said of it, or empty."""

    rule: str
    at_ms: int
    seats: tuple[str, ...]
    message: str  # in English
    said: Phrase | None = None  # the same for any language; None where the words for it are missing
    step: int | None = None
    decision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLook:
    """A frame kept as evidence, embedded in the page; ``moment`` is before, at or after."""

    source: str
    at_ms: int
    moment: str
    step: int
    event: Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class CentreLook:
    """The centre after it changed."""

    at_ms: int
    cards: tuple[str | None, ...]
    fresh: tuple[str, ...]
    step: int
    deal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLook:
    """A thing that lasts, for the timeline: swap, take, lay, shown, gesture, touch, hidden, unobserved.

    ``seat`` is None when it is not known or concerns the whole table.
    """

    sort: str
    seat: str | None
    from_ms: int
    to_ms: int
    step: int
    text: Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A whole game, ready to be shown."""

    title: str
    rules: str
    seats: tuple[SeatLook, ...]
    pairs: tuple[PairLook, ...]
    word: str
    duration_ms: int
    deals: tuple[DealLook, ...]
    steps: tuple[StepLook, ...]
    flags: tuple[FlagLook, ...]
    spans: tuple[SpanLook, ...]
    centres: tuple[CentreLook, ...]
    pictures: tuple[PictureLook, ...] = ()
    pictures_left_out: int = 0
    journal: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    recording: str = ""
    unobserved_ms: int = 0
