"""How often somebody may try a password: guessing is slow, and nobody can lock another out for good.

Three counts of attempts that did not succeed, each with attempts that are free and then a wait that doubles:

* of a name from one network: whoever mistypes their own password;
* of a network, whatever the names: whoever tries one password on many;
* of a name from all networks that never knew its password: whoever guesses from many places. Its wait stays
  short, and a network from which the name's password was given before is not held up by it at all.

A success clears the first. Counts are forgotten after an hour without an attempt, and when the server ends.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_network
from math import ceil
from typing import Final

from kemps_server.access.hosts import address_of

_FORGOTTEN_S: Final = 3600.0
_MOST_KEPT: Final = 10_000
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Limit:
    free: int
    longest_s: float


_LIMITS: Final = {"own": _Limit(5, 900.0), "network": _Limit(30, 900.0), "name": _Limit(100, 30.0)}


@dataclass(slots=True)
class _Count:
    attempts: int = 0
    last_s: float = 0.0


class Throttle:
    """The attempts of late; safe for use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counts: OrderedDict[_Key, _Count] = OrderedDict()
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def attempt(self, name: str, address: str) -> int:
        """0 when this attempt may be made, which is counted; else after how many seconds it may."""
        network = network_of(address)
        with self._lock:
            now = self._clock()
            keys = self._keys(name, network)
            wait_s = max(self._wait_s(key, now) for key in keys)
            if wait_s > 0:
                return ceil(wait_s)
            for key in keys:
                count = self._counts.setdefault(key, _Count())
                count.attempts += 1
                count.last_s = now
                self._counts.move_to_end(key)
            while len(self._counts) > _MOST_KEPT:
                self._counts.popitem(last=False)
            return 0

    def succeeded(self, name: str, address: str) -> None:
        """The attempt that was counted last from there was right."""
        network = network_of(address)
        with self._lock:
            for key in self._keys(name, network):
                count = self._counts.get(key)
                if count is not None:
                    count.attempts = 0 if key[0] == "own" else max(0, count.attempts - 1)
            self._known[name, network] = None
            self._known.move_to_end((name, network))
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)

    def _keys(self, name: str, network: str) -> list[_Key]:
        keys = [("own", name, network), ("network", "", network)]
        return keys if (name, network) in self._known else [*keys, ("name", name, "")]

    def _wait_s(self, key: _Key, now: float) -> float:
        count = self._counts.get(key)
        if count is None:
            return 0.0
        if now - count.last_s > _FORGOTTEN_S:
            del self._counts[key]
            return 0.0
        limit = _LIMITS[key[0]]
        beyond = count.attempts - limit.free
        if beyond < 0:
            return 0.0
        return max(0.0, count.last_s + min(limit.longest_s, 2.0 ** min(beyond + 1, 20)) - now)


def network_of(address: str) -> str:
    """What one attacker has many of: an IPv6 address counts as its /64.

    >>> network_of("192.168.1.5"), network_of("2001:db8::1"), network_of("")
    ('192.168.1.5', '2001:db8::/64', '')
    """
    found = address_of(address)
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ip_network((found, 64), strict=False))
    return address
