"""``kemps correct``: a person's decision, added to a game's journal as one more line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import typer

from kemps_rules.events import Json
from kemps_rules.writer import format_event
from kemps_server.deciding import add_decision, decision_of, latest_ms, moment_ms
from kemps_server.errors import KempsServerError
from kemps_server.library import opened_game
from kemps_server.settings import DATA_HELP, read_settings

_CHOICES: Final = "--swap, --move, --change, --insert, --retract, --undo, --ruling, --review or --note"


def correct(  # noqa: PLR0913, PLR0917 - one for each option of the command
    game: str = typer.Argument(
        ..., metavar="GAME", help="A folder that kemps observe wrote, a journal, or a stored game's id."
    ),
    swap: tuple[str, str] | None = typer.Option(
        None, metavar="SEAT SEAT", help="From --from on, what was seen of one seat is the other's."
    ),
    move: tuple[str, str] | None = typer.Option(
        None, metavar="SEAT TO", help="From --from on, its player sits there, or another player sits here."
    ),
    change: tuple[int, str] | None = typer.Option(
        None, metavar="LINE FIELDS", help='Other fields for a line, such as 10 \'{"card":"9c"}\'.'
    ),
    insert: str | None = typer.Option(
        None, metavar="EVENT", help="An event that was missed, as a JSON object."
    ),
    retract: int | None = typer.Option(None, metavar="LINE", help="Take out what never was."),
    undo: int | None = typer.Option(None, metavar="LINE", help="Take back a person's decision."),
    ruling: tuple[int, str] | None = typer.Option(
        None, metavar="LINE WORD", help="Rule on the call in a line: right, wrong, cannot_verify, first."
    ),
    review: tuple[str, str, str] | None = typer.Option(
        None,
        metavar="RULE LINES WORD",
        help="Decide on a flag, such as R10 7,9 dismiss; or confirm, hold. For RULE also call or reading.",
    ),
    note: tuple[str, str] | None = typer.Option(
        None, metavar="RULE LINES", help="Say something (--why) about a flag, a call or a reading."
    ),
    since: str | None = typer.Option(None, "--from", metavar="TIME", help="Such as 12.5s or 1:02.5."),
    by: str = typer.Option(..., "--by", metavar="NAME", help="Who decides."),
    why: str = typer.Option(..., "--why", metavar="TEXT", help="The reason."),
    as_json: bool = typer.Option(False, "--json", help="One JSON object instead of text for people."),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
) -> None:
    """Add a person's decision to a game: who was mixed up, what was misread, how a call or a flag is decided.

    Nothing is changed in place: a line is added, and --undo takes it back with one more. Lines are counted
    from 1, as kemps judge names them. A decision that makes no sense is told, and nothing is written.
    """
    given = {
        "swap": swap, "move": move, "change": change, "insert": insert, "retract": retract, "undo": undo,
        "ruling": ruling, "review": review, "note": note,
    }  # fmt: skip
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise KempsServerError(f"give one of {_CHOICES}" + (f", not {len(chosen)}" if chosen else ""))
    fields = _FIELDS[chosen[0]](given[chosen[0]])
    fields |= _time_of(chosen[0], since) | {"by": _named(by), "why": why}
    settings = read_settings()
    with opened_game(game, settings.folder(data), settings.database_address) as found:
        decision = decision_of(fields, latest_ms(found))
        line = add_decision(found, decision)
    text = format_event(decision)
    if as_json:
        print(json.dumps({"line": line, "event": json.loads(text)}, ensure_ascii=False))  # noqa: T201 - the answer
    else:
        typer.echo(f"line {line + 1} added: {text}")


def _named(by: str) -> str:
    if not by.strip():
        raise KempsServerError("--by: say who decides")
    return by.strip()


def _time_of(name: str, since: str | None) -> dict[str, Json]:
    if name in ("swap", "move"):
        if since is None:
            raise KempsServerError(f"--{name} needs --from: since when, such as --from 12.5s")
        return {"at_ms": moment_ms(since)}
    if since is not None:
        raise KempsServerError(f"--from goes with --swap and --move; --{name} has its time from the line")
    return {}


def _event_of(line: int) -> int:
    """How the journal counts a line that people count from 1."""
    if line < 1:
        raise KempsServerError(f"there is no line {line}; lines are counted from 1")
    return line - 1


def _object(text: str, name: str) -> dict[str, Json]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise KempsServerError(f"--{name}: {text!r} is not readable as JSON ({error})") from None
    if not isinstance(data, dict):
        raise KempsServerError(f'--{name}: give a JSON object, such as \'{{"card":"9c"}}\'')
    return data


def _lines_of(words: str) -> list[int]:
    numbers = words.split(",")
    if not all(number.strip().isdecimal() for number in numbers):
        raise KempsServerError(f"{words!r} are no lines; write them as 7 or 7,9")
    return [_event_of(int(number)) for number in numbers]


_FIELDS: Final[dict[str, Callable[[Any], dict[str, Json]]]] = {
    "swap": lambda seats: {"kind": "identities_swapped", "seats": list(seats)},
    "move": lambda places: {"kind": "seat_changed", "seat": places[0], "to": places[1]},
    "change": lambda what: {
        "kind": "corrected", "event": _event_of(what[0]), "to": _object(what[1], "change"),
    },
    "insert": lambda text: {"kind": "inserted", "as": _object(text, "insert")},
    "retract": lambda line: {"kind": "retracted", "event": _event_of(line)},
    "undo": lambda line: {"kind": "undone", "event": _event_of(line)},
    "ruling": lambda what: {"kind": "ruled", "event": _event_of(what[0]), "ruling": what[1]},
    "review": lambda what: {
        "kind": "reviewed", "target": {"rule": what[0], "events": _lines_of(what[1])}, "decision": what[2],
    },
    "note": lambda what: {"kind": "noted", "target": {"rule": what[0], "events": _lines_of(what[1])}},
}  # fmt: skip
