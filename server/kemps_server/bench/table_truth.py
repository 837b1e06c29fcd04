"""What a table clip's truth asks for, whichever renderer it is of: what happened when, by whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kemps_rules.events import DealStarted
from kemps_rules.journal import parse_line

Truth: TypeAlias = Mapping[str, Any]
REVEAL_AFTER_MS: Final = 6000  # a hand shown so soon after a call belongs to it
WELL_SHOWN_MS: Final = 1000
_PUT_BACK_MS: Final = 3000


@dataclass(frozen=True, slots=True)
class Move:
    """A card that was taken or laid: ``kind`` is the journal's, such as ``card_taken``."""

    kind: str
    card: str
    seat: str
    at_ms: int
    is_put_back: bool = False


HALF_SEEN: Final = 0.5  # of a hand
HANDS: Final = 2
MEANT: Final = frozenset({"touch", "clasp", "pass_over", "pass_under"})  # acts in which hands meet


@dataclass(frozen=True, slots=True)
class Span:
    """Something that lasted, and the seats it is about; of any seat where none is named."""

    from_ms: int
    to_ms: int
    seats: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reveal:
    """A hand laid open: its cards that can be seen, and whether all of them could be seen well.

    ``under`` are cards that lie under a hand in the end, and may have been seen before.
    """

    seat: str
    cards: tuple[str, ...]
    at_ms: int
    from_ms: int
    count: int
    is_quad: bool
    style: str
    is_well_shown: bool
    under: tuple[str, ...] = ()

    def is_told_by(self, seat: str | None, cards: Sequence[str]) -> bool:
        """Whether a shown hand of a journal is this one, with or without the cards under the hand."""
        whole = tuple(sorted((*self.cards, *self.under)))
        return seat == self.seat and tuple(sorted(cards)) in (self.cards, whole)


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that is handled, and what it must come to; ``open`` where nobody can tell."""

    at_ms: int
    seat: str
    want: str
    reveals: tuple[Reveal, ...]

    @property
    def is_well_shown(self) -> bool:
        """Whether each hand that was laid open could be seen well."""
        return bool(self.reveals) and all(one.is_well_shown for one in self.reveals)


def card_name(card: str) -> str:
    """A card's name as the journal has it.

    >>> card_name("10H"), card_name("9s")
    ('Th', '9s')
    """
    return card[:-1].replace("10", "T") + card[-1].lower()


def moves_in(truth: Truth) -> list[Move]:
    """All cards taken and laid, in the order of the truth; cards put back where they were are marked."""
    rows = [row for row in truth["events"] if row["type"] in ("take", "lay")]
    back = _put_back(rows)
    return [
        Move(
            "card_taken" if row["type"] == "take" else "card_laid",
            card_name(row["card"]),
            row["seat"],
            _time(row),
            number in back,
        )
        for number, row in enumerate(rows)
    ]


def _time(row: Mapping[str, Any]) -> int:
    return int(row["lifted_ms"] if row["type"] == "take" else row["released_ms"])


def _put_back(rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """The numbers of takes and lays of a card that never reached the packet."""
    found = set[int]()
    for number, row in enumerate(rows):
        own = (n for n in range(number + 1, len(rows)) if rows[n]["seat"] == row["seat"])
        after = next(own, None)
        if after is None or row["type"] != "take" or rows[after]["type"] != "lay":
            continue
        if rows[after]["card"] == row["card"] and _time(rows[after]) - _time(row) < _PUT_BACK_MS:
            found |= {number, after}
    return found


def turned_in(truth: Truth) -> list[Move]:
    """Cards turned face up one by one."""
    return [
        Move("centre_turned", card_name(row["card"]), row["seat"], int(row["released_ms"]))
        for row in truth["events"]
        if row["type"] == "deal"
    ]


def sweeps_in(truth: Truth) -> list[Span]:
    """Sweeps of the centre."""
    return [
        Span(row["first_card_moves_ms"], row["table_clear_ms"])
        for row in truth["events"]
        if row["type"] == "sweep"
    ]


def swept_cards(truth: Truth) -> set[str]:
    """All cards that were swept or turned at some time."""
    swept = {card_name(card) for row in truth["events"] if row["type"] == "sweep" for card in row["cards"]}
    return swept | {move.card for move in turned_in(truth)}


def deals_in(truth: Truth) -> list[Span] | None:
    """Deals that began after the first, from the gathering to the fourth card; None where it is not told."""
    if "journal" not in truth:
        return None
    events = [parse_line(line, number) for number, line in enumerate(truth["journal"])]
    starts = [event.at_ms for event in events if isinstance(event, DealStarted) and event.at_ms > 0]
    turned = [move.at_ms for move in turned_in(truth)]
    return [
        Span(start - 2500, min((at_ms for at_ms in turned if at_ms > start), default=start) + 2500)
        for start in starts
    ]


def reveals_in(truth: Truth) -> list[Reveal]:
    """Hands laid open, in their order."""
    rows = [row for row in truth["events"] if row["type"] == "reveal"]
    shown = truth.get("shown", [{"well_shown_ms": 0}] * len(rows))
    return [
        Reveal(
            seat=row["seat"],
            cards=tuple(sorted(map(card_name, row["cards"]))),
            at_ms=row["all_down_ms"],
            from_ms=row["t0_ms"],
            count=row["n_cards"],
            is_quad=row["is_quad"],
            style=row["style"],
            is_well_shown=seen["well_shown_ms"] >= WELL_SHOWN_MS and not row.get("face_down"),
            under=tuple(sorted(map(card_name, row.get("under", ())))),
        )
        for row, seen in zip(rows, shown, strict=True)
    ]


def calls_in(truth: Truth) -> list[AskedCall]:
    """The calls, with their hands."""
    rows, reveals = [row for row in truth["events"] if row["type"] == "call"], reveals_in(truth)
    told = truth.get("verdicts")
    asked = []
    for number, row in enumerate(rows if told is None else rows[: len(told)]):
        begin = row["t0_ms"]
        own = tuple(one for one in reveals if 0 < one.from_ms - begin < REVEAL_AFTER_MS)
        want = _want(row, own) if told is None else told[number]
        asked.append(AskedCall(begin, row["seat"], want, own))
    return asked


def _want(row: Mapping[str, Any], shown: Sequence[Reveal]) -> str:
    """What a call of the other renderer's clips must come to, as their scorer has it."""
    quads = [one.is_quad and one.count == 4 for one in shown]
    if row["word"] == "kemps":
        return "right" if quads[:1] == [True] and row.get("note") != "before_lay" else "wrong"
    return "right" if any(quads) else "wrong" if len(shown) == 2 else "open"


def fouls_in(truth: Truth) -> dict[str, list[Span]]:
    """Cards passed, hands in contact and hands hidden, by the journal's kinds."""
    return {
        "card_passed": list(_passes(truth)),
        "hands_touched": list(_contacts(truth)),
        "hand_hidden": list(_hidden(truth)),
    }


def _passes(truth: Truth) -> Iterator[Span]:
    for row in truth.get("events", ()):
        if row["type"] == "direct_pass":
            yield Span(row["t0_ms"], row["t1_ms"], frozenset((row["giver"], row["receiver"])))
    for act in truth.get("acts", ()):
        if act["kind"] in ("pass_over", "pass_under"):
            begin, end = act["core_ms"]
            yield Span(begin, end, frozenset((act["from"], act["to"])))


def _contacts(truth: Truth) -> Iterator[Span]:
    for row in truth.get("measured_contacts", ()):
        yield Span(row["t0_ms"], row["t1_ms"], frozenset(hand[0] for hand in row["hands"]))
    yield from (span for span in _spans(truth.get("contacts", ())) if _is_meant(truth, span))


def _is_meant(truth: Truth, contact: Span) -> bool:
    """Whether people touch on purpose, or pass a card; else two arms brushed that reached at once."""
    for act in truth.get("acts", ()):
        if act["kind"] not in MEANT or frozenset(hand[0] for hand in act["hands"]) != contact.seats:
            continue
        if act["at_ms"] <= contact.to_ms and contact.from_ms <= act["until_ms"]:
            return True
    return False


def _hidden(truth: Truth) -> Iterator[Span]:
    for row in truth.get("events", ()):
        if row["type"] == "under_table":
            begin, end = row["hidden_ms"]
            yield Span(begin, end, frozenset(row["seat"]))
    yield from (span for span in _spans(truth.get("hidden", ())) if span.to_ms - span.from_ms >= 500)


def _spans(rows: Iterable[Mapping[str, Any]]) -> Iterator[Span]:
    for row in rows:
        yield Span(row["at_ms"], row["until_ms"], frozenset(row.get("seats") or row["seat"]))


def is_in_sight(truth: Truth, span: Span) -> bool:
    """Whether both hands of the span's seats are mostly to be seen meanwhile, as far as the truth says."""
    seen, looked = 0, 0
    for frame in truth.get("frames", ()):
        at_ms = frame.get("at_ms", frame.get("t_ms", -1))
        own = [row for row in frame.get("hands", ()) if row.get("seat") in span.seats and "in_frame" in row]
        if span.from_ms <= at_ms <= span.to_ms and own:
            looked += 1
            seen += sum(_share_seen(row) >= HALF_SEEN for row in own) >= HANDS * len(span.seats)
    return 2 * seen >= looked


def _share_seen(row: Mapping[str, Any]) -> float:
    return float(row["in_frame"] * row.get("visible", 1.0) * (1.0 - row.get("hidden", 0.0)))


def crossings_in(truth: Truth) -> list[Span]:
    """Where hands of two seats lie over each other in the picture, or brush: contact may be told or not."""
    over = [Span(row["t0_ms"], row["t1_ms"], frozenset(row["seats"])) for row in truth.get("crossings", ())]
    brushes = (span for span in _spans(truth.get("contacts", ())) if not _is_meant(truth, span))
    return [*over, *brushes]
