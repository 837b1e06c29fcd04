from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TypeAlias

import av
import numpy as np
import pytest

from kemps_rules.journal import read_journal
from kemps_scenes import SceneSpec, cached_clip, clips, render_clip, render_scene
from kemps_scenes.__main__ import main
from kemps_scenes.demo import COMMITTED, script_events
from kemps_scenes.truth import ClipPaths, Truth

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = """
{"kind":"game_opened","at_ms":0,"version":1,"seats":{"A":"Ana","B":"B","C":"C","D":"D \\"x\\""}}
{"kind":"deal_started","at_ms":0,"dealer":"B"}
{"kind":"centre_turned","at_ms":0,"cards":["7h","Qd","2s","Tc"],"first_sight":true}
{"kind":"card_taken","at_ms":1500,"seat":"A","card":"Qd"}
{"kind":"card_laid","at_ms":2900,"seat":"A","card":"5c"}
{"kind":"called","at_ms":3200,"seat":"C","call":"kemps"}
"""
SMALL = SceneSpec(width=320, height=180, fps=10, tail_ms=300)


SHORT = script_events(SCRIPT)[:3]
TINY = SceneSpec(width=160, height=90, fps=5, tail_ms=400, clutter="none")
Game: TypeAlias = tuple[ClipPaths, Truth, list[tuple[int, int]]]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A rendered clip, its truth, and the progress that was told meanwhile."""
    paths = ClipPaths.of(tmp_path_factory.mktemp("clip") / "game.mp4")
    seen: list[tuple[int, int]] = []
    truth = render_clip(script_events(SCRIPT), SMALL, paths.clip, lambda *at: seen.append(at))
    return paths, truth, seen


def frames_of(path: Path) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def test_a_journal_in_gives_a_clip_and_its_truth_out(game: Game) -> None:
    paths, truth, seen = game
    assert paths.all_there()
    frames = frames_of(paths.clip)
    assert len(frames) == len(truth.frames) == seen[-1][0] == seen[-1][1] == 35
    times = [round(1000 * float(frame.time or 0)) for frame in frames]
    assert times == [frame["t_ms"] for frame in truth.frames]
    assert (frames[0].width, frames[0].height, frames[0].format.name) == (320, 180, "yuv420p")
    assert sum(frame.key_frame for frame in frames) >= 3, "a key frame each second"
    stored = json.loads(paths.truth.read_text("utf-8"))
    assert stored == truth.document
    assert {"clip", "fps", "size", "duration_ms", "seats", "slots", "centre", "events", "frames"} <= set(
        stored
    )
    assert [event["type"] for event in truth.events] == ["take", "lay", "call"]


def test_the_decoded_picture_is_the_rendered_one(game: Game) -> None:
    _, rendered = render_scene(script_events(SCRIPT), SMALL)
    for decoded, frame in zip(frames_of(game[0].clip), rendered, strict=True):
        apart = np.abs(decoded.to_ndarray(format="rgb24").astype(int) - frame.pixels.astype(int)).mean()
        assert apart < 8


def test_journal_calls_and_table_lie_beside_the_clip(game: Game) -> None:
    paths = game[0]
    assert list(read_journal(paths.journal)) == script_events(SCRIPT)
    assert json.loads(paths.calls.read_text("utf-8")) == {
        "kind": "called",
        "at_ms": 3200,
        "seat": "C",
        "call": "kemps",
    }
    table = tomllib.loads(paths.table.read_text("utf-8"))
    assert table["camera"][0]["size"] == [320, 180]
    assert [seat["id"] for seat in table["seat"]] == ["A", "B", "C", "D"]
    assert table["seat"][3]["name"] == 'D "x"'
    (x0, y0), _, (x1, y1), _ = table["camera"][0]["centre"]
    quads = [slot["nominal_quad"] for slot in json.loads(paths.truth.read_text("utf-8"))["slots"]]
    assert all(x0 < x < x1 and y0 < y < y1 for quad in quads for x, y in quad)
    places = {seat["id"]: seat["at"] for seat in table["seat"]}
    assert places["A"][1] > 160 and places["C"][1] < 40 and places["B"][0] < 20 and places["D"][0] > 300  # noqa: PT018


def test_an_equal_clip_is_rendered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEMPS_CACHE", str(tmp_path))
    first = cached_clip(SHORT, TINY, "game")
    assert first.all_there()
    assert tmp_path in first.clip.parents
    with monkeypatch.context() as patch:
        patch.setattr(clips, "render_clip", lambda *_: pytest.fail("rendered again"))
        assert cached_clip(SHORT, TINY, "game") == first
    first.truth.unlink()
    assert cached_clip(SHORT, TINY, "game").all_there(), "half of it was missing, so it is rendered again"


def test_the_same_script_and_look_make_the_same_file(tmp_path: Path) -> None:
    for name in ("first", "again"):
        render_clip(SHORT, TINY, tmp_path / name / "game.mp4")
    for file in sorted((tmp_path / "first").iterdir()):
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name


def test_another_script_spec_or_version_is_another_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    events = script_events(SCRIPT)
    prints = {
        clips._fingerprint(events, SMALL),
        clips._fingerprint(events[:-1], SMALL),
        clips._fingerprint(events, SceneSpec(width=320, height=180, fps=10, tail_ms=300, seed=2)),
    }
    monkeypatch.setattr(clips, "code_version", lambda: "another")
    prints.add(clips._fingerprint(events, SMALL))
    assert len(prints) == 4


def test_the_command_renders_a_journal(tmp_path: Path) -> None:
    journal = tmp_path / "in.jsonl"
    journal.write_text(SCRIPT.strip() + "\n", "utf-8")
    out = tmp_path / "folder" / "out.mp4"
    looks = ["--width", "320", "--height", "180", "--fps", "5", "--deck", "antique", "--shows", "fan", "row"]
    assert main(["render", str(journal), "--out", str(out), *looks]) == 0
    stored = json.loads(out.with_suffix(".json").read_text("utf-8"))
    assert stored["spec"]["deck"] == "antique"
    assert stored["spec"]["shows"] == ["fan", "row"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"kind":"card_taken","at_ms":2000,"seat":"A","card":"9c"}', "9c"),
        ('{"kind":"card_taken","at_ms":-5,"seat":"A","card":"9c"}', "line 2"),
        ("nonsense\n{}", "line 2"),
    ],
)
def test_a_journal_that_cannot_be_played_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    journal = tmp_path / "in.jsonl"
    journal.write_text(SCRIPT.strip().splitlines()[0] + "\n" + line + "\n", "utf-8")
    assert main(["render", str(journal), "--out", str(tmp_path / "out.mp4")]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_a_missing_journal_and_an_odd_size_are_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "out.mp4")]) == 2
    journal = tmp_path / "in.jsonl"
    journal.write_text(SCRIPT.strip() + "\n", "utf-8")
    assert main(["render", str(journal), "--out", str(tmp_path / "out.mp4"), "--width", "321"]) == 2
    assert "even" in capsys.readouterr().err


def test_the_command_draws_a_deck_and_says_when_it_cannot_write(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    assert main(["deck", "--out", str(sheet), "--deck", "slant", "--back", "bands"]) == 0
    assert sheet.stat().st_size > 50_000
    assert main(["deck", "--out", str(tmp_path / "no" / "such" / "folder.png")]) == 1


@pytest.mark.parametrize("clip", COMMITTED, ids=lambda clip: Path(clip.path).stem)
def test_committed_clips_are_small_and_agree_with_their_scripts(clip: object) -> None:
    paths = ClipPaths.of(ROOT / clip.path)  # type: ignore[attr-defined]
    assert paths.all_there()
    assert paths.clip.stat().st_size < 3_000_000
    script = sorted(clip.events, key=lambda event: event.at_ms)  # type: ignore[attr-defined]
    assert list(read_journal(paths.journal)) == script
    truth = json.loads(paths.truth.read_text("utf-8"))
    with av.open(str(paths.clip)) as container:
        stream = container.streams.video[0]
        assert [stream.width, stream.height] == truth["size"]
        assert stream.frames == len(truth["frames"])
        assert stream.average_rate == truth["fps"]
