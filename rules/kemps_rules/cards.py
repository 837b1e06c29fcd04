"""Cards: their ranks, suits and the short notation ``9s``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kemps_rules.errors import CardError

RANKS: Final = "A23456789TJQK"
SUITS: Final = "cdhs"
JOKER_TEXT: Final = "joker"

_SUIT_SIGNS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "♧": "c", "♢": "d", "♡": "h", "♤": "s"}
_SIGN_OF_SUIT: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One card's identity, or a joker (rank ``"*"``, suit ``"*"``); always written internationally.

    >>> str(Card.parse("10h")), str(Card.parse("9♠")), Card.parse("Td").sign
    ('Th', '9s', '10♦')
    """

    rank: str
    suit: str

    @classmethod
    def parse(cls, text: str) -> Card:
        """The card that a text such as ``9s``, ``Td``, ``10h``, ``9♠`` or ``joker`` names.

        Raises:
            CardError: The text names no card.
        """
        return _parse(text)

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker, which belongs in no deck of this game."""
        return self.rank == "*"

    @property
    def sign(self) -> str:
        """The card for people's eyes: ``10♦``."""
        return (
            JOKER_TEXT
            if self.is_joker
            else ("10" if self.rank == "T" else self.rank) + _SIGN_OF_SUIT[self.suit]
        )

    def __str__(self) -> str:
        return JOKER_TEXT if self.is_joker else self.rank + self.suit


@lru_cache(maxsize=512)
def _parse(text: str) -> Card:
    cleaned = text.strip()
    if cleaned.lower() == JOKER_TEXT:
        return JOKER
    rank, suit = cleaned[:-1].upper(), cleaned[-1:]
    rank = "T" if rank == "10" else rank
    suit = _SUIT_SIGNS.get(suit, suit.lower())
    if len(rank) != 1 or rank not in RANKS or len(suit) != 1 or suit not in SUITS:
        raise CardError(f"{text!r} is no card; write the rank A 2 … 9 T J Q K and the suit c d h s, as in 9s")
    return Card(rank, suit)


JOKER: Final = Card("*", "*")
DECK_52: Final[tuple[Card, ...]] = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
