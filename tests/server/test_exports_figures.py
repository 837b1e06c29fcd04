"""A game's figures as tables, read back by readers that are not ours."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from kemps_rules.journal import journal_of
from kemps_server.analysis.figure_rows import figure_rows
from kemps_server.analysis.game import analyse
from kemps_server.cli.app import build_app
from kemps_server.exports.figures import COLUMNS, figures_csv, figures_parquet
from kemps_server.exports.formats import exported
from kemps_server.exports.material import Material
from kemps_server.page.words import load_words

FORMULA = "=cmd|calc"


@pytest.fixture
def content(game_text: str) -> bytes:
    return game_text.replace('"C":"Carla"', f'"C":"{FORMULA}"').encode()


def test_csv_is_read_by_python_and_by_duckdb_with_all_its_figures(content: bytes, tmp_path: Path) -> None:
    table = exported(Material(content, load_words("en")), "figures")
    rows = list(csv.DictReader(io.StringIO(table.decode()), strict=True))
    figures = list(figure_rows(analyse(journal_of(content))))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["figure"] for row in rows] == [row.figure for row in figures]
    (right,) = [row for row in rows if row["figure"] == "calls_right" and row["seat"] == "C"]
    assert (right["value"], right["n"], right["low"]) == ("1.0", "1", "0.2065")
    assert right["player"] == f"'{FORMULA}", "no spreadsheet runs a name"
    (tmp_path / "figures.csv").write_bytes(table)
    assert len(duckdb.read_csv(str(tmp_path / "figures.csv")).fetchall()) == len(figures)


def test_parquet_is_read_by_duckdb_with_types_and_missing_values(content: bytes, tmp_path: Path) -> None:
    figures = list(figure_rows(analyse(journal_of(content))))
    (tmp_path / "figures.parquet").write_bytes(
        exported(Material(content, load_words("en")), "figures-parquet")
    )
    table = duckdb.read_parquet(str(tmp_path / "figures.parquet"))
    assert table.columns == list(COLUMNS)
    assert [str(kind) for kind in table.types] == [
        *("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "BIGINT", "BIGINT", "BIGINT", "VARCHAR"),
        *("DOUBLE", "VARCHAR", "BIGINT", "DOUBLE", "DOUBLE"),
    ]
    assert table.fetchall() == [astuple(row) for row in figures]


def test_no_figure_is_told_of_what_had_no_occasion(content: bytes) -> None:
    rows = [row for row in figure_rows(analyse(journal_of(content))) if row.figure == "calls_right"]
    assert {row.seat: row.value for row in rows if row.seat} == {"A": None, "B": None, "C": 1.0, "D": None}
    assert all(row.n == 0 for row in rows if row.value is None)


def test_the_command_writes_them(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_bytes(content)
    out = tmp_path / "figures.csv"
    arguments = ["export", str(tmp_path), "--to", "figures", "--out", str(out)]
    answer = CliRunner().invoke(build_app("export"), arguments)
    assert answer.exit_code == 0, answer.output
    figures = figure_rows(analyse(journal_of(content)))
    assert out.read_bytes() == figures_csv(figures)
    assert figures_parquet([])[:4] == b"PAR1", "an empty table is one, too"
