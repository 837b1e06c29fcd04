"""Whether a table is listened to, and what its game's header says of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kemps_rules.events import Event
from kemps_vision.sources import kind_of
from kemps_vision.zones import TableConfig

LISTENED_NOTE: Final = "the table is listened to; the sound round each heard call is kept"
RECORDED_NOTE: Final = "the table is listened to and its sound is recorded"


def listened(header: Sequence[Event], *, is_recorded: bool = False) -> list[Event]:
    """A game's header with a note that the table is listened to, and what is kept of its sound."""
    note = RECORDED_NOTE if is_recorded else LISTENED_NOTE
    return [replace(event, extra={**event.extra, "sound": note}) for event in header]


def has_own_sound(where: str) -> bool:
    """Whether a source of pictures may have a sound track: a file or a stream."""
    return kind_of(where) in {"file", "stream"}


def may_listen(config: TableConfig) -> bool:
    """Whether a table's calls can be heard, as far as its configuration tells."""
    where = config.table_camera.source or ""
    return bool(config.sounds or (where and has_own_sound(where)))
