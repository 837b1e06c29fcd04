from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from kemps_server.bench.played_game import PlayedGame
from kemps_server.live.disclosure import Audience
from kemps_server.live.hub import Hub
from kemps_server.live.obs import Obs, ObsError, answer_to
from kemps_server.live.obs_hooks import (
    ObsAct,
    ObsHooks,
    ObsSettings,
    moments_between,
    settings_of,
)
from kemps_server.store.store import Store

SALT, CHALLENGE, PASSWORD = "salty", "who goes there", "correct horse"


class FakeObs:
    """An OBS as far as we speak to it; it notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.password = PASSWORD
        self.scenes = ["Table", "Replay"]
        self.is_replay_on = True
        self.is_silent = False
        self._server = serve(self._talk, "127.0.0.1", 0)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"

    def close(self) -> None:
        self._server.shutdown()

    def _talk(self, connection: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            self._converse(connection)

    def _converse(self, connection: ServerConnection) -> None:
        authentication = {"authentication": {"challenge": CHALLENGE, "salt": SALT}} if self.password else {}
        self._say(connection, 0, {"obsWebSocketVersion": "5.5.0", "rpcVersion": 1} | authentication)
        said = json.loads(connection.recv())
        if self.password and said["d"].get("authentication") != answer_to(self.password, SALT, CHALLENGE):
            connection.close(4009, "Authentication failed.")
            return
        self._say(connection, 2, {"negotiatedRpcVersion": 1})
        for text in connection:
            request = json.loads(text)["d"]
            if self.is_silent:
                continue
            self._say(connection, 5, {"eventType": "Something", "eventIntent": 1})
            self._answer(connection, request)

    def _answer(self, connection: ServerConnection, request: dict[str, Any]) -> None:
        kind, data = request["requestType"], request.get("requestData", {})
        self.asked.append((kind, data))
        code, found = 100, dict[str, Any]()
        if kind == "GetVersion":
            found = {"obsVersion": "31.0.0"}
        elif kind == "GetSceneList":
            found = {"scenes": [{"sceneName": name} for name in self.scenes]}
        elif kind == "GetReplayBufferStatus":
            found = {"outputActive": self.is_replay_on}
        elif kind == "SaveReplayBuffer" and not self.is_replay_on:
            code = 501
        elif kind == "SetCurrentProgramScene" and data["sceneName"] not in self.scenes:
            code = 600
        status = {"result": code == 100, "code": code}
        echo = {"requestType": kind, "requestId": request["requestId"]}
        self._say(connection, 7, echo | {"requestStatus": status, "responseData": found})

    def _say(self, connection: ServerConnection, op: int, data: dict[str, Any]) -> None:
        connection.send(json.dumps({"op": op, "d": data}))


@pytest.fixture
def obs() -> Iterator[FakeObs]:
    fake = FakeObs()
    yield fake
    fake.close()


def eventually(is_so: Callable[[], object]) -> None:
    ends = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < ends, "it never came to be so"
        time.sleep(0.01)


def test_it_is_let_in_by_its_password_and_asked_for_what_it_can_do(obs: FakeObs) -> None:
    with Obs(obs.address, PASSWORD) as there:
        assert there.scenes() == ("Table", "Replay")
        there.save_replay()
        there.show_scene("Replay")
    assert obs.asked[1:] == [("SaveReplayBuffer", {}), ("SetCurrentProgramScene", {"sceneName": "Replay"})]


def test_one_without_a_password_asks_for_none(obs: FakeObs) -> None:
    obs.password = ""
    with Obs(obs.address) as there:
        there.save_replay()


@pytest.mark.parametrize(
    ("password", "told"), [("", "asks for a password"), ("wrong", "refuses the password")]
)
def test_who_is_not_let_in_is_told_why(obs: FakeObs, password: str, told: str) -> None:
    with pytest.raises(ObsError, match=told):
        Obs(obs.address, password)


def test_what_it_cannot_do_is_said_in_words_that_help(obs: FakeObs) -> None:
    obs.is_replay_on = False
    with Obs(obs.address, PASSWORD) as there:
        with pytest.raises(ObsError, match="Start Replay Buffer"):
            there.save_replay()
        with pytest.raises(ObsError, match="no scene 'Attic'"):
            there.show_scene("Attic")


def test_nobody_there_and_somebody_who_never_answers_are_errors_too(obs: FakeObs) -> None:
    with pytest.raises(ObsError, match="does not answer"):
        Obs("ws://127.0.0.1:9")
    obs.is_silent = True
    with Obs(obs.address, PASSWORD, timeout_s=0.2) as there, pytest.raises(ObsError, match="not answered"):
        there.save_replay()


def state(number: int, verdict: dict[str, Any] | None = None, game: str = "g") -> dict[str, Any]:
    deal = {"ended": "open"} if verdict is None else {"verdict": verdict}
    return {"game": game, "deal": {"number": number}, "deals": {str(number): deal}}


def test_moments_are_a_call_a_final_verdict_and_the_next_deal() -> None:
    open_, final = {"is_provisional": True}, {"is_provisional": False}
    assert list(moments_between(state(1), state(1, open_))) == ["call"]
    assert list(moments_between(state(1, open_), state(1, final))) == ["verdict"]
    assert list(moments_between(state(1), state(1, final))) == ["call", "verdict"]
    assert list(moments_between(state(1, final), state(1, final))) == []
    assert list(moments_between(state(1, final), state(2))) == ["deal"]
    assert list(moments_between(state(1), state(1, final, game="other"))) == []
    assert list(moments_between({}, state(1, final))) == []


def test_a_call_and_its_verdict_at_a_table_reach_its_obs(
    store: Store, played: PlayedGame, obs: FakeObs
) -> None:
    settings = ObsSettings.model_validate(
        {
            "address": obs.address,
            "password": PASSWORD,
            "call": {"scene": "Table"},
            "verdict": {"save_replay": True, "scene": "Replay", "wait_ms": 1},
        }
    )
    store.tables.set_settings("club", obs=settings.kept())
    hub = Hub(store)
    hooks = ObsHooks(store, hub, look_s=0.05)
    hooks.start()
    feed = hub.table("club")
    eventually(lambda: feed.listeners == 1)
    for event in played.events:
        played.play(event)
    played.play('{"kind":"settled","at_ms":60000,"camera":"table"}')
    eventually(lambda: len(obs.asked) == 3)
    assert [kind for kind, _ in obs.asked] == [
        "SetCurrentProgramScene",
        "SaveReplayBuffer",
        "SetCurrentProgramScene",
    ]
    assert hooks.last_error("club") == ""
    store.sittings.end(played.id)
    eventually(lambda: feed.listeners == 0)
    hooks.close()
    hub.close()


def test_an_obs_that_is_away_is_told_once_and_the_game_goes_on(
    store: Store, played: PlayedGame, caplog: pytest.LogCaptureFixture
) -> None:
    settings = ObsSettings(address="ws://127.0.0.1:9", call=ObsAct(save_replay=True), deal=ObsAct(scene="x"))
    store.tables.set_settings("club", obs=settings.kept())
    hub = Hub(store)
    hooks = ObsHooks(store, hub)
    assert hub.table("club").ready()  # else the call may be what OBS finds, and no news
    hooks.look()
    played.play()
    eventually(lambda: hooks.last_error("club"))
    played.play(
        '{"kind":"deal_ended","at_ms":61000,"why":"call"}',
        '{"kind":"deal_started","at_ms":62000,"dealer":"B"}',
    )
    eventually(lambda: '"number":2' in hub.table("club").snapshot(Audience.OWNER))
    hooks.close()
    hub.close()
    assert caplog.text.count("does not answer") == 1


@pytest.mark.parametrize("kept", [{}, {"obs": None}, {"obs": {"address": "http://x"}}, {"obs": {"what": 1}}])
def test_settings_that_make_no_sense_are_as_if_there_were_none(kept: dict[str, Any]) -> None:
    assert settings_of(kept) is None
