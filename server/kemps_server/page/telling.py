"""The story of a game that lies on disk: its journal, and what lies beside it."""

from __future__ import annotations

from kemps_rules.errors import JournalError
from kemps_rules.house import House
from kemps_rules.journal import read_journal
from kemps_server.games import Game
from kemps_server.page.binding import tell_story
from kemps_server.page.evidence import NO_PICTURES, load_evidence, recording_of
from kemps_server.page.story import Story


def tell_game(game: Game, house: House | None = None, *, with_evidence: bool = True) -> Story:
    """The story of a game on disk, by other house rules than its own when given.

    Raises:
        KempsRulesError: The journal cannot be read or judged; the text names it.
    """
    try:
        journal = read_journal(game.journal)
    except JournalError as error:
        raise JournalError(f"{game.journal}: {error}") from None
    return tell_story(
        journal,
        title=game.title,
        house=house,
        gallery=load_evidence(game.folder) if with_evidence and game.folder is not None else NO_PICTURES,
        lines=_lines(game),
        recording="" if game.folder is None else recording_of(game.folder),
    )


def _lines(game: Game) -> list[str]:
    """The journal's lines as they are counted: cut at newlines only."""
    text = game.journal.read_text(encoding="utf-8-sig", errors="replace")
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]
