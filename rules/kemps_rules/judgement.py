"""The answer of ``kemps judge``: each deal's outcome, letters, who lost, flags, and what people decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from kemps_rules.deal import CallMade, Deal
from kemps_rules.decisions import Plan
from kemps_rules.events import CALL, Json, Reviewed
from kemps_rules.flags import Flag
from kemps_rules.fold import Fold
from kemps_rules.score import Score, Stakes
from kemps_rules.seats import Pair, Seat
from kemps_rules.verdict import Outcome, Verdict, judge_deal, made_provisional


@dataclass(frozen=True, slots=True)
class DealResult:
    """What became of one deal; ``ended`` is ``call``, ``dry``, ``redeal``, ``voided`` or ``open``."""

    deal: int
    dealer: Seat | None
    verdict: Verdict | None
    ended: str
    void_calls: tuple[CallMade, ...]

    def as_json(self) -> dict[str, Json]:
        """The deal as ``kemps judge --json`` prints it."""
        data: dict[str, Json] = {"deal": self.deal, "dealer": self.dealer}
        data["verdict"] = None if self.verdict is None else self.verdict.as_json()
        if self.verdict is None:
            data["ended"] = self.ended
        if self.void_calls:
            data["void_calls"] = [
                {"call": call.call, "by": call.event.seat, "at_ms": call.event.at_ms, "event": call.line}
                for call in self.void_calls
            ]
        return data


@dataclass(frozen=True, slots=True)
class ReviewedFlag:
    """A flag with the decision of a person that stands on it."""

    flag: Flag
    review: Reviewed

    def as_json(self) -> dict[str, Json]:
        """The flag with its decision, by whom and why."""
        review = self.review
        return self.flag.as_json() | {"decision": review.decision, "by": review.by, "why": review.why}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judged game. ``flags`` are those that nobody dismissed; ``reviewed`` all that a person decided on."""

    rules: str
    letters: Mapping[Pair, str]
    points: Mapping[Pair, int]
    lost: tuple[Pair, ...]
    won: tuple[Pair, ...]
    deals: tuple[DealResult, ...]
    flags: tuple[Flag, ...]
    reviewed: tuple[ReviewedFlag, ...]

    def as_json(self) -> dict[str, Json]:
        """The contract of ``kemps judge --json``."""
        decided = {id(entry.flag): entry.review.decision for entry in self.reviewed}
        flags = [
            flag.as_json() | ({"decision": decided[id(flag)]} if id(flag) in decided else {})
            for flag in self.flags
        ]
        data: dict[str, Json] = {
            "rules": self.rules,
            "letters": dict(self.letters),
            "lost": list(self.lost),
            "won": list(self.won),
            "deals": [deal.as_json() for deal in self.deals],
            "flags": flags,
            "reviewed": [entry.as_json() for entry in self.reviewed],
        }
        return data | ({"points": dict(self.points)} if self.points else {})


def judgement_of(fold: Fold, plan: Plan, score: Score, *, is_final: bool) -> Judgement:
    """The judgement of a fold under the decisions that stand; provisional unless ``is_final``."""
    results, flags = [], list(fold.before)
    withdrawn = frozenset[tuple[str, int]]().union(*(deal.withdrawn for deal in fold.deals))
    for deal in fold.deals:
        outcome = outcome_of(fold, deal, plan, is_final=is_final)
        verdict = with_review(counted(score, outcome.verdict), plan)
        results.append(DealResult(deal.number, deal.dealer, verdict, outcome.ended, outcome.void))
        flags += deal.flags
        flags += outcome.flags
    kept = [flag for flag in flags if (flag.rule, flag.events[0]) not in withdrawn]
    kept.sort(key=lambda flag: (flag.at_ms, flag.events, int(flag.rule[1:])))
    reviewed = tuple(reviewed_flags(kept, plan))
    gone = {id(entry.flag) for entry in reviewed if entry.review.decision in ("dismiss", "overturn")}
    return Judgement(
        rules=fold.house.name,
        letters=score.letters,
        points=score.points,
        lost=score.lost,
        won=score.won,
        deals=tuple(results),
        flags=tuple(flag for flag in kept if id(flag) not in gone),
        reviewed=reviewed,
    )


def with_review(verdict: Verdict | None, plan: Plan) -> Verdict | None:
    """The verdict with what a person decided on its call, unless the call was opened again since."""
    found = None if verdict is None else plan.review_of(CALL, (verdict.event,))
    if verdict is None or found is None or found[1].decision == "reopen":
        return verdict
    return replace(verdict, review=found[1])


def counted(score: Score, verdict: Verdict | None) -> Verdict | None:
    """The verdict after its letters were added to the score; after the end of the game it gives none."""
    if verdict is None:
        return None
    if score.is_over:
        return replace(verdict, letters_to=(), points_to={})
    score.add(Stakes(verdict.letters_to, verdict.points_to))
    return verdict


def outcome_of(fold: Fold, deal: Deal, plan: Plan, *, is_final: bool) -> Outcome:
    """What became of a deal; kept with it until a decision or the deal changes."""
    refused = _confirmed(deal, plan)
    key = (deal.version, tuple(plan.rulings.get(call.line) for call in deal.calls), refused)
    is_closed = deal is not fold.deal
    kept = deal.outcome
    if isinstance(kept, tuple) and kept[0] == key:
        outcome: Outcome = kept[1]
    else:
        outcome = judge_deal(deal, plan.rulings, refused)
        deal.outcome = (key, outcome)
    if outcome.verdict is None or is_final or _is_settled(fold, deal, outcome.verdict, is_closed=is_closed):
        return outcome
    return made_provisional(outcome)


def _is_settled(fold: Fold, deal: Deal, verdict: Verdict, *, is_closed: bool) -> bool:
    """Whether every camera is past the call, and the hands asked for lie open or the deal is over."""
    if verdict.ruled_by:
        return True
    past = fold.settled.values()
    doubt = next((call.event.uncertainty_ms for call in deal.calls if call.line == verdict.event), 0)
    is_past = bool(past) and min(past) > verdict.at_ms + doubt
    return is_past and (
        is_closed or deal.ended is not None or all(seat in deal.shown for seat in verdict.hands)
    )


def _confirmed(deal: Deal, plan: Plan) -> frozenset[int]:
    """The refusals to show a hand that a person has confirmed."""
    lines = {line for line, _ in deal.refusals}
    if not lines:
        return frozenset()
    decisions: dict[int, str] = {}
    for _, review in plan.reviews:
        if review.rule in ("R12", "R13"):
            decisions |= dict.fromkeys(review.events, review.decision)
    return frozenset(line for line in lines if decisions.get(line) == "confirm")


def reviewed_flags(flags: Iterable[Flag], plan: Plan) -> Iterator[ReviewedFlag]:
    """The flags on which a person's decision stands; a reopened one stands on none."""
    if not plan.reviews:
        return
    exact: dict[tuple[str, frozenset[int]], Reviewed] = {}
    for _, review in plan.reviews:
        exact[review.rule, frozenset(review.events)] = review
    for flag in flags:
        lines = frozenset(flag.events)
        found = exact.get((flag.rule, lines)) or exact.get((flag.rule, lines & {flag.events[0]}))
        if found is not None and found.decision != "reopen":
            yield ReviewedFlag(flag, found)
