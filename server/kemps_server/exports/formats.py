"""The formats that a game can be exported to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kemps_server.analysis.figure_rows import figure_rows
from kemps_server.analysis.game import analyse
from kemps_server.errors import KempsServerError
from kemps_server.exports.boris import boris_of
from kemps_server.exports.csv_file import csv_of
from kemps_server.exports.elan import elan_of
from kemps_server.exports.figures import figures_csv, figures_parquet
from kemps_server.exports.material import Material
from kemps_server.exports.parquet_file import parquet_of
from kemps_server.exports.rows import rows_of
from kemps_server.exports.webvtt import webvtt_of
from kemps_server.page.moments import header_of


def _jsonl(material: Material) -> bytes:
    """The journal itself, byte for byte, once it is sure that it is one."""
    header_of(material.journal)
    return material.content


def _csv(material: Material) -> bytes:
    return csv_of(rows_of(material.journal))


def _vtt(material: Material) -> bytes:
    return webvtt_of(material.journal, material.words)


def _eaf(material: Material) -> bytes:
    return elan_of(rows_of(material.journal), header_of(material.journal), material.recording)


def _boris(material: Material) -> bytes:
    return boris_of(list(rows_of(material.journal)), header_of(material.journal), material)


def _parquet(material: Material) -> bytes:
    header = material.content.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].decode().strip()
    return parquet_of(rows_of(material.journal), header)


def _figures(material: Material) -> bytes:
    return figures_csv(figure_rows(analyse(material.journal)))


def _figures_parquet(material: Material) -> bytes:
    return figures_parquet(figure_rows(analyse(material.journal)))


FORMATS: Final[dict[str, Callable[[Material], bytes]]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "parquet": _parquet,
    "eaf": _eaf,
    "boris": _boris,
    "vtt": _vtt,
    "figures": _figures,
    "figures-parquet": _figures_parquet,
}
"""What ``kemps export --to`` takes."""


def exported(material: Material, to: str) -> bytes:
    """A game in one of the ``FORMATS``.

    Raises:
        KempsServerError: There is no such format, or what it needs is not installed.
        KempsRulesError: The journal cannot be read.
    """
    if to not in FORMATS:
        raise KempsServerError(f"--to {to}: no such format; there are {', '.join(FORMATS)}")
    return FORMATS[to](material)
