"""Calls as incidents: one for each deal that ended by one, and one for each call that a person took out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kemps_rules.events import CALL, Called, Inserted, Retracted
from kemps_rules.flags import Flag
from kemps_rules.judgement import DealResult
from kemps_rules.verdict import Verdict
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident, Part, Sort
from kemps_server.review.weights import weight_of_call

AFTER_MS: Final = 3000
"""So much is looked at after a call when nobody shows."""


def call_incidents(look: Look) -> Iterator[Incident]:
    """An incident for each call that was judged or taken out."""
    ends = [deal.verdict.at_ms for deal in look.judgement.deals if deal.verdict is not None]
    for deal in look.judgement.deals:
        if deal.verdict is not None:
            until_ms = next((end for end in ends if end > deal.verdict.at_ms), look.latest_ms + 1)
            yield _judged(look, deal, deal.verdict, until_ms)
    for _, decision in look.standing:
        if isinstance(decision, Retracted):
            taken_out = look.events[decision.event]
            event = taken_out.as_event if isinstance(taken_out, Inserted) else taken_out
            if isinstance(event, Called):
                yield _taken_out(decision.event, event)


def _judged(look: Look, deal: DealResult, verdict: Verdict, next_ms: int) -> Incident:
    calls = {verdict.event, *(call.line for call in deal.void_calls)}
    calls |= {line for line in verdict.evidence if isinstance(look.effective(line), Called)}
    flags = [flag for flag in look.judgement.flags if _is_about(flag, verdict, next_ms)]
    weight, reasons = weight_of_call(look, verdict, flags, len(calls))
    shown = [look.effective(line) for line in verdict.evidence if line not in calls]
    return Incident(
        sort=Sort.CALL,
        rule="R13" if verdict.call == "stop" else "R12",
        parts=tuple(Part(CALL, (line,), verdict.reason) for line in sorted(calls)),
        seats=tuple(dict.fromkeys(seat for seat in (verdict.by, *verdict.hands) if seat is not None)),
        at_ms=verdict.at_ms,
        until_ms=max((event.at_ms for event in shown if event is not None), default=verdict.at_ms + AFTER_MS),
        weight=weight,
        reasons=reasons,
        evidence=tuple(line for line in verdict.evidence if line not in calls),
        verdict=verdict.ruling,
    )


def _is_about(flag: Flag, verdict: Verdict, next_ms: int) -> bool:
    """Whether a flag may speak against a verdict: it tells of the hands asked for, from the call on."""
    is_after = verdict.at_ms <= flag.at_ms < next_ms
    return (
        is_after
        and flag.rule in ("R1", "R6", "R8", "R14", "R18")
        and bool(set(flag.seats) & set(verdict.hands))
    )


def _taken_out(line: int, event: Called) -> Incident:
    return Incident(
        sort=Sort.CALL,
        rule="R13" if event.call == "stop" else "R12",
        parts=(Part(CALL, (line,)),),
        seats=() if event.seat is None else (event.seat,),
        at_ms=event.at_ms,
        until_ms=event.at_ms + AFTER_MS,
    )
