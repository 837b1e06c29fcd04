"""How much hangs on an incident, and why: in words that accuse nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kemps_rules.events import Called, Event, HandShown
from kemps_rules.flags import Flag
from kemps_rules.verdict import Verdict
from kemps_server.page.words import Phrase
from kemps_server.review.docket import Look
from kemps_server.review.incident import Weight

UNSURE: Final = 0.8
"""What was seen with less confidence than this is told as a reason to look."""
LONG_MS: Final = 5000
"""Out of view for as long as this is told as a reason to look."""

RULES: Final = {
    # a card where it cannot be, or a hand that changed when it must not: letters may hang on it
    "R1": Weight.HIGH,
    "R8": Weight.HIGH,
    "R9": Weight.HIGH,
    "R14": Weight.HIGH,
    "R12": Weight.HIGH,
    "R13": Weight.HIGH,
    "R6": Weight.MIDDLE,
    "R11": Weight.MIDDLE,
    "R10": Weight.LOW,  # hands leave the picture all the time
    "R5": Weight.LOW,
    "R2": Weight.LOW,
}


def reason(name: str, **args: str) -> Phrase:
    """A reason to look, from the words of the desk."""
    return Phrase(f"desk.reason.{name}", args)


def weight_of_call(
    look: Look, verdict: Verdict, flags: Sequence[Flag], calls: int
) -> tuple[Weight, tuple[Phrase, ...]]:
    """What hangs on a judged call; ``flags`` are those of its deal from the call on, ``calls`` all calls."""
    reasons: list[Phrase] = []
    weight = Weight.ROUTINE
    if verdict.ruling == "cannot_verify":
        weight = Weight.HIGH
        reasons.append(reason(f"because_{verdict.because}"))
    found = [look.effective(line) for line in verdict.evidence]
    if (doubt := least_confidence(found)) < UNSURE and verdict.because != "ruled":
        weight = max(weight, Weight.MIDDLE)
        reasons.append(reason("unsure", percent=f"{doubt:.0%}"))
    if flags:
        weight = max(weight, Weight.MIDDLE)
        rules = sorted({flag.rule for flag in flags}, key=lambda rule: int(rule[1:]))
        reasons.append(reason("flagged", rules=", ".join(rules)))
    if calls > 1:
        weight = max(weight, Weight.LOW)
        reasons.append(reason("several_calls", count=str(calls)))
    if verdict.is_provisional:
        weight = min(weight, Weight.MIDDLE)
        reasons.append(reason("provisional"))
    return weight, tuple(reasons)


def weight_of_flags(look: Look, flags: Sequence[Flag]) -> tuple[Weight, tuple[Phrase, ...]]:
    """What hangs on flags that are one incident."""
    rule = flags[0].rule
    weight, reasons = RULES.get(rule, Weight.MIDDLE), []
    lines = {line for flag in flags for line in flag.events}
    found = [look.effective(line) for line in lines]
    if any(isinstance(event, Called) for event in found):
        weight = Weight.HIGH
        reasons.append(reason("at_call"))
    if len(flags) > 1:
        reasons.append(reason("repeated", count=str(len(flags))))
    longest = max((_length_ms(event) for event in found if event is not None), default=0)
    if longest >= LONG_MS:
        weight = max(weight, Weight.MIDDLE)
        reasons.append(reason("long", seconds=f"{longest / 1000:.0f}"))
    if (doubt := least_confidence(found)) < UNSURE:
        weight = Weight(max(weight - 1, Weight.LOW))
        reasons.append(reason("unsure", percent=f"{doubt:.0%}"))
    return weight, tuple(reasons)


def least_confidence(events: Iterable[Event | None]) -> float:
    """How sure the least sure of some events is; shown hands whose number of cards is open are half sure."""
    return min((_confidence(event) for event in events if event is not None), default=1.0)


def _confidence(event: Event) -> float:
    is_open = isinstance(event, HandShown) and not event.complete
    return min(event.confidence, 0.5) if is_open else event.confidence


def _length_ms(event: Event) -> int:
    until_ms: int | None = getattr(event, "until_ms", None)
    return 0 if until_ms is None else until_ms - event.at_ms
