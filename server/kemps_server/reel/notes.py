"""What was made of a game's reel, beside the game: ``reel.mp4`` with ``reel.json``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field, ValidationError

from kemps_server.errors import WorkFailedError
from kemps_server.reel.making import Made

REEL: Final = "reel.mp4"
NOTE: Final = "reel.json"


class NotedMoment(BaseModel):
    """A moment in a reel."""

    starts_ms: int = Field(description="Where it begins in the reel.")
    rank: int = Field(description="1 is the best of the game.")
    deal: int = Field(description="In which deal it is.")
    line: int = Field(description="The call's line in the journal.")
    at_ms: int = Field(description="When the call came.")


class ReelNote(BaseModel):
    """A reel that was made."""

    length_ms: int = Field(description="How long it is.")
    language: str = Field(description="Of its captions.")
    blurs_faces: bool = Field(description="Whether faces were made unrecognisable.")
    lines: int = Field(description="How many lines the journal had; it tells what was known then.")
    left_out: int = Field(description="Moments that were wanted and of which there is no picture.")
    moments: list[NotedMoment] = Field(description="In the order of time.")


def note_of(made: Made, *, language: str, blurs_faces: bool, lines: int) -> ReelNote:
    """What is noted of a reel."""
    moments = [
        NotedMoment(starts_ms=one.starts_ms, rank=one.rank, deal=one.deal, line=one.line, at_ms=one.at_ms)
        for one in made.moments
    ]
    return ReelNote(
        length_ms=made.length_ms,
        language=language,
        blurs_faces=blurs_faces,
        lines=lines,
        left_out=made.left_out,
        moments=moments,
    )


def write_note(folder: Path, note: ReelNote) -> None:
    """Keep the note beside the game.

    Raises:
        WorkFailedError: It cannot be written.
    """
    try:
        (folder / NOTE).write_text(note.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{folder / NOTE}: cannot be written: {error.strerror or error}") from None


def read_note(folder: Path) -> ReelNote | None:
    """What was made of a game, or None when there is no reel or no note of it."""
    if not (folder / REEL).is_file():
        return None
    try:
        return ReelNote.model_validate_json((folder / NOTE).read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def remove(folder: Path) -> None:
    """Take the reel away; nothing happens when there is none."""
    for name in (NOTE, REEL):
        with suppress(FileNotFoundError):
            (folder / name).unlink()
