"""What is worth a referee's look, and what they decide about it, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final
from uuid import uuid4

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse

from kemps_rules.errors import KempsRulesError
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.page.words import Words, load_words
from kemps_server.review.acts import Act
from kemps_server.review.desk import NEWEST, ConflictError, MissingError
from kemps_server.review.pictures import TYPES, picture_file
from kemps_server.routes.answers import refusals
from kemps_server.routes.desk_answers import (
    ActBody,
    DecisionBody,
    DetailAnswer,
    DoneAnswer,
    QueueAnswer,
    detail_answer,
    done_answer,
    queue_answer,
)
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace, Referee

router: Final = APIRouter()

_NO_CHANGE: Final[dict[int | str, dict[str, Any]]] = {
    304: {"description": "Nothing has changed since the ETag given in If-None-Match."}
}


@router.get(
    "/api/incidents",
    summary="What is worth a look, in the newest games or one",
    response_model=QueueAnswer,
    responses={**refusals(401, 403, 404), **_NO_CHANGE},
)
def incidents(
    request: Request,
    place: AtPlace,
    visitor: Referee,
    lang: Language = None,
    game: Annotated[str | None, Query(description="Of this stored game only.", max_length=80)] = None,
    newest: Annotated[
        int, Query(ge=1, le=500, description="Of so many of the newest games, and those that are played.")
    ] = NEWEST,
) -> QueueAnswer | Response:
    """The weightiest first. With If-None-Match the answer is 304 for as long as nothing changes."""
    headers = {"ETag": f'"{place.desk.version()}"', "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    with _told():
        answer = queue_answer(place.desk.queue(game, newest=newest), words_of(request, lang), visitor.name)
    headers["ETag"] = f'"{answer.version}"'
    return Response(answer.model_dump_json(), media_type="application/json", headers=headers)


@router.get(
    "/api/games/{game}/incidents/{incident}",
    summary="One incident with all that is needed to decide it",
    responses=refusals(401, 403, 404, 409),
)
def incident_of(
    request: Request, game: str, incident: str, place: AtPlace, visitor: Referee, lang: Language = None
) -> DetailAnswer:
    """The journal round it, the table after each line, what was decided; no sealed opinion of others."""
    with _told(broken=409):
        words = words_of(request, lang)
        return detail_answer(place.store, place.desk.find(game), incident, words, visitor.name)


@router.post(
    "/api/games/{game}/incidents/{incident}/acts",
    summary="Decide about one incident",
    responses=refusals(401, 403, 404, 409, 422),
)
def act(
    game: str, incident: str, body: Annotated[ActBody, Body()], place: AtPlace, visitor: Referee
) -> DoneAnswer:
    """Done once for each key; 409 and nothing written when somebody decided about it since ``seen``."""
    wanted = Act(
        word=body.act,
        key=body.key or uuid4().hex,
        why=body.why.strip(),
        line=body.line,
        seen=body.seen,
        is_sealed=body.sealed,
    )
    with _told():
        return done_answer(place.desk.act(game, incident, wanted, visitor.name))


@router.post(
    "/api/games/{game}/decisions",
    summary="Add a person's decision to the journal of a game",
    responses=refusals(401, 403, 404, 409, 422),
)
def decide(game: str, body: Annotated[DecisionBody, Body()], place: AtPlace, visitor: Referee) -> DoneAnswer:
    """A correction, a swap of identities, a ruling and so on, in the visitor's name, once for each key."""
    key = body.key or uuid4().hex
    with _told():
        done = place.desk.decide(game, body.decision, by=visitor.name, key=key, seen=body.seen)
        return done_answer(done)


@router.get(
    "/api/games/{game}/evidence/{file}",
    summary="A still that was kept of a game",
    response_class=FileResponse,
    responses=refusals(401, 403, 404),
)
def still(game: str, file: str, place: AtPlace, visitor: Referee) -> FileResponse:
    """The picture; only those that the game's index lists."""
    del visitor
    found = None
    if place.store.games.find(game) is not None:
        found = picture_file(place.store.folder.beside(game), file)
    if found is None:
        raise HTTPException(404, "there is no such picture of this game")
    return FileResponse(found, media_type=TYPES[found.suffix.lower()])


def words_of(request: Request, lang: str | None) -> Words:
    """The desk's words in the visitor's language."""
    return load_words(language_of(request, lang), "site", "desk")


@contextmanager
def _told(broken: int = 422) -> Iterator[None]:
    """Errors as answers: 404 for what is not there, 409 for what somebody else decided, else ``broken``."""
    try:
        yield
    except MissingError as error:
        raise HTTPException(404, str(error)) from None
    except ConflictError as error:
        raise HTTPException(409, str(error)) from None
    except StoreError:
        raise
    except (KempsServerError, KempsRulesError) as error:
        raise HTTPException(broken, str(error)) from None
