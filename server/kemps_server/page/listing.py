"""The rows of a list of games; a game that cannot be read is a row that says why."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote

from kemps_server.page.story import Story
from kemps_server.page.words import Phrase


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
