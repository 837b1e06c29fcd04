"""Which names the server answers to, so that no page elsewhere reaches it by a name that leads here."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names in the Host header that are answered.

    A page of ``evil.example`` may make its own name lead to this machine and then read answers as its own
    (DNS rebinding). An address in digits cannot be turned to another machine, a name that is not ours can.

    Attributes:
        is_home: Only this machine's own names count.
        names: Further names that lead here, in small letters.
    """

    is_home: bool
    names: frozenset[str] = frozenset()

    def answers(self, header: str) -> bool:
        """Whether a request with this Host header is answered.

        >>> home, club = Hosts(is_home=True), Hosts(is_home=False, names=frozenset({"kemps.example"}))
        >>> [home.answers(name) for name in ("127.0.0.1:8000", "[::1]", "192.168.1.5", "kemps.example")]
        [True, True, False, False]
        >>> [club.answers(name) for name in ("192.168.1.5:8000", "Kemps.example.", "evil.example", "")]
        [True, True, False, False]
        """
        name = name_of(header)
        address = address_of(name)
        if address is not None:
            return address.is_loopback or not self.is_home
        return bool(name) and (name == "localhost" or name in self.names)


def names_of_this_machine() -> frozenset[str]:
    """What other machines of the network may call this one."""
    own = socket.gethostname().lower()
    return frozenset({own, f"{own.partition('.')[0]}.local"}) - {"", ".local"}


def plain_names(names: Iterable[str]) -> frozenset[str]:
    """Names as they are compared: small letters, no dot at the end."""
    return frozenset(name.strip().lower().rstrip(".") for name in names) - {""}


def name_of(header: str) -> str:
    """The name in a Host header, without port and brackets; empty when it is none.

    >>> name_of("Localhost:8000"), name_of("[::1]:8000"), name_of("::1"), name_of("a b")
    ('localhost', '::1', '', '')
    """
    text = header.strip().lower()
    if text.startswith("["):
        name, bracket, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
        return name if bracket and (not rest or (rest.startswith(":") and port.isdecimal())) else ""
    name, colon, port = text.partition(":")
    is_odd = not name.isascii() or any(sign.isspace() or sign in "/\\@?#" for sign in name)
    return "" if is_odd or (colon and not port.isdecimal()) else name.rstrip(".")


def address_of(name: str) -> IPv4Address | IPv6Address | None:
    """The address that a name is, or None for a name in letters."""
    try:
        return ip_address(name)
    except ValueError:
        return None
