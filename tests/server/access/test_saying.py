"""Refusals: in English with a stable code for programs, in the page's language for people."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from tests.server.access.conftest import Asker

from kemps_server.access.saying import code_of, refusal_json, said_in
from kemps_server.page.words import load_words
from kemps_server.store.database import reason_of

FOLDERS: Final = ("routes", "access", "observers", "review", "live", "forgetting", "reel", "film", "cases")
FILES: Final = ("users", "tokens", "passwords", "tables", "games", "acts", "choices", "sittings", "decisions")
TOLD: Final = {
    "HTTPException",
    "KempsServerError",
    "ConflictError",
    "MissingError",
    "NoPictureError",
    "ObsError",
}
BROKEN: Final = "header"  # a journal without one has no page either; its error names the file and the line


def test_a_refusal_has_a_stable_code_and_an_english_line() -> None:
    line = "there is a table called friday already; choose another name"
    assert code_of(line, 409) == "table_taken"
    assert refusal_json(line, 409) == f'{{"detail": "{line}", "code": "table_taken"}}\n'
    assert said_in("fr", line) == "il y a déjà une table nommée friday ; choisissez un autre nom"


def test_roles_in_a_refusal_are_said_in_the_language_too() -> None:
    said = said_in("ru", "this is for an owner; you came as a viewer")
    assert said == "это для роли «владелец»; вы вошли как зритель"


def test_what_the_framework_says_of_a_body_is_said_in_our_words(home: Asker) -> None:
    headers = {"content-type": "application/json", "kemps-language": "fr"}
    told = home.post("/api/links", content=b"[" * 200_000, headers=headers).json()
    assert told["detail"] == "what was sent cannot be read as JSON; send it anew"
    assert (told["code"], told["said"][:23]) == ("unreadable", "ce qui fut envoyé ne se")


@pytest.mark.parametrize(
    "name", ["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_IOERR"]
)
def test_what_ails_the_store_has_a_code_and_words(name: str) -> None:
    error = sqlite3.OperationalError("database or disk")
    error.sqlite_errorname = name
    line = f"kemps.sqlite: {reason_of(error)}"
    assert code_of(line, 503) not in {"http_503", "invalid"}
    assert "не подходит" not in said_in("ru", line) != line


def test_what_has_no_words_is_said_as_it_is() -> None:
    assert said_in("es", "the moon is full") == "the moon is full"
    assert code_of("the moon is full", 418) == "http_418"


def test_a_script_is_told_in_its_page_s_language_and_a_program_in_english(home: Asker) -> None:
    asked = home.get("/api/tables/nowhere", headers={"kemps-language": "pt"})
    assert asked.json() == {
        "detail": "there is no such table here",
        "code": "no_such_table",
        "said": "não há tal mesa aqui",
    }
    assert "said" not in home.get("/api/tables/nowhere").json()
    assert "said" not in home.get("/api/tables/nowhere", headers={"kemps-language": "<b>"}).json()


def test_a_page_that_is_not_there_says_so_in_the_reader_s_language(home: Asker) -> None:
    page = home.get("/nowhere?lang=ru", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert "по этому адресу ничего нет" in page.text
    assert "Not Found" not in page.text


def test_an_overlay_under_a_strange_name_is_refused_without_a_ground(home: Asker) -> None:
    page = home.get("/overlay/friday?lang=fr", headers={"accept": "text/html", "host": "evil.example"})
    assert (page.status_code, "background: transparent" in page.text) == (400, True)
    plain = home.get("/", headers={"accept": "text/html", "host": "evil.example"})
    assert (plain.status_code, "--public-name" in plain.text) == (400, True)
    assert "background: transparent" not in plain.text


@pytest.mark.parametrize("place", [*FOLDERS, "store"])
def test_each_refusal_in_the_code_has_words(place: str) -> None:
    known = {_shape(text) for text in load_words("en", "site", "refusals").texts.values()}
    unsaid = {text for text in _refusals(place) if _shape(text) not in known and BROKEN not in text}
    assert unsaid == set()


def _shape(text: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", text)


def _refusals(place: str) -> Iterator[str]:
    """What is raised there as an answer: constants, and f-strings with their places."""
    for path in sorted(Path(str(files("kemps_server").joinpath(place))).glob("*.py")):
        if place == "store" and path.stem not in FILES:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=args)) if name in TOLD:
                    yield from (text for arg in args if (text := _text(arg)))


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_part(part) for part in values)
        case _:
            return ""


def _part(node: ast.expr) -> Any:  # noqa: ANN401 - the value of a constant
    return node.value if isinstance(node, ast.Constant) else "{}"
