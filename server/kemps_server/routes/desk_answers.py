"""What the desk's routes take and give: JSON, with texts in the visitor's language."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, Field

from kemps_server.page.render import clock
from kemps_server.page.sentences import phrase_of
from kemps_server.page.words import Words
from kemps_server.review.acts import is_undoable, needs_why, words_for
from kemps_server.review.desk import Done, Found, Queue
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident, Sort, State
from kemps_server.review.opinions import sealed_on
from kemps_server.review.pictures import Picture, pictures_of
from kemps_server.review.standing import Entry, history_of
from kemps_server.review.surroundings import Row, film_span, rows_round
from kemps_server.routes.sound import SoundAnswer, sounds_of
from kemps_server.store.store import Store

_KEY: Final = r"^[A-Za-z0-9_.:-]{8,80}$"


class IncidentAnswer(BaseModel):
    """One item of the queue."""

    id: str = Field(description="Its name in its game; it stays the same whatever is added to the journal.")
    game: str = Field(description="The game's id.")
    title: str = Field(description="What people call the game.")
    sort: str = Field(description="call, flag or reading.")
    rule: str = Field(description="The rule it hangs on, or empty.")
    heading: str = Field(description="What it is about, in the language asked for.")
    seats: list[str] = Field(description="Whose it is, as far as that is known.")
    names: list[str] = Field(description="The players of these seats.")
    at_ms: int = Field(description="When it begins, in ms of the game.")
    until_ms: int = Field(description="When it is over.")
    clock: str = Field(description="When it begins, for people.")
    weight: int = Field(description="How much hangs on it: 3 letters, 2 something, 1 little, 0 routine.")
    reasons: list[str] = Field(description="Why it is worth a look, in the language asked for.")
    verdict: str = Field(description="For a call: right, wrong or cannot_verify as it stands; else empty.")
    state: str = Field(description="open, held, sealed (a second opinion is asked for) or decided.")
    decision: str = Field(description="What was decided, or empty.")
    by: str = Field(description="Who decided, held it, or gave the sealed opinion.")
    why: str = Field(description="The reason they gave.")


class GameAnswer(BaseModel):
    """A stored game."""

    id: str
    title: str
    is_looked_at: bool = Field(description="Whether its incidents are among these.")


class QueueAnswer(BaseModel):
    """The incidents of some games, the weightiest first."""

    version: str = Field(description="Another text once anything has changed; it is the ETag, too.")
    you: str = Field(description="The name under which this visitor decides.")
    incidents: list[IncidentAnswer]
    games: list[GameAnswer] = Field(description="All stored games.")
    decided: dict[str, int] = Field(
        description="For each game a number that grows with each act of a person, and with nothing else."
    )
    troubles: dict[str, str] = Field(description="Games that cannot be judged, and why.")


class HistoryAnswer(BaseModel):
    """A decision that was made about an incident, or a note."""

    line: int = Field(description="Its line, the header being 0.")
    kind: str
    decision: str = Field(description="What was decided: a ruling, a decision, or the kind of the line.")
    by: str
    why: str
    written_ms: int = Field(description="When it was written, in ms since 1970; 0 where nobody noted it.")
    is_undone: bool
    opinions: list[dict[str, Any]] = Field(description="The two opinions it was made from, if any.")


class RowAnswer(BaseModel):
    """A line of the journal, as it stands, with the table just after it."""

    line: int
    at_ms: int
    clock: str
    kind: str
    text: str
    seat: str | None
    has_seat: bool = Field(description="Whether its seat can be corrected.")
    cards: list[str | None]
    card_field: str = Field(description="Where a correction writes its cards: card, cards, or empty.")
    is_about: bool
    is_evidence: bool
    is_retracted: bool
    doubt: str
    centre: list[str | None]
    hands: dict[str, dict[str, Any]]
    stock: int | None
    aside: int


class PictureAnswer(BaseModel):
    """A still that was kept."""

    address: str
    line: int
    at_ms: int
    moment: str = Field(description="before, at or after what the line tells.")


class ChoiceAnswer(BaseModel):
    """Something that can be done about the incident as it stands."""

    word: str
    needs_why: bool


class DetailAnswer(IncidentAnswer):
    """An incident with all that is needed to decide it."""

    messages: list[str] = Field(description="What the rules say of it, in English.")
    said: list[str] = Field(description="The same in the language asked for, with the players' names.")
    rule_name: str
    rule_text: str
    players: dict[str, str] = Field(description="Each seat's player.")
    lines: int = Field(description="How many lines the journal has: what a decision gives as seen.")
    about: list[int] = Field(description="The lines it is about.")
    choices: list[ChoiceAnswer]
    is_second: bool = Field(description="Whether the next decision is the second of two opinions.")
    own_opinion: str = Field(description="What this visitor has sealed, or empty.")
    history: list[HistoryAnswer]
    rows: list[RowAnswer]
    pictures: list[PictureAnswer]
    sounds: list[SoundAnswer] = Field(description="Its calls that were heard, each with the sound round it.")
    from_ms: int = Field(description="Where its clip begins.")
    to_ms: int = Field(description="Where its clip ends.")


class ActBody(BaseModel):
    """What a referee does about one incident."""

    act: str = Field(description="One of the incident's choices, such as confirm.", max_length=20)
    why: str = Field(
        "", description="The reason; some acts need one.", max_length=1000, pattern=r"^[^\x00-\x08]*$"
    )
    line: int | None = Field(
        None, ge=0, description="Of the call that came first, or of the act that is undone."
    )
    seen: int | None = Field(None, ge=0, description="How many lines the journal had when it was looked at.")
    sealed: bool = Field(False, description="Whether it is an opinion that waits for a second one.")
    key: str | None = Field(
        None, pattern=_KEY, description="The same key twice is done once; one is made up where none is given."
    )


class DecisionBody(BaseModel):
    """A decision as it will stand in the journal."""

    decision: dict[str, Any] = Field(
        description="corrected, identities_swapped, inserted, retracted, reviewed, ruled, seat_changed or "
        "undone, as docs/journal.md has them; by is the visitor's name whatever it says."
    )
    seen: int | None = Field(None, ge=0, description="How many lines the journal had when it was looked at.")
    key: str | None = Field(
        None, pattern=_KEY, description="The same key twice is done once; one is made up where none is given."
    )


class DoneAnswer(BaseModel):
    """What an act came to."""

    added: list[int] = Field(description="The lines it added to the journal; none for a sealed opinion.")
    lines: int = Field(description="How many lines the journal has now.")
    is_repeat: bool = Field(description="Whether it had been done before under this key.")
    settled: str = Field(description="For a second opinion: agree or differ; else empty.")


def queue_answer(queue: Queue, words: Words, you: str) -> QueueAnswer:
    """The queue for a visitor of this name."""
    every = [(found.look, incident) for found in queue.games for incident in found.incidents]
    order = list(Sort)
    looked_at = {found.look.game for found in queue.games}
    every.sort(key=lambda row: (-row[1].weight, order.index(row[1].sort), row[0].record.title, row[1].at_ms))
    return QueueAnswer(
        version=queue.version,
        you=you,
        incidents=[IncidentAnswer(**_summary(look, incident, words)) for look, incident in every],
        games=[
            GameAnswer(id=record.id, title=record.title, is_looked_at=record.id in looked_at)
            for record in queue.stored
        ],
        decided={found.look.game: len(found.look.decisions) + found.look.last_act for found in queue.games},
        troubles=dict(queue.troubles),
    )


def _said(message: str, look: Look, words: Words) -> str:
    """A message of the rules for people; in English where the words for it are missing."""
    phrase = phrase_of(message, lambda seat: look.header.seats.get(seat) or seat)
    return message if phrase is None else words.say(phrase)


def detail_answer(store: Store, found: Found, name: str, words: Words, you: str) -> DetailAnswer:
    """One incident for a visitor of this name, who sees no sealed opinion but their own."""
    look, incident = found.look, found.incident(name)
    rows = rows_round(look, incident)
    folder = store.folder.beside(look.game)
    sealed = sealed_on(look.acts, incident) if incident.standing.state is State.SEALED else None
    from_ms, to_ms = film_span(incident)
    return DetailAnswer(
        **_summary(look, incident, words),
        messages=(messages := list(dict.fromkeys(part.message for part in incident.parts if part.message))),
        said=[_said(message, look, words) for message in messages],
        rule_name=words.say(f"rule.{incident.rule}.name") if incident.rule else "",
        rule_text=words.say(f"rule.{incident.rule}.text") if incident.rule else "",
        players={seat: name or seat for seat, name in look.header.seats.items()},
        lines=look.lines,
        about=list(incident.lines),
        choices=[
            ChoiceAnswer(word=word, needs_why=needs_why(incident, word))
            for word in words_for(incident)
            if word != "undo" or is_undoable(look, incident, you)
        ],
        is_second=sealed is not None and sealed.person != you,
        own_opinion=sealed.opinion if sealed is not None and sealed.person == you else "",
        history=[_entry(look, entry) for entry in history_of(look, incident)],
        rows=[_row(row, words) for row in rows],
        pictures=[_picture(look, one) for one in pictures_of(folder, {row.line for row in rows})],
        sounds=sounds_of(store, look, incident),
        from_ms=from_ms,
        to_ms=to_ms,
    )


def done_answer(done: Done) -> DoneAnswer:
    """What an act came to."""
    settled = ""
    if done.record.opinion and done.record.count:
        lines = [done.found.look.events.get(line) for line in done.record.lines]
        is_held = any(getattr(event, "decision", "") == "hold" for event in lines)
        settled = "differ" if is_held else "agree"
    return DoneAnswer(
        added=list(done.record.lines),
        lines=done.found.look.lines,
        is_repeat=done.is_repeat,
        settled=settled,
    )


def _summary(look: Look, incident: Incident, words: Words) -> dict[str, Any]:
    standing = incident.standing
    return {
        "id": incident.id,
        "game": look.game,
        "title": look.record.title,
        "sort": incident.sort.value,
        "rule": incident.rule,
        "heading": heading_of(look, incident, words),
        "seats": list(incident.seats),
        "names": [look.name(seat) for seat in incident.seats],
        "at_ms": incident.at_ms,
        "until_ms": incident.until_ms,
        "clock": clock(incident.at_ms),
        "weight": int(incident.weight),
        "reasons": [words.say(reason) for reason in incident.reasons],
        "verdict": incident.verdict,
        "state": standing.state.value,
        "decision": standing.decision,
        "by": standing.by,
        "why": standing.why,
    }


def heading_of(look: Look, incident: Incident, words: Words) -> str:
    """What an incident is about, in one line."""
    if incident.sort == "flag":
        return words.say(f"rule.{incident.rule}.name")
    return words.say(look.telling(incident.lines[0]))


def _entry(look: Look, entry: Entry) -> HistoryAnswer:
    event: Any = entry.event
    given = getattr(event, "fields", {})
    decision = getattr(event, "ruling", None) or getattr(event, "decision", None) or event.kind
    is_reopening = event.kind == "undone" and bool(event.extra.get("reopens"))
    return HistoryAnswer(
        line=entry.line,
        kind=event.kind,
        decision="reopen" if is_reopening else decision,
        by=str(given.get("by", "")) or getattr(event, "by", ""),
        why=str(given.get("why", "")) or getattr(event, "why", ""),
        written_ms=look.written_ms.get(entry.line, 0),
        is_undone=entry.is_undone,
        opinions=[one for one in event.extra.get("opinions", ()) if isinstance(one, dict)],
    )


def _row(row: Row, words: Words) -> RowAnswer:
    late = words.say("desk.doubt", seconds=f"{row.uncertainty_ms / 1000:.1f}")
    doubt = [late] if row.uncertainty_ms >= 100 else []
    doubt += [f"{row.confidence:.0%}"] if row.confidence < 0.995 else []
    return RowAnswer(
        line=row.line,
        at_ms=row.at_ms,
        clock=clock(row.at_ms),
        kind=row.kind,
        text=words.say(row.text),
        seat=row.seat,
        has_seat=row.has_seat,
        cards=list(row.cards),
        card_field=row.card_field,
        is_about=row.is_about,
        is_evidence=row.is_evidence,
        is_retracted=row.is_retracted,
        doubt=" · ".join(doubt),
        centre=list(row.centre),
        hands={seat: hand.as_json() for seat, hand in row.hands.items()},
        stock=row.stock,
        aside=row.aside,
    )


def _picture(look: Look, picture: Picture) -> PictureAnswer:
    return PictureAnswer(
        address=f"/api/games/{look.game}/evidence/{picture.file}",
        line=picture.line,
        at_ms=picture.at_ms,
        moment=picture.moment,
    )
