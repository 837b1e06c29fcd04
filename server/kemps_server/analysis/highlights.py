"""The moments worth seeing again: a hand is complete, a sign, the call, the verdict; ranked, with reasons.

What makes a moment is the journal's alone. The sign is shown only where the pair's is named or stands out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kemps_rules import events
from kemps_rules.seats import Pair
from kemps_server.analysis.calls import VOID, CallFigure
from kemps_server.analysis.game import GameFigures
from kemps_server.analysis.material import GameMaterial
from kemps_server.analysis.phrases import gesture_word, rank_word, seconds
from kemps_server.page.moments import Moment
from kemps_server.page.narration import Narrator, cards_text
from kemps_server.page.words import Arg, Phrase

QUICK_MS: Final = 20_000
"""A call sooner after four alike is worth more, the sooner the more."""
TOGETHER_MS: Final = 14_000
"""What is no further apart is shown in one piece."""
BEFORE_MS: Final = 3_000
AFTER_MS: Final = 2_500
LONGEST_SHOW_MS: Final = 25_000

# How much each reason is worth; the order of moments, nothing else, hangs on it.
_WORTH: Final = {
    "right": 2.0,
    "wrong": 1.5,
    "quick": 3.0,
    "stop": 1.0,
    "sign": 1.5,
    "last_letter": 2.0,
    "contested": 0.5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """What is said from a moment on: ``complete``, ``sign``, ``call``, ``shown`` or ``verdict``."""

    at_ms: int
    kind: str
    text: Phrase
    ruling: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A span to be shown; ``wants_faces`` where a face matters more than the table."""

    from_ms: int
    until_ms: int
    wants_faces: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """A moment worth seeing; ``rank`` 1 is the best. ``line`` is the call's."""

    rank: int
    score: float
    deal: int
    line: int
    at_ms: int
    title: Phrase
    reasons: tuple[Phrase, ...]
    beats: tuple[Beat, ...]
    stretches: tuple[Stretch, ...]

    def beat_at(self, at_ms: int) -> Beat | None:
        """What is said at a moment."""
        return next((beat for beat in reversed(self.beats) if beat.at_ms <= at_ms), None)


def highlights_of(material: GameMaterial, figures: GameFigures) -> tuple[Highlight, ...]:
    """The calls of a game, the best first; those that could not be verified and void ones are none."""
    signs = {one.pair: one.gesture for one in figures.sign_times}
    found = [
        _highlight(material, figures, call, signs)
        for call in figures.calls
        if call.ruling not in (VOID, "cannot_verify")
    ]
    found.sort(key=lambda one: (-one.score, one.at_ms))
    return tuple(replace(one, rank=rank) for rank, one in enumerate(found, 1))


def _highlight(
    material: GameMaterial, figures: GameFigures, call: CallFigure, signs: dict[Pair, str]
) -> Highlight:
    moment = next(one for one in material.moments if one.line == call.line)
    shown = [
        one
        for one in material.moments
        if one.event.kind == "hand_shown"
        and one.table.deal == call.deal
        and 0 <= one.event.at_ms - call.at_ms <= LONGEST_SHOW_MS
    ]
    sign = _sign(material, call, signs)
    reasons = dict(_reasons(figures, call, sign))
    beats = tuple(sorted(_beats(material, call, moment, shown, sign), key=lambda beat: beat.at_ms))
    score = sum(worth for _, worth in reasons.values())
    return Highlight(
        rank=0,
        score=round(score, 3),
        deal=call.deal,
        line=call.line,
        at_ms=call.at_ms,
        title=beats[next(place for place, beat in enumerate(beats) if beat.kind == "call")].text,
        reasons=tuple(text for text, _ in reasons.values()),
        beats=beats,
        stretches=tuple(_stretches(call, beats)),
    )


def _sign(material: GameMaterial, call: CallFigure, signs: dict[Pair, str]) -> events.Gesture | None:
    """The first time the holder made the pair's sign before its partner called."""
    quad = call.quad
    if quad is None or call.pair != quad.pair:
        return None
    made = (moment.event for moment in material.moments if isinstance(moment.event, events.Gesture))
    return next(
        (
            event
            for event in made
            if event.gesture == signs.get(quad.pair)
            and event.seat == quad.seat
            and quad.complete_ms <= event.at_ms <= call.at_ms
        ),
        None,
    )


def _reasons(
    figures: GameFigures, call: CallFigure, sign: events.Gesture | None
) -> Iterator[tuple[str, tuple[Phrase, float]]]:
    yield call.ruling, (Phrase(f"reel.reason_{call.ruling}"), _WORTH[call.ruling])
    if call.after_ms is not None and call.after_ms < QUICK_MS:
        worth = _WORTH["quick"] * (1 - call.after_ms / QUICK_MS)
        yield "quick", (Phrase("reel.reason_quick", {"seconds": seconds(call.after_ms)}), worth)
    if call.call == "stop" and call.ruling == "right":
        yield "stop", (Phrase("reel.reason_stop"), _WORTH["stop"])
    if sign is not None:
        text = Phrase("reel.reason_sign", {"gesture": gesture_word(sign.gesture)})
        yield "sign", (text, _WORTH["sign"])
    if any(one.has_lost and one.steps and one.steps[-1].line == call.line for one in figures.letters):
        yield "last_letter", (Phrase("reel.reason_last_letter"), _WORTH["last_letter"])
    quad = call.quad
    if quad is not None and any(
        one.taker == quad.seat and one.deal == call.deal and 0 <= quad.complete_ms - one.at_ms < 5_000
        for one in figures.contests
    ):
        yield "contested", (Phrase("reel.reason_contested"), _WORTH["contested"])


def _beats(
    material: GameMaterial,
    call: CallFigure,
    moment: Moment,
    shown: list[Moment],
    sign: events.Gesture | None,
) -> Iterator[Beat]:
    names = {seat: name or seat for seat, name in moment.table.players.items()}
    narrator, quad = Narrator(names), call.quad
    if quad is not None and not quad.is_dealt and quad.complete_ms <= call.at_ms:
        args: dict[str, Arg] = {"player": names[quad.seat], "rank": rank_word(quad.rank)}
        yield Beat(at_ms=quad.complete_ms, kind="complete", text=Phrase("reel.complete", args))
    if sign is not None and sign.seat is not None:
        args = {"player": names[sign.seat], "gesture": gesture_word(sign.gesture)}
        yield Beat(at_ms=sign.at_ms, kind="sign", text=Phrase("reel.sign", args))
    yield Beat(at_ms=call.at_ms, kind="call", text=narrator.tell(moment.event, deal=call.deal))
    for one in shown:
        if isinstance(one.event, events.HandShown):
            cards = cards_text(one.event.cards, one.event.unread, one.event.face_down)
            args = {"player": narrator.name(one.event.seat), "cards": cards}
            yield Beat(at_ms=one.event.at_ms, kind="shown", text=Phrase("reel.shown", args))
    last_ms = max((one.event.at_ms for one in shown), default=call.at_ms)
    verdicts = (deal.verdict for deal in material.judgement.deals if deal.deal == call.deal)
    letters = next((verdict.letters_to for verdict in verdicts if verdict is not None), ())
    text = _verdict(call, letters, names)
    yield Beat(at_ms=last_ms + 900, kind="verdict", text=text, ruling=call.ruling)


def _verdict(call: CallFigure, letters: tuple[Pair, ...], names: dict[str, str]) -> Phrase:
    ruling = Phrase(f"ruling.{call.ruling}")
    if not letters:
        return Phrase("reel.verdict", {"ruling": ruling})
    pairs = " · ".join(" & ".join(names[seat] for seat in pair) for pair in dict.fromkeys(letters))
    return Phrase("reel.verdict_letters", {"ruling": ruling, "pairs": pairs})


def _stretches(call: CallFigure, beats: tuple[Beat, ...]) -> Iterator[Stretch]:
    """What is shown, without what lies far between."""
    end_ms = beats[-1].at_ms + AFTER_MS
    begin_ms = max(0, call.at_ms - 2 * BEFORE_MS)
    for beat in beats:
        if beat.kind not in ("complete", "sign"):
            continue
        if call.at_ms - beat.at_ms <= TOGETHER_MS:
            begin_ms = min(begin_ms, max(0, beat.at_ms - BEFORE_MS))
        else:
            yield Stretch(
                max(0, beat.at_ms - BEFORE_MS), beat.at_ms + AFTER_MS, wants_faces=beat.kind == "sign"
            )
    yield Stretch(begin_ms, end_ms)
