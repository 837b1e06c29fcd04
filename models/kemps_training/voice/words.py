"""The words of `words.toml`: calls, words near them, and how each engine writes their phones."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Final

LANGUAGES: Final = ("en", "ru", "pt", "fr", "es")
CALLS: Final = ("kemps", "stop")
SPELLINGS: Final = ("espeak", "pico", "arpabet", "ipa", "letters")
_VOWELS: Final = frozenset(
    ("E", "e", "e~", "{", "a", "a~", "A", "Q", "O", "o", "o~", "V", "@", "I", "i", "i~", "u", "y")
)


@dataclass(frozen=True, slots=True)
class Word:
    """A call (``call`` names it) or a word that sounds like one, with its phones.

    ``is_known`` is False for words that no training hears: the share of them tells whether more than a list
    was learnt. ``is_listed`` is False for words made by exchanging phones.
    """

    phones: tuple[str, ...]
    language: str
    call: str = ""
    is_known: bool = True
    is_listed: bool = True

    def spelt(self, spelling: str) -> list[str]:
        """Its phones as an engine writes them.

        >>> Word(("k", "E", "m", "p", "s"), "en").spelt("arpabet")
        ['k', 'eh', 'm', 'p', 's']
        """
        column = SPELLINGS.index(spelling)
        return [str(phones()[phone][column]) for phone in self.phones]

    def stressed_at(self) -> int:
        """The place of the vowel that carries the stress: the last but one's, or the only one's."""
        vowels = [place for place, phone in enumerate(self.phones) if phone in _VOWELS]
        if not vowels:
            return 0
        return vowels[-1] if self.call or len(vowels) == 1 else vowels[-2]


@cache
def phones() -> dict[str, list[str]]:
    """Each phone with its spellings, in the order of `SPELLINGS`."""
    table: dict[str, list[str]] = _toml("phones.toml")["phones"]
    return table


@cache
def calls(language: str) -> tuple[Word, ...]:
    """The pronunciations of all calls in a language."""
    tables = _toml("words.toml")["calls"]
    return tuple(
        Word(tuple(text.split()), language, call) for call in CALLS for text in tables[call].get(language, [])
    )


@cache
def near_words(language: str) -> tuple[Word, ...]:
    """Words that sound like a call: the listed ones first, then those made by exchanging phones."""
    words = _toml("words.toml")
    listed = [Word(tuple(text.split()), language) for text in words["near"][language]]
    made = [
        # One in five is never trained with, by a rule that does not depend on the order of the list.
        Word(tuple(text.split()), language, is_known=sum(map(ord, text)) % 5 != 0, is_listed=False)
        for text in _made_words(words)
    ]
    return (*listed, *made)


def _made_words(words: dict[str, Any]) -> list[str]:
    table = words["near_made"]
    taken = set(table["calls"]) | {text for texts in words["calls"]["kemps"].values() for text in texts}
    parts = product(table["starts"], table["vowels"], table["middles"], table["ends"])
    single = [" ".join(part for part in four if part) for four in parts]
    single = [text for text in dict.fromkeys(single) if text not in taken]
    double = [
        f"{start} {text}"
        for place, text in enumerate(single)
        if place % 7 == 0
        for start in words["stop_made"]["starts"]
    ]
    return single + double


@cache
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((files("kemps_training.voice") / name).read_text(encoding="utf-8"))
