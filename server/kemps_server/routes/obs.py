"""OBS at a table: where it is, what it does at which moment, and whether it answers."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field, SecretStr

from kemps_server.live.obs import Obs, ObsError
from kemps_server.live.obs_hooks import SETTING, ObsPlan, ObsSettings, settings_of
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import AtPlace, Owner, Place
from kemps_server.routes.tables import table_at

router: Final = APIRouter()

_PATH: Final = "/api/tables/{table}/obs"


class ObsAnswer(ObsPlan):
    """How OBS is spoken to; its password is never told."""

    is_set: bool = Field(description="Whether it is spoken to at all.")
    has_password: bool = Field(default=False, description="Whether a password is known.")
    last_error: str = Field(default="", description="What went wrong the last time; empty: nothing.")


class ObsWish(ObsPlan):
    """How OBS is to be spoken to."""

    password: SecretStr | None = Field(
        default=None, description="Of its WebSocket server; left out: as it is, at the same address."
    )


class ObsTried(BaseModel):
    """That OBS answers."""

    version: str = Field(description="Of OBS.")
    scenes: list[str] = Field(description="The scenes it has.")
    is_replay_on: bool = Field(description="Whether its replay buffer runs, so that it can be saved.")


@router.get(_PATH, summary="How OBS is spoken to", responses=refusals(401, 403, 404))
def obs(table: str, place: AtPlace, visitor: Owner) -> ObsAnswer:
    """What is set for this table, and whether it went well the last time."""
    del visitor
    return obs_told(place, table, settings_of(table_at(place, table).settings))


@router.put(_PATH, summary="Set how OBS is spoken to", responses=refusals(401, 403, 404, 422))
def set_obs(table: str, wish: ObsWish, place: AtPlace, visitor: Owner) -> ObsAnswer:
    """The settings from now on."""
    del visitor
    before = settings_of(table_at(place, table).settings)
    kept = wish.model_dump(exclude={"password"})
    if wish.password is not None:
        kept["password"] = wish.password
    elif before is not None and before.address == wish.address:
        kept["password"] = before.password  # never sent to another place than it was meant for
    settings = ObsSettings.model_validate(kept)
    place.store.tables.set_settings(table, **{SETTING: settings.kept()})
    return obs_told(place, table, settings)


@router.delete(_PATH, summary="Speak to OBS no more", responses=refusals(401, 403, 404))
def unset_obs(table: str, place: AtPlace, visitor: Owner) -> ObsAnswer:
    """The address and the password are forgotten."""
    del visitor
    table_at(place, table)
    place.store.tables.set_settings(table, **{SETTING: None})
    return obs_told(place, table, None)


@router.post(_PATH + "/try", summary="Whether OBS answers", responses=refusals(401, 403, 404, 409))
def try_obs(table: str, place: AtPlace, visitor: Owner) -> ObsTried:
    """Its version and its scenes; nothing is changed there."""
    del visitor
    settings = settings_of(table_at(place, table).settings)
    if settings is None:
        raise HTTPException(409, "no OBS is set for this table; set its address first")
    try:
        with Obs(settings.address, settings.password.get_secret_value()) as there:
            return ObsTried(
                version=str(there.ask("GetVersion").get("obsVersion", "")),
                scenes=list(there.scenes()),
                is_replay_on=_is_replay_on(there),
            )
    except ObsError as error:
        raise HTTPException(409, str(error)) from None


def _is_replay_on(there: Obs) -> bool:
    """False also where OBS has no replay buffer at all, which it answers with an error."""
    try:
        return bool(there.ask("GetReplayBufferStatus").get("outputActive"))
    except ObsError:
        return False


def obs_told(place: Place, table: str, settings: ObsSettings | None) -> ObsAnswer:
    """How OBS is spoken to, as it may be told."""
    if settings is None:
        return ObsAnswer(is_set=False)
    return ObsAnswer(
        **settings.model_dump(exclude={"password"}),
        is_set=True,
        has_password=bool(settings.password.get_secret_value()),
        last_error=place.obs.last_error(table),
    )
