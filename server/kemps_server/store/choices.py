"""What the owner chose for the whole server: how long recordings are kept, and faces in exported clips."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from sqlalchemy import insert, select

from kemps_server.errors import KempsServerError
from kemps_server.store.database import Database
from kemps_server.store.schema import choices

MOST_DAYS: Final = 36_500


@dataclass(frozen=True, slots=True)
class OwnerChoices:
    """What was chosen.

    Attributes:
        video_days: After how many days recordings, traces and pictures of a game go; None keeps them.
        blur_faces: Whether faces are blurred in clips that are exported, unless something else is asked for.
    """

    video_days: int | None = None
    blur_faces: bool = False


class Choices:
    """The owner's choices in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self) -> OwnerChoices:
        """What holds now.

        Raises:
            StoreError: The store cannot be read.
        """
        known = {field.name for field in fields(OwnerChoices)}
        with self._database.reading() as connection:
            rows = connection.execute(select(choices.c.name, choices.c.value)).all()
        return OwnerChoices(**{name: json.loads(value) for name, value in rows if name in known})

    def set(self, **values: Any) -> OwnerChoices:  # noqa: ANN401 - JSON
        """What holds from now on; what is not named stays as it was.

        Raises:
            KempsServerError: There is no such choice, or it cannot be that.
            StoreError: The store refused.
        """
        if unknown := values.keys() - asdict(OwnerChoices()).keys():
            raise KempsServerError(f"{min(unknown)}: there is no such setting")
        days = values.get("video_days")
        if days is not None and not (type(days) is int and 1 <= days <= MOST_DAYS):
            raise KempsServerError(f"recordings are kept for 1 to {MOST_DAYS} days, or without an end")
        with self._database.writing() as connection:
            for name, value in values.items():
                row = {"value": json.dumps(value)}
                done = connection.execute(choices.update().where(choices.c.name == name).values(**row))
                if not done.rowcount:
                    connection.execute(insert(choices), {"name": name} | row)
        return self.read()
