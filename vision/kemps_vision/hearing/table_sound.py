"""What a table's ``table.toml`` says of its sound: microphones, whose they are, and how late they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kemps_rules.seats import SEATS, Seat
from kemps_vision.errors import ConfigError
from kemps_vision.settings import Section

KEY: Final = "sound"
_KEYS: Final = "source seats offset_ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSound:
    """One source of sound.

    Attributes:
        source: A file, a stream's URL, ``mic`` or ``mic:NAME``; None for the table camera's own sound track.
        seats: Whose microphone each of its channels is; without any it is heard as a whole.
        offset_ms: How much later the pictures stamp a moment than this sound; None while it is not measured.
    """

    source: str | None = None
    seats: tuple[Seat, ...] = ()
    offset_ms: int | None = None


def table_sounds(data: Mapping[str, Any], seats: Sequence[Seat], where: str) -> tuple[TableSound, ...]:
    """The sources of ``[sound]`` or of each ``[[sound]]`` in a ``table.toml``.

    Raises:
        ConfigError: A part of it is unknown or makes no sense; the text names the part.
    """
    told = data.get(KEY, [])
    parts = [told] if isinstance(told, dict) else told
    if not isinstance(parts, list):
        raise ConfigError(f"{where}: {KEY} is written [{KEY}], or [[{KEY}]] for each of several")
    sounds = tuple(
        _sound(Section(part, f"{where}: {KEY} {number}", _KEYS)) for number, part in enumerate(parts, 1)
    )
    _check(sounds, seats, where)
    return sounds


def _sound(section: Section) -> TableSound:
    seats = tuple(section.text("seats", "").replace(",", "").replace(" ", "").upper())
    if len(set(seats)) != len(seats) or not set(seats) <= set(SEATS):
        raise section.error("seats", 'is a letter for each channel, as in "ABCD"')
    return TableSound(
        source=section.text("source", "") or None,
        seats=seats,
        offset_ms=section.integer("offset_ms", 0) if section.has("offset_ms") else None,
    )


def _check(sounds: Sequence[TableSound], seats: Sequence[Seat], where: str) -> None:
    own = [sound for sound in sounds if sound.source is None]
    if len(own) > 1:
        raise ConfigError(f"{where}: {KEY}: only one can be the table camera's own; give the others a source")
    named = [sound.source for sound in sounds if sound.source is not None]
    for source in named:
        if named.count(source) > 1:
            raise ConfigError(f"{where}: {KEY}: {source} is given twice; give its channels' seats at once")
    worn = [seat for sound in sounds for seat in sound.seats]
    for seat in worn:
        if worn.count(seat) > 1:
            raise ConfigError(f"{where}: {KEY}: seat {seat} has two microphones; give it one")
        if seats and seat not in seats:
            raise ConfigError(f"{where}: {KEY}: there is no seat {seat} at this table")
