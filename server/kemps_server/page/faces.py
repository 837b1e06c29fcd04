"""Cards as SVG symbols: drawn once in a page, used by name as often as needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

from kemps_rules.cards import DECK_52, JOKER, Card
from kemps_vision.draw.suits import SUIT_PATHS

WIDTH, HEIGHT = 63, 88  # millimetres of a poker card
BACK: Final = "back"
UNREAD: Final = "unread"


def symbol_id(card: Card | str | None) -> str:
    """The id of a card's symbol; of the back for ``BACK``, of a card nobody could read for None."""
    return f"card-{UNREAD if card is None else card}"


def symbols(cards: Iterable[Card] = (*DECK_52, JOKER)) -> Markup:
    """The symbols of suits, of ``cards``, of a back and of an unread card, for one hidden ``<svg>``."""
    parts = [_suit(suit) for suit in SUIT_PATHS]
    parts += [_face(card) for card in sorted(set(cards))]
    parts += [_back(), _unread()]
    return Markup("".join(parts))  # noqa: S704 - made of this module's constants and parsed cards only


def _suit(suit: str) -> str:
    return f'<symbol id="suit-{suit}" viewBox="0 0 100 100"><path d="{SUIT_PATHS[suit]}"/></symbol>'


def _frame(name: str, inside: str) -> str:
    paper = '<rect class="paper" x=".75" y=".75" width="61.5" height="86.5" rx="5.5"/>'
    return f'<symbol id="card-{name}" viewBox="0 0 {WIDTH} {HEIGHT}">{paper}{inside}</symbol>'


def _face(card: Card) -> str:
    if card.is_joker:
        star = '<path class="suit-s" d="M31.5 24 l5 13 14 1 -11 9 4 14 -12 -8 -12 8 4 -14 -11 -9 14 -1z"/>'
        return _frame(
            str(card),
            f'{star}<text class="rank suit-s" x="31.5" y="17" font-size="12" '
            'text-anchor="middle">JOKER</text>',
        )
    wide = ' textLength="29" lengthAdjust="spacingAndGlyphs"' if card.rank == "T" else ""
    rank = "10" if card.rank == "T" else card.rank
    return _frame(
        str(card),
        f'<g class="suit-{card.suit}"><text class="rank" x="5" y="31" font-size="34"{wide}>{rank}</text>'
        f'<use href="#suit-{card.suit}" x="38.5" y="8" width="18" height="18"/>'
        f'<use href="#suit-{card.suit}" x="14.5" y="41" width="38" height="38"/></g>',
    )


def _back() -> str:
    lattice = "".join(f"M{x} 6 L{x + 76} 82 M{x + 76} 6 L{x} 82 " for x in range(-76, 64, 10))
    inner = '<rect class="back" x="6" y="6" width="51" height="76" rx="3"/>'
    clip = '<clipPath id="back-clip"><rect x="6" y="6" width="51" height="76" rx="3"/></clipPath>'
    return _frame(BACK, f'{clip}{inner}<path class="lattice" clip-path="url(#back-clip)" d="{lattice}"/>')


def _unread() -> str:
    return _frame(
        UNREAD,
        '<rect class="unread" x="5" y="5" width="53" height="78" rx="3"/>'
        '<text class="rank unread-sign" x="31.5" y="60" font-size="46" text-anchor="middle">?</text>',
    )
