"""A case to take away: clips, journal, judgement and their hashes in one file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from kemps_server.cases.case import CaseWish, write_case
from kemps_server.routes.answers import refusals
from kemps_server.routes.film import FromMs, UntilMs
from kemps_server.routes.place import AtPlace, Referee
from kemps_server.routes.seeing import seen_game

router: Final = APIRouter(tags=["film"])


@router.get(
    "/api/games/{game}/case.zip",
    summary="A case to take away",
    response_class=FileResponse,
    responses={200: {"content": {"application/zip": {}}}, **refusals(401, 403, 404, 409, 422)},
)
def case(
    game: str,
    place: AtPlace,
    visitor: Referee,
    from_ms: FromMs,
    until_ms: UntilMs,
    blur_faces: Annotated[
        bool | None, Query(description="Make faces unrecognisable; else as the owner chose.")
    ] = None,
) -> FileResponse:
    """Clips of all cameras, the journal, the judgement, and a manifest with the SHA-256 of each file.

    From now on the recording of this span is not deleted to make room.
    """
    if until_ms <= from_ms:
        raise HTTPException(422, "until_ms is not after from_ms")
    seen = seen_game(game, place, visitor)
    handle, name = tempfile.mkstemp(prefix="kemps-case-", suffix=".zip")
    os.close(handle)
    path = Path(name)
    try:
        is_blurred = place.store.choices.read().blur_faces if blur_faces is None else blur_faces
        wish = CaseWish(from_ms=from_ms, until_ms=until_ms, by=visitor.name, is_blurred=is_blurred)
        write_case(seen.game, place.films.beside(seen.folder), wish, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return FileResponse(
        path,
        media_type="application/zip",
        filename=f"case-{game}-{from_ms}-{until_ms}.zip",
        background=BackgroundTask(path.unlink, missing_ok=True),
    )
