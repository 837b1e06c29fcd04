"""Where a visitor goes after logging in: pages of this server and nothing else."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

HOME: Final = "/"
_INSIDE: Final = ("/login", "/logout", "/enter")


def inner_address(asked: str | None) -> str:
    r"""The page that was asked for, when it is one of this server; else the first page.

    >>> inner_address("/desk?lang=ru"), inner_address("//evil.example"), inner_address("/\\evil.example")
    ('/desk?lang=ru', '/', '/')
    """
    text = asked or HOME
    is_plain = text.isprintable() and text.isascii() and "\\" not in text and " " not in text
    if not is_plain or not text.startswith("/") or text.startswith("//"):
        return HOME
    try:
        parts = urlsplit(text)
    except ValueError:
        return HOME
    is_odd = parts.scheme or parts.netloc or parts.path.rstrip("/") in _INSIDE
    return HOME if is_odd else text
