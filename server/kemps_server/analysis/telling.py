"""The figures of a game that is kept somewhere, ready to be shown."""

from __future__ import annotations

from kemps_rules.errors import JournalError
from kemps_rules.house import House
from kemps_rules.journal import Journal, journal_of
from kemps_rules.replay import house_of
from kemps_server.analysis.game import analyse
from kemps_server.analysis.looks import Address, FiguresLook, look_of
from kemps_server.games import KeptGame
from kemps_server.page.moments import header_of


def journal_in(game: KeptGame) -> Journal:
    """The journal of a kept game.

    Raises:
        JournalError: It cannot be read; the text names it.
        StoreError: The store cannot be read.
    """
    try:
        return journal_of(game.content())
    except JournalError as error:
        text = str(error)
        raise JournalError(text if game.where in text else f"{game.where}: {text}") from None


def figures_of(game: KeptGame, *, address: Address | None = None) -> FiguresLook:
    """What a page shows of a game's figures; ``address`` is where a moment of it is shown.

    Raises:
        KempsRulesError: The journal cannot be read or judged.
        StoreError: The store cannot be read.
    """
    journal = journal_in(game)
    return look_of(analyse(journal), word=spelled(house_of(header_of(journal))), address=address)


def spelled(house: House) -> str:
    """The word whose letters are given; empty where points are counted."""
    return "" if house.scoring == "points" else house.word
