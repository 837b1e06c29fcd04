"""What OBS is told when somebody calls and when a verdict stands; the game never waits for it."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator, Mapping
from time import sleep
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from kemps_server.errors import KempsServerError
from kemps_server.live.disclosure import Audience
from kemps_server.live.feed import Feed
from kemps_server.live.hub import Hub
from kemps_server.live.obs import Obs, ObsError
from kemps_server.store.store import Store

Moment: TypeAlias = Literal["call", "verdict", "deal"]
SETTING: Final = "obs"
_WAITING: Final = 16  # moments; more is told than OBS can do, and the oldest are of no use any more
_LOOK_S: Final = 2.0

_log = logging.getLogger(__name__)


class ObsAct(BaseModel):
    """What OBS does at a moment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    save_replay: bool = Field(default=False, description="Save the replay buffer.")
    scene: str = Field(default="", max_length=200, description="Switch to this scene; empty: stay.")
    wait_ms: int = Field(default=0, ge=0, le=30_000, description="Do it so much later.")


class ObsPlan(BaseModel):
    """Where OBS is, and what it does at which moment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str = Field(
        default="ws://127.0.0.1:4455", pattern=r"^wss?://[^\s/?#]+$", max_length=200, description="Of OBS."
    )
    call: ObsAct = Field(default=ObsAct(), description="Somebody has called.")
    verdict: ObsAct = Field(default=ObsAct(), description="A verdict is final.")
    deal: ObsAct = Field(default=ObsAct(), description="The next deal has begun.")

    def act(self, moment: Moment) -> ObsAct:
        """What is to be done at a moment."""
        acts: dict[Moment, ObsAct] = {"call": self.call, "verdict": self.verdict, "deal": self.deal}
        return acts[moment]


class ObsSettings(ObsPlan):
    """The plan with what it takes to be let in."""

    password: SecretStr = Field(default=SecretStr(""), description="Of OBS' WebSocket server; never told.")

    def kept(self) -> dict[str, Any]:
        """The settings as the store keeps them, the password among them."""
        return self.model_dump(mode="json") | {"password": self.password.get_secret_value()}


def settings_of(kept: Mapping[str, Any]) -> ObsSettings | None:
    """The settings of a table, or None when it has none that make sense."""
    try:
        return ObsSettings.model_validate(kept[SETTING])
    except (KeyError, ValidationError):
        return None


def moments_between(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Moment]:
    """What has happened from one state of a game to a later one."""
    if before.get("game") != now.get("game") or not before.get("deal"):
        return
    number = now["deal"]["number"]
    if number > before["deal"]["number"]:
        yield "deal"
    was = before.get("deals", {}).get(str(number), {}).get("verdict")
    verdict = now.get("deals", {}).get(str(number), {}).get("verdict")
    if verdict is None:
        return
    if was is None:
        yield "call"
    if not verdict["is_provisional"] and (was is None or was["is_provisional"]):
        yield "verdict"


class ObsHook:
    """One table's OBS, told by a thread of its own."""

    def __init__(self, table: str, settings: ObsSettings, feed: Feed) -> None:
        self.settings = settings
        self.last_error = ""
        self._table = table
        self._state: Mapping[str, Any] = {}
        self._moments: queue.Queue[Moment | None] = queue.Queue(_WAITING)
        self._stream = feed.stream(Audience.REFEREE)
        self._thread = threading.Thread(target=self._run, name=f"obs {table}", daemon=True)
        self._thread.start()
        self._stream.watch(self._look)

    def close(self) -> None:
        """Tell OBS nothing more."""
        self._stream.unwatch(self._look)
        self._put(None)

    def _look(self, state: Mapping[str, Any]) -> None:
        """In the feed's thread: only note what has happened."""
        for moment in moments_between(self._state, state):
            act = self.settings.act(moment)
            if act.save_replay or act.scene:
                self._put(moment)
        self._state = state

    def _put(self, moment: Moment | None) -> None:
        while True:
            try:
                self._moments.put_nowait(moment)
            except queue.Full:
                try:
                    self._moments.get_nowait()
                except queue.Empty:
                    continue
            else:
                return

    def _run(self) -> None:
        while (moment := self._moments.get()) is not None:
            act = self.settings.act(moment)
            sleep(act.wait_ms / 1000)
            try:
                with Obs(self.settings.address, self.settings.password.get_secret_value()) as obs:
                    if act.save_replay:
                        obs.save_replay()
                    if act.scene:
                        obs.show_scene(act.scene)
            except ObsError as error:
                if str(error) != self.last_error:  # once, not at each call of the evening
                    _log.warning("table %s: %s; the game goes on", self._table, error)
                self.last_error = str(error)
            else:
                self.last_error = ""


class ObsHooks:
    """The hooks of all tables at which a game is played, kept as their settings say."""

    def __init__(self, store: Store, hub: Hub, *, look_s: float = _LOOK_S) -> None:
        self._store = store
        self._hub = hub
        self._look_s = look_s
        self._hooks: dict[str, ObsHook] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Look after the tables from now on."""
        self._thread = threading.Thread(target=self._run, name="obs hooks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Look after them no more; closing twice does no harm."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(_LOOK_S + 5)
        with self._lock:
            hooks, self._hooks = tuple(self._hooks.values()), {}
        for hook in hooks:
            hook.close()

    def last_error(self, table: str) -> str:
        """What went wrong with a table's OBS the last time; empty when nothing did."""
        with self._lock:
            hook = self._hooks.get(table)
        return "" if hook is None else hook.last_error

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self.look()
            except KempsServerError as error:
                _log.warning("tables cannot be looked after for OBS: %s", error)
            self._is_over.wait(self._look_s)

    def look(self) -> None:
        """Begin and end hooks so that they are as the tables' settings say now.

        Raises:
            StoreError: The store cannot be read.
        """
        wanted = {
            record.name: settings
            for record in self._store.tables.all()
            if (settings := settings_of(record.settings)) is not None
            and self._store.sittings.current(record.name) is not None
        }
        with self._lock:
            for table, hook in tuple(self._hooks.items()):
                if wanted.get(table) != hook.settings:
                    hook.close()
                    del self._hooks[table]
            for table, settings in wanted.items():
                if table not in self._hooks and not self._is_over.is_set():
                    self._hooks[table] = ObsHook(table, settings, self._hub.table(table))
