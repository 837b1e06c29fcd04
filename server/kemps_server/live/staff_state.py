"""What those who judge a game are told of it, at once and in full."""

from __future__ import annotations

from typing import Any

from kemps_rules.flags import Flag
from kemps_server.live.cursor import Seen
from kemps_server.live.patches import without_nulls
from kemps_server.live.public_state import public_state
from kemps_server.replays import table_as_json


def staff_state(seen: Seen) -> dict[str, Any]:
    """What the public is told, and ``lines``, ``table``, ``flags``, ``verdicts``, ``reviewed``, ``settled``.

    ``lines`` is how many lines the journal has; ``flags`` are keyed as ``R8:12,14:AC``,
    ``verdicts`` by the number of the deal.
    """
    judgement = seen.judgement
    full = {
        "lines": seen.lines,
        "last_ms": seen.last_ms,
        "settled": dict(seen.settled),
        "table": table_as_json(seen.table),
        "flags": {key_of(flag): flag.as_json() for flag in judgement.flags},
        "reviewed": {key_of(entry.flag): entry.as_json() for entry in judgement.reviewed},
        "verdicts": {str(result.deal): result.as_json() for result in judgement.deals},
        "letters": dict(judgement.letters),
        "points": dict(judgement.points),
        "lost": list(judgement.lost),
        "won": list(judgement.won),
    }
    state: dict[str, Any] = public_state(seen) | without_nulls(full)
    return state


def key_of(flag: Flag) -> str:
    """What a flag is found by: its rule, all lines behind it, and whose it is.

    >>> key_of(Flag("R8", 900, ("A", "C"), "passed", (12, 14)))
    'R8:12,14:AC'
    """
    return f"{flag.rule}:{','.join(str(line) for line in flag.events)}:{''.join(flag.seats)}"
