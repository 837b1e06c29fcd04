"""A store with a table at which a game is played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kemps_rules.journal import read_journal
from kemps_server.bench.played_game import PlayedGame
from kemps_server.data_folder import DataFolder
from kemps_server.store.store import Store

JOURNALS = Path(__file__).parents[3] / "samples" / "journals"


@pytest.fixture
def journals() -> Path:
    return JOURNALS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        store.tables.save("club", "")
        yield store


@pytest.fixture
def played(store: Store) -> PlayedGame:
    return PlayedGame(store, "club", "Thursday", read_journal(JOURNALS / "R12-fair-right.jsonl"))
