"""Documents in which a command writes its tables between two marks, and leaves the rest to people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kemps_server.errors import KempsServerError, WorkFailedError


def put_between(path: Path, begin: str, end: str, text: str) -> None:
    """Writes ``text`` into a document in place of what stands between its two marks.

    Raises:
        KempsServerError: The document is not there, or lacks the marks.
        WorkFailedError: It cannot be written.
    """
    try:
        whole = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise KempsServerError(f"{path}: is no document that can be read") from None
    before, first, rest = whole.partition(begin)
    _, last, after = rest.partition(end)
    if not first or not last:
        raise KempsServerError(f"{path}: lacks the lines {begin} and {end}")
    try:
        path.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table.

    >>> markdown_table(["a", "b"], [["1", "2"]])
    ['| a | b |', '| --- | --- |', '| 1 | 2 |']
    """
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows)]
