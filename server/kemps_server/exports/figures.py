"""A game's figures as a table: CSV for spreadsheets, Parquet with types for notebooks."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import asdict, astuple, fields
from typing import Any, Final

from kemps_server.analysis.figure_rows import FigureRow
from kemps_server.errors import KempsServerError
from kemps_server.exports.csv_file import table_csv

COLUMNS: Final = tuple(column.name for column in fields(FigureRow))
_TYPES: Final = {"int | None": "int64", "float | None": "float64", "str | None": "string", "str": "string"}


def figures_csv(rows: Iterable[FigureRow]) -> bytes:
    """A header line and a line a figure; what is not known is empty."""
    return table_csv(COLUMNS, (astuple(row) for row in rows))


def figures_parquet(rows: Iterable[FigureRow]) -> bytes:
    """The same with types; what is not known is null.

    Raises:
        KempsServerError: The library that writes it is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, and large
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise KempsServerError(
            "Parquet needs a library; install it with: pip install 'kemps[parquet]'"
        ) from None
    columns = [pa.field(one.name, pa.type_for_alias(_TYPES[str(one.type)])) for one in fields(FigureRow)]
    schema: Any = pa.schema(columns)
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([asdict(row) for row in rows], schema=schema), file)
    return file.getvalue()
