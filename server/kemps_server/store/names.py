"""Ids of stored games: what can stand in an address and name a folder on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from itertools import count
from typing import Final

_LONGEST: Final = 60
_LONGEST_TITLE: Final = 200
_FALLBACK: Final = "game"
_SLUG: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def slug(title: str) -> str:
    """A title as a short name of small letters of any script, digits and dashes.

    >>> slug("Thursday, 5 March"), slug("Игра № 1"), slug("../..")
    ('thursday-5-march', 'игра-no-1', 'game')
    """
    text = unicodedata.normalize("NFKC", title).lower()
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text))
    return "-".join(words)[:_LONGEST].strip("-") or _FALLBACK


def is_slug(name: str) -> bool:
    """Whether a name can be an id at all.

    >>> is_slug("thursday-2"), is_slug("../x"), is_slug("")
    (True, False, False)
    """
    return _SLUG.fullmatch(name) is not None


def plain(title: str) -> str:
    r"""A title that every database and page can hold: no half characters, nothing that steers a terminal.

    >>> plain("Thursday\x00\n 5"), plain("\ud800")
    ('Thursday 5', '?')
    """
    text = title.encode("utf-8", "replace").decode()
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:_LONGEST_TITLE]


def free_slug(title: str, taken: Container[str]) -> str:
    """The title's slug, with a number when that is taken.

    >>> free_slug("Thursday", {"thursday", "thursday-2"})
    'thursday-3'
    """
    base = slug(title)
    return next(name for number in count(1) if (name := _numbered(base, number)) not in taken)


def _numbered(base: str, number: int) -> str:
    return base if number == 1 else f"{base}-{number}"
