"""The bar: no private byte on any public route, over a whole simulated game.

A game full of secrets that are known by their letters is played at two tables of a running server, one told
at once, one three hours late. Viewers, players and strangers ask everything that the application's routes
offer, follow every socket, and try every act. Routes are taken from the application, so that a new one is
asked, too, and a referee asks the same: what the scan cannot find there it would not find elsewhere.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.routing import APIWebSocketRoute
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from kemps_server.app import ROUTERS, create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.listening import listening
from kemps_server.live.delay import MOST_MS, set_delay
from kemps_server.page.words import LANGUAGES
from kemps_server.store.store import Store
from kemps_server.store.users import Role

pytestmark = pytest.mark.long

CLIP = Path(str(files("kemps_server").joinpath("demo/demo.mp4")))
TABLE = '[[camera]]\nname = "table"\nrole = "table"\nsource = "0"\n'
SECRET = re.compile(r"zq[a-z]+\d*")
CARD = "7h"  # in this game nobody ever lays it open
PICTURE = b"\xff\xd8\xff\xe0zqpicture"

OPENING = """
{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"Anna","B":"Boris","C":"Carla","D":"Dmitri"}}
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":1200,"cards":["9c","2h","5d","Js"]}
{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}
{"kind":"gesture","at_ms":8500,"until_ms":8900,"seat":"A","gesture":"zqwink","strength":0.7}
{"kind":"card_passed","at_ms":8700,"from":"A","to":"C","card":"7h"}
"""
MIDDLE = """
{"kind":"card_laid","at_ms":9300,"seat":"A","card":"Kc"}
{"kind":"hands_touched","at_ms":9400,"until_ms":9900,"seats":["A","C"],"where":"zqplace"}
{"kind":"hand_hidden","at_ms":15000,"until_ms":17300,"seat":"A"}
{"kind":"hand_hidden","at_ms":15500,"until_ms":17900,"seat":"C"}
{"kind":"not_measurable","at_ms":15600,"until_ms":17900,"seat":"C","what":"zqwhat"}
{"kind":"inserted","at_ms":18000,"as":{"kind":"gesture","at_ms":14000,"until_ms":14500,"seat":"C","gesture":"zqnod"},"by":"zqsigner","why":"zqreason"}
{"kind":"reviewed","at_ms":18500,"target":{"rule":"R10","events":[8]},"decision":"hold","by":"zqreviewer","why":"zqnote"}
{"kind":"zqkind","at_ms":19000,"text":"zqtext"}
{"kind":"settled","at_ms":19500,"camera":"table"}
"""
CALL = """
{"kind":"called","at_ms":23250,"seat":"C","call":"kemps","uncertainty_ms":120}
{"kind":"hand_shown","at_ms":26000,"seat":"A","cards":["9s","9h","9d","9c"],"unread":0}
{"kind":"deal_ended","at_ms":27000,"why":"call"}
{"kind":"settled","at_ms":30000,"camera":"table"}
{"kind":"deal_started","at_ms":31000,"dealer":"B"}
{"kind":"centre_turned","at_ms":32000,"cards":["Td","3h","5c","Qs"]}
{"kind":"gesture","at_ms":33000,"until_ms":33400,"seat":"D","gesture":"zqpout","strength":0.9}
{"kind":"ruled","at_ms":34000,"event":15,"ruling":"wrong","by":"zqjudge","why":"zqruling"}
{"kind":"settled","at_ms":39500,"camera":"table"}
"""
CLOSING = '{"kind":"game_closed","at_ms":60000}\n'
SECRETS = {*SECRET.findall(OPENING + MIDDLE + CALL), "zqheld"}


@dataclass
class Client:
    """Somebody who asks everything, and all bytes that came back."""

    name: str
    headers: dict[str, str]
    query: str = ""
    got: dict[str, bytes] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)

    def ask(self, http: httpx.Client, method: str, path: str) -> None:
        address = path + ("&" if "?" in path else "?") + self.query if self.query else path
        answer = http.request(method, address, headers=self.headers, json={} if method != "GET" else None)
        told = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        where = f"{self.name}: {method} {path} -> {answer.status_code}"
        self.got[where] = self.got.get(where, b"") + told.encode() + b"\n\n" + answer.content
        self.kinds[where] = answer.headers.get("content-type", "")


@dataclass
class Scene:
    """A running server with two tables, and those who ask."""

    app: FastAPI
    store: Store
    address: str
    public: list[Client]
    referee: Client
    games: dict[str, str]

    def play(self, text: str) -> None:
        for game in self.games.values():
            self.store.games.journal(game).append_texts(
                [f"{line}\n" for line in text.splitlines() if line.strip()]
            )

    def ask_all(self, *clients: Client) -> None:
        """They ask everything; videos are encoded for nobody who may have them."""
        with httpx.Client(base_url=self.address, timeout=60) as http:
            for path in self.paths():
                for client in clients if "lang=" not in path else clients[-1:]:
                    if client is not self.referee or ".mp4" not in path:
                        client.ask(http, "GET", path)

    def try_acts(self) -> None:
        """The public tries every act that there is."""
        with httpx.Client(base_url=self.address, timeout=60) as http:
            for template, methods in self.app.openapi()["paths"].items():
                if template in {"/login", "/logout", "/api/session"}:
                    continue  # they are for everybody, and would end what is tried
                for method in set(methods) - {"get"}:
                    for path in self._filled(template, []):
                        for client in self.public[::2]:  # by no token, by a link, by a cookie
                            client.ask(http, method.upper(), path)

    def paths(self) -> Iterator[str]:
        """The address of everything that can be got, for each table, game, language and incident."""
        for template, methods in self.app.openapi()["paths"].items():
            if "get" not in methods:
                continue
            needed = [one for one in methods["get"].get("parameters", []) if one["in"] == "query"]
            yield from self._filled(template, needed)
        yield "/openapi.json"
        yield from (
            f"/games/{game}?lang={language}" for game in self.games.values() for language in LANGUAGES
        )
        yield from ("/games/..%2f..%2fkemps.sqlite", "/static/..%2f..%2fapp.py", "/zqnothing")

    def _filled(self, template: str, needed: list[dict[str, Any]]) -> Iterator[str]:
        names = re.findall(r"\{(\w+)(?::\w+)?\}", template)
        values = [self._values(name, template) for name in names]
        query = "&".join(
            f"{one['name']}={8500 if one['schema'].get('type') in {'integer', 'number'} else 'table'}"
            for one in needed
            if one.get("required")
        )
        for chosen in itertools.product(*values):
            filled = dict(zip(names, chosen, strict=True))
            path = re.sub(r"\{(\w+)(?::\w+)?\}", lambda place: quote(filled[place[1]], safe=""), template)  # noqa: B023
            yield f"{path}?{query}" if query else path

    def _values(self, name: str, template: str) -> list[str]:
        if template.startswith("/static"):
            return ["site.css", "site.js", "page.js"]
        if name in {"game", "name", "id", "game_id"}:
            return list(self.games.values())
        if name == "table":
            return list(self.games)
        if name == "incident":
            return self._incidents()
        return {"camera": ["table"], "file": ["00005-at.jpg", "index.json"], "seat": ["A"]}.get(name, ["1"])

    def _incidents(self) -> list[str]:
        answer = httpx.get(f"{self.address}/api/incidents", headers=self.referee.headers)
        found = re.findall(r'"id":\s*"([^"]+)"', answer.text)
        return sorted(set(found))[:3] or ["1"]


@pytest.fixture
def scene(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Scene]:
    caplog.set_level(logging.DEBUG, "kemps_server")
    with Store.open(DataFolder(tmp_path / "kept")) as store:
        games = _begun(store, OPENING)
        app = create_app(Library(store), host="192.168.1.5")
        yield from _served(app, store, games)


def _begun(store: Store, text: str) -> dict[str, str]:
    """The games of two tables, of which one is told three hours late."""
    games = {}
    for table, delay_ms in (("prompt", 0), ("late", MOST_MS)):
        store.tables.save(table, TABLE)
        set_delay(store.tables, table, delay_ms)
        game = store.games.take_in(f"{table} game", text.lstrip().replace("Boris", table).encode()).game
        store.sittings.begin(table, game.id)
        games[table] = game.id
        _lay_beside(store.folder.beside(game.id))
    return games


def _lay_beside(folder: Path) -> None:
    (folder / "evidence").mkdir(parents=True)
    (folder / "evidence/00005-at.jpg").write_bytes(PICTURE)
    pictures = [{"file": "00005-at.jpg", "line": 4, "kind": "gesture", "moment": "at", "at_ms": 8500}]
    (folder / "evidence/index.json").write_text(json.dumps({"pictures": pictures}), encoding="utf-8")
    note = {"kind": "file", "name": "demo.mp4", "path": str(CLIP), "size": [1280, 720], "fps": 30.0}
    (folder / "recording.json").write_text(json.dumps(note | {"duration_ms": 20_000}), encoding="utf-8")
    held = {"from_ms": 0, "until_ms": 5000, "why": "zqheld"}
    (folder / "held.jsonl").write_text(json.dumps(held) + "\n", encoding="utf-8")


def _clients(secrets: dict[Role, str]) -> tuple[list[Client], Client]:
    """The public, and a referee."""
    public = [
        Client("stranger", {"accept": "text/html"}),
        Client("liar", {}, "token=zqmadeup"),
        Client("viewer by link", {"accept": "text/html"}, f"token={secrets[Role.VIEWER]}"),
        Client("viewer by header", {"authorization": f"Bearer {secrets[Role.VIEWER]}"}),
        Client("player by cookie", {"cookie": f"kemps_session={secrets[Role.PLAYER]}"}),
    ]
    return public, Client("referee", {"authorization": f"Bearer {secrets[Role.REFEREE]}"})


def _served(app: FastAPI, store: Store, games: dict[str, str]) -> Iterator[Scene]:
    public, referee = _clients({role: store.tokens.issue(role, f"the {role}")[1] for role in Role})
    listener = listening()
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    yield Scene(app, store, address, public, referee, games)
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


def _listen(scene: Scene, client: Client, stop: threading.Event) -> list[threading.Thread]:
    """Follow every socket that there is; what comes is in ``client.heard``."""
    templates = [
        route.path for router in ROUTERS for route in router.routes if isinstance(route, APIWebSocketRoute)
    ]
    paths = [path for template in templates for path in scene._filled(template, [])]
    threads = [
        threading.Thread(target=_follow, args=(scene.address, client, path, stop), daemon=True)
        for path in paths
    ]
    for thread in threads:
        thread.start()
    return threads


def _follow(address: str, client: Client, path: str, stop: threading.Event) -> None:
    target = f"ws{address.removeprefix('http')}{path}" + (f"?{client.query}" if client.query else "")
    try:
        with connect(target, additional_headers=client.headers, open_timeout=20) as live:
            while not stop.is_set():
                try:
                    client.heard.append(f"{path} {live.recv(timeout=0.2)!r}")
                except TimeoutError:
                    continue
    except (WebSocketException, OSError) as error:
        client.heard.append(f"{path} {error!r}")


def leaks_in(client: Client) -> list[str]:
    """What a client got that is private, and where."""
    found = []
    for where, content in client.got.items():
        text = content.decode("utf-8", "replace")
        secrets = {one for one in SECRET.findall(text) if one not in {"zqmadeup", "zqnothing"}}
        is_shown = f'"{CARD}"' in text or f"#card-{CARD}" in text
        is_picture = client.kinds[where].startswith(("image/jpeg", "image/png", "video/"))
        if secrets or is_shown or is_picture:
            found.append(f"{where}: {sorted(secrets)}{' card' * is_shown}{' picture' * is_picture}")
    return found + [
        f"{client.name}: socket {message[:200]}"
        for message in client.heard
        if (SECRET.search(message) and "zqmadeup" not in message) or f'"{CARD}"' in message
    ]


def test_no_private_byte_reaches_the_public(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    stop = threading.Event()
    clients = [*scene.public, scene.referee]
    threads = [thread for client in clients for thread in _listen(scene, client, stop)]
    scene.ask_all(scene.public[3])
    scene.play(MIDDLE + CALL)
    scene.ask_all(scene.referee, *scene.public)
    scene.try_acts()
    time.sleep(0.5)  # sockets hear of the last lines within a poll or two
    stop.set()
    for thread in threads:
        thread.join(20)
    assert [leak for client in scene.public for leak in leaks_in(client)] == []
    assert [line for line in caplog.text.splitlines() if SECRET.search(line)] == []
    done = [where for client in scene.public for where in client.got if where.split()[-1][0] not in "234"]
    acts = [where for client in scene.public for where in client.got if ": GET " not in where]
    assert done == []
    assert acts
    assert [act for act in acts if act.split()[-1][0] != "4"] == []
    # The scan looks where the secrets are: a referee who asks the same finds all of them.
    everything = "\n".join([content.decode("utf-8", "replace") for content in scene.referee.got.values()])
    everything += "\n".join(scene.referee.heard)
    assert set(SECRET.findall(everything)) >= SECRETS - {"zqheld"}
    assert f'"{CARD}"' in everything
    _late_is_late(scene)


def _late_is_late(scene: Scene) -> None:
    """Also what lies open is told no sooner than the table's delay allows, and so is the end of the game."""
    scene.play(CLOSING)
    with httpx.Client(base_url=scene.address, timeout=60) as http:
        fresh = Client("viewer", dict(scene.public[3].headers))
        for path in scene.paths():
            if scene.games["late"] in path or "/late" in path:
                fresh.ask(http, "GET", path)
    assert leaks_in(fresh) == []
    text = "".join(content.decode("utf-8", "replace") for content in fresh.got.values())
    assert "/late" in "".join(fresh.got)
    open_cards = ('"9s"', '"Td"', "#card-Td", '"called"', '"kemps"}')
    assert [card for card in open_cards if card in text] == []


def test_no_private_byte_and_no_secret_of_a_link_leaves_the_command_or_stands_in_its_log(
    tmp_path: Path,
) -> None:
    """``kemps serve`` as it is started: its answers, what it prints, and all of its log."""
    folder = DataFolder(tmp_path / "kept")
    with Store.open(folder) as store:
        games = _begun(store, OPENING + MIDDLE.lstrip() + CALL.lstrip())
        store.users.add("Ida", Role.OWNER, "correct horse")
        secrets = {role: store.tokens.issue(role, f"the {role}")[1] for role in Role}
        _write_broken(folder.root)
        app = create_app(Library(store), host="192.168.1.5")
        with _command(folder.root) as server:
            assert server.stdout is not None
            port = server.stdout.readline().rpartition(":")[2].partition("/")[0]
            public, referee = _clients(secrets)
            scene = Scene(app, store, f"http://127.0.0.1:{port}", public, referee, games)
            stop = threading.Event()
            threads = [thread for client in (public[1], public[2]) for thread in _listen(scene, client, stop)]
            scene.ask_all(public[2])
            with httpx.Client(base_url=scene.address, timeout=60) as http:
                for client in (public[0], public[2], referee):
                    for path in ("/games/broken", "/games/broken.json", "/api/games/broken/replay"):
                        client.ask(http, "GET", path)
            stop.set()
            for thread in threads:
                thread.join(20)
    printed = server.communicate(timeout=20)
    assert [leak for client in public for leak in leaks_in(client)] == []
    assert any(" -> 200" in where for where in public[2].got), "the scan came to something"
    logs = "".join(path.read_text("utf-8") for path in sorted(folder.logs.iterdir()))
    assert "the server has ended" in logs
    for text in (*printed, logs):
        assert SECRET.findall(text) == []
        assert [secret for secret in secrets.values() if secret in text] == []


def _write_broken(root: Path) -> None:
    """A game of a folder in which a line is none: what it holds is private all the same."""
    (root / "broken").mkdir()
    (root / "broken/game.jsonl").write_text(OPENING.lstrip() + '{"kind":"zqbroken"\n', encoding="utf-8")


@contextmanager
def _command(root: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "kemps_server.cli", "serve", "--host", "0.0.0.0", "--port", "0"]  # noqa: S104
    server = subprocess.Popen(
        [*command, "--data", str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield server
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
