"""Rows as CSV (RFC 4180, UTF-8): for spreadsheets and notebooks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from typing import Final

from kemps_server.exports.rows import EventRow

COLUMNS: Final = tuple(column.name for column in fields(EventRow))
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_of(rows: Iterable[EventRow]) -> bytes:
    """A header line and a line a row; what is not told is empty, truth is ``true`` or ``false``.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    return table_csv(COLUMNS, (astuple(row) for row in rows))


def table_csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A table with these columns, its cells written as ``csv_of`` says."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue().encode()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA_SIGNS):
        return f"'{value}"
    return value
