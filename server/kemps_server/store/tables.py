"""Tables that were set up: each a name and its ``table.toml``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.schema import tables
from kemps_vision.zones import TableConfig, parse_config

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table: its name, which is in addresses, and its configuration as a person wrote it.

    ``settings`` are what the server does with it: JSON, of which each part reads its own and leaves the rest.
    """

    name: str
    config: str
    changed_at: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parsed(self) -> TableConfig:
        """What the configuration says.

        Raises:
            ConfigError: It was stored by a program that knew more.
        """
        return parse_config(self.config, where=f"table {self.name}")


class Tables:
    """The tables of a store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def save(self, name: str, config: str) -> TableRecord:
        """The table of this name, with this configuration from now on.

        Raises:
            KempsServerError: The name cannot stand in an address.
            ConfigError: The configuration makes no sense; what was stored before stays.
            StoreError: The store refused.
        """
        if not _NAME.fullmatch(name):
            raise KempsServerError(
                f"{name!r} cannot name a table; use small letters, digits and dashes, at most 40"
            )
        parse_config(config, where=f"table {name}")
        values = {"config": config, "changed_at": stamp(self._clock())}
        with self._database.writing() as connection:
            if not connection.execute(tables.update().where(tables.c.name == name).values(**values)).rowcount:
                connection.execute(insert(tables), {"name": name} | values)
            return next(record for record in _records(connection) if record.name == name)

    def set_settings(self, name: str, **settings: Any) -> TableRecord:  # noqa: ANN401 - JSON
        """The table with these settings from now on; those that are not named stay as they were.

        Raises:
            KempsServerError: There is no such table.
            StoreError: The store refused.
        """
        with self._database.writing() as connection:
            record = next((record for record in _records(connection) if record.name == name), None)
            if record is None:
                raise KempsServerError(f"there is no table {name!r}")
            text = json.dumps(dict(record.settings) | settings)
            connection.execute(tables.update().where(tables.c.name == name).values(settings=text))
            return next(record for record in _records(connection) if record.name == name)

    def find(self, name: str) -> TableRecord | None:
        """The table of this name, or None."""
        return next((table for table in self.all() if table.name == name), None)

    def all(self) -> tuple[TableRecord, ...]:
        """All tables, by name."""
        with self._database.reading() as connection:
            return _records(connection)

    def remove(self, name: str) -> None:
        """Forget a table; nothing happens when there is none."""
        with self._database.writing() as connection:
            connection.execute(tables.delete().where(tables.c.name == name))


def _records(connection: Connection) -> tuple[TableRecord, ...]:
    wanted = select(tables.c.name, tables.c.config, tables.c.changed_at, tables.c.settings)
    rows = connection.execute(wanted.order_by(tables.c.name)).all()
    return tuple(TableRecord(name, config, at, json.loads(settings)) for name, config, at, settings in rows)
