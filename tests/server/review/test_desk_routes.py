from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.keeping import EVIDENCE
from kemps_server.library import Library
from kemps_server.page.words import LANGUAGES, load_words, places
from kemps_server.store.store import Store
from kemps_server.store.users import Role

AddGame = Callable[..., str]
INCIDENT = "/api/games/thursday/incidents/R10-5"
ACTS = f"{INCIDENT}/acts"


class Visitor:
    """Somebody with a link, who asks an application in this process."""

    def __init__(self, app: FastAPI, secret: str = "") -> None:
        self._app, self._headers = app, {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **headers: str) -> Response:
        return asyncio.run(self._ask("GET", path, headers=self._headers | headers))

    def post(self, path: str, body: Any) -> Response:  # noqa: ANN401 - JSON
        return asyncio.run(self._ask("POST", path, headers=self._headers, json=body))

    async def _ask(self, method: str, path: str, **options: Any) -> Response:  # noqa: ANN401
        transport = ASGITransport(self._app)
        async with AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, **options)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all tests here: an application is slow to get going."""
    with Store.open(DataFolder(tmp_path_factory.mktemp("desk") / "data")) as opened:
        yield opened


@pytest.fixture
def store(shared: Store) -> Iterator[Store]:
    """The shared store, with no games in it when a test begins."""
    yield shared
    for record in shared.games.all():
        shared.games.remove(record.id)


@pytest.fixture(scope="module")
def shared_app(shared: Store) -> FastAPI:
    return create_app(Library(shared))


@pytest.fixture
def app(shared_app: FastAPI, add_game: AddGame) -> FastAPI:
    add_game()
    return shared_app


def visitor(app: FastAPI, store: Store, name: str, role: Role = Role.REFEREE) -> Visitor:
    return Visitor(app, store.tokens.issue(role, name)[1])


@pytest.fixture
def ida(app: FastAPI, store: Store) -> Visitor:
    return visitor(app, store, "Ida")


@pytest.fixture
def tom(app: FastAPI, store: Store) -> Visitor:
    return visitor(app, store, "Tom")


def test_the_queue_and_its_twin_say_the_same_and_the_page_has_it(ida: Visitor) -> None:
    queue = ida.get("/api/incidents").json()
    assert queue == ida.get("/desk.json").json()
    assert [one["id"] for one in queue["incidents"]] == ["call-7", "R14-9", "R10-5"]
    assert queue["you"] == "Ida"
    page = ida.get("/desk")
    found = re.search(r'id="desk-data">(.*?)</script>', page.text, re.DOTALL)
    assert found is not None
    assert json.loads(found[1])["queue"] == queue


def test_an_unchanged_queue_is_not_sent_again(ida: Visitor) -> None:
    etag = ida.get("/api/incidents").headers["ETag"]
    same = ida.get("/api/incidents", **{"If-None-Match": etag})
    assert (same.status_code, same.content) == (304, b"")
    ida.post(ACTS, {"act": "confirm"})
    assert ida.get("/api/incidents", **{"If-None-Match": etag}).status_code == 200


def test_an_incident_has_what_is_needed_to_decide_it(ida: Visitor) -> None:
    detail = ida.get("/api/games/thursday/incidents/call-7?lang=fr").json()
    assert detail["heading"] == "Cem annonce Kemps"
    assert detail["rule"] == "R12"
    assert detail["rule_text"].startswith("Qui croit")
    assert detail["messages"] == ["A shows 9♠ 9♥ and 2 not read"]
    assert detail["about"] == [7]
    rows = {row["line"]: row for row in detail["rows"]}
    assert rows[7]["is_about"]
    assert rows[8]["is_evidence"]
    assert rows[8]["cards"] == ["9s", "9h", None, None]
    assert rows[8]["card_field"] == "cards"
    assert rows[8]["hands"]["A"]["known"] == ["9s", "9h"]
    assert 3 not in rows  # half a minute before
    assert {choice["word"]: choice["needs_why"] for choice in detail["choices"]} == {
        "right": True,
        "wrong": True,
        "cannot_verify": False,
        "dismiss": True,
        "hold": False,
        "note": True,
    }
    assert (detail["from_ms"], detail["to_ms"]) == (38250, 46000)


def test_deciding_is_seen_by_others_at_once_and_told_in_the_history(ida: Visitor, tom: Visitor) -> None:
    done = ida.post(ACTS, {"act": "dismiss", "why": "a cough", "seen": 10}).json()
    assert done == {"added": [10, 11], "lines": 12, "is_repeat": False, "settled": ""}
    detail = tom.get(INCIDENT).json()
    assert (detail["state"], detail["decision"], detail["by"]) == ("decided", "dismiss", "Ida")
    assert [(one["decision"], one["by"], one["why"]) for one in detail["history"]] == [
        ("dismiss", "Ida", "a cough"),
        ("dismiss", "Ida", "a cough"),
    ]
    assert {choice["word"] for choice in detail["choices"]} == {"reopen", "note", "undo"}
    answer = tom.post(ACTS, {"act": "reopen", "seen": 10})
    assert answer.status_code == 409
    assert "meanwhile by Ida" in answer.json()["detail"]


def test_the_same_key_is_done_once(ida: Visitor) -> None:
    body = {"act": "confirm", "key": "0123456789"}
    first, again = ida.post(ACTS, body).json(), ida.post(ACTS, body).json()
    assert (first["is_repeat"], again["is_repeat"]) == (False, True)
    assert first["added"] == again["added"]
    correction = {"decision": {"kind": "retracted", "event": 4, "why": "never was"}, "key": "abcdefghij"}
    first = ida.post("/api/games/thursday/decisions", correction).json()
    again = ida.post("/api/games/thursday/decisions", correction).json()
    assert (again["is_repeat"], again["added"]) == (True, first["added"])


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (ACTS, {"act": "guilty"}, 422),
        (ACTS, {"act": "overturn"}, 422),
        (ACTS, {}, 422),
        (ACTS, {"act": "confirm", "seen": -1}, 422),
        (ACTS, [], 422),
        ("/api/games/thursday/incidents/R10-99/acts", {"act": "confirm"}, 404),
        ("/api/games/friday/incidents/R10-5/acts", {"act": "confirm"}, 404),
        ("/api/games/friday/decisions", {"decision": {"kind": "retracted", "event": 4}}, 404),
        ("/api/games/thursday/decisions", {"decision": {"kind": "retracted", "event": 0}}, 422),
        ("/api/games/thursday/decisions", {"decision": {"kind": "game_closed"}}, 422),
        ("/api/games/thursday/decisions", {"decision": {"kind": ["x"]}}, 422),
        ("/api/games/thursday/decisions", {"decision": {"kind": "corrected", "event": 4, "to": 5}}, 422),
    ],
)
def test_what_makes_no_sense_is_one_line_and_changes_nothing(
    store: Store,
    ida: Visitor,
    path: str,
    body: Any,  # noqa: ANN401 - JSON
    status: int,
) -> None:
    answer = ida.post(path, body)
    assert answer.status_code == status
    detail = answer.json()["detail"]
    assert isinstance(detail, str)
    assert detail
    assert "\n" not in detail
    assert len(store.games.journal("thursday")) == 10


@pytest.mark.parametrize("role", [Role.VIEWER, Role.PLAYER])
def test_nobody_but_referees_sees_or_decides_anything(app: FastAPI, store: Store, role: Role) -> None:
    other = visitor(app, store, "Vic", role)
    for path in ("/desk", "/desk.json", "/api/incidents", INCIDENT, "/api/games/thursday/evidence/x.jpg"):
        assert other.get(path).status_code == 403, path
    assert other.post(ACTS, {"act": "confirm"}).status_code == 403
    body = {"decision": {"kind": "retracted", "event": 4}}
    assert other.post("/api/games/thursday/decisions", body).status_code == 403
    assert Visitor(app, "nonsense").get("/desk.json").status_code == 401


@pytest.mark.parametrize("to", [{"nonsense": 1}, {"card": "ZZ"}, {"at": 3}])
def test_a_correction_that_puts_nothing_right_is_refused(
    store: Store, ida: Visitor, to: dict[str, object]
) -> None:
    lines = len(store.games.journal("thursday"))
    turned = next(
        line.number for line in store.games.journal("thursday").read() if "centre_turned" in line.text
    )
    body = {"decision": {"kind": "corrected", "event": turned, "to": to, "why": "a slip"}}
    answer = ida.post("/api/games/thursday/decisions", body)
    assert answer.status_code in {409, 422}
    assert f"centre_turned has no {next(iter(to))}" in answer.json()["detail"]
    assert len(store.games.journal("thursday")) == lines


def test_a_sealed_opinion_leaks_into_no_byte_before_the_second_is_given(
    store: Store, ida: Visitor, tom: Visitor
) -> None:
    paths = ["/desk", "/desk.json", "/api/incidents", INCIDENT, "/games/thursday", "/games/thursday.json"]
    before = {path: tom.get(path).text for path in paths}
    ida.post(ACTS, {"act": "overturn", "why": "the zebra stood in front of it", "sealed": True})
    assert ida.get(INCIDENT).json()["own_opinion"] == "overturn"
    for path in paths:
        answer = tom.get(path)
        assert "zebra" not in answer.text + str(answer.headers), path
        # An answer differs by the state and by who gave the opinion, and by nothing else.
        assert path == INCIDENT or plain(answer.text) == plain(before[path]), path
    blind = tom.get(INCIDENT).json()
    known = json.loads(before[INCIDENT])
    changed = {name for name in known if known[name] != blind[name]}
    assert changed == {"state", "by", "is_second"}
    refused = tom.post(ACTS, {"act": "undo"})
    assert refused.status_code == 422
    assert "overturn" not in refused.text.replace("it takes confirm, overturn, dismiss", "")
    assert "zebra" not in "".join(line.text for line in store.games.journal("thursday").read())
    done = tom.post(ACTS, {"act": "overturn", "why": "same here"}).json()
    assert done["settled"] == "agree"
    history = tom.get(INCIDENT).json()["history"]
    assert history[0]["opinions"][0] == {
        "by": "Ida",
        "decision": "overturn",
        "why": "the zebra stood in front of it",
    }


def plain(text: str) -> str:
    """An answer without what may differ before and after an opinion was sealed."""
    text = re.sub(r'"version": ?"[0-9a-f]{16}"|"decided": ?\{"thursday": ?\d+\}', "", text)
    return re.sub(r'"(state|by)": ?"(open|sealed|Ida|)"', "", text)


def test_stills_are_given_when_the_index_lists_them_and_nothing_else_is(store: Store, ida: Visitor) -> None:
    folder = store.folder.beside("thursday") / EVIDENCE
    folder.mkdir(parents=True)
    (folder / "00007-at.jpg").write_bytes(b"\xff\xd8jpeg")
    (folder / "secret.jpg").write_bytes(b"not listed")
    (folder / "x.txt").write_text("listed, no picture")
    rows = [
        {"file": "00007-at.jpg", "line": 7, "kind": "called", "moment": "at", "at_ms": 41250},
        {"file": "x.txt", "line": 7, "at_ms": 41250},
        {"file": "../../../kemps.sqlite", "line": 7, "at_ms": 41250},
        "nonsense",
    ]
    (folder / "index.json").write_text(json.dumps({"pictures": rows}))
    detail = ida.get("/api/games/thursday/incidents/call-7").json()
    assert detail["pictures"][0]["address"] == "/api/games/thursday/evidence/00007-at.jpg"
    picture = ida.get(detail["pictures"][0]["address"])
    assert (picture.content, picture.headers["content-type"]) == (b"\xff\xd8jpeg", "image/jpeg")
    for name in ("secret.jpg", "x.txt", "..%2F..%2F..%2Fkemps.sqlite", "index.json", "nothing.jpg"):
        assert ida.get(f"/api/games/thursday/evidence/{name}").status_code == 404, name


def test_each_answer_of_the_desk_is_described(app: FastAPI) -> None:
    paths = Visitor(app).get("/openapi.json").json()["paths"]
    for path in (
        "/api/incidents",
        "/api/games/{game}/incidents/{incident}",
        "/api/games/{game}/incidents/{incident}/acts",
        "/api/games/{game}/decisions",
        "/desk.json",
    ):
        for operation in paths[path].values():
            assert operation["summary"]
            assert {"401", "403"} <= operation["responses"].keys()
            assert operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]


def test_the_desk_says_the_same_in_all_languages_and_accuses_nobody() -> None:
    english = desk_words("en")
    accusing = re.compile(
        r"cheat|fraud|guilt|offen|обман|мошен|вин[оеу]|жульнич|batot|trapa|culpad|fraude|trich|coupable|tramp",
        re.IGNORECASE,
    )
    for language in LANGUAGES:
        texts = desk_words(language)
        assert texts.keys() == english.keys()
        for key, text in texts.items():
            assert text.strip(), key
            assert places(text) == places(english[key]), key
            assert not accusing.search(text), text


def desk_words(language: str) -> dict[str, str]:
    texts = load_words(language, "site", "desk").texts
    return {key: text for key, text in texts.items() if key.startswith("desk.")}
