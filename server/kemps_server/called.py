"""Calls given beside the pictures: a file of ``called`` events, or words on the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from kemps_rules.errors import KempsRulesError
from kemps_rules.events import Called
from kemps_rules.house import House
from kemps_rules.journal import parse_line
from kemps_rules.seats import Seat, pair_of
from kemps_rules.wire import LATEST_MS
from kemps_server.errors import KempsServerError

TYPED_UNCERTAINTY_MS: Final = 200  # a time read off a player by eye
_TIME: Final = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d+)?)")
_FORM: Final = 'write the second, the seat and the word, as in "41.25 C kemps" or "1:02.5 B stop A"'


def read_calls(path: Path, seats: Collection[Seat]) -> tuple[Called, ...]:
    """The ``called`` events of a file of JSON Lines; blank lines are skipped.

    Raises:
        KempsServerError: It cannot be read, or a line is no call; the text names the line.
    """
    try:
        rows = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise KempsServerError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    calls = []
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            event = parse_line(row, number - 1)
        except KempsRulesError as error:
            raise KempsServerError(f"{path}: {error}") from None
        if not isinstance(event, Called):
            raise KempsServerError(
                f"{path}: line {number}: a {event.kind!r} event is no call; only 'called' stands here"
            )
        calls.append(_checked(event, seats, f"{path}: line {number}"))
    return tuple(calls)


def typed_call(text: str, house: House, seats: Collection[Seat]) -> Called:
    """The call that words such as ``41.25 C kemps`` or ``1:02.5 B stop A`` tell; ``-`` is an unknown seat.

    Raises:
        KempsServerError: The words tell no call.
    """
    words = text.split()
    if len(words) < 3:
        raise KempsServerError(f"--call {text!r}: {_FORM}")
    time, seat, *rest = words
    against = rest.pop().upper() if len(rest) > 1 and rest[-1].upper() in set(seats) else None
    call = house.call_named(" ".join(rest))
    at_ms = _milliseconds(time)
    if at_ms is None or call is None:
        what = f"{time!r} is no time" if at_ms is None else f"{' '.join(rest)!r} is no call at this table"
        raise KempsServerError(f"--call {text!r}: {what}; {_FORM}")
    called = Called(
        at_ms=at_ms,
        seat=None if seat == "-" else seat.upper(),
        call=call,
        against=against,
        uncertainty_ms=TYPED_UNCERTAINTY_MS,
    )
    return _of_rivals(_checked(called, seats, f"--call {text!r}"), len(seats), f"--call {text!r}")


def late_calls(calls: Sequence[Called], duration_ms: int | None) -> tuple[str, ...]:
    """One warning line for the calls that lie beyond the end of a recording; none when that is not known."""
    late = [] if duration_ms is None else [call for call in calls if call.at_ms > duration_ms]
    if not late or duration_ms is None:
        return ()
    times = ", ".join(f"{call.at_ms / 1000:g} s" for call in late)
    what = f"the call at {times} lies" if len(late) == 1 else f"the calls at {times} lie"
    return (f"{what} beyond the end of the recording ({duration_ms / 1000:g} s); is the time right?",)


def merged(*groups: Sequence[Called]) -> tuple[Called, ...]:
    """All calls in the order of their times."""
    return tuple(sorted((call for group in groups for call in group), key=lambda call: call.at_ms))


def _milliseconds(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = match.groups()
    at_ms = round((int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)) * 1000)
    return at_ms if at_ms <= LATEST_MS else None


def _checked(call: Called, seats: Collection[Seat], where: str) -> Called:
    for seat in (call.seat, call.against):
        if seat is not None and seat not in seats:
            raise KempsServerError(
                f"{where}: there is no seat {seat!r} at this table of {' '.join(sorted(seats))}"
            )
    return call


def _of_rivals(call: Called, count: int, where: str) -> Called:
    """The call; a typed seat that the call cannot be about is a slip of the typist, who would get no verdict.

    A stop is against rivals, a Kemps is about the partner.
    """
    if call.seat is None or call.against is None:
        return call
    pair = pair_of(call.seat, count)
    if call.call == "stop" and call.against in pair:
        raise KempsServerError(
            f"{where}: {call.against} is of the caller's own pair {'/'.join(pair)}; name a rival's seat"
        )
    if call.call != "stop" and call.against not in pair:
        raise KempsServerError(
            f"{where}: {call.against} is no partner of {call.seat}; a Kemps is about the partner's hand, "
            "and names no seat"
        )
    return call
