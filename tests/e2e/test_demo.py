"""``kemps demo`` from the command line: the clip is seen as it was, and all that is promised is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import av
import cv2
import pytest

from kemps_rules.events import CardLaid, CardTaken, CentreSwept, CentreTurned, Event, HandShown
from kemps_rules.journal import read_journal
from kemps_rules.replay import judge
from kemps_server.cli import main
from kemps_server.shipped import shipped_clip
from kemps_server.truth import compare

pytestmark = [pytest.mark.long, pytest.mark.e2e]

TRUTH = read_journal(Path(str(resources.files("kemps_server") / "demo" / "demo.game.jsonl"))).events


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder and the output of a demo without a camera, a display or a way to the network."""
    out = tmp_path_factory.mktemp("demo") / "out"
    bare = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    result = subprocess.run(
        [sys.executable, "-m", "kemps_server.cli", "demo", "--out", str(out)],
        capture_output=True,
        text=True,
        env=bare | nowhere,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return out, result.stdout


def test_all_that_happens_in_the_clip_is_observed_and_nothing_else(demo: tuple[Path, str]) -> None:
    with shipped_clip() as clip:
        tallies = compare(read_journal(demo[0] / "game.jsonl"), clip.truth)
    assert all(tally.is_exact for tally in tallies), tallies
    assert sum(tally.of for tally in tallies) >= 15


def swaps(events: Sequence[Event]) -> list[CardTaken | CardLaid]:
    return sorted((e for e in events if isinstance(e, CardTaken | CardLaid)), key=lambda e: e.at_ms)


def test_every_swap_is_seen_at_its_time(demo: tuple[Path, str]) -> None:
    left = swaps(read_journal(demo[0] / "game.jsonl").events)
    for want in swaps(TRUTH):
        got = next(e for e in left if e.kind == want.kind and e.card == want.card)
        left.remove(got)
        assert abs(got.at_ms - want.at_ms) <= max(got.uncertainty_ms, 150)
        assert got.seat in {want.seat, None}
    assert left == []


def test_the_centre_the_sweep_and_the_shown_hand_are_right(demo: tuple[Path, str]) -> None:
    events = read_journal(demo[0] / "game.jsonl").events
    turned = [card for e in events if isinstance(e, CentreTurned) for card in e.cards]
    assert sorted(turned) == sorted(card for e in TRUTH if isinstance(e, CentreTurned) for card in e.cards)
    assert sum(isinstance(e, CentreSwept) for e in events) == sum(isinstance(e, CentreSwept) for e in TRUTH)
    shown = [(e.seat, sorted(e.cards), e.unread, e.complete) for e in events if isinstance(e, HandShown)]
    assert shown == [
        (e.seat, sorted(e.cards), e.unread, e.complete) for e in TRUTH if isinstance(e, HandShown)
    ]


def test_each_call_swap_and_shown_hand_has_its_pictures(demo: tuple[Path, str]) -> None:
    pictures = json.loads((demo[0] / "evidence" / "index.json").read_text())["pictures"]
    events = read_journal(demo[0] / "game.jsonl").events
    told = {
        n
        for n, e in enumerate(events)
        if e.kind in {"called", "card_taken", "card_laid", "centre_swept", "hand_shown"}
    }
    assert {row["line"] for row in pictures} == told
    assert len(pictures) == 3 * len(told)
    assert all(abs(row["at_ms"] - events[row["line"]].at_ms) <= 650 for row in pictures)


def test_the_verdict_is_that_of_the_leaflets_first_example(demo: tuple[Path, str]) -> None:
    judgement = judge(read_journal(demo[0] / "game.jsonl"))
    assert judgement.as_json()["flags"] == []
    assert len(judgement.deals) == 1
    verdict = judgement.deals[0].verdict
    assert verdict is not None
    assert (verdict.ruling, verdict.call, verdict.by) == ("right", "kemps", "C")
    assert judgement.letters == {"AC": "", "BD": "K"}


def test_it_says_what_happens_the_verdict_and_how_much_was_seen(demo: tuple[Path, str]) -> None:
    out, said = demo
    assert re.search(r"^ +0:1\d\.\d  .* takes 9♣$", said, re.MULTILINE)
    assert "Chloé calls Kemps at 0:18.0: right" in said
    assert "four nines" in said
    found = re.search(r"Observed (\d+) of (\d+) things that happened", said)
    assert found is not None
    assert found[1] == found[2]
    for line in said.strip().splitlines()[-5:]:
        assert Path(line.split("  ")[0]).is_file(), line
    assert str(out / "page.html") in said


def test_the_page_holds_the_game_with_its_evidence(demo: tuple[Path, str]) -> None:
    html = (demo[0] / "page.html").read_text(encoding="utf-8")
    assert "Chloé" in html
    assert html.count("data:image/jpeg;base64,") >= 20
    assert not re.search(r"https?://", html)
    assert len(html) < 8_000_000


def test_picture_and_moments_are_pictures(demo: tuple[Path, str]) -> None:
    for name in ("picture.png", "moments.png"):
        pixels = cv2.imread(str(demo[0] / name))
        assert pixels is not None
        assert pixels.shape[1] >= 1280
        assert pixels.std() > 20


def test_the_video_is_as_long_as_the_clip(demo: tuple[Path, str]) -> None:
    with (
        shipped_clip() as clip,
        av.open(str(clip.video)) as truth,
        av.open(str(demo[0] / "video.mp4")) as drawn,
    ):
        assert drawn.streams.video[0].codec_context.name == "h264"
        assert drawn.streams.video[0].frames == truth.streams.video[0].frames
        assert drawn.duration is not None
        assert truth.duration is not None
        assert abs(drawn.duration - truth.duration) < 200_000


def test_a_folder_with_somebodys_game_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["demo", "--out", str(tmp_path)])
    assert left.value.code == 2
    assert "not the demo's" in capsys.readouterr().err
    assert (tmp_path / "game.jsonl").read_text(encoding="utf-8") == "{}\n"
