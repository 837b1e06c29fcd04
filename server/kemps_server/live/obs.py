"""OBS Studio spoken to by its obs-websocket plugin, protocol version 5."""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import ExitStack
from hashlib import sha256
from types import TracebackType
from typing import Any, Final, Self

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from kemps_server.errors import WorkFailedError

TIMEOUT_S: Final = 5.0
_PROTOCOL: Final = Subprotocol("obswebsocket.json")
_RPC: Final = 1
_HELLO, _IDENTIFY, _IDENTIFIED, _REQUEST, _RESPONSE = 0, 1, 2, 6, 7
_PASSWORD_WRONG: Final = 4009
_NOT_RUNNING: Final = 501
_NOT_FOUND: Final = 600


class ObsError(WorkFailedError):
    """OBS is not there, does not let us in, or cannot do it; the text says what to do."""


class Obs:
    """A conversation with OBS; a context manager.

    Raises:
        ObsError: Nobody answers there, or the password is another.
    """

    def __init__(self, address: str, password: str = "", timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._asked = 0
        self._open = ExitStack()
        try:
            self._socket: ClientConnection = self._open.enter_context(
                connect(
                    address, subprotocols=[_PROTOCOL], open_timeout=timeout_s, close_timeout=1, proxy=None
                )
            )
        except (OSError, TimeoutError, WebSocketException, ValueError) as error:
            raise ObsError(
                f"OBS does not answer at {address}; start it, and there switch on Tools, WebSocket Server "
                f"Settings ({type(error).__name__})"
            ) from error
        try:
            self._identify(password)
        except BaseException:
            self.close()
            raise

    def ask(self, request: str, **data: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """What OBS answers.

        Raises:
            ObsError: It cannot do it, or has gone.
        """
        self._asked += 1
        number = str(self._asked)
        self._send(_REQUEST, {"requestType": request, "requestId": number, "requestData": data})
        answer = self._receive(_RESPONSE, number)
        status = answer.get("requestStatus", {})
        if not status.get("result"):
            raise ObsError(_reason(request, data, status))
        found: dict[str, Any] = answer.get("responseData") or {}
        return found

    def save_replay(self) -> None:
        """Have the replay buffer saved."""
        self.ask("SaveReplayBuffer")

    def show_scene(self, name: str) -> None:
        """Have another scene on air."""
        self.ask("SetCurrentProgramScene", sceneName=name)

    def scenes(self) -> tuple[str, ...]:
        """The names of the scenes there are."""
        return tuple(str(scene.get("sceneName")) for scene in self.ask("GetSceneList").get("scenes", ()))

    def close(self) -> None:
        """End the conversation; closing twice does no harm."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _identify(self, password: str) -> None:
        hello = self._receive(_HELLO)
        said: dict[str, Any] = {"rpcVersion": _RPC, "eventSubscriptions": 0}
        asked = hello.get("authentication")
        if isinstance(asked, dict):
            if not password:
                raise ObsError("OBS asks for a password; it stands in its WebSocket Server Settings")
            said["authentication"] = answer_to(password, str(asked["salt"]), str(asked["challenge"]))
        self._send(_IDENTIFY, said)
        self._receive(_IDENTIFIED)

    def _send(self, op: int, data: dict[str, Any]) -> None:
        try:
            self._socket.send(json.dumps({"op": op, "d": data}))
        except ConnectionClosed as error:
            raise _gone(error) from error

    def _receive(self, op: int, number: str = "") -> dict[str, Any]:
        """The next message of this kind; others, such as events, are passed over."""
        try:
            while True:
                message = json.loads(self._socket.recv(timeout=self._timeout_s))
                data = message.get("d") or {}
                if message.get("op") == op and (not number or data.get("requestId") == number):
                    return dict(data)
        except ConnectionClosed as error:
            raise _gone(error) from error
        except TimeoutError:
            raise ObsError(f"OBS has not answered for {self._timeout_s:g} s") from None
        except (ValueError, AttributeError, TypeError) as error:
            raise ObsError(
                "what answers there does not speak obs-websocket 5; OBS 28 or later does"
            ) from error


def answer_to(password: str, salt: str, challenge: str) -> str:
    """What proves that the password is known, as the protocol wants it.

    >>> answer_to("supersecretpassword", "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=",
    ...     "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=")
    '1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4='
    """
    return _hashed(_hashed(password + salt) + challenge)


def _hashed(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _gone(error: ConnectionClosed) -> ObsError:
    code = error.rcvd.code if error.rcvd is not None else 0
    if code == _PASSWORD_WRONG:
        return ObsError("OBS refuses the password; it stands in its WebSocket Server Settings")
    return ObsError(f"OBS has ended the conversation ({code})")


def _reason(request: str, data: dict[str, Any], status: dict[str, Any]) -> str:
    code = status.get("code")
    if code == _NOT_RUNNING and request == "SaveReplayBuffer":
        return "the replay buffer is off; in OBS press Start Replay Buffer"
    if code == _NOT_FOUND and "sceneName" in data:
        return f"OBS has no scene {data['sceneName']!r}"
    return f"OBS cannot do {request}: {status.get('comment') or code}"
