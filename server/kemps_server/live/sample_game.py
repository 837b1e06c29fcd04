"""A made-up game for whoever sets an overlay up before anybody plays: the end of the shipped demo's."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from kemps_rules.events import Event, GameOpened, Settled
from kemps_rules.journal import format_event, journal_of
from kemps_server.live.cursor import Cursor
from kemps_server.live.public_state import public_state
from kemps_server.store.journals import Line

_LETTERS: Final = {"AC": "KE", "BD": "KEM"}  # so that both kinds of tiles are seen


@cache
def sample_state() -> dict[str, Any]:
    """What the public would be told when the demo's call has been settled."""
    content = files("kemps_server").joinpath("demo", "demo.game.jsonl").read_bytes()
    events: list[Event] = list(journal_of(content))
    header = events[0]
    if isinstance(header, GameOpened):
        events[0] = replace(header, letters=_LETTERS)
    last_ms = max(event.at_ms for event in events)
    events.append(Settled(at_ms=last_ms + 10_000, camera="table"))
    cursor = Cursor("sample")
    cursor.load([Line(number, format_event(event)) for number, event in enumerate(events)])
    assert cursor.seen is not None  # noqa: S101 - a file of this package, held whole by its tests
    return public_state(cursor.seen)
