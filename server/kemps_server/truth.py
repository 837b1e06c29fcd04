"""What was observed of a rendered clip against its truth: seen, missed and invented things counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kemps_rules import events
from kemps_rules.events import Event

TOLERANCE_MS: Final = 800  # as the evaluation clips are scored
SHOWN_TOLERANCE_MS: Final = 2000  # a hand is shown over a second or two
Truth: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened or was observed: what, with which cards, whose, from when to when."""

    what: str
    cards: tuple[str, ...]
    seat: str | None
    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Of ``of`` things that happened ``seen`` were observed; ``invented`` were observed and did not happen.

    ``named`` is how many of those seen also say whose they are, ``misnamed`` how many say it wrongly.
    """

    what: str
    seen: int
    of: int
    invented: int
    named: int
    misnamed: int

    @property
    def is_exact(self) -> bool:
        """Whether all was observed and nothing invented or said of the wrong seat."""
        return self.seen == self.of and not self.invented and not self.misnamed


def compare(observed: Iterable[Event], truth: Truth) -> tuple[Tally, ...]:
    """A tally for each sort of happening: turned, taken, laid, swept, shown."""
    happened = list(happened_in(truth))
    claimed = [claim for event in observed for claim in _claims(event)]
    return tuple(_tally(what, happened, claimed) for what in ("turned", "taken", "laid", "swept", "shown"))


def happened_in(truth: Truth) -> Iterable[Happening]:
    """The happenings of a clip's truth, as the renderer writes it."""
    for row in truth["events"]:
        seat = row.get("seat")
        match row["type"]:
            case "deal":
                yield Happening("turned", (row["card"],), None, row["t0_ms"], row["released_ms"])
            case "take":
                yield Happening("taken", (row["card"],), seat, row["lifted_ms"], row["lifted_ms"])
            case "lay":
                yield Happening("laid", (row["card"],), seat, row["released_ms"], row["released_ms"])
            case "sweep":
                yield Happening("swept", (), seat, row["first_card_moves_ms"], row["table_clear_ms"])
            case "reveal":
                yield Happening("shown", tuple(sorted(row["cards"])), seat, row["t0_ms"], row["all_down_ms"])


def _claims(event: Event) -> Iterable[Happening]:
    at_ms = event.at_ms
    match event:
        case events.CentreTurned(cards=cards):
            for card in cards:
                yield Happening("turned", (str(card),), None, at_ms, at_ms)
        case events.CardTaken(card=card, seat=seat):
            yield Happening("taken", (str(card),), seat, at_ms, at_ms)
        case events.CardLaid(card=card, seat=seat):
            yield Happening("laid", (str(card),), seat, at_ms, at_ms)
        case events.CentreSwept(seat=seat):
            yield Happening("swept", (), seat, at_ms, at_ms)
        case events.HandShown(cards=cards, seat=seat):
            yield Happening("shown", tuple(sorted(map(str, cards))), seat, at_ms, at_ms)


def _tally(what: str, happened: Sequence[Happening], claimed: Sequence[Happening]) -> Tally:
    wanted = [one for one in happened if one.what == what]
    left = [one for one in claimed if one.what == what]
    count, seen, named, misnamed = len(left), 0, 0, 0
    for one in wanted:
        near = [claim for claim in left if claim.cards == one.cards and _are_close(one, claim)]
        if not near:
            continue
        best = min(near, key=lambda claim: abs(claim.from_ms - one.to_ms))
        left.remove(best)
        seen += 1
        named += best.seat is not None
        misnamed += best.seat is not None and one.seat is not None and best.seat != one.seat
    return Tally(what, seen, len(wanted), count - seen, named, misnamed)


def _are_close(one: Happening, claim: Happening) -> bool:
    tolerance = SHOWN_TOLERANCE_MS if one.what == "shown" else TOLERANCE_MS
    return one.from_ms - tolerance <= claim.from_ms <= one.to_ms + tolerance
