"""A table as a page edits it: JSON there and TOML in the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kemps_rules.house import load_house
from kemps_server.observers.stood import KEY as STOOD
from kemps_server.observers.stood import kept_stood
from kemps_server.observers.table_settings import TableSettings
from kemps_server.recording.disk import DEFAULT_BUDGET
from kemps_server.store.names import plain
from kemps_server.store.store import Store
from kemps_server.store.tables import TableRecord
from kemps_vision.calibration.writing import tables_of, toml_text
from kemps_vision.hearing.table_sound import TableSound
from kemps_vision.zones import CameraZones, SeatZones, TableConfig, parse_config

BEFORE: Final = "before"  # in a table's settings: the configurations that this one replaced
KEPT_BEFORE: Final = 10

Px: TypeAlias = Annotated[float, Field(ge=-20_000, le=20_000)]
Place: TypeAlias = tuple[Px, Px]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CameraSetUp(_Part):
    """A camera of a table."""

    name: str = Field(min_length=1, max_length=40, description="What it is called; one looks at the table.")
    role: Literal["table", "faces"] = Field(default="table", description="What it looks at: table or faces.")
    source: str | None = Field(
        None,
        max_length=500,
        description="A camera's number, a stream's URL, or a video file on this machine.",
    )
    size: tuple[int, int] | None = Field(
        None, description="Width and height of the pictures it was set up by."
    )
    offset_ms: int = Field(
        default=0, ge=-60_000, le=60_000, description="By how much its times are ahead, in ms."
    )
    centre: list[Place] | None = Field(
        default=None, min_length=3, max_length=12, description="The corners of the centre in px, in order."
    )


class FaceSetUp(_Part):
    """Where a seat's face is seen."""

    camera: str = Field(max_length=40, description="The name of the camera.")
    box: tuple[Px, Px, Px, Px] = Field(description="Left, top, width and height in px.")


def _visible(name: object) -> object:
    """A name without what cannot be seen: it stands in lines with others, which it must not turn round."""
    return plain(name) if isinstance(name, str) else name


class SeatSetUp(_Part):
    """A seat of a table."""

    id: str = Field(min_length=1, max_length=1, description="Its letter; from A in seating order.")
    name: Annotated[
        str, BeforeValidator(_visible), Field(min_length=1, max_length=60, description="Its player's name.")
    ]
    at: Place | None = Field(
        default=None, description="Where the player sits in the table camera's pictures, in px."
    )
    face: FaceSetUp | None = Field(default=None, description="Where the player's face is seen.")


class SoundSetUp(_Part):
    """A source of sound of a table."""

    source: str | None = Field(
        default=None,
        max_length=500,
        description="mic, mic:NAME or a stream's URL; nothing for the table camera's own sound.",
    )
    seats: str = Field(default="", max_length=8, description="Whose microphone each channel is, as in ABCD.")
    offset_ms: int | None = Field(
        default=None,
        ge=-60_000,
        le=60_000,
        description="How much later the pictures stamp a moment than the sound; kemps calibrate --clap.",
    )


class TableSetUp(_Part):
    """All that is set up about a table."""

    rules: str = Field(default="leaflet", max_length=80, description="The house rules' preset.")
    deck: str = Field(default="any", max_length=80, description="any, or the name of a learnt deck.")
    alphabet: str = Field(default="any", max_length=40, description="any, or the letters on the cards.")
    cameras: list[CameraSetUp] = Field(default_factory=list, max_length=8)
    seats: list[SeatSetUp] = Field(default_factory=list, max_length=8)
    sounds: list[SoundSetUp] = Field(default_factory=list, max_length=8)
    record: bool = Field(default=True, description="Whether cameras are recorded.")
    disk_budget: str = Field(
        default=DEFAULT_BUDGET, max_length=20, description="What the video of a game may take, as in 20G."
    )
    people: bool = Field(default=True, description="Whether hands and faces are followed.")
    listen: bool = Field(default=True, description="Whether calls are listened for, where there is sound.")
    loop: bool = Field(default=False, description="Whether a video file as a camera is played over and over.")
    stood: str = Field(
        default="",
        max_length=200_000,
        description="How the camera stood when its places were found; see find.",
    )


def set_up_of(record: TableRecord) -> TableSetUp:
    """How a stored table is set up.

    Raises:
        ConfigError: It was stored by a program that knew more.
    """
    config, settings = record.parsed, TableSettings.of(record.settings)
    return TableSetUp(
        rules=config.rules,
        deck=config.deck,
        alphabet=config.alphabet,
        cameras=[_camera(camera) for camera in config.cameras],
        seats=[_seat(seat) for seat in config.seats],
        sounds=[_sound(sound) for sound in config.sounds],
        record=settings.record,
        disk_budget=settings.disk_budget,
        people=settings.people,
        listen=settings.listen,
        loop=settings.loop,
    )


def parts_of(config: TableConfig) -> dict[str, Any]:
    """Cameras and seats of a configuration, as ``TableSetUp`` has them."""
    return {
        "cameras": [_camera(camera).model_dump(mode="json") for camera in config.cameras],
        "seats": [_seat(seat).model_dump(mode="json") for seat in config.seats],
    }


def config_text(told: TableSetUp) -> str:
    """The ``table.toml`` that says so.

    Raises:
        ConfigError: It makes no sense; the text names the part.
        HouseError: There are no such rules.
    """
    data: dict[str, Any] = {"rules": told.rules, "deck": told.deck, "alphabet": told.alphabet}
    data["camera"] = [_without_nothing(camera.model_dump(mode="json")) for camera in told.cameras]
    data["seat"] = [_without_nothing(seat.model_dump(mode="json")) for seat in told.seats]
    data["sound"] = [_without_nothing(sound.model_dump(mode="json")) for sound in told.sounds]
    lines = toml_text(tables_of(data)).splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).strip() + "\n"
    parse_config(text, where="the table")
    load_house(told.rules)
    return text


def save_set_up(store: Store, name: str, told: TableSetUp) -> TableRecord:
    """The table, set up so from now on; how it was before can be had back.

    Raises:
        KempsServerError: The name cannot name a table, or the budget is no size.
        ConfigError: The configuration makes no sense.
        CalibrationError: What was told of how the camera stood is no record of it.
        HouseError: There are no such rules.
        StoreError: The store refused.
    """
    text = config_text(told)
    settings = TableSettings(
        record=told.record,
        disk_budget=told.disk_budget,
        people=told.people,
        listen=told.listen,
        loop=told.loop,
    ).checked()
    before = store.tables.find(name)
    kept = [] if before is None else _before(before)
    if before is not None and before.config != text:
        kept = [*kept, before.config][-KEPT_BEFORE:]
    known: Mapping[str, Any] = {} if before is None else before.settings
    older = None if before is None else before.parsed
    stood = kept_stood(told.stood, known, older, parse_config(text, where="the table"))
    store.tables.save(name, text)
    return store.tables.set_settings(name, **settings.stored(), **{BEFORE: kept, STOOD: stood})


def undo_set_up(store: Store, name: str) -> TableRecord | None:
    """The table as it was before it was saved last; None when nothing is known of that.

    Raises:
        StoreError: The store refused.
    """
    record = store.tables.find(name)
    kept = [] if record is None else _before(record)
    if not kept:
        return None
    store.tables.save(name, kept[-1])
    return store.tables.set_settings(name, **{BEFORE: kept[:-1], STOOD: ""})


def _before(record: TableRecord) -> list[str]:
    kept = record.settings.get(BEFORE)
    return [text for text in kept if isinstance(text, str)] if isinstance(kept, list) else []


def _camera(camera: CameraZones) -> CameraSetUp:
    return CameraSetUp.model_construct(
        name=camera.name,
        role="faces" if camera.role == "faces" else "table",
        source=camera.source,
        size=camera.size,
        offset_ms=camera.offset_ms,
        centre=None if camera.centre is None else list(camera.centre),
    )


def _seat(seat: SeatZones) -> SeatSetUp:
    face = None
    if seat.face_camera is not None and seat.face_box is not None:
        face = FaceSetUp.model_construct(camera=seat.face_camera, box=seat.face_box)
    return SeatSetUp.model_construct(id=seat.id, name=seat.name, at=seat.at, face=face)


def _sound(sound: TableSound) -> SoundSetUp:
    return SoundSetUp.model_construct(
        source=sound.source, seats="".join(sound.seats), offset_ms=sound.offset_ms
    )


def _without_nothing(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _whole(value) for name, value in data.items() if value is not None}


def _whole(value: Any) -> Any:  # noqa: ANN401 - values of JSON
    """The value with px as whole numbers: nobody points at a table more exactly."""
    if isinstance(value, float):
        return round(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return _without_nothing(value)
    return value
