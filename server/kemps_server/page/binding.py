"""A game's events become its story: the fold at each moment, knowing all that is known today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from kemps_rules import events
from kemps_rules.flags import Flag
from kemps_rules.house import House
from kemps_rules.journal import Journal
from kemps_rules.judgement import Judgement
from kemps_rules.replay import house_of, judge
from kemps_rules.table import Table
from kemps_server.page.evidence import NO_PICTURES, Evidence, Gallery
from kemps_server.page.looks import centre_of, deal_look, hands_of, pairs_of_game, seats_of_header
from kemps_server.page.moments import Moment, header_of, moments_of
from kemps_server.page.narration import Narrator, call_word
from kemps_server.page.sentences import phrase_of
from kemps_server.page.spans import spans_of
from kemps_server.page.story import CentreLook, FlagLook, HandLook, PictureLook, StepLook, Story
from kemps_server.page.words import Phrase
from kemps_server.store.names import plain

_QUIET: Final = frozenset({"settled", "game_opened"})  # lines that are no news to people
_SWAPS: Final = frozenset({"card_taken", "card_laid"})
_CENTRE_SIZE: Final = 4


def tell_story(
    journal: Journal,
    *,
    title: str,
    house: House | None = None,
    gallery: Gallery = NO_PICTURES,
    lines: Sequence[str] = (),
    recording: str = "",
) -> Story:
    """The story of a game.

    Args:
        journal: Its events.
        title: What the page is called.
        house: Rules other than those the header names.
        gallery: Pictures of its moments.
        lines: The journal as text.
        recording: What the recording is called.

    Raises:
        KempsRulesError: The journal cannot be judged.
        KempsServerError: It has no header.
    """
    header = header_of(journal)
    used = house or house_of(header)
    judgement = judge(journal, house)
    every = moments_of(journal, house)
    moments = [moment for moment in every if moment.event.kind not in _QUIET]
    step_of = {moment.line: index for index, moment in enumerate(moments)}
    narrator = Narrator({seat: plain(name) or seat for seat, name in header.seats.items()})
    flags = tuple(_flags(judgement, step_of, narrator))
    texts = [narrator.tell(moment.event, deal=moment.table.deal) for moment in moments]
    placed = tuple(_placed(gallery.pictures, step_of, texts))
    steps = tuple(_steps(moments, texts, flags, placed))
    return Story(
        title=title,
        rules=judgement.rules,
        seats=seats_of_header(header),
        pairs=pairs_of_game(header, judgement, used),
        word=used.word,
        duration_ms=max((moment.until_ms for moment in every), default=0),
        deals=tuple(deal_look(deal, moments, narrator) for deal in judgement.deals),
        steps=steps,
        flags=flags,
        spans=spans_of(moments, steps),
        centres=tuple(_centres(steps)),
        pictures=placed,
        pictures_left_out=gallery.left_out,
        journal=tuple(lines),
        warnings=journal.warnings,
        recording=recording,
        unobserved_ms=_unobserved_ms(every),
    )


def _flags(judgement: Judgement, step_of: Mapping[int, int], narrator: Narrator) -> Iterator[FlagLook]:
    decided: dict[Flag, str] = {entry.flag: entry.review.decision for entry in judgement.reviewed}
    gone = [flag for flag in decided if flag not in judgement.flags]
    for flag in (*judgement.flags, *gone):
        step = next((step_of[line] for line in flag.events if line in step_of), None)
        yield FlagLook(
            rule=flag.rule,
            at_ms=flag.at_ms,
            seats=tuple(flag.seats),
            message=flag.message,
            said=phrase_of(flag.message, narrator.name),
            step=step,
            decision=decided.get(flag, ""),
        )


def _placed(
    evidence: Sequence[Evidence], step_of: Mapping[int, int], texts: Sequence[Phrase]
) -> Iterator[PictureLook]:
    for picture in evidence:
        step = step_of.get(picture.line)
        if step is not None:
            yield PictureLook(
                source=picture.source,
                at_ms=picture.at_ms,
                moment=picture.moment,
                step=step,
                event=texts[step],
            )


def _steps(
    moments: Sequence[Moment],
    texts: Sequence[Phrase],
    flags: Sequence[FlagLook],
    pictures: Sequence[PictureLook],
) -> Iterator[StepLook]:
    before: tuple[str | None, ...] = ()
    known: tuple[Table, Mapping[str, HandLook]] | None = None
    for index, (moment, text) in enumerate(zip(moments, texts, strict=True)):
        table, event = moment.table, moment.event
        centre = centre_of(table)
        hands = hands_of(table, tuple(table.hands), known)
        known = table, hands
        yield StepLook(
            index=index,
            line=moment.line,
            at_ms=event.at_ms,
            kind=event.kind,
            text=text,
            deal=table.deal,
            doubt=_doubt(event),
            seats=_seats_in(event),
            centre=centre,
            fresh=tuple(card for card in centre if card is not None and card not in before),
            hands=hands,
            loose=tuple(str(card) for card in table.unassigned),
            is_retracted=moment.is_retracted,
            stock=table.stock,
            aside=len(table.aside) + table.aside_unread,
            bubble=_bubble(event),
            flags=tuple(number for number, flag in enumerate(flags) if flag.step == index),
            pictures=tuple(number for number, picture in enumerate(pictures) if picture.step == index),
        )
        before = centre


def _seats_in(event: events.Event) -> tuple[str, ...]:
    names = [getattr(event, name, None) for name in ("seat", "from_seat", "to_seat")]
    if isinstance(event, events.HandsTouched | events.IdentitiesSwapped):
        names += event.seats
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _doubt(event: events.Event) -> str:
    """How far the time may be off, from a tenth of a second on, and how sure it is, below 99.5 %."""
    parts = []
    if event.uncertainty_ms >= 100:
        parts.append(f"± {event.uncertainty_ms / 1000:.1f} s")
    if event.confidence < 0.995:
        parts.append(f"{event.confidence:.0%}")
    return " · ".join(parts)


def _bubble(event: events.Event) -> tuple[str, Phrase] | None:
    if not isinstance(event, events.Called) or event.seat is None:
        return None
    return event.seat, Phrase("table.calls_bubble", {"call": call_word(event.call)})


def _centres(steps: Sequence[StepLook]) -> Iterator[CentreLook]:
    """The centre each time it changed and is whole; half a swap is shown only when the rest never came."""
    changes = [
        step
        for before, step in zip((None, *steps), steps, strict=False)
        if step.centre != (before.centre if before else ()) and (step.centre or step.kind == "centre_swept")
    ]
    shown: tuple[str | None, ...] = ()
    for step, after in zip_longest(changes, changes[1:]):
        is_half = step.kind in _SWAPS and len(step.centre) != _CENTRE_SIZE
        if is_half and after is not None and after.kind in _SWAPS and after.deal == step.deal:
            continue
        fresh = tuple(card for card in step.centre if card is not None and card not in shown)
        shown = step.centre
        yield CentreLook(at_ms=step.at_ms, cards=step.centre, fresh=fresh, step=step.index, deal=step.deal)


def _unobserved_ms(moments: Sequence[Moment]) -> int:
    """How long nothing was seen, overlapping spans counted once."""
    total, reached = 0, 0
    spans = [(m.event.at_ms, m.until_ms) for m in moments if isinstance(m.event, events.NotObserved)]
    for start, end in sorted(spans):
        total += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return total
