"""A story as rows for the replay page's script: events with what they changed, spans, flags, verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from kemps_rules import events
from kemps_rules.decisions import DECISIONS, plan_of
from kemps_rules.journal import Journal
from kemps_server.page.seating import seat_places
from kemps_server.page.story import DealLook, StepLook, Story
from kemps_server.page.words import Words
from kemps_vision.hearing.gate import is_unconfirmed

UNSURE: Final = 0.9  # confidence below which an event is worth a second look


def rows_of(story: Story, journal: Journal, words: Words) -> dict[str, Any]:
    """What the replay page draws, in one language; a step carries only what differs from the one before."""
    event_of = dict(journal.numbered)
    places = seat_places(len(story.seats))
    return {
        "title": story.title,
        "language": words.language,
        "duration_ms": story.duration_ms,
        "word": story.word,
        "seats": [{"id": seat.id, "name": seat.name, "pair": seat.pair} for seat in story.seats],
        "places": [[place.x, place.y, place.bubble_y] for place in places],
        "pairs": [{"id": pair.id, "letters": pair.letters, "points": pair.points} for pair in story.pairs],
        "steps": list(_steps(story, event_of, _heard(event_of), words)),
        "spans": [
            *([span.sort, span.seat, span.from_ms, span.to_ms, span.step] for span in story.spans),
            *_reaches(story, event_of),
        ],
        "flags": [
            {
                "rule": flag.rule,
                "name": words.say(f"rule.{flag.rule}.name"),
                "at_ms": flag.at_ms,
                "seats": flag.seats,
                "message": flag.message,
                "said": flag.message if flag.said is None else words.say(flag.said),
                "step": flag.step,
                "decision": flag.decision,
            }
            for flag in story.flags
        ],
        "deals": [_deal(deal, words) for deal in story.deals],
        "warnings": story.warnings,
    }


def _heard(event_of: Mapping[int, events.Event]) -> frozenset[int]:
    """The lines of calls that were heard and that nobody has confirmed."""
    plan = plan_of((line, event) for line, event in event_of.items() if isinstance(event, DECISIONS))
    calls = {line: plan.effective(line, event) for line, event in event_of.items() if event.kind == "called"}
    return frozenset(
        line for line, call in calls.items() if isinstance(call, events.Called) and is_unconfirmed(call)
    )


def _steps(
    story: Story, event_of: dict[int, events.Event], heard: Collection[int], words: Words
) -> Iterator[dict[str, Any]]:
    before: StepLook | None = None
    for step in story.steps:
        text = words.say(step.text)
        confidence = event_of[step.line].confidence
        row: dict[str, Any] = {
            "at_ms": step.at_ms,
            "line": step.line,
            "kind": step.kind,
            "text": text[:1].upper() + text[1:],
        }
        row |= {
            name: value
            for name, value in (
                ("seats", step.seats),
                ("doubt", step.doubt),
                ("fresh", step.fresh),
                ("flags", step.flags),
                ("is_retracted", step.is_retracted),
                ("is_unsure", confidence < UNSURE),
                ("is_heard", step.line in heard),
            )
            if value
        }
        row |= _changes(before, step)
        if step.bubble is not None:
            row["bubble"] = [step.bubble[0], words.say(step.bubble[1])]
        yield row
        before = step


def _changes(before: StepLook | None, step: StepLook) -> dict[str, Any]:
    """The fields of the table that are not as they were."""
    changed = {
        name: getattr(step, name)
        for name in ("deal", "centre", "stock", "aside", "loose")
        if before is None or getattr(before, name) != getattr(step, name)
    }
    known = {} if before is None else before.hands
    hands = {
        seat: {"faces": hand.faces, "size": hand.size_text, "owes": hand.owes}
        for seat, hand in step.hands.items()
        if hand != known.get(seat)
    }
    return changed | ({"hands": hands} if hands else {})


def _reaches(story: Story, event_of: dict[int, events.Event]) -> Iterator[list[Any]]:
    for step in story.steps:
        event = event_of[step.line]
        if isinstance(event, events.HandReached) and not step.is_retracted:
            yield ["reach", event.seat, event.at_ms, event.until_ms, step.index]


def _deal(deal: DealLook, words: Words) -> dict[str, Any]:
    told: dict[str, Any] = {"number": deal.number, "ended": deal.ended, "verdict": None}
    if (verdict := deal.verdict) is not None:
        told["verdict"] = {
            "at_ms": verdict.at_ms,
            "ruling": verdict.ruling,
            "said": words.say(f"ruling.{verdict.ruling}"),
            "claim": words.say(verdict.claim),
            "because": words.say(verdict.because),
            "letters_to": verdict.letters_to,
            "step": verdict.step,
            "is_provisional": verdict.is_provisional,
        }
    return told
