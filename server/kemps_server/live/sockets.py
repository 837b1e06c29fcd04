"""One WebSocket that is told of a feed, until it leaves, may no longer listen, or does not read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from kemps_server.live.stream import Stream, Subscription

PING_S: Final = 5.0
PATIENCE_S: Final = 10.0
"""A socket that takes no message for so long is let go of."""
REFUSED: Final = 4401
GONE: Final = 4404
FULL: Final = 1013
FAILED: Final = 1011
_SLOW: Final = 1008

_log = logging.getLogger(__name__)


async def tell(
    websocket: WebSocket,
    stream: Stream,
    *,
    epoch: str,
    since: int,
    may_listen: Callable[[], bool],
    ping_s: float = PING_S,
    patience_s: float = PATIENCE_S,
) -> None:
    """Send a stream to an accepted socket; what it sends itself is read and left alone.

    Args:
        websocket: The socket.
        stream: What it is told.
        epoch: Of the row of states it knew, if any.
        since: The last message of that row it had.
        may_listen: Asked with each ping: a link may be revoked meanwhile.
        ping_s: How often it hears something when nothing happens.
        patience_s: How long a message may take.
    """
    subscription = stream.attach(epoch, since)
    leaving = asyncio.create_task(_left(websocket))
    telling = asyncio.create_task(_speak(websocket, stream, subscription, may_listen, ping_s, patience_s))
    try:
        await asyncio.wait((leaving, telling), return_when=asyncio.FIRST_COMPLETED)
    finally:
        subscription.close()
        for task in (leaving, telling):
            task.cancel()
        await asyncio.gather(leaving, telling, return_exceptions=True)


async def _speak(
    websocket: WebSocket,
    stream: Stream,
    subscription: Subscription,
    may_listen: Callable[[], bool],
    ping_s: float,
    patience_s: float,
) -> None:
    loop = asyncio.get_running_loop()
    next_check = loop.time() + ping_s
    while True:
        text = await subscription.next(ping_s)
        if loop.time() >= next_check:
            if not await run_in_threadpool(may_listen):
                await close(websocket, REFUSED, "this link is no longer good")
                return
            next_check = loop.time() + ping_s
        try:
            async with asyncio.timeout(patience_s):
                await websocket.send_text(stream.ping() if text is None else text)
        except TimeoutError:
            _log.info("a socket that does not read is let go of")
            await close(websocket, _SLOW, "too slow")
            return
        except (WebSocketDisconnect, RuntimeError):
            return


async def _left(websocket: WebSocket) -> None:
    """Ends when the other side has left."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while (await websocket.receive())["type"] != "websocket.disconnect":
            pass


async def close(websocket: WebSocket, code: int, reason: str) -> None:
    """End a socket, which may be gone already or take nothing."""
    with suppress(RuntimeError, TimeoutError, WebSocketDisconnect):
        async with asyncio.timeout(1.0):
            await websocket.close(code, reason)
