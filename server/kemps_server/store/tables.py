"""Tables that were set up: each a name and its ``table.toml``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlalchemy import insert, select

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.schema import tables
from kemps_vision.zones import TableConfig, parse_config

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table: its name, which is in addresses, and its configuration as a person wrote it."""

    name: str
    config: str
    changed_at: str

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
        record = TableRecord(name, config, stamp(self._clock()))
        values = {"name": name, "config": config, "changed_at": record.changed_at}
        with self._database.writing() as connection:
            connection.execute(tables.delete().where(tables.c.name == name))
            connection.execute(insert(tables), values)
        return record

    def find(self, name: str) -> TableRecord | None:
        """The table of this name, or None."""
        return next((table for table in self.all() if table.name == name), None)

    def all(self) -> tuple[TableRecord, ...]:
        """All tables, by name."""
        wanted = select(tables.c.name, tables.c.config, tables.c.changed_at).order_by(tables.c.name)
        with self._database.reading() as connection:
            return tuple(TableRecord(*row) for row in connection.execute(wanted))

    def remove(self, name: str) -> None:
        """Forget a table; nothing happens when there is none."""
        with self._database.writing() as connection:
            connection.execute(tables.delete().where(tables.c.name == name))
