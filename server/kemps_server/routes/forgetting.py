"""What goes and what stays: how long recordings are kept, games deleted, people forgotten."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from kemps_server.errors import KempsServerError, StoreError
from kemps_server.forgetting.material import Removed
from kemps_server.forgetting.person import Traces, Wish, forget, people_in, traces_of
from kemps_server.forgetting.removal import remove_game
from kemps_server.forgetting.retention import KEEP, due_games, remove_due
from kemps_server.forgetting.rewriting import new_pseudonym
from kemps_server.routes.place import AtPlace, Owner
from kemps_server.store.clock import stamp

router: Final = APIRouter()

GameName = Annotated[str, InPath(max_length=300, description="The game's id, or its folder's name.")]
PersonName = Annotated[
    str, Query(min_length=1, max_length=200, description="The name, as it stands in games.")
]


class RemovedAnswer(BaseModel):
    """What is gone, and what had to stay."""

    files: int = Field(description="Files that were removed.")
    size: int = Field(description="Their bytes.")
    held_files: int = Field(description="Files that stayed, for they are evidence.")
    held_size: int = Field(description="Their bytes.")
    failed: int = Field(description="Files that could not be removed; the log says why.")


class DueAnswer(BaseModel):
    """A game whose recordings are old enough to go."""

    name: str = Field(description="The last part of its address.")
    title: str
    over_at: str = Field(description="Since when it is over, ISO 8601.")
    files: int = Field(description="Files that would go.")
    size: int = Field(description="Their bytes.")
    held_files: int = Field(description="Files that would stay, for they are evidence.")


class RetentionAnswer(BaseModel):
    """What the next look would remove."""

    video_days: int | None = Field(description="After how many days recordings go; null keeps them.")
    due: list[DueAnswer]


class Keeping(BaseModel):
    """Whether the recordings of a game are kept whatever their age, and what its players agreed to."""

    model_config = ConfigDict(extra="forbid")

    keep: bool | None = Field(None, description="Whether they are kept; null leaves it as it is.")
    why: str = Field("", max_length=500, description="Why they are kept.")
    consent: str | None = Field(
        None, max_length=2000, description="What the players agreed to; null leaves it as it is."
    )


class PersonAnswer(BaseModel):
    """Somebody who sat in games."""

    name: str
    games: int = Field(description="In how many.")


class GameOfPersonAnswer(BaseModel):
    """A game in which a name stands."""

    name: str = Field(description="The last part of its address, which does not change.")
    title: str
    lines: int = Field(description="Lines of its journal with the name.")
    sat_in: bool = Field(description="Whether the person sat in it, so that its recordings go.")
    is_played: bool = Field(description="Whether it is being played; then nobody is forgotten yet.")
    files: int = Field(description="Files that would go.")
    size: int = Field(description="Their bytes.")
    held_files: int = Field(description="Files that would stay, for they are evidence.")
    linked: list[str] = Field(description="Recordings that lie elsewhere and stay.")


class TracesAnswer(BaseModel):
    """Where a name stands in what is kept."""

    name: str
    pseudonym: str = Field(description="What could stand there instead.")
    games: list[GameOfPersonAnswer]
    titles: int = Field(description="Titles of games with the name.")
    acts: int = Field(description="Acts at the desk by or about them.")
    tables: list[str] = Field(description="Tables with a seat of this name.")
    links: int = Field(description="Labels of links with the name.")
    has_account: bool = Field(description="Whether they can log in.")
    copies: list[str] = Field(description="Copies of the database from before, which still have the name.")


class ForgetWish(BaseModel):
    """How a person is to be forgotten."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200, description="As it stands in the games; any case.")
    pseudonym: str = Field(
        "", max_length=40, pattern=r"^[\w-]*$", description="Instead; else one is made up."
    )
    with_held: bool = Field(False, description="Whether what is held as evidence goes, too.")
    with_account: bool = Field(True, description="Whether their account goes.")
    with_copies: bool = Field(False, description="Whether the copies in backups/ go.")
    keep_copy: bool = Field(False, description="Whether the database is copied first, with the name in it.")


class ForgottenAnswer(BaseModel):
    """What was done."""

    pseudonym: str
    removed: RemovedAnswer
    traces: TracesAnswer
    copy_name: str = Field(description="The copy that was taken first, if any.")
    is_compacted: bool = Field(description="Whether the old bytes are out of the database's file already.")


@router.get("/api/retention", summary="What the next look would remove")
def retention(place: AtPlace, visitor: Owner) -> RetentionAnswer:
    """Games whose recordings are older than the owner keeps them; nothing is removed."""
    del visitor
    store = place.store
    days = store.choices.read().video_days
    due = [
        DueAnswer(
            name=one.name,
            title=one.title,
            over_at=stamp(one.over_at),
            files=one.files,
            size=one.size,
            held_files=one.held_files,
        )
        for one in due_games(place.library, days, store.clock())
    ]
    return RetentionAnswer(video_days=days, due=due)


@router.post("/api/retention", summary="Remove what is old enough now")
def remove_old(place: AtPlace, visitor: Owner) -> RemovedAnswer:
    """As the server does by itself once a day."""
    del visitor
    store = place.store
    return _removed(remove_due(place.library, store.choices.read().video_days, store.clock()))


@router.put("/api/games/{game}/keeping", summary="Keep a game's recordings, or note consent", status_code=204)
def keep(game: GameName, asked: Keeping, place: AtPlace, visitor: Owner) -> None:
    """It holds for games in the store."""
    if place.store.games.find(game) is None:
        raise HTTPException(404, "there is no such game in the store; take it in with kemps import")
    if asked.keep is not None:
        note = {"why": asked.why, "by": visitor.name, "at": stamp(place.store.clock())}
        place.store.games.set_settings(game, **{KEEP: note if asked.keep else None})
    if asked.consent is not None:
        place.store.games.set_settings(game, consent=asked.consent)


@router.delete("/api/games/{game}", summary="Delete a game")
def delete_game(
    game: GameName,
    place: AtPlace,
    visitor: Owner,
    with_held: Annotated[bool, Query(description="Whether held evidence goes, too.")] = False,
) -> RemovedAnswer:
    """Its journal, decisions, recordings, pictures and traces are gone; linked recordings stay."""
    del visitor
    if place.library.find(game) is None:
        raise HTTPException(404, "there is no such game here")
    return _removed(remove_game(place.library, game, with_held=with_held))


@router.get("/api/people", summary="Who sat in games")
def people(place: AtPlace, visitor: Owner) -> list[PersonAnswer]:
    """All names, and in how many games each."""
    del visitor
    return [PersonAnswer(name=name, games=count) for name, count in people_in(place.library).items()]


@router.get("/api/people/traces", summary="Where a person is found")
def traces(name: PersonName, place: AtPlace, visitor: Owner) -> TracesAnswer:
    """What forgetting them would change and remove; nothing is changed."""
    del visitor
    try:
        return _traces(traces_of(place.library, name), new_pseudonym())
    except StoreError:
        raise
    except KempsServerError as error:
        raise HTTPException(422, str(error)) from None


@router.post("/api/people/forget", summary="Forget a person")
def forget_person(asked: ForgetWish, place: AtPlace, visitor: Owner) -> ForgottenAnswer:
    """Their name gives way to a pseudonym in all that is kept, and recordings of them go."""
    del visitor
    pseudonym = asked.pseudonym or new_pseudonym()
    wish = Wish(
        pseudonym=pseudonym,
        with_held=asked.with_held,
        with_account=asked.with_account,
        with_copies=asked.with_copies,
        keep_copy=asked.keep_copy,
    )
    done = forget(place.library, asked.name, wish)
    return ForgottenAnswer(
        pseudonym=pseudonym,
        removed=_removed(done.removed),
        traces=_traces(done.traces, pseudonym),
        copy_name=done.copy,
        is_compacted=done.is_compacted,
    )


def _removed(removed: Removed) -> RemovedAnswer:
    return RemovedAnswer(**asdict(removed))


def _traces(found: Traces, pseudonym: str) -> TracesAnswer:
    games = [
        GameOfPersonAnswer(
            name=one.name,
            title=one.game.title,
            lines=one.lines,
            sat_in=one.sat_in,
            is_played=one.is_played,
            files=one.files,
            size=one.size,
            held_files=one.held_files,
            linked=one.linked,
        )
        for one in found.games
    ]
    return TracesAnswer(
        name=found.name,
        pseudonym=pseudonym,
        games=games,
        titles=found.titles,
        acts=found.acts,
        tables=found.tables,
        links=found.links,
        has_account=found.has_account,
        copies=found.copies,
    )
