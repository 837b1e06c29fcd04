"""How well a journal tells what happened on a table clip.

A card taken or laid is *found* when its card and its time (± 0.8 s) agree, as the scorer of the evaluation
clips has it; all others in the journal are *extra*. A card that was lifted and put back is no swap: to tell
both halves or neither is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kemps_rules.events import (
    CardLaid,
    CardPassed,
    CardTaken,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    HandHidden,
    HandShown,
    HandsTouched,
)
from kemps_rules.replay import judge
from kemps_server.bench.table_truth import (
    AskedCall,
    Move,
    Span,
    Truth,
    calls_in,
    card_name,
    crossings_in,
    deals_in,
    fouls_in,
    is_in_sight,
    moves_in,
    reveals_in,
    sweeps_in,
    swept_cards,
    turned_in,
)

NEAR_MS: Final = 800
SWEEP_NEAR_MS: Final = 1500
SHOWN_NEAR_MS: Final = 6000
FOUL_NEAR_MS: Final = 700
CALL_NEAR_MS: Final = 500
CHANGE_MS: Final = 1000
STEP_MS: Final = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that went wrong: what kind of thing, when in the clip, and what exactly."""

    kind: str
    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Ruled:
    """What became of a call."""

    call: AskedCall
    got: str
    because: str

    @property
    def is_wrong(self) -> bool:
        """Whether the observer ruled, and not as it is."""
        return self.got in ("right", "wrong") and self.got != self.call.want

    @property
    def is_open(self) -> bool:
        """Whether it did not rule."""
        return self.got not in ("right", "wrong")


@dataclass(slots=True)
class ClipScore:
    """What was found on a clip.

    Attributes:
        found, missed, extra: By kind: ``card_taken``, ``card_laid``, ``centre_turned``, ``centre_swept``,
            ``deal_started``, ``hand_shown``, ``card_passed``, ``hands_touched``, ``hand_hidden``.
        seats: Of the takes and lays found: ``right``, ``null`` and ``wrong``.
        errors_ms: By how much each of them is off.
        extra_of_turned: Extra ones of cards that were swept or turned, which the shared scorer leaves out.
        put_back: Cards put back, as they were told: ``both``, ``neither``, ``half``.
        centre: Moments in which the centre was right, and all that were looked at.
        crossings: Contacts told where hands lie over each other in the picture, or one card joins them.
        ruled: The calls.
        duration_ms: Of the clip.
        faults: All that was wrong, for people.
    """

    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    extra: Counter[str] = field(default_factory=Counter)
    seats: Counter[str] = field(default_factory=Counter)
    errors_ms: list[int] = field(default_factory=list)
    extra_of_turned: int = 0
    put_back: Counter[str] = field(default_factory=Counter)
    centre: tuple[int, int] = (0, 0)
    crossings: int = 0
    ruled: list[Ruled] = field(default_factory=list)
    duration_ms: int = 0
    faults: list[Fault] = field(default_factory=list)

    def note(self, kind: str, at_ms: int, text: str) -> None:
        """Writes down a fault."""
        self.faults.append(Fault(kind, at_ms, text))


def score_clip(truth: Truth, events: Sequence[Event]) -> ClipScore:
    """The journal of a table clip against its truth."""
    score = ClipScore(duration_ms=int(truth["duration_ms"]))
    if "slots" in truth:
        _score_moves(score, truth, events)
        _score_turned(score, truth, events)
        _score_sweeps(score, truth, events)
        _score_reveals(score, truth, events)
        _score_centre(score, truth, events)
        _score_calls(score, truth, events)
    _score_fouls(score, truth, events)
    return score


def _score_moves(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    told = [event for event in events if isinstance(event, CardTaken | CardLaid)]
    used, back = set[int](), dict[tuple[str, str], list[bool]]()
    for move in moves_in(truth):
        number = _first_near(move, told, used)
        used |= set() if number is None else {number}
        if move.is_put_back:
            back.setdefault((move.seat, move.card), []).append(number is not None)
            continue
        if number is None:
            score.missed[move.kind] += 1
            score.note(f"missed {move.kind}", move.at_ms, f"{move.seat} {move.card}")
            continue
        event = told[number]
        score.found[move.kind] += 1
        score.errors_ms.append(abs(event.at_ms - move.at_ms))
        which = "right" if event.seat == move.seat else "null" if event.seat is None else "wrong"
        score.seats[which] += 1
        if which != "right":
            score.note(f"seat {which}", move.at_ms, f"{move.kind} {move.card} of {move.seat}: {event.seat}")
    for (seat, card), halves in back.items():
        for pair in zip(halves[::2], halves[1::2], strict=True):
            how = "both" if all(pair) else "half" if any(pair) else "neither"
            score.put_back[how] += 1
            if how == "half":
                at_ms = next(move.at_ms for move in moves_in(truth) if move.is_put_back and move.card == card)
                score.note("put back told by half", at_ms, f"{seat} {card}")
    turned = swept_cards(truth)
    for number, event in enumerate(told):
        if number in used:
            continue
        named = None if event.card is None else str(event.card)
        score.extra[event.kind] += 1
        score.extra_of_turned += named in turned
        score.note(f"extra {event.kind}", event.at_ms, f"{event.seat} {named}")


def _first_near(move: Move, told: Sequence[CardTaken | CardLaid], used: set[int]) -> int | None:
    return next(
        (
            number
            for number, event in enumerate(told)
            if number not in used
            and event.kind == move.kind
            and event.card is not None
            and card_name(str(event.card)) == move.card
            and abs(event.at_ms - move.at_ms) <= NEAR_MS
        ),
        None,
    )


def _score_turned(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    told = [
        (event.at_ms, str(card))
        for event in events
        if isinstance(event, CentreTurned) and not event.first_sight
        for card in event.cards
    ]
    wanted = turned_in(truth)
    for move in wanted:
        # One event may tell all four cards, at the time of the last.
        near = [one for one in told if one[1] == move.card and -NEAR_MS <= one[0] - move.at_ms <= 3000]
        if near:
            told.remove(near[0])
            score.found["centre_turned"] += 1
        else:
            score.missed["centre_turned"] += 1
            score.note("missed centre_turned", move.at_ms, move.card)
    for at_ms, card in told:
        score.extra["centre_turned"] += 1
        score.note("extra centre_turned", at_ms, card)


def _score_sweeps(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    deals = deals_in(truth)
    swept = [event.at_ms for event in events if isinstance(event, CentreSwept)]
    # When everything is gathered the centre is emptied too; to tell that as a sweep invents nothing.
    gathered = [at for at in swept if any(span.from_ms <= at <= span.to_ms for span in deals or ())]
    rest = [at_ms for at_ms in swept if at_ms not in gathered]
    _match(score, "centre_swept", sweeps_in(truth), rest, SWEEP_NEAR_MS)
    if deals is not None:
        first = min((event.at_ms for event in events), default=0)
        begun = [event.at_ms for event in events if isinstance(event, DealStarted) and event.at_ms > first]
        _match(score, "deal_started", deals, begun, 0)


def _match(score: ClipScore, kind: str, wanted: Sequence[Span], told: Iterable[int], near_ms: int) -> None:
    left = list(told)
    for span in wanted:
        near = [at_ms for at_ms in left if span.from_ms - near_ms <= at_ms <= span.to_ms + near_ms]
        if near:
            left.remove(near[0])
            score.found[kind] += 1
        else:
            score.missed[kind] += 1
            score.note(f"missed {kind}", span.from_ms, "")
    for at_ms in left:
        score.extra[kind] += 1
        score.note(f"extra {kind}", at_ms, "")


def _score_reveals(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    shown = [event for event in events if isinstance(event, HandShown)]
    for reveal in reveals_in(truth):
        near = [event for event in shown if abs(event.at_ms - reveal.at_ms) < SHOWN_NEAR_MS]
        is_found = any(reveal.is_told_by(event.seat, _cards(event)) for event in near)
        (score.found if is_found else score.missed)["hand_shown"] += 1
        if not is_found:
            told = "; ".join(f"{event.seat} {' '.join(_cards(event))} +{event.unread}" for event in near)
            wanted = f"{reveal.seat} {' '.join(reveal.cards)}"
            score.note(f"missed hand_shown, {reveal.style}", reveal.at_ms, f"{wanted}; told: {told or '-'}")


def _cards(event: HandShown) -> tuple[str, ...]:
    return tuple(sorted(str(card) for card in event.cards))


def _score_centre(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    """The share of moments, a second away from any change, in which the told centre is the true one."""
    changes, rows = _told_changes(events), truth["centre"]
    times = [row["t_ms"] for row in rows]
    centre, done, right, moments, wrong_since = set[str](), 0, 0, 0, None
    for now in range(CHANGE_MS, int(truth["duration_ms"]) - 500, STEP_MS):
        while done < len(changes) and changes[done][0] <= now:
            centre = _changed(centre, changes[done][1])
            done += 1
        if any(abs(now - at_ms) < CHANGE_MS for at_ms in times):
            continue
        there = {card_name(card) for card in [r for r in rows if r["t_ms"] <= now][-1]["slots"] if card}
        moments += 1
        right += centre == there
        if centre != there and wrong_since is None:
            wrong_since = now
            more, fewer = " ".join(sorted(centre - there)), " ".join(sorted(there - centre))
            score.note("centre wrong", now, f"more: {more or '-'}; missing: {fewer or '-'}")
        elif centre == there:
            wrong_since = None
    score.centre = (right, moments)


def _told_changes(events: Sequence[Event]) -> list[tuple[int, Event]]:
    told = [
        (event.at_ms, event)
        for event in events
        if isinstance(event, CentreTurned | CardTaken | CardLaid | CentreSwept | DealStarted)
    ]
    return sorted(told, key=lambda one: one[0])


def _changed(centre: set[str], event: Event) -> set[str]:
    match event:
        case CentreTurned(cards=cards):
            return centre | {str(card) for card in cards}
        case CardTaken(card=card):
            return centre - {str(card)}
        case CardLaid(card=card):
            return centre | ({str(card)} if card else set())
        case _:
            return set()


def _score_calls(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    asked = calls_in(truth)
    if not asked:
        return
    verdicts = [deal.verdict for deal in judge(events).deals if deal.verdict]
    for call in asked:
        own = next((one for one in verdicts if abs(one.at_ms - call.at_ms) <= CALL_NEAR_MS), None)
        ruled = Ruled(call, own.ruling if own else "none", own.because if own else "")
        score.ruled.append(ruled)
        if ruled.is_wrong or (ruled.is_open and call.want != "open"):
            kind = "verdict wrong" if ruled.is_wrong else "verdict open"
            score.note(kind, call.at_ms, f"wanted {call.want}, got {ruled.got} {own.reason if own else ''}")


def _score_fouls(score: ClipScore, truth: Truth, events: Sequence[Event]) -> None:
    fouls = fouls_in(truth)
    # Hands that one card joins may be told as touching or not.
    crossings = [*crossings_in(truth), *fouls["card_passed"]]
    for kind, wanted in fouls.items():
        told = [span for event in events if event.kind == kind for span in [_told_span(event)]]
        used = set[int]()
        for span in wanted:
            near = [n for n, one in enumerate(told) if n not in used and _do_overlap(span, one)]
            used |= set(near)
            (score.found if near else score.missed)[kind] += 1
            if not near:
                score.note(f"missed {kind}", span.from_ms, " ".join(sorted(span.seats)))
        for number, one in enumerate(told):
            if number in used:
                continue
            if kind == "hands_touched" and any(_may_be(one, crossing) for crossing in crossings):
                score.crossings += 1
                continue
            if kind == "hand_hidden" and not is_in_sight(truth, one):
                continue  # it is out of view, though not where a camera could know: behind a back, say
            score.extra[kind] += 1
            score.note(f"extra {kind}", one.from_ms, " ".join(sorted(one.seats)))


def _told_span(event: Event) -> Span:
    seats: Iterable[str | None] = ()
    match event:
        case HandsTouched():
            seats = event.seats
        case HandHidden():
            seats = (event.seat,)
        case CardPassed():
            seats = (event.from_seat, event.to_seat)
    if isinstance(event, CardPassed):
        begin, end = event.at_ms - event.uncertainty_ms, event.at_ms + event.uncertainty_ms
        return Span(begin, end, frozenset(s for s in seats if s))
    until = getattr(event, "until_ms", None)
    return Span(event.at_ms, event.at_ms if until is None else until, frozenset(s for s in seats if s))


def _do_overlap(wanted: Span, told: Span) -> bool:
    return _is_then(wanted, told) and wanted.seats <= told.seats


def _may_be(told: Span, crossing: Span) -> bool:
    """Whether a told contact may be of hands that lie over each other; not all of its seats need be known."""
    return _is_then(crossing, told) and told.seats <= crossing.seats


def _is_then(wanted: Span, told: Span) -> bool:
    return told.from_ms <= wanted.to_ms + FOUL_NEAR_MS and told.to_ms >= wanted.from_ms - FOUL_NEAR_MS
