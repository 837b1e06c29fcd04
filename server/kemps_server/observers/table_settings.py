"""What the observers read of a table's settings; other parts of the server have their own in there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from kemps_server.errors import KempsServerError
from kemps_server.recording.disk import DEFAULT_BUDGET, bytes_of

KEY: Final = "observer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """How a table is watched.

    Attributes:
        record: Whether its cameras are recorded.
        disk_budget: What the video of a game may take.
        people: Whether hands and faces are followed, where seats have places.
        listen: Whether calls are listened for, where the table has sound.
        loop: Whether a video file that stands in for a camera is played over and over.
    """

    record: bool = True
    disk_budget: str = DEFAULT_BUDGET
    people: bool = True
    listen: bool = True
    loop: bool = False

    @property
    def budget(self) -> int:
        """In bytes.

        Raises:
            KempsServerError: It is no size.
        """
        return bytes_of(self.disk_budget)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """The settings in those of a table; what is missing or of another program is as by default."""
        told = settings.get(KEY)
        told = told if isinstance(told, Mapping) else {}
        default = asdict(cls())
        values = {
            name: told[name] if type(told.get(name)) is type(value) else value
            for name, value in default.items()
        }
        return cls(**values)

    def checked(self) -> Self:
        """These settings.

        Raises:
            KempsServerError: One of them makes no sense.
        """
        if self.budget <= 0:
            raise KempsServerError("the disk budget must be more than nothing")
        return self

    def stored(self) -> dict[str, Any]:
        """As they stand among a table's settings."""
        return {KEY: asdict(self)}
