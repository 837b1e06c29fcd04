"""Sealed opinions on their way to another store: a file beside an exported journal, one act a line.

They stand in no journal, because every referee may read that. Whoever has this file can read them, so it is
for the owner who moves a game, and for nobody who is to give a second opinion.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from kemps_server.errors import KempsServerError
from kemps_server.store.acts import ActRecord

_TEXTS: Final = {
    "key": 80,
    "digest": 64,
    "person": 200,
    "noted_at": 32,
    "incident": 80,
    "opinion": 16,
    "why": 1000,
}
_NUMBERS: Final = ("first", "count")


def opinions_path(journal: Path) -> Path:
    """Where the opinions of a journal lie.

    >>> opinions_path(Path("out/thursday.jsonl")).name
    'thursday.opinions.jsonl'
    """
    return journal.with_name(f"{journal.stem}.opinions.jsonl")


def opinions_text(acts: Iterable[ActRecord]) -> str:
    """The acts that sealed, withdrew or joined opinions; empty when there are none."""
    return "".join(
        json.dumps({name: getattr(act, name) for name in (*_TEXTS, *_NUMBERS)}, ensure_ascii=False) + "\n"
        for act in acts
        if act.opinion
    )


def opinions_in(path: Path, *, lines: int) -> tuple[ActRecord, ...]:
    """The acts in the file of a journal with so many lines; none where there is no file.

    Raises:
        KempsServerError: A line is no such act, or the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise KempsServerError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        row = _parsed(line)
        if row is None or row["first"] + row["count"] > lines:
            raise KempsServerError(
                f"{path}: line {number} is no sealed opinion of this journal; export it again"
            )
        found.append(ActRecord(n=0, game="", **row))
    return tuple(found)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    if not isinstance(row, dict) or row.keys() != {*_TEXTS, *_NUMBERS}:
        return None
    are_texts = all(isinstance(row[name], str) and len(row[name]) <= most for name, most in _TEXTS.items())
    are_numbers = all(type(row[name]) is int and row[name] >= 0 for name in _NUMBERS)
    return row if are_texts and are_numbers and row["key"] and row["opinion"] else None
