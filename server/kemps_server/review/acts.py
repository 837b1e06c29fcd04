"""From an act to the lines it adds to the journal: about one incident at a time, by name, with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kemps_rules.events import CALL, Event, Json, Noted, Retracted, Reviewed, Ruled, Undone
from kemps_server.errors import KempsServerError
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident, Part, Sort, State
from kemps_server.review.opinions import both_as_json, sealed_on
from kemps_server.review.standing import (
    HELD,
    REOPENED,
    VOID,
    Entry,
    history_of,
    retractions_of,
    review_of,
    rulings_of,
)
from kemps_server.store.acts import WITHDRAWN, ActRecord

RULINGS: Final = ("right", "wrong", "cannot_verify")
DECIDING: Final = ("confirm", "overturn", "dismiss", *RULINGS, "first")
WORDS: Final = (*DECIDING, "hold", "reopen", "note", "undo")
OPPOSITE: Final = {"right": "wrong", "wrong": "right"}
NEEDS_WHY: Final = ("overturn", "note")
REOPENS: Final[dict[str, Json]] = {"reopens": True}
"""What an ``undone`` line carries that opens an incident again, rather than taking back the last act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What a referee does about one incident.

    Attributes:
        word: One of ``WORDS``.
        key: The client's own name for it; the same act under the same key is done once.
        why: The reason.
        line: Of the call that came first, or of what is undone; else the last act.
        seen: How many lines the journal had when the referee looked.
        is_sealed: Whether it is an opinion that waits for a second one.
    """

    word: str
    key: str
    why: str = ""
    line: int | None = None
    seen: int | None = None
    is_sealed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an act comes to: lines of the journal, or an opinion, or both for a second opinion."""

    events: tuple[Event, ...] = ()
    opinion: str = ""


def outcome_of(look: Look, incident: Incident, act: Act, by: str) -> Outcome:
    """What an act by ``by`` adds.

    Raises:
        KempsServerError: It cannot be done to this incident as it stands; the text says what can.
    """
    sealed = sealed_on(look.acts, incident)
    if act.word == "undo" and act.line is None and sealed is not None and sealed.person == by:
        return Outcome(opinion=WITHDRAWN)
    _check(incident, act)
    if act.word == "undo":
        return Outcome(events=tuple(_taken_back(look, incident, act, by)))
    if act.word not in DECIDING or (sealed is None and not act.is_sealed):
        return Outcome(events=tuple(_events(look, incident, act, by)))
    if sealed is not None and sealed.person == by:
        raise KempsServerError("your opinion on this is sealed; undo it first, or wait for the second one")
    opinion = meaning(incident, act.word)
    if sealed is None:
        if opinion == "first":
            raise KempsServerError("say right, wrong or cannot_verify; which call came first is not sealed")
        return Outcome(opinion=opinion)
    return Outcome(events=tuple(_settled(look, incident, act, by, sealed)), opinion=opinion)


def meaning(incident: Incident, word: str) -> str:
    """What a word comes to: for a call the ruling.

    Raises:
        KempsServerError: It means nothing about this incident.
    """
    if incident.sort is not Sort.CALL or word == VOID:
        return word
    if word == "confirm":
        return incident.verdict
    if word == "overturn":
        if incident.verdict not in OPPOSITE:
            raise KempsServerError("nothing is verified that could be overturned; say right or wrong")
        return OPPOSITE[incident.verdict]
    return word


def words_for(incident: Incident) -> tuple[str, ...]:
    """What can be done about an incident as it stands."""
    if incident.standing.state is State.DECIDED:
        return ("reopen", "note", "undo")
    words: tuple[str, ...] = ("confirm", "overturn", "dismiss")
    if incident.sort is Sort.READING:
        words = ("confirm", "dismiss")
    elif incident.sort is Sort.CALL:
        is_clear = incident.verdict in OPPOSITE
        words = (*(("confirm", "overturn") if is_clear else ()), *RULINGS, "dismiss")
        words += ("first",) if len(incident.parts) > 1 else ()
    is_held = incident.standing.state is State.HELD
    return (*words, "reopen" if is_held else "hold", "note", "undo")


def needs_why(incident: Incident, word: str) -> bool:
    """Whether an act has to say why: where it goes against what was observed, or says nothing else."""
    if word in NEEDS_WHY:
        return True
    if incident.sort is not Sort.CALL:
        return False
    return word == VOID or (word in RULINGS and word != incident.verdict)


def is_undoable(look: Look, incident: Incident, by: str) -> bool:
    """Whether somebody of this name has something to undo about an incident."""
    sealed = sealed_on(look.acts, incident)
    is_own = sealed is not None and sealed.person == by
    undo = Act(word="undo", key="")
    return is_own or any(_is_last(undo, one) for one in history_of(look, incident) if not one.is_undone)


def _check(incident: Incident, act: Act) -> None:
    if act.word not in WORDS:
        raise KempsServerError(f"{act.word!r} is nothing that can be done here; say {', '.join(WORDS)}")
    if act.word not in words_for(incident):
        raise KempsServerError(
            f"{act.word} cannot be said of this as it stands; it takes {', '.join(words_for(incident))}"
        )
    if needs_why(incident, act.word) and not act.why.strip():
        raise KempsServerError(f"say why: {act.word} needs a reason")
    if act.word == "first" and act.line not in incident.lines:
        raise KempsServerError("say which call came first: line is that of one of its calls")


def _events(look: Look, incident: Incident, act: Act, by: str) -> Iterator[Event]:
    at_ms = look.latest_ms
    if act.word == "note":
        part = incident.parts[0]
        yield Noted(at_ms=at_ms, rule=part.rule, events=part.lines, by=by, why=act.why)
    elif act.word == "reopen":
        yield from _reopened(look, incident, act, by)
    elif incident.sort is Sort.CALL and act.word != "hold":
        yield _ruling(look, incident, act, by)
    else:
        yield from _reviews(incident, act.word, at_ms, by, act.why)


def _ruling(look: Look, incident: Incident, act: Act, by: str) -> Event:
    word = meaning(incident, act.word)
    line = act.line if act.word == "first" and act.line is not None else _judged_line(look, incident)
    if word == VOID:
        return Retracted(at_ms=look.latest_ms, event=line, by=by, why=act.why)
    return Ruled(at_ms=look.latest_ms, event=line, ruling=word, by=by, why=act.why)


def _judged_line(look: Look, incident: Incident) -> int:
    """The line of the call that was judged; of several that were tied, the first."""
    lines = set(incident.lines)
    found = (deal.verdict.event for deal in look.judgement.deals if deal.verdict is not None)
    return next((line for line in found if line in lines), incident.lines[0])


def _reviews(
    incident: Incident, decision: str, at_ms: int, by: str, why: str, extra: dict[str, Json] | None = None
) -> Iterator[Event]:
    """A review for each part: the rules know flags by the lines they are about."""
    for part in _named_parts(incident):
        yield Reviewed(
            at_ms=at_ms,
            rule=part.rule,
            events=part.lines,
            decision=decision,
            by=by,
            why=why,
            extra=dict(extra or {}),
        )


def _named_parts(incident: Incident) -> Sequence[Part]:
    return incident.parts[:1] if incident.sort is Sort.CALL else incident.parts


def _reopened(look: Look, incident: Incident, act: Act, by: str) -> Iterator[Event]:
    at_ms = look.latest_ms
    if incident.sort is Sort.CALL:
        for line, _ in (*rulings_of(look, incident), *retractions_of(look, incident)):
            yield Undone(at_ms=at_ms, event=line, by=by, why=act.why, extra=dict(REOPENS))
        found = review_of(look, Part(CALL, incident.parts[0].lines))
        if found is None or found[1].decision != HELD:
            return
    yield from _reviews(incident, REOPENED, at_ms, by, act.why)


def _settled(look: Look, incident: Incident, act: Act, by: str, first: ActRecord) -> Iterator[Event]:
    second = meaning(incident, act.word)
    both = both_as_json(first, second, by, act.why)
    names, extra = f"{first.person}, {by}", {"opinions": both}
    why = "; ".join(f"{one['by']}: {one['why']}" for one in both if one["why"])
    if second != first.opinion:
        yield from _reviews(incident, HELD, look.latest_ms, names, why, extra)
    elif incident.sort is not Sort.CALL:
        yield from _reviews(incident, second, look.latest_ms, names, why, extra)
    elif second == VOID:
        line = _judged_line(look, incident)
        yield Retracted(at_ms=look.latest_ms, event=line, by=names, why=why, extra=extra)
    else:
        line = _judged_line(look, incident)
        yield Ruled(at_ms=look.latest_ms, event=line, ruling=second, by=names, why=why, extra=extra)


def _is_last(act: Act, entry: Entry) -> bool:
    """Whether an undo that names no line may mean this one: not one that takes something back itself."""
    is_undo = isinstance(entry.event, Undone) and not entry.event.extra.get("reopens")
    return act.line is None and not is_undo


def _taken_back(look: Look, incident: Incident, act: Act, by: str) -> Iterator[Event]:
    """What takes back one act, the last one that stands unless its line is named: all of its lines."""
    entries = {entry.line: entry for entry in history_of(look, incident) if not entry.is_undone}
    stands = [line for line, entry in entries.items() if act.line == line or _is_last(act, entry)]
    if not stands:
        raise KempsServerError("there is nothing to undo here")
    line = stands[-1]
    lines = next((done.lines for done in look.acts if line in done.lines), range(line, line + 1))
    for number in reversed(lines):
        if number not in look.plan.undone:
            yield Undone(at_ms=look.latest_ms, event=number, by=by, why=act.why)
