"""The list of a folder's games as a page; a game that cannot be read is a row that says why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from kemps_server.page.faces import symbols
from kemps_server.page.render import environment_in
from kemps_server.page.story import Story
from kemps_server.page.words import Phrase, load_words


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRow:
    """A game in the list, or ``error``: why it cannot be shown."""

    title: str
    address: str = ""
    duration_ms: int = 0
    letters: tuple[tuple[str, str], ...] = ()
    ruling: str = ""
    verdict: Phrase | None = None
    flags: int = 0
    error: str = ""


def row_of(name: str, story: Story) -> GameRow:
    """The row of a game in the folder ``name``."""
    verdicts = [deal.verdict for deal in story.deals if deal.verdict is not None]
    return GameRow(
        title=story.title,
        address=quote(os.fsencode(name), safe=""),
        duration_ms=story.duration_ms,
        letters=tuple((pair.id, pair.letters) for pair in story.pairs),
        ruling=verdicts[-1].ruling if verdicts else "",
        verdict=verdicts[-1].claim if verdicts else None,
        flags=len(story.flags),
    )


def render_games(rows: Sequence[GameRow], *, folder: str, language: str) -> str:
    """The page that lists games.

    Raises:
        KempsServerError: There is no such language.
    """
    environment = environment_in(load_words(language))
    return environment.get_template("games.html.j2").render(rows=rows, folder=folder, symbols=symbols(()))
