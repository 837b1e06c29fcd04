"""Evidence: the pictures are there at once, their list follows, the more rarely the longer it is."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kemps_rules.cards import Card
from kemps_rules.events import CardTaken
from kemps_server.keeping import INDEX_MS, EvidenceKeeper
from kemps_vision.frame import Frame


def frame(at_ms: int) -> Frame:
    return Frame("table", at_ms // 100, at_ms, np.full((12, 16, 3), at_ms // 100 % 200, np.uint8))


def listed(folder: Path) -> list[dict[str, Any]]:
    path = folder / "evidence" / "index.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text())["pictures"] if path.exists() else []
    return rows


def test_a_list_is_written_more_rarely_the_longer_it_is_and_is_whole_at_the_end(tmp_path: Path) -> None:
    keeper = EvidenceKeeper(tmp_path)
    lengths = []
    for at_ms in range(0, 120_000, 200):
        keeper.see(frame(at_ms))
        if at_ms % 1000 == 0:
            keeper.note(at_ms // 1000, CardTaken(at_ms=at_ms, seat="A", card=Card.parse("9c")))
        lengths.append(len(listed(tmp_path)))
    writes = [n for n, (a, b) in enumerate(pairwise(lengths)) if a != b]
    assert writes[0] <= 3
    first, last = writes[1] - writes[0], writes[-1] - writes[-2]
    assert last > first
    assert last * 200 <= keeper.pictures * INDEX_MS + 1000
    keeper.finish()
    rows = listed(tmp_path)
    assert len(rows) == keeper.pictures == 360
    assert {row["file"] for row in rows} == {path.name for path in (tmp_path / "evidence").glob("*.jpg")}
