"""The formats that a game can be exported to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kemps_rules.journal import journal_of
from kemps_server.errors import KempsServerError
from kemps_server.exports.csv_file import csv_of
from kemps_server.exports.rows import rows_of
from kemps_server.exports.webvtt import webvtt_of
from kemps_server.page.words import Words

Export = Callable[[bytes, Words], bytes]


def _as_jsonl(content: bytes, _words: Words) -> bytes:
    """The journal itself, byte for byte; it was checked when it was stored, and here once more."""
    journal_of(content)
    return content


def _as_csv(content: bytes, _words: Words) -> bytes:
    return csv_of(rows_of(journal_of(content)))


def _as_vtt(content: bytes, words: Words) -> bytes:
    return webvtt_of(journal_of(content), words)


FORMATS: Final[dict[str, Export]] = {"jsonl": _as_jsonl, "csv": _as_csv, "vtt": _as_vtt}


def exported(content: bytes, to: str, words: Words) -> bytes:
    """A journal in another format.

    Args:
        content: The journal, as a file holds it.
        to: One of ``FORMATS``.
        words: The language of texts for people.

    Raises:
        KempsServerError: There is no such format.
        KempsRulesError: The journal cannot be read.
    """
    if to not in FORMATS:
        raise KempsServerError(f"--to {to}: no such format; there are {', '.join(FORMATS)}")
    return FORMATS[to](content, words)
