"""House rules as data: every switch known from other tables, presets, and files checked on reading."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Final

from kemps_rules.cards import DECK_52, Card
from kemps_rules.errors import HouseError
from kemps_rules.events import Json
from kemps_rules.seats import SEATS

PRESETS: Final = ("leaflet", "one_card", "any_number", "points", "reward_letters", "lay_first", "two_decks")
LANGUAGES: Final = ("en", "ru", "pt", "fr", "es")

_CHOICES: Final[dict[str, tuple[Json, ...]]] = {
    "scoring": ("penalty_letters", "reward_letters", "points"),
    "wrong_kemps": ("own_pair", "opponents"),
    "wrong_stop": ("own_pair", "opponents"),
    "counter_target": ("pair", "player"),
    "double_kemps": ("off", "shouted", "counts"),
    "naming_sign": ("off", "one"),
    "swap_size": (1, "any"),
    "swap_order": ("take_first", "lay_first"),
    "decks": ("one", "two", "short"),
    "dry_stock": ("ends", "reshuffle"),
    "dealt_alike": ("play_on", "redraw"),
    "signals": ("non_verbal", "words"),
    "tie": ("stop_first", "earlier", "person"),
}
DECKS: Final = {
    "one": frozenset(DECK_52),
    "two": frozenset(DECK_52),
    "short": frozenset(card for card in DECK_52 if card.rank in "A789TJQK"),
}
"""The different cards of each deck."""

Words = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A table's rules; each field is a switch, its values stand in ``presets/leaflet.toml``.

    >>> House.preset("leaflet").word
    'KEMPS'

    Raises:
        HouseError: A value is not one of the switch's, or values do not go together.
    """

    name: str = "leaflet"
    scoring: str
    word: str
    points_to: int | None = None
    wrong_kemps: str
    wrong_stop: str
    counter_target: str
    double_kemps: str
    naming_sign: str
    swap_size: int | str
    swap_order: str
    decks: str
    dry_stock: str
    dealt_alike: str
    signals: str
    tie: str
    call_words: Words = field(hash=False)
    counter_words: Words = field(hash=False)

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or value not in choices:
                raise HouseError(f"{name} = {value!r}, but must be one of {', '.join(map(str, choices))}")
        _check_word(self.word)
        _check_scoring(self)
        _check_words(self)

    @classmethod
    def preset(cls, name: str) -> House:
        """The rule set of that name that comes with the package."""
        return _preset(name)

    @property
    def largest_swap(self) -> int:
        """How many cards a swap may take at once."""
        return 1 if self.swap_size == 1 else 4

    @property
    def copies(self) -> int:
        """How often each card exists."""
        return 2 if self.decks == "two" else 1

    @property
    def cards(self) -> frozenset[Card]:
        """The different cards of the deck."""
        return DECKS[self.decks]

    @property
    def full_score(self) -> int:
        """The letters or points that end the game."""
        return self.points_to or len(self.word)

    def stock_after_deal(self, seats: int) -> int:
        """The cards left when each seat and the centre have four (R3).

        Raises:
            HouseError: The deck and the table do not go together.
        """
        if self.decks == "two" and seats < len(SEATS):
            raise HouseError(f'decks = "two" is for 8 seats, here are {seats}; choose "one"')
        stock = len(self.cards) * self.copies - 4 * seats - 4
        if stock < 0:
            raise HouseError(f'decks = "{self.decks}" has too few cards for {seats} seats; choose "one"')
        return stock

    def call_named(self, word: str) -> str | None:
        """``kemps``, ``stop`` or ``double_kemps``, whichever a spoken or written word means here."""
        return _word_table(self).get(_fold(word))

    def switches(self) -> dict[str, Json]:
        """All switches with their values, as a header keeps them and ``house_from`` takes them."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "name"}
        for name in ("call_words", "counter_words"):
            values[name] = {language: list(words) for language, words in values[name].items()}
        return {name: value for name, value in values.items() if value is not None}


def load_house(path_or_name: Path | str) -> House:
    """The preset of that name, or the rules in that TOML file.

    What a file leaves out is as in the ``preset`` it names, else as in the leaflet.

    Raises:
        HouseError: There is no such preset or file, or it cannot be what it says.
    """
    text = str(path_or_name)
    if text in PRESETS:
        return _preset(text)
    path = Path(path_or_name)
    if not path.is_file():
        raise HouseError(f"{text} is neither a file nor one of the rule sets {', '.join(PRESETS)}")
    try:
        values = tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise HouseError(f"cannot read {path}: {error}") from None
    return house_from(values, name=path.stem, source=str(path))


def house_from(values: Mapping[str, Json], *, name: str, source: str = "house rules") -> House:
    """The house that switches describe; those left out are as in the ``preset`` they name, or in the leaflet.

    Raises:
        HouseError: A switch is unknown, or its value makes no sense; the message begins with ``source``.
    """
    given = dict(values)
    try:
        name = _text(given.pop("name", name), "name")
        base = _preset(_text(given.pop("preset", "leaflet"), "preset"))
        known = base.switches() | {"points_to": base.points_to}
        for key in given:
            if key not in known:
                close = difflib.get_close_matches(key, known, 1)
                raise HouseError(f"unknown switch {key!r}" + (f"; do you mean {close[0]}?" if close else ""))
        known |= given
        known |= {key: _words(known[key], key) for key in ("call_words", "counter_words")}
        return House(name=name, **known)
    except HouseError as error:
        raise HouseError(f"{source}: {error}") from None


@cache
def _preset(name: str) -> House:
    if name not in PRESETS:
        raise HouseError(f"no rule set {name!r}; there are {', '.join(PRESETS)}")
    folder = resources.files("kemps_rules") / "presets"
    values = tomllib.loads((folder / "leaflet.toml").read_text("utf-8"))
    values |= tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
    values |= {key: _words(values[key], key) for key in ("call_words", "counter_words")}
    return House(name=name, **values)


def _text(value: Json, key: str) -> str:
    if not isinstance(value, str) or not value:
        raise HouseError(f"{key} = {value!r}, but must be a text")
    return value


def _words(value: Json, key: str) -> Words:
    if not isinstance(value, Mapping):
        raise HouseError(f'{key} must be a table of languages, as in en = ["Kemps"]')
    for language, words in value.items():
        if language not in LANGUAGES:
            raise HouseError(f"{key}.{language}: the languages are {', '.join(LANGUAGES)}")
        if not isinstance(words, list | tuple) or not all(
            isinstance(word, str) and _fold(word) for word in words
        ):
            raise HouseError(f"{key}.{language} must be a list of words")
    return {language: tuple(words) for language, words in value.items()}


def _check_word(word: Json) -> None:
    if not isinstance(word, str) or not word.isalpha() or word != word.upper() or not 2 <= len(word) <= 12:
        raise HouseError(f"word = {word!r}, but must be 2 to 12 capital letters, as KEMPS")


def _check_scoring(house: House) -> None:
    if house.scoring == "points":
        if type(house.points_to) is not int or not 3 <= house.points_to <= 15:
            raise HouseError(f"points_to = {house.points_to!r}, but must be 3 to 15 when scoring is points")
        return
    if house.points_to is not None:
        raise HouseError(f"points_to makes no sense with scoring = {house.scoring!r}")
    wanted = "own_pair" if house.scoring == "penalty_letters" else "opponents"
    for switch in ("wrong_kemps", "wrong_stop"):
        if getattr(house, switch) != wanted:
            raise HouseError(
                f"{switch} must be {wanted!r} with scoring = {house.scoring!r}, or it would be rewarded"
            )


def _check_words(house: House) -> None:
    calls, counters = (
        {_fold(word) for words in table.values() for word in words}
        for table in (house.call_words, house.counter_words)
    )
    if not calls or not counters:
        raise HouseError("call_words and counter_words must each have a word, or nobody can call")
    if calls & counters:
        raise HouseError(f"{min(calls & counters)!r} is a call word and a counter word")


@lru_cache(maxsize=64)
def _word_table(house: House) -> dict[str, str]:
    """The meaning of each word; the journal's own words always mean what they say."""
    table = {_fold(word): "stop" for words in house.counter_words.values() for word in words}
    table |= {_fold(word): "kemps" for words in house.call_words.values() for word in words}
    doubles = {_fold("double" + word): "double_kemps" for word, call in table.items() if call == "kemps"}
    return doubles | table | {"kemps": "kemps", "stop": "stop", "doublekemps": "double_kemps"}


def _fold(word: str) -> str:
    """A word for comparing: letters only, small."""
    return "".join(letter for letter in word.casefold() if letter.isalnum())
