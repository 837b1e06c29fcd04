"""Sentences of a card table, from `talk.toml`, their slots filled by chance."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np


def sentence(language: str, rng: np.random.Generator) -> str:
    """One sentence in that language; it has no call in it."""
    table = _tables()[language]
    text = str(rng.choice(table["sentences"]))
    return re.sub(r"\{(\w+)\}", lambda slot: str(rng.choice(table["slots"][slot.group(1)])), text)


def jumble(language: str, rng: np.random.Generator) -> str:
    """Four to nine words of that language's sentences in an order that nobody says."""
    words = _vocabulary(language)
    return " ".join(words[int(rng.integers(len(words)))] for _ in range(int(rng.integers(4, 10))))


def plain(text: str) -> str:
    """Only plain Latin letters, for voices that read no others.

    >>> plain("mañana, à qui?")
    'manana, a qui?'
    """
    decomposed = unicodedata.normalize("NFKD", text)
    return decomposed.encode("ascii", "ignore").decode()


@cache
def _vocabulary(language: str) -> tuple[str, ...]:
    table = _tables()[language]
    texts = [*table["sentences"], *(text for texts in table["slots"].values() for text in texts)]
    found = [word for text in texts for word in re.findall(r"[^\W\d_'-]+", re.sub(r"\{\w+\}", " ", text))]
    return tuple(dict.fromkeys(found))


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("kemps_training.voice") / "talk.toml").read_text(encoding="utf-8"))
