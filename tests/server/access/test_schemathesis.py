"""The whole interface, asked with what its own description allows and with what it does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Err
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import Receive, Scope, Send

from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store import passwords
from kemps_server.store.store import Store
from kemps_server.store.users import Role

TABLE = '[[camera]]\nname = "table"\nrole = "table"\nsource = "0"\n'
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# They open cameras, start processes or call other programs: asked in the tests of what they do.
OUTWARD = ("/api/cameras", "/start", "/next", "/obs/try", "/reel")
EXAMPLES = 2
Operation = APIOperation[Any, Any, Any, Any]


class _Routes:
    """An application without what runs beside it."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        for answer in ("lifespan.startup.complete", "lifespan.shutdown.complete"):
            await receive()
            await send({"type": answer})


@pytest.fixture
def schema(
    tmp_path: Path, game_text: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[schemathesis.BaseSchema, dict[str, str]]]:
    """The interface of a server with a little of everything, and names of what there is."""
    monkeypatch.setattr(passwords, "_LOG_N", 4)
    with Store.open(DataFolder(tmp_path / "kept")) as store:
        game = store.games.take_in("Thursday", game_text.encode()).game.id
        store.tables.save("one", TABLE)
        store.users.add("Ida", Role.OWNER, "correct horse")
        app = create_app(Library(store))
        known = {
            "game": game,
            "table": "one",
            "name": "Anna",
            "camera": "table",
            "incident": "1",
            "file": "x",
        }
        interface = schemathesis.openapi.from_dict(app.openapi())
        interface.app = _Routes(app)
        yield interface, known


def ask(operation: Operation, mode: GenerationMode, known: dict[str, str]) -> None:
    """Ask an operation some questions, and look whether each answer is one that it describes."""
    turns = itertools.cycle((True, False))
    named = {name: known[name] for name in known if f"{{{name}}}" in operation.path}
    strategy = operation.as_strategy(generation_mode=mode)

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def asked(case: schemathesis.Case[Any]) -> None:
        if next(turns):
            case.path_parameters = {**case.path_parameters, **named}
        case.validate_response(case.call(base_url="http://127.0.0.1"), checks=CHECKS)

    asked()


def test_each_answer_is_one_that_the_description_names(
    schema: tuple[schemathesis.BaseSchema, dict[str, str]],
) -> None:
    interface, known = schema
    asked = 0
    for result in interface.get_all_operations():
        assert not isinstance(result, Err), result
        operation = result.ok()
        if any(part in operation.path for part in OUTWARD):
            continue
        ask(operation, GenerationMode.POSITIVE, known)
        if operation.body:
            ask(operation, GenerationMode.NEGATIVE, known)
        asked += 1
    assert asked > 50
