"""The verdict on a deal's call: right, wrong or cannot_verify, its reason, and what it costs or earns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kemps_rules.calls import Handled, Rulings, asked_hands, handled_call
from kemps_rules.completions import Hands, hands_at
from kemps_rules.deal import CallMade, Deal
from kemps_rules.events import Json, Reviewed
from kemps_rules.flags import Flag
from kemps_rules.reasons import reason_for
from kemps_rules.rulebook import has_three
from kemps_rules.score import stakes_of
from kemps_rules.seats import Pair, Seat, pair_of

RULING_OF = {frozenset((True,)): "right", frozenset((False,)): "wrong"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A ruling on a call; ``because`` is the reason in one word for programs, ``reason`` one for people.

    ``letters_to`` and ``points_to`` are what the ruling gives, before the end of the game is looked at;
    ``evidence`` are the journal lines it stands on; ``is_provisional`` while more may come to light;
    ``review`` is the last thing that a person decided on the call besides ruling on it.
    """

    ruling: str
    reason: str
    because: str
    call: str
    by: Seat | None
    hands: tuple[Seat, ...]
    letters_to: tuple[Pair, ...]
    at_ms: int
    event: int
    evidence: tuple[int, ...]
    points_to: Mapping[Pair, int] = field(default_factory=dict)
    is_double: bool = False
    ruled_by: str = ""
    review: Reviewed | None = None
    is_provisional: bool = False

    def as_json(self) -> dict[str, Json]:
        """The verdict as ``kemps judge --json`` prints it."""
        data: dict[str, Json] = {
            "ruling": self.ruling,
            "call": self.call,
            "by": self.by,
            "hands": list(self.hands),
            "letters_to": list(self.letters_to),
            "reason": self.reason,
            "because": self.because,
            "at_ms": self.at_ms,
            "event": self.event,
            "evidence": list(self.evidence),
            "provisional": self.is_provisional,
        }
        more = {"points_to": dict(self.points_to), "double": self.is_double, "ruled_by": self.ruled_by}
        if self.review is not None:
            told = self.review
            data["review"] = {"decision": told.decision, "by": told.by, "why": told.why}
        return data | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a deal: its verdict or how it ended without one, calls that do not count, and flags."""

    verdict: Verdict | None
    ended: str
    void: tuple[CallMade, ...]
    flags: tuple[Flag, ...] = ()


def judge_deal(deal: Deal, rulings: Rulings, refused: frozenset[int] = frozenset()) -> Outcome:
    """The outcome of a deal; ``refused`` are the lines of refusals to show that a person has confirmed."""
    handled = handled_call(deal, rulings)
    if deal.ended in ("voided", "redeal") or (handled.call is None and not handled.tied):
        return Outcome(
            None, deal.ended if deal.ended in ("voided", "redeal", "dry") else "open", tuple(deal.calls)
        )
    if handled.call is None:
        return Outcome(_tie(handled), "call", handled.void)
    return _judge_call(deal, handled.call, handled.void, rulings, refused)


def _tie(handled: Handled) -> Verdict:
    first = handled.tied[0]
    names = " and ".join(f"{call.event.seat or 'somebody'} ({call.call})" for call in handled.tied)
    kinds = {call.call for call in handled.tied}
    return Verdict(
        ruling="cannot_verify",
        reason=f"the calls of {names} cannot be told apart; a person names the first",
        because="tie",
        call=first.call if len(kinds) == 1 else "unclear",
        by=None,
        hands=(),
        letters_to=(),
        at_ms=first.event.at_ms,
        event=first.line,
        evidence=tuple(call.line for call in handled.tied),
    )


def _judge_call(
    deal: Deal, call: CallMade, void: tuple[CallMade, ...], rulings: Rulings, refused: frozenset[int]
) -> Outcome:
    asked = asked_hands(deal, call)
    caller = call.event.seat
    looked_at = tuple(dict.fromkeys((*asked, caller))) if caller is not None else asked
    hands = hands_at(deal, call, looked_at)
    ruling, because = _ruling(deal, call, asked, hands, refused)
    ruled = rulings.get(call.line)
    is_ruled = ruled is not None and ruled.ruling != "first"
    if ruled is not None and is_ruled:
        ruling, because = ruled.ruling, "ruled"
    elif _is_redraw(deal, call, asked, hands, ruling):
        return Outcome(None, "redeal", tuple(deal.calls))
    is_double = _is_double(deal, call, asked, hands)
    stakes = stakes_of(deal, call, asked, ruling, is_double=is_double)
    refusals = _refusals(deal, refused)
    shown = tuple(hands.shown[seat].line for seat in asked if seat in hands.shown)
    verdict = Verdict(
        ruling=ruling,
        reason=reason_for(call, asked, hands, because, ruled, refusals),
        because=because,
        call=call.call,
        by=caller,
        hands=asked,
        letters_to=stakes.letters_to,
        at_ms=call.event.at_ms,
        event=call.line,
        evidence=(call.line, *shown),
        points_to=stakes.points_to,
        is_double=is_double and ruling == "right",
        ruled_by=ruled.by if ruled is not None and is_ruled else "",
    )
    return Outcome(verdict, "call", void, tuple(_flags(deal, call, asked, hands)))


def _refusals(deal: Deal, confirmed: frozenset[int]) -> dict[Seat, bool]:
    """Who was seen not to show, and whether a person has confirmed it."""
    found: dict[Seat, bool] = {}
    for line, event in deal.refusals:
        if event.seat is not None:
            found[event.seat] = found.get(event.seat, False) or line in confirmed
    return found


def _ruling(
    deal: Deal, call: CallMade, asked: tuple[Seat, ...], hands: Hands, refused: frozenset[int]
) -> tuple[str, str]:
    caller, count = call.event.seat, len(deal.seats)
    if caller is None:
        return "cannot_verify", "caller_unknown"
    if not asked:
        return "cannot_verify", "nobody_named"
    if call.call == "stop" and pair_of(asked[0], count) == pair_of(caller, count):
        return "cannot_verify", "own_pair"
    if any(line in refused and event.seat in asked for line, event in deal.refusals):
        return ("wrong" if call.call != "stop" else "right"), "refused"
    if call.is_early_perhaps:
        return "cannot_verify", "unobserved"
    outcome = hands.any_of(asked)
    if call.call == "double_kemps" and outcome != frozenset((False,)):
        both = {one and two for one in outcome for two in hands.outcome(caller)}
        outcome = frozenset(both)
    ruling = RULING_OF.get(outcome, "cannot_verify")
    is_blind = any(seat in hands.blind and len(hands.outcome(seat)) > 1 for seat in (*asked, caller))
    return ruling, {"right": "quad", "wrong": "no_quad"}.get(ruling, "unobserved" if is_blind else "open")


def _is_double(deal: Deal, call: CallMade, asked: tuple[Seat, ...], hands: Hands) -> bool:
    """Whether a right Kemps counts twice: the caller surely holds a quad too, and the house counts that."""
    caller = call.event.seat
    wanted = {"shouted": "double_kemps", "counts": "kemps"}.get(deal.house.double_kemps)
    if caller is None or not asked or call.call == "stop" or wanted is None:
        return False
    is_asked_for = call.call in (wanted, "double_kemps")
    return is_asked_for and hands.outcome(caller) == frozenset((True,))


def _is_redraw(deal: Deal, call: CallMade, asked: tuple[Seat, ...], hands: Hands, ruling: str) -> bool:
    """Whether the cards should have been dealt again: a quad was dealt, or three alike were turned up."""
    if deal.house.dealt_alike != "redraw" or not asked or ruling == "cannot_verify":
        return False
    if deal.is_swapped and has_three(deal):
        return True
    if any(gap.at_ms <= call.event.at_ms for gap in deal.gaps):
        return False  # what was taken meanwhile nobody saw
    took = {move.seat for move in hands.moves if move.is_in and move.at_ms <= call.event.at_ms}
    return (
        ruling == "right"
        and None not in took
        and any(seat not in took and hands.outcome(seat) == frozenset((True,)) for seat in asked)
    )


def _flags(deal: Deal, call: CallMade, asked: tuple[Seat, ...], hands: Hands) -> list[Flag]:
    caller, at_ms = call.event.seat, call.event.at_ms
    found = []
    for seat in sorted({*asked, *((caller,) if caller is not None else ())}):
        if seat in call.unsized:
            continue
        size = call.sizes[seat]
        # A move that nobody could give to a seat may have been this one's.
        if not 4 - call.unassigned_takes <= size <= 4 + call.unassigned_lays:
            found.append(Flag("R6", at_ms, (seat,), f"{seat} had {size} cards at the call", (call.line,)))
    for line, event in deal.refusals:
        if event.seat in asked and event.seat is not None:
            rule = "R13" if call.call == "stop" else "R12"
            message = f"{event.seat} did not show; it counts against the pair once a person confirms"
            found.append(Flag(rule, event.at_ms, (event.seat,), message, (line,)))
    if caller is not None and asked and call.call != "stop" and _is_own_quad(caller, asked[0], hands):
        found.append(Flag("R12", at_ms, (caller,), f"{caller} called about the own quad", (call.line,)))
    return found


def _is_own_quad(caller: Seat, partner: Seat, hands: Hands) -> bool:
    return hands.outcome(caller) == frozenset((True,)) and hands.outcome(partner) != frozenset((True,))


def made_provisional(outcome: Outcome) -> Outcome:
    """The outcome with its verdict marked: what was seen is not yet all."""
    if outcome.verdict is None:
        return outcome
    return replace(outcome, verdict=replace(outcome.verdict, is_provisional=True))
