"""Reports of benches as files: written, and read again to be compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kemps_server.errors import KempsServerError, WorkFailedError


def read_report(path: Path, bench: str) -> dict[str, Any]:
    """An earlier report of ``kemps bench`` with this name.

    Raises:
        KempsServerError: It cannot be read, or is no report.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        report = None
    if not isinstance(report, dict):
        raise KempsServerError(f"{path}: is no report of kemps bench {bench} --out")
    return report


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Writes a report, and the folder that it goes into.

    Raises:
        WorkFailedError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None
