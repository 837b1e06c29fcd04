"""Rows as Apache Parquet, with types: for notebooks and databases."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from kemps_server.errors import KempsServerError
from kemps_server.exports.rows import EventRow

_TYPES: Final = {
    "line": "int32",
    "deal": "int32",
    "at_ms": "int64",
    "until_ms": "int64",
    "kind": "string",
    "seat": "string",
    "other": "string",
    "cards": "string",
    "value": "string",
    "confidence": "float64",
    "uncertainty_ms": "int64",
    "is_retracted": "bool",
    "by": "string",
    "why": "string",
    "event": "string",
}


def parquet_of(rows: Iterable[EventRow], header: str) -> bytes:
    """A table of the rows; what is not told is null. The journal's header stands in the file's metadata.

    Raises:
        KempsServerError: The library that writes it is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, and large
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise KempsServerError(
            "--to parquet needs a library; install it with: pip install 'kemps[parquet]'"
        ) from None
    columns = [pa.field(name, pa.type_for_alias(kind)) for name, kind in _TYPES.items()]
    schema: Any = pa.schema(columns, metadata={"kemps.header": header})
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([asdict(row) for row in rows], schema=schema), file)
    return file.getvalue()
