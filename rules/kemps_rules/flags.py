"""A flag: a suspected breach of a rule, for a person to look at. The observer never punishes."""

from __future__ import annotations

from dataclasses import dataclass

from kemps_rules.events import Json
from kemps_rules.seats import Seat


@dataclass(frozen=True, slots=True)
class Flag:
    """Which rule, when, whose, what was seen, and the journal lines behind it."""

    rule: str
    at_ms: int
    seats: tuple[Seat, ...]
    message: str
    events: tuple[int, ...]

    def as_json(self) -> dict[str, Json]:
        """The flag as ``kemps judge --json`` prints it."""
        return {
            "rule": self.rule,
            "at_ms": self.at_ms,
            "seats": list(self.seats),
            "message": self.message,
            "events": list(self.events),
        }
