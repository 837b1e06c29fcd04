"""What a page says, in five languages: ``Phrase`` is a key with its places filled, ``Words`` a catalogue."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from kemps_server.errors import KempsServerError

LANGUAGES: Final = ("en", "ru", "pt", "fr", "es")
_PLACE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A key of the catalogue and what stands in its places: text as it is, or further phrases.

    >>> load_words("en").say(Phrase("event.card_taken", {"seat": "Ann", "card": "9♣"}))
    'Ann takes 9♣'
    """

    key: str
    args: Mapping[str, Arg] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """``{"k": key, "a": {place: text or phrase}}``, the form the page's script reads."""
        args = {name: arg.as_json() if isinstance(arg, Phrase) else arg for name, arg in self.args.items()}
        return {"k": self.key, "a": args} if args else {"k": self.key}


Arg: TypeAlias = str | Phrase


@dataclass(frozen=True, slots=True)
class Words:
    """The catalogue of one language, its keys flat: ``event.card_taken``."""

    language: str
    texts: Mapping[str, str]

    def __contains__(self, key: str) -> bool:
        return key in self.texts

    def say(self, what: Phrase | str, **args: Arg) -> str:
        """The sentence; a place that is not filled stays as ``{place}``.

        Raises:
            KeyError: The catalogue has no such key.
        """
        phrase = Phrase(what, args) if isinstance(what, str) else what
        return _PLACE.sub(lambda place: self._fill(phrase, place), self.texts[phrase.key])

    def _fill(self, phrase: Phrase, place: re.Match[str]) -> str:
        arg = phrase.args.get(place[1], place[0])
        return self.say(arg) if isinstance(arg, Phrase) else arg


def places(text: str) -> frozenset[str]:
    """The names of the ``{places}`` in a text of the catalogue."""
    return frozenset(_PLACE.findall(text))


@cache
def load_words(language: str, *areas: str) -> Words:
    """The catalogue of ``en``, ``ru``, ``pt``, ``fr`` or ``es``, as games are told in it.

    Args:
        language: Which one.
        areas: What a page of the server says on top, each a folder in ``site/words``.

    Raises:
        KempsServerError: There is no such language.
    """
    if language not in LANGUAGES:
        raise KempsServerError(f"no page in {language!r}; the languages are {', '.join(LANGUAGES)}")
    places_of_words = [
        files("kemps_server.page").joinpath("words"),
        *(files("kemps_server.site").joinpath("words", area) for area in areas),
    ]
    texts: dict[str, str] = {}
    for place in places_of_words:
        text = place.joinpath(f"{language}.toml").read_text(encoding="utf-8")
        texts.update(_flat("", tomllib.loads(text)))
    return Words(language, texts)


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{name}.", value)
        else:
            yield prefix + name, str(value)
