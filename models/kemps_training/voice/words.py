"""The words of `words.toml`: calls, words near them, and how each engine writes their phones."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final

from kemps_training.errors import TrainingError

LANGUAGES: Final = ("en", "ru", "pt", "fr", "es")
CALLS: Final = ("kemps", "stop")
SPELLINGS: Final = ("espeak", "pico", "arpabet", "ipa", "letters")
ENVIRONMENT: Final = "KEMPS_VOICE_WORDS"
"""Names a file of other words, for all processes of a training."""
_VOWELS: Final = frozenset(
    ("E", "e", "e~", "{", "a", "a~", "A", "Q", "O", "o", "o~", "V", "@", "I", "i", "i~", "u", "y")
)
# Phones that one speaker says for another: exchanging them makes no other word.
_KINDRED: Final = (
    ("E", "e", "e~"), ("a", "{", "a~", "A", "V"), ("O", "o", "Q", "o~"), ("I", "i", "i~"), ("u", "y"),
    ("p", "b"), ("t", "d", "t_j"), ("k", "g", "k_h", "k_j"), ("m", "n", "N"), ("s", "z", "S"),
    ("l", "r", "R"), ("f", "v"), ("tS", "dZ"), ("h", "x"),
)  # fmt: skip


class WordsError(TrainingError):
    """A file of words cannot be used."""


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
    """The pronunciations of all calls in a language; none if the words are not called in it."""
    tables = _words()["calls"]
    return tuple(
        Word(tuple(text.split()), language, call) for call in CALLS for text in tables[call].get(language, [])
    )


@cache
def near_words(language: str) -> tuple[Word, ...]:
    """Words that sound like a call: the listed ones first, then those made by exchanging phones."""
    words = _words()
    taken = {text for call in CALLS for texts in words["calls"][call].values() for text in texts}
    listed = [text for text in words.get("near", {}).get(language, []) if text not in taken]
    made = _made_words(words) if "near_made" in words else _exchanged(taken)
    return (
        *(Word(tuple(text.split()), language) for text in listed),
        # One in five is never trained with, by a rule that does not depend on the order of the list.
        *(
            Word(tuple(text.split()), language, is_known=sum(map(ord, text)) % 5 != 0, is_listed=False)
            for text in made
            if text not in taken
        ),
    )


def _made_words(words: dict[str, Any]) -> list[str]:
    table = words["near_made"]
    parts = product(table["starts"], table["vowels"], table["middles"], table["ends"])
    single = [" ".join(part for part in four if part) for four in parts]
    single = [text for text in dict.fromkeys(single) if text not in set(table["calls"])]
    double = [
        f"{start} {text}"
        for place, text in enumerate(single)
        if place % 7 == 0
        for start in words["stop_made"]["starts"]
    ]
    return single + double


def _exchanged(calls_: set[str]) -> list[str]:
    """Each call with one phone exchanged for one that is not its neighbour, or with its end missing."""
    made: dict[str, None] = {}
    for text in sorted(calls_):
        parts = text.split()
        for place, part in enumerate(parts):
            others = [kin[0] for kin in _KINDRED if part not in kin and _is_like(part, kin[0])]
            made |= dict.fromkeys(" ".join([*parts[:place], other, *parts[place + 1 :]]) for other in others)
        if len(parts) > 3:
            made[" ".join(parts[:-2])] = None
    return [text for text in made if text not in calls_]


def _is_like(one: str, other: str) -> bool:
    return (one in _VOWELS) == (other in _VOWELS)


@cache
def _words() -> dict[str, Any]:
    path = os.environ.get(ENVIRONMENT)
    if not path:
        return _toml("words.toml")
    try:
        words = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        said = [text for call in CALLS for texts in words["calls"][call].values() for text in texts]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, AttributeError) as error:
        raise WordsError(
            f"{path}: needs [calls.kemps] and [calls.stop], as in words.toml ({error})"
        ) from None
    unknown = sorted({part for text in said for part in text.split()} - set(phones()))
    if unknown or not said:
        raise WordsError(
            f"{path}: phones {', '.join(unknown) or 'are missing'}; phones.toml lists those there are"
        )
    return words


@cache
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((files("kemps_training.voice") / name).read_text(encoding="utf-8"))
