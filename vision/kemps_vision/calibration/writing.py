"""A ``table.toml`` as it is written: what was found, how sure it is, and what a person wrote before.

A draft is a row of tables, each with its values and a comment for those that need one. Merged with an older
file, a value stays that of the person who wrote it, unless the record says that it was found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kemps_vision.hearing.table_sound import KEY as SOUND

_HEAD: Final = (
    "# Written by kemps calibrate. Lengths are px of pictures of the size that each camera has here.",
    "# Values may be changed: kemps calibrate --update keeps those that a person wrote.",
)


@dataclass(slots=True)
class DraftTable:
    """One table: its ``kind`` (empty, ``camera`` or ``seat``), ``name``, values and comments by key."""

    kind: str
    name: str
    values: dict[str, Any] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)

    def path(self, key: str) -> str:
        """The name of a value in a record: ``camera.table.centre``."""
        return ".".join(part for part in (self.kind, self.name, key) if part)


def toml_text(tables: Sequence[DraftTable]) -> str:
    """The file: comments stand above their values."""
    lines = [*_HEAD, ""]
    for table in tables:
        if table.kind:
            lines += ["", f"[[{table.kind}]]"]
        for key, value in table.values.items():
            comment = table.comments.get(key)
            lines += [f"# {line}" for line in comment.splitlines()] if comment else []
            lines.append(f"{key} = {_value(value)}")
    return "\n".join(lines) + "\n"


def found_values(tables: Sequence[DraftTable]) -> dict[str, Any]:
    """All values by their names."""
    return {table.path(key): value for table in tables for key, value in table.values.items()}


def kept_values(old: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """What a person wrote in an older file (as TOML is read): values that are not as they were ``found``."""
    values = found_values(tables_of(old))
    return {path: value for path, value in values.items() if path not in found or found[path] != value}


def tables_of(data: Mapping[str, Any]) -> list[DraftTable]:
    """The tables of a file that was read."""
    top = {key: value for key, value in data.items() if not isinstance(value, list) and key != SOUND}
    tables = [DraftTable("", "", top)]
    for kind, name in (("camera", "name"), ("seat", "id")):
        for n, values in enumerate(data.get(kind, [])):
            default = "table" if kind == "camera" and n == 0 else ""
            tables.append(DraftTable(kind, str(values.get(name, default)), dict(values)))
    sounds = data.get(SOUND, [])
    parts = [sounds] if isinstance(sounds, dict) else sounds
    return tables + [DraftTable(SOUND, str(part.get("source", "")), dict(part)) for part in parts]


def merge(tables: Sequence[DraftTable], old: Mapping[str, Any], kept: Mapping[str, Any]) -> list[DraftTable]:
    """The draft with the values that a person wrote, and with tables that only the older file has."""
    before = {(table.kind, table.name): table for table in tables_of(old)}
    merged = [_merged(table, before.pop((table.kind, table.name), None), kept) for table in tables]
    merged += [_merged(table, table, kept) for table in before.values() if table.kind]
    order = {"": 0, "camera": 1, "seat": 2, SOUND: 3}
    return sorted(merged, key=lambda table: order[table.kind])


def _merged(table: DraftTable, before: DraftTable | None, kept: Mapping[str, Any]) -> DraftTable:
    values, comments = dict(table.values), dict(table.comments)
    for key in () if before is None else before.values:
        path = table.path(key)
        if path in kept:
            if key in values and values[key] != kept[path]:
                comments[key] = f"kept as it was written; found: {_value(values[key])}"
            values[key] = kept[path]
    return DraftTable(table.kind, table.name, values, comments)


def _value(value: Any) -> str:  # noqa: ANN401 - any value of TOML
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_value(part)}" for key, part in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(part) for part in value)}]"
    return json.dumps(value, ensure_ascii=False)
