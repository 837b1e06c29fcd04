"""A new game at a table: its header, and who agreed to be watched."""

from __future__ import annotations

from pathlib import Path

from kemps_models.landmarkers import are_fetched
from kemps_rules.events import GameOpened, Json
from kemps_rules.house import load_house
from kemps_server.observers.table_settings import TableSettings
from kemps_server.sound.notes import LISTENED_NOTE, RECORDED_NOTE, may_listen
from kemps_server.store.clock import stamp, utc_now
from kemps_server.store.games import GameRecord
from kemps_server.store.store import Store
from kemps_server.store.tables import TableRecord
from kemps_vision.sources import kind_of
from kemps_vision.zones import TableConfig


def header_of(config: TableConfig, settings: TableSettings, *, consent: str = "") -> GameOpened:
    """The header of a game that begins now.

    Raises:
        HouseError: The configuration names rules that do not exist.
    """
    house = load_house(config.rules)
    rules = Path(config.rules).stem if config.rules.endswith(".toml") else config.rules
    note: dict[str, Json] = {}
    if settings.people and are_fetched() and any(seat.at is not None for seat in config.seats):
        from kemps_server.people import FOLLOWED_NOTE  # noqa: PLC0415 - large: the networks for people

        note["people"] = FOLLOWED_NOTE
    if settings.listen and may_listen(config):
        is_played = not config.sounds and kind_of(config.table_camera.source or "") == "file"
        note["sound"] = RECORDED_NOTE if settings.record and not is_played else LISTENED_NOTE
    if consent:
        note["consent"] = consent
    return GameOpened(
        at_ms=0,
        rules=rules,
        seats=config.seat_names,
        house=house.switches(),
        opened_at=stamp(utc_now()),
        extra=note,
    )


def begin_game(store: Store, table: TableRecord, *, title: str = "", consent: str = "") -> GameRecord:
    """A new game, which sits at the table from now on.

    Raises:
        KempsServerError: Another game is played there.
        HouseError: The table's rules do not exist.
        StoreError: The store refused.
    """
    header = header_of(table.parsed, TableSettings.of(table.settings), consent=consent)
    told = title.strip() or f"{table.name} {stamp(utc_now())[:16].replace('T', ' ')}"
    game = store.games.begin(told, header)
    try:
        store.sittings.begin(table.name, game.id)
    except Exception:
        store.games.remove(game.id)
        raise
    return game
