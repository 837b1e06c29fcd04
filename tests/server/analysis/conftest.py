"""A short game whose figures can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from kemps_rules.journal import Journal, journal_of
from kemps_server.analysis.game import GameFigures, analyse
from kemps_server.bench.long_game import journal_text, long_game

GAME = """
{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"Ann","B":"Ben","C":"Cem","D":"Dot"}}
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":10000,"cards":["9c","2h","5d","Js"]}
{"kind":"card_touched","at_ms":12000,"seat":"A","card":"9c","uncertainty_ms":30}
{"kind":"card_touched","at_ms":12100,"seat":"B","card":"9c","uncertainty_ms":30}
{"kind":"card_taken","at_ms":12400,"seat":"A","card":"9c"}
{"kind":"card_laid","at_ms":13400,"seat":"A","card":"Kc"}
{"kind":"card_touched","at_ms":15000,"seat":"B","card":"2h","uncertainty_ms":50}
{"kind":"card_touched","at_ms":15060,"seat":"D","card":"2h","uncertainty_ms":50}
{"kind":"card_taken","at_ms":15500,"seat":"B","card":"2h"}
{"kind":"card_laid","at_ms":17500,"seat":"B","card":"7d"}
{"kind":"card_taken","at_ms":18000,"seat":"D","card":"7d"}
{"kind":"card_laid","at_ms":19000,"seat":"D","card":"7d"}
{"kind":"card_taken","at_ms":20000,"seat":null,"card":"5d"}
{"kind":"card_laid","at_ms":21000,"seat":null,"card":"4c"}
{"kind":"gesture","at_ms":22000,"until_ms":22300,"seat":"A","gesture":"wink_left","camera":"faces"}
{"kind":"called","at_ms":25000,"seat":"C","call":"kemps","uncertainty_ms":120}
{"kind":"hand_shown","at_ms":27000,"seat":"A","cards":["9s","9h","9d","9c"],"unread":0}
{"kind":"deal_ended","at_ms":28000,"why":"call"}
{"kind":"deal_started","at_ms":30000,"dealer":"B"}
{"kind":"centre_turned","at_ms":40000,"cards":["Td","3h","5c","Qs"]}
{"kind":"card_taken","at_ms":41000,"seat":"B","card":"Td"}
{"kind":"card_laid","at_ms":42000,"seat":"B","card":"2c"}
{"kind":"not_measurable","at_ms":43000,"until_ms":46000,"seat":"A","what":"face","camera":"faces"}
{"kind":"called","at_ms":50000,"seat":"D","call":"kemps","uncertainty_ms":100}
{"kind":"hand_shown","at_ms":52000,"seat":"B","cards":["Tc","Th","Ts","Td"],"unread":0}
{"kind":"deal_ended","at_ms":55000,"why":"call"}
{"kind":"deal_started","at_ms":60000,"dealer":"C"}
{"kind":"centre_turned","at_ms":70000,"cards":["4h","6h","8h","Ah"]}
{"kind":"not_observed","at_ms":72000,"until_ms":74000,"camera":"table"}
{"kind":"called","at_ms":80000,"seat":"A","call":"kemps","uncertainty_ms":120}
{"kind":"hand_shown","at_ms":82000,"seat":"C","cards":["2d","3d","4d","5d"],"unread":0}
{"kind":"deal_ended","at_ms":85000,"why":"call"}
{"kind":"settled","at_ms":90000,"camera":"table"}
""".lstrip()


@cache
def _evening(seats: int) -> Journal:
    minutes, seed = {4: (35, 1), 6: (45, 4), 8: (60, 1)}[seats]  # of those that are soon made up
    return journal_of(journal_text(long_game(seats, minutes=minutes, seed=seed)).encode())


@pytest.fixture(scope="session")
def evening() -> Callable[[int], Journal]:
    """A believable evening of so many players."""
    return _evening


@pytest.fixture(scope="session")
def long_journal() -> Journal:
    """A believable evening of four."""
    return _evening(4)


@pytest.fixture(scope="session")
def long_figures(long_journal: Journal) -> GameFigures:
    """Its figures."""
    return analyse(long_journal)


@pytest.fixture
def short_text() -> str:
    """The short game's journal."""
    return GAME


@pytest.fixture
def short() -> GameFigures:
    """The short game's figures."""
    return analyse(journal_of(GAME.encode()))
