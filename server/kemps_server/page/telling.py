"""The story of a game that is kept somewhere: its journal, and what lies beside it."""

from __future__ import annotations

from kemps_rules.errors import JournalError
from kemps_rules.house import House
from kemps_rules.journal import journal_of
from kemps_server.games import KeptGame
from kemps_server.page.binding import tell_story
from kemps_server.page.evidence import NO_PICTURES, load_evidence, recording_of
from kemps_server.page.story import Story


def tell_game(game: KeptGame, house: House | None = None, *, with_evidence: bool = True) -> Story:
    """The story of a game, by other house rules than its own when given.

    Raises:
        KempsRulesError: The journal cannot be read or judged; the text names it.
        StoreError: The store cannot be read.
    """
    try:
        content = game.content()
        journal = journal_of(content)
    except JournalError as error:
        raise JournalError(f"{game.where}: {error}") from None
    return tell_story(
        journal,
        title=game.title,
        house=house,
        gallery=load_evidence(game.folder) if with_evidence and game.folder is not None else NO_PICTURES,
        lines=_lines(content),
        recording="" if game.folder is None else recording_of(game.folder),
    )


def _lines(content: bytes) -> list[str]:
    """The journal's lines as they are counted: cut at newlines only."""
    text = content.decode("utf-8-sig", errors="replace")
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]
