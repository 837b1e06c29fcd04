"""The sound round a call that was heard, for those who judge the game."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from kemps_rules.events import Called, Inserted
from kemps_server.keeping import EVIDENCE
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import AtPlace, Referee
from kemps_server.sound.clips import kept_sounds, samples_of, wave_svg
from kemps_server.store.store import Store
from kemps_vision.hearing.gate import HEARD, is_heard, is_unconfirmed

router: Final = APIRouter()


class SoundAnswer(BaseModel):
    """A call that was heard, and the sound round it."""

    line: int = Field(description="Of the call in the journal.")
    call: str = Field(description="kemps or stop, as it stands.")
    seat: str | None = Field(description="Who called, as it stands.")
    at_ms: int = Field(description="When it began.")
    uncertainty_ms: int = Field(description="By how much that may be off.")
    confidence: float = Field(description="How sure the ear is, 0 to 1.")
    is_overlapped: bool = Field(description="Whether two voices were on top of each other.")
    is_unconfirmed: bool = Field(description="Whether nobody has confirmed it yet.")
    from_ms: int = Field(description="When the sound begins.")
    address: str = Field(description="Of the sound; empty where none was kept.")
    wave: str = Field(description="The wave with the call's mark, an SVG; empty where none was kept.")


@router.get(
    "/api/games/{game}/sounds/{line}",
    summary="The sound round a heard call",
    response_class=FileResponse,
    responses=refusals(401, 403, 404),
)
def sound(game: str, line: Annotated[int, Path(ge=0)], place: AtPlace, visitor: Referee) -> FileResponse:
    """Some seconds of sound; only what was kept with a call of this game."""
    del visitor
    found = None
    if place.store.games.find(game) is not None:
        folder = place.store.folder.beside(game)
        found = kept_sounds(folder).get(line)
    if found is None:
        raise HTTPException(404, "no sound was kept of this")
    return FileResponse(folder / EVIDENCE / found.file, media_type="audio/wav")


def sounds_of(store: Store, look: Look, incident: Incident) -> list[SoundAnswer]:
    """The calls of an incident that were heard, in their order."""
    calls = {line: _call(look, line) for line in incident.lines}
    heard = {line: call for line, call in calls.items() if call is not None and is_heard(call)}
    if not heard:
        return []
    folder = store.folder.beside(look.game)
    kept = kept_sounds(folder)
    answers = []
    for line, call in heard.items():
        known: dict[str, Any] = {"address": "", "wave": "", "from_ms": call.at_ms}
        if line in kept:
            known |= {"address": f"/api/games/{look.game}/sounds/{line}", "from_ms": kept[line].at_ms}
            try:
                samples = samples_of(folder / EVIDENCE / kept[line].file)
                known["wave"] = wave_svg(samples, kept[line].at_ms, call.at_ms, call.uncertainty_ms)
            except (OSError, ValueError):
                known["address"] = ""
        answers.append(_answer(line, call, known, is_out=look.effective(line) is None))
    return answers


def _answer(line: int, call: Called, known: dict[str, Any], *, is_out: bool) -> SoundAnswer:
    told = call.extra.get(HEARD)
    return SoundAnswer(
        line=line,
        call=call.call,
        seat=call.seat,
        at_ms=call.at_ms,
        uncertainty_ms=call.uncertainty_ms,
        confidence=call.confidence,
        is_overlapped=bool(isinstance(told, dict) and told.get("overlap")),
        is_unconfirmed=is_unconfirmed(call) and not is_out,
        **known,
    )


def _call(look: Look, line: int) -> Called | None:
    """A call as it stands; one that was taken out, as it was heard."""
    event = look.effective(line) or look.events.get(line)
    event = event.as_event if isinstance(event, Inserted) else event
    return event if isinstance(event, Called) else None
