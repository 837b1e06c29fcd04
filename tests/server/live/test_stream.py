from __future__ import annotations

import asyncio
import json
from typing import Any

from kemps_server.live.patches import patched
from kemps_server.live.stream import HISTORY, QUEUE, Stream, Subscription


async def heard(subscription: Subscription) -> list[dict[str, Any]]:
    """What waits for this one."""
    told = []
    while (text := await subscription.next(0.02)) is not None:
        told.append(json.loads(text))
    return told


def state_after(told: list[dict[str, Any]]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    seq = None
    for message in told:
        if message["type"] == "snapshot":
            state, seq = message["state"], message["seq"]
        elif message["type"] == "delta":
            assert seq is None or message["seq"] == seq + 1
            state, seq = patched(state, message["patch"]), message["seq"]
    return state


def test_a_follower_gets_a_snapshot_and_then_what_changes() -> None:
    async def main() -> list[dict[str, Any]]:
        stream = Stream()
        stream.begin({"n": 0, "gone": 1})
        subscription = stream.attach()
        stream.show({"n": 1})
        stream.show({"n": 1})
        stream.show({"n": 2})
        return await heard(subscription)

    told = asyncio.run(main())
    assert [message["type"] for message in told] == ["snapshot", "delta", "delta"]
    assert told[1]["patch"] == {"gone": None, "n": 1}
    assert state_after(told) == {"n": 2}


def test_whoever_comes_back_gets_only_what_was_missed() -> None:
    async def main() -> list[dict[str, Any]]:
        stream = Stream()
        stream.begin({"n": 0})
        first = json.loads(stream.snapshot().text)
        for n in range(1, 6):
            stream.show({"n": n})
        return await heard(stream.attach(first["epoch"], 3))

    told = asyncio.run(main())
    assert [message["type"] for message in told] == ["resumed", "delta", "delta"]
    assert [message.get("seq") for message in told] == [3, 4, 5]


def test_whoever_comes_back_to_another_row_or_too_late_gets_a_snapshot() -> None:
    async def main() -> list[list[dict[str, Any]]]:
        stream = Stream()
        stream.begin({"n": 0})
        epoch = json.loads(stream.snapshot().text)["epoch"]
        for n in range(1, HISTORY + 20):
            stream.show({"n": n})
        late = await heard(stream.attach(epoch, 2))
        ahead = await heard(stream.attach(epoch, 99_999))
        stream.begin({"n": -1})
        return [late, ahead, await heard(stream.attach(epoch, HISTORY + 10))]

    for told in asyncio.run(main()):
        assert [message["type"] for message in told] == ["snapshot"]


def test_a_slow_follower_gets_a_snapshot_in_place_of_what_waited_and_no_old_delta_after_it() -> None:
    async def main() -> tuple[list[dict[str, Any]], dict[str, Any]]:
        stream = Stream()
        stream.begin({"n": 0})
        subscription = stream.attach()
        for n in range(1, 3 * QUEUE):
            stream.show({"n": n})
            if n == 2 * QUEUE:
                await asyncio.sleep(0)  # some arrive, some are still under way
        first = json.loads(await subscription.next(1) or "")
        for n in range(3 * QUEUE, 3 * QUEUE + 5):
            stream.show({"n": n})
        return [first, *await heard(subscription)], json.loads(stream.snapshot().text)["state"]

    told, state = asyncio.run(main())
    assert told[0]["type"] == "snapshot"
    assert len(told) <= QUEUE
    assert state_after(told) == state


def test_that_a_state_is_old_is_told_once_and_stands_in_the_snapshot() -> None:
    async def main() -> tuple[list[dict[str, Any]], dict[str, Any]]:
        stream = Stream()
        stream.begin({})
        subscription = stream.attach()
        for _ in range(3):
            stream.mark("observer")
        snapshot = json.loads(stream.snapshot().text)
        stream.mark("")
        return await heard(subscription), snapshot

    told, snapshot = asyncio.run(main())
    assert [message.get("is_stale") for message in told] == [False, True, False]
    assert (snapshot["is_stale"], snapshot["why"]) == (True, "observer")


def test_many_followers_share_one_text() -> None:
    async def main() -> set[int]:
        stream = Stream()
        stream.begin({})
        followers = [stream.attach() for _ in range(50)]
        stream.show({"n": 1})
        for follower in followers:
            await follower.next(1)
        return {id(await follower.next(1)) for follower in followers}

    assert len(asyncio.run(main())) == 1


def test_followers_of_a_loop_that_has_ended_are_forgotten() -> None:
    stream = Stream()

    async def leave_without_a_word() -> None:
        stream.attach()

    asyncio.run(leave_without_a_word())
    assert stream.followers == 1
    stream.show({"n": 1})
    assert stream.followers == 0
