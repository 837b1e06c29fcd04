"""What the rules say of flags and verdicts, which is English, as phrases that any page can tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from types import MappingProxyType
from typing import Final

from kemps_server.page.narration import call_word
from kemps_server.page.words import Arg, Phrase, load_words

_SEAT: Final = "[A-H]|somebody"
_PLACES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("seat", "other", "third"), _SEAT),
    "seats": rf"(?:{_SEAT})(?: and (?:{_SEAT}))*",
    **dict.fromkeys(("count", "limit"), r"\d+"),
    "seconds": r"\d+\.\d",
    "card": r"a card|\S+",
    "cards": r"[^;:,]+",
    "rank": "[a-z]+",
    "what": "a hand|the packet",
    "where": "[a-z ]+",
    **dict.fromkeys(("call", "calls"), "[^;]+"),
}
"""What can stand in each place of a sentence: regular expressions."""

NameOf = Callable[[str], Arg]
"""Who sits on a seat; None or an unknown letter stays what it is."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the English catalogue, to be found again in a text."""

    key: str
    pattern: re.Pattern[str]


def phrase_of(text: str, name: NameOf = str) -> Phrase | None:
    """The phrase that says in any language what a flag or a verdict says in English.

    Args:
        text: The message of a flag, or the reason of a verdict; several may be joined by semicolons.
        name: Who sits on a seat.

    Returns:
        None when it is none of the sentences that the catalogue has, and is best shown as it is.

    >>> load_words("fr").say(phrase_of("A shows 9♠ 9♥ and 2 not read: no quad", {"A": "Ann"}.get))
    'Ann montre 9♠ 9♥ et 2 non lues : pas de carré'
    >>> phrase_of("the moon is full") is None
    True
    """
    for sentence in _sentences():
        if found := sentence.pattern.fullmatch(text):
            args = {place: _arg(place, said, name) for place, said in found.groupdict().items()}
            return Phrase(sentence.key, args)
    for cut in re.finditer("; ", text):
        one, two = text[: cut.start()], text[cut.end() :]
        key = "but" if two.startswith("but ") else "row"
        first, second = phrase_of(one, name), phrase_of(two.removeprefix("but "), name)
        if first is not None and second is not None:
            return _term(key, one=first, two=second)
    return None


def sentences_in(
    texts: Mapping[str, str], *prefixes: str, places: Mapping[str, str] = MappingProxyType({})
) -> tuple[Sentence, ...]:
    """The sentences whose keys begin so, those with the most text of their own first.

    A shorter one may fit into a longer one. ``places`` are regular expressions for what can stand in a place;
    anything can where there is none.
    """
    found = [(key, text) for key, text in texts.items() if key.startswith(prefixes)]
    found.sort(key=lambda one: -len(re.sub(r"\{\w+\}", "", one[1])))
    return tuple(Sentence(key, re.compile(_pattern(text, places))) for key, text in found)


@cache
def _sentences() -> tuple[Sentence, ...]:
    return sentences_in(load_words("en").texts, "sentence.flag.", "sentence.reason.", places=_PLACES)


def _pattern(text: str, places: Mapping[str, str]) -> str:
    pieces = re.split(r"\{(\w+)\}", text)
    return "".join(
        re.escape(piece) if number % 2 == 0 else f"(?P<{piece}>{places.get(piece, '.+?')})"
        for number, piece in enumerate(pieces)
    )


def _arg(place: str, said: str, name: NameOf) -> Arg:
    if place in {"seat", "other", "third"}:
        return _who(said, name)
    if place == "seats":
        return _joined([_who(one, name) for one in said.split(" and ")])
    if place == "cards":
        return _cards(said)
    if place == "calls":
        return _joined([_call(one, name) for one in said.split(" and ")])
    key = said.replace(" ", "_")
    return _term(key) if f"sentence.term.{key}" in load_words("en") else said


def _who(seat: str, name: NameOf) -> Arg:
    return _term("somebody") if seat == "somebody" else name(seat) or seat


def _call(said: str, name: NameOf) -> Arg:
    found = re.fullmatch(rf"({_SEAT}) \((\w+)\)", said)
    return said if found is None else _term("call", seat=_who(found[1], name), call=call_word(found[2]))


def _cards(said: str) -> Arg:
    found = re.fullmatch(r"(.+) and (\d+) not read", said)
    cards = said if found is None else found[1]
    told: Arg = _term("no_card") if cards == "no card" else cards
    return told if found is None else _term("unread", cards=told, count=found[2])


def _joined(parts: list[Arg]) -> Arg:
    return reduce(lambda one, two: _term("both", one=one, two=two), parts)


def _term(key: str, **args: Arg) -> Phrase:
    return Phrase(f"sentence.term.{key}", args)
