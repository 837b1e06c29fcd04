from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_scenes.bodies.__main__ import main
from kemps_scenes.bodies.errors import ActError, PaintError
from kemps_scenes.bodies.figure import Figure
from kemps_scenes.bodies.lens import Lamp, Lens
from kemps_scenes.bodies.mesh import BaseMesh
from kemps_scenes.bodies.painter import Painter
from kemps_scenes.bodies.posture import Posture, Sitter
from kemps_scenes.bodies.scenery import table_thing
from kemps_scenes.bodies.scripts import SCRIPTS, Setting, sitting

SMALL = Setting(seed=2, seconds=0.4, width=320, height=180, fps=5)


@pytest.mark.usefixtures("gl")
def test_a_person_is_drawn_where_the_truth_says(person: Figure) -> None:
    lens = Lens((0.0, -1.0, 0.5), (0.0, 0.0, 0.45), fov_deg=40, width=320, height=240)
    sitter = Sitter(person, (0.0, 0.0), -90.0)
    grey = np.full((240, 320, 3), 200, np.uint8)
    with Painter(320, 240) as painter:
        pixels = painter.draw(lens, Lamp(), [sitter.placed(Posture())], backdrop=grey)
        empty = painter.draw(lens, Lamp(), [], backdrop=grey)
    x, y, _ = lens.project(sitter.to_world(person.skeleton.head("head") + np.array([0, 0.03, 0])))
    assert not np.array_equal(pixels[round(y), round(x)], grey[0, 0])
    assert np.abs(empty.astype(int) - 200).max() <= 1
    assert np.abs(pixels[:20, :20].astype(int) - 200).max() <= 1


@pytest.mark.usefixtures("gl")
def test_depths_are_those_of_the_geometry(mesh: BaseMesh) -> None:
    del mesh
    lens = Lens((0.0, -0.01, 1.5), (0.0, 0.0, 0.0), fov_deg=40, width=160, height=120)
    with Painter(160, 120, samples=0) as painter:
        painter.draw(lens, Lamp(), [], table_thing("felt", 1))
        assert painter.depth_m()[60, 80] == pytest.approx(1.5, abs=0.005)
    with Painter(160, 120) as smooth, pytest.raises(PaintError, match="samples=0"):
        smooth.depth_m()


@pytest.mark.usefixtures("gl", "mesh")
def test_a_clip_is_the_same_again_and_its_truth_lies_beside_it(tmp_path: Path) -> None:
    one = [frame.pixels for frame in sitting("winks", SMALL).frames()]
    two = [frame.pixels for frame in sitting("winks", SMALL).frames()]
    assert len(one) == 2
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    clip = tmp_path / "winks.mp4"
    arguments = ["--seconds", "0.4", "--fps", "5", "--width", "320", "--height", "180", "--seed", "2"]
    assert main(["clip", "winks", "--out", str(clip), *arguments]) == 0
    truth = json.loads(clip.with_suffix(".json").read_text("utf-8"))
    assert [row["at_ms"] for row in truth["frames"]] == [0, 200]
    x0, y0, x1, y1 = truth["frames"][0]["faces"][0]["box"]
    assert 0 < x0 < x1 < 320
    assert 0 < y0 < y1 < 180
    assert 'role = "faces"' in clip.with_suffix(".table.toml").read_text("utf-8")
    assert cv2.VideoCapture(str(clip)).read()[0]


@pytest.mark.usefixtures("gl", "mesh")
def test_a_table_clip_knows_how_much_of_each_hand_is_seen() -> None:
    clip = sitting("idle", Setting(seed=3, seconds=0.2, fps=5, width=640, height=360))
    frame = next(iter(clip.frames()))
    assert {hand["seat"] for hand in frame.truth["hands"]} == set("ABCD")
    assert max(hand["visible"] for hand in frame.truth["hands"]) > 0.9
    assert 'role = "table"' in clip.table_toml([frame.truth])


@pytest.mark.usefixtures("mesh")
@pytest.mark.parametrize("script", ["winks", "brows", "signals"])
def test_scripted_signals_are_apart_and_inside_the_clip(script: str) -> None:
    clip = sitting(script, Setting(seed=4, seconds=20))
    signals = sorted(clip.players[0].gestures, key=lambda g: g.at_ms)
    assert len(signals) >= 2
    assert all(a.until_ms < b.at_ms for a, b in pairwise(signals))
    assert signals[-1].until_ms < clip.duration_ms
    blinks = [g for g in clip.players[0].behaviour.gestures if g.kind == "blink"]
    assert all(b.until_ms < s.at_ms or b.at_ms > s.until_ms for b in blinks for s in signals)


def test_a_script_that_does_not_exist_is_refused() -> None:
    assert "winks" in SCRIPTS
    with pytest.raises(ActError, match="no script 'dance'"):
        sitting("dance")
    with pytest.raises(ActError, match="a clip has 1 to 4"):
        sitting("winks", Setting(people=5))


@pytest.mark.usefixtures("gl", "mesh")
def test_a_sheet_is_written_and_a_bad_name_is_a_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "sheet.png"
    assert main(["sheet", "--out", str(sheet), "--people", "1", "--seed", "3"]) == 0
    picture = cv2.imread(str(sheet))
    assert picture is not None
    assert picture.shape == (240, 9 * 240, 3)
    assert main(["sheet", "--out", str(tmp_path / "no" / "sheet.png"), "--people", "1"]) == 1
    assert "cannot be written" in capsys.readouterr().err
