"""The states of one audience as messages: each is written once, however many sockets it goes to."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from kemps_server.live.patches import patch_between

VERSION: Final = 1
"""Of the messages and states; another one when something in them gets another meaning."""
HISTORY: Final = 256
"""So many deltas are kept for sockets that come back."""
QUEUE: Final = 64
"""So many messages may wait for one socket; it then gets a fresh snapshot in their place."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is sent; ``seq`` is None for one that stands outside the row of states."""

    text: str
    epoch: str = ""
    seq: int | None = None


class Subscription:
    """What waits to be sent to one socket; made and read in the socket's event loop."""

    def __init__(self, stream: Stream, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._stream = stream
        self._queue: deque[Message] = deque()
        self._there = asyncio.Event()
        self._epoch, self._seq = "", -1
        self._is_behind = False

    def offer(self, *messages: Message) -> None:
        """Put messages behind those that wait; too many give way to a snapshot, made when it can be sent."""
        for message in messages:
            if len(self._queue) >= QUEUE:
                self._queue.clear()
                self._is_behind = True
            if not self._is_behind:
                self._queue.append(message)
        self._there.set()

    async def next(self, timeout_s: float) -> str | None:
        """The next message, or None when the time is up."""
        try:
            async with asyncio.timeout(timeout_s):
                while (message := self._take()) is None:
                    self._there.clear()
                    await self._there.wait()
        except TimeoutError:
            return None
        return message.text

    def close(self) -> None:
        """Nothing more is wanted."""
        self._stream.detach(self)

    def _take(self) -> Message | None:
        if self._is_behind:
            self._is_behind = False
            return self._sent(self._stream.snapshot())
        while self._queue:
            message = self._queue.popleft()
            # After a snapshot made late, messages may come that it contains already.
            is_old = message.seq is not None and message.epoch == self._epoch and message.seq <= self._seq
            if not is_old:
                return self._sent(message)
        return None

    def _sent(self, message: Message) -> Message:
        if message.seq is not None:
            self._epoch, self._seq = message.epoch, message.seq
        return message


class Stream:
    """A row of states and everybody who follows it; safe for use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._epoch = secrets.token_hex(6)
        self._seq = 0
        self._state: dict[str, Any] = {}
        self._stale = ""
        self._deltas: deque[Message] = deque(maxlen=HISTORY)
        self._snapshot: Message | None = None
        self._followers: set[Subscription] = set()
        self._watchers: list[Callable[[Mapping[str, Any]], None]] = []

    @property
    def followers(self) -> int:
        """How many follow it."""
        return len(self._followers) + len(self._watchers)

    def show(self, state: Mapping[str, Any]) -> None:
        """The state from now on; who follows gets the difference, when there is one."""
        with self._lock:
            patch = patch_between(self._state, state)
            if not patch:
                return
            self._state, self._seq, self._snapshot = dict(state), self._seq + 1, None
            body = {"type": "delta", "seq": self._seq, "patch": patch}
            message = Message(_text(body), self._epoch, self._seq)
            self._deltas.append(message)
            self._tell(message)
            self._tell_watchers()

    def begin(self, state: Mapping[str, Any]) -> None:
        """Another row of states: who follows gets a snapshot."""
        with self._lock:
            self._epoch, self._seq, self._state = secrets.token_hex(6), 0, dict(state)
            self._deltas.clear()
            self._snapshot = None
            self._tell(self._whole())
            self._tell_watchers()

    def mark(self, stale: str) -> None:
        """From now on the state is old, for this reason; or is not, when there is none."""
        with self._lock:
            if stale == self._stale:
                return
            self._stale, self._snapshot = stale, None
            self._tell(Message(_text({"type": "stale", "is_stale": bool(stale), "why": stale})))

    def snapshot(self) -> Message:
        """The state as it is now."""
        with self._lock:
            return self._whole()

    def ping(self) -> str:
        """That all is well, and how far the row is."""
        return f'{{"type":"ping","seq":{self._seq}}}'

    def attach(self, epoch: str = "", since: int = -1) -> Subscription:
        """A new follower in the running event loop.

        It begins with what came after message ``since`` of ``epoch`` where kept, else with a snapshot.
        """
        subscription = Subscription(self, asyncio.get_running_loop())
        with self._lock:
            missed = self._missed(epoch, since)
            if missed is None:
                subscription.offer(self._whole())
            else:
                subscription.offer(Message(_text({"type": "resumed", "seq": since})), *missed)
                if self._stale:
                    subscription.offer(
                        Message(_text({"type": "stale", "is_stale": True, "why": self._stale}))
                    )
            self._followers.add(subscription)
        return subscription

    def watch(self, watcher: Callable[[Mapping[str, Any]], None]) -> None:
        """From now on each state goes to ``watcher`` too, the present one first; it must not take long."""
        with self._lock:
            self._watchers.append(watcher)
            watcher(self._state)

    def unwatch(self, watcher: Callable[[Mapping[str, Any]], None]) -> None:
        """This one wants no more states."""
        with self._lock:
            self._watchers = [other for other in self._watchers if other != watcher]

    def detach(self, subscription: Subscription) -> None:
        """This one follows no more."""
        with self._lock:
            self._followers.discard(subscription)

    def _missed(self, epoch: str, since: int) -> list[Message] | None:
        if epoch != self._epoch or not 0 <= since <= self._seq:
            return None
        missed = [delta for delta in self._deltas if delta.seq is not None and delta.seq > since]
        return missed if len(missed) == self._seq - since and len(missed) < QUEUE else None

    def _whole(self) -> Message:
        if self._snapshot is None:
            body = {
                "type": "snapshot",
                "version": VERSION,
                "epoch": self._epoch,
                "seq": self._seq,
                "is_stale": bool(self._stale),
                "why": self._stale,
                "state": self._state,
            }
            self._snapshot = Message(_text(body), self._epoch, self._seq)
        return self._snapshot

    def _tell_watchers(self) -> None:
        for watcher in self._watchers:
            watcher(self._state)

    def _tell(self, message: Message) -> None:
        """Everybody's loop is woken once, however many follow in it."""
        for loop in {follower.loop for follower in self._followers}:
            there = [follower for follower in self._followers if follower.loop is loop]
            try:
                loop.call_soon_threadsafe(_offer, there, message)
            except RuntimeError:  # the loop has ended, and with it the sockets
                self._followers.difference_update(there)


def _offer(followers: list[Subscription], message: Message) -> None:
    for follower in followers:
        follower.offer(message)


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
