"""Hands laid open in every way people do, rendered and watched with the committed weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from kemps_rules.events import HandShown
from kemps_rules.journal import parse_line, read_journal
from kemps_rules.replay import judge
from kemps_scenes import SceneSpec, render_clip
from kemps_server.called import read_calls
from kemps_server.watching import watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.sources import open_source
from kemps_vision.zones import load_config

pytestmark = pytest.mark.long

GAME = """\
{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"Ana","B":"Bo","C":"Cy","D":"Di"}}
{"kind":"deal_started","at_ms":0,"dealer":"B"}
{"kind":"centre_turned","at_ms":0,"cards":["3h","Kc","8d","6s"],"first_sight":true}
{"kind":"called","at_ms":1500,"seat":"C","call":"kemps","uncertainty_ms":60}
{"kind":"hand_shown","at_ms":4500,"seat":"A","cards":["Qs","Qh","7d","Qc"]}
"""


@pytest.mark.e2e
@pytest.mark.parametrize("style", ["fan", "pile"])
def test_a_hand_laid_open_is_read_whole_and_judged(style: str, tmp_path: Path) -> None:
    script = [parse_line(line, number) for number, line in enumerate(GAME.splitlines())]
    clip = tmp_path / "show.mp4"
    render_clip(script, SceneSpec(seed=5, shows=(style,), fps=10, tail_ms=3500), clip)
    config = load_config(clip.with_name("show.table.toml"))
    calls = read_calls(clip.with_name("show.calls.jsonl"), config.seat_names)
    with open_source(str(clip)) as source:
        watch(source, tmp_path / "game", config, calls, reader=default_reader())
    journal = read_journal(tmp_path / "game/game.jsonl")
    shown = [event for event in journal.events if isinstance(event, HandShown)]
    assert [(event.seat, sorted(map(str, event.cards)), event.unread) for event in shown] == [
        ("A", ["7d", "Qc", "Qh", "Qs"], 0)
    ]
    verdict = judge(journal).deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == "wrong"
