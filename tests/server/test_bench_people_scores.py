"""Photos, clips and episodes of people against their labels: what is right, missed and made up."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from kemps_server.bench.people_clip_files import clip_figures, gestures_of
from kemps_server.bench.people_comparison import fallen
from kemps_server.bench.people_episodes import Span, class_figures, matched, onsets
from kemps_server.bench.people_kept import Answer, kept
from kemps_server.bench.people_labels import HANDSHAKES, LabelledEvent, Scene, load_scenes
from kemps_server.bench.people_shares import calibration
from kemps_server.bench.people_stills import StillTask, claims, still_figures
from kemps_server.errors import KempsServerError

HEAD = (
    "file",
    "kind",
    "faces",
    "hands",
    "people_hands_touch",
    "hand_on_face",
    "events",
    "confidence",
    "notes",
)


def labels(folder: Path, *rows: tuple[str, ...]) -> Path:
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEAD, *rows])
    for row in rows:
        (folder / row[0]).touch()
    return folder


def photo(faces: int | None = 1, *, touch: bool | None = None, on_face: bool | None = None) -> Scene:
    return Scene(Path("a.jpg"), False, faces, touch, on_face, (), "one person")


def clip(name: str, *events: tuple[str, int, int], touch: bool | None = None) -> Scene:
    labelled = tuple(LabelledEvent(*event) for event in events)
    return Scene(Path(name), True, 1, touch, False, labelled, "one person")


def seen(faces: int, **contacts: float) -> Answer:
    rows = [{"kind": kind, "score": score, "reason": ""} for kind, score in contacts.items()]
    return {"faces": [[0, 0, 40, 40]] * faces, "contacts": rows, "cpu_ms": 900.0}


def watched(*gestures: tuple[str, int, int], frames: int = 250) -> Answer:
    rows = [
        {"kind": "gesture", "face": 0, "gesture": name, "at_ms": at_ms, "until_ms": until_ms}
        for name, at_ms, until_ms in gestures
    ]
    return {"fps": 25.0, "frames": frames, "gestures": rows, "contacts": []}


def test_labels_of_low_confidence_and_files_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    labels(
        tmp_path,
        ("sure.jpg", "image", "2", "0", "no", "yes", "", "high", ""),
        ("unsure.jpg", "image", "2", "0", "no", "yes", "", "low", ""),
        ("clip_d6.mp4", "video", "1", "0", "no", "no", "blink@5-7;brow@20-30", "medium", ""),
        ("lost.jpg", "image", "1", "", "unknown", "unknown", "", "high", ""),
    )
    (tmp_path / "lost.jpg").unlink()
    sure, moving = load_scenes(tmp_path)
    assert (sure.faces, sure.hands_touch, sure.hand_on_face) == (2, False, True)
    assert moving.events == (LabelledEvent("blink", 5, 7), LabelledEvent("brow", 20, 30))
    assert (moving.is_clip, moving.is_d6, moving.is_all_labelled) == (True, True, False)


def test_faces_of_handshakes_are_not_counted_but_their_hands_are(tmp_path: Path) -> None:
    row = ("h.jpg", "image", "", "", "yes", "no", "", "medium", "handshake box in .txt")
    (scene,) = load_scenes(labels(tmp_path, row))
    assert scene.kind == HANDSHAKES
    assert not scene.counts_faces
    assert scene.counts_touching


def test_a_folder_without_labels_is_an_error_that_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(KempsServerError, match="--data names the folder"):
        load_scenes(tmp_path)
    (tmp_path / "labels.csv").write_text("file,kind\n")
    with pytest.raises(KempsServerError, match="lacks the columns confidence, events, faces"):
        load_scenes(tmp_path)


def test_faces_are_counted_by_number_and_too_many_are_extra() -> None:
    figures = still_figures([(photo(3), seen(2)), (photo(1), seen(2)), (photo(0), seen(0))])
    assert figures["faces"]["found"]["right"] == 3
    assert figures["faces"]["found"]["of"] == 4
    assert figures["faces"]["extra"] == 1
    assert figures["faces_by_width"]["32–64 px"]["found"]["of"] == 4


def test_claims_are_told_apart_by_their_score_and_the_curve_shows_other_thresholds() -> None:
    pairs = [
        (photo(on_face=True), seen(1, hand_on_face=0.8)),
        (photo(on_face=True), seen(1, hand_on_face=0.4)),
        (photo(on_face=False), seen(1, hand_on_face=0.6)),
        (photo(on_face=False), seen(1)),
        (photo(on_face=None), seen(1, hand_on_face=0.9)),
    ]
    part = still_figures(pairs)["hand_on_face"]
    assert (part["recall"]["share"], part["precision"]["share"], part["f1"]) == (0.5, 0.5, 0.5)
    assert (part["false"], part["negatives"]) == (1, 2)
    assert part["curve"]["0.4"]["recall"]["share"] == 1.0
    assert part["curve"]["0.7"]["false"] == 0


def test_touching_is_asked_of_two_people_only() -> None:
    pairs = [(photo(1, touch=False), seen(1, hands_touched=0.9)), (photo(2, touch=False), seen(2))]
    assert still_figures(pairs)["hands_touched"]["negatives"] == 1


def test_f1_without_anything_to_find_or_told_is_not_known() -> None:
    assert claims([(0.1, False)])["f1"] is None


def test_an_episode_is_found_by_one_of_its_class_person_and_time() -> None:
    want = [
        Span("A", "wink_left", 1000, 1400),
        Span("B", "wink_left", 1000, 1400),
        Span("A", "blink", 3000, 3200),
    ]
    got = [
        Span("A", "wink_left", 1090, 1300),
        Span("A", "wink_right", 1000, 1400),
        Span("A", "eyes_closed", 3050, 3300),
        Span("A", "wink_left", 1450, 1500),
    ]
    found = matched(want, got)
    assert [told.at_ms for _, told in found.hits] == [1090, 3050]
    assert found.missed == [want[1]]
    assert found.extra == [got[1]], "the other eye is a false wink, however near"
    assert found.again == [got[3]], "the same wink told twice is neither right nor false"
    assert onsets(found.hits) == {"of": 2, "median_ms": 70, "median_size_ms": 70}


def test_false_episodes_are_told_by_the_minute_of_one_person() -> None:
    figures = class_figures(matched([], [Span("A", "brow_raise_left", 0, 400)]), 4.0)
    assert figures["brow_raise"]["false"] == {"false": 1, "minutes": 4.0, "a_minute": 0.25}
    assert figures["brow_raise"]["recall"]["share"] is None


def test_of_clips_only_signals_and_blinks_are_false_and_only_where_all_are_labelled() -> None:
    told = watched(("blink", 1010, 1200), ("wink_left", 4000, 4300), ("smile", 6000, 7000))
    found = gestures_of(clip("d3.mp4", ("blink", 25, 30)), told)
    assert len(found.hits) == 1
    assert [span.what for span in found.extra] == ["wink_left"]
    assert gestures_of(clip("x_d6.mp4", ("blink", 25, 30)), told).extra == []


def test_the_picture_s_left_is_the_person_s_right_in_labels_of_winks() -> None:
    scene = clip("d3.mp4", ("wink_imgL", 25, 35))
    assert gestures_of(scene, watched(("wink_right", 1000, 1400))).missed == []
    assert len(gestures_of(scene, watched(("wink_left", 1000, 1400))).missed) == 1


def test_the_clip_of_odd_grimaces_stands_apart() -> None:
    pairs = [
        (clip("d3.mp4", ("blink", 25, 30)), watched(("blink", 1000, 1200))),
        (clip("x_d6.mp4", ("blink", 25, 30)), watched()),
    ]
    figures = clip_figures(pairs)
    assert figures["gestures"]["classes"]["blink"]["recall"]["share"] == 1.0
    assert figures["gestures_in_d6"]["classes"]["blink"]["recall"]["share"] == 0.0


def test_scores_that_say_what_is_so_are_calibrated_and_others_are_not() -> None:
    honest = [(0.75, True)] * 3 + [(0.75, False)]
    assert calibration(honest)["error"] == 0.0
    boasting = [(0.95, True), (0.95, False)]
    assert calibration(boasting)["error"] == pytest.approx(0.45)
    assert calibration([(1.0, True)])["bins"][0]["from"] == 0.9
    assert calibration([])["error"] is None


def report(recall: float, false: float, of: int = 20) -> dict[str, Any]:
    figure = {"right": round(recall * of), "of": of, "share": recall, "share_95": [0.0, 1.0]}
    rate = {"false": 1, "minutes": 4.0, "a_minute": false}
    return {
        "stills": {"faces": figure, "false": rate, "curve": {"0.5": figure}},
        "speed": {"times_bare": 2.0},
    }


def test_a_lower_share_and_a_higher_rate_have_fallen_and_others_have_not() -> None:
    assert fallen(report(0.9, 0.25), report(0.95, 0.2)) == []
    assert fallen(report(0.9, 0.25), report(0.85, 0.5)) == [
        "stills, faces: fell from 0.9000 to 0.8500",
        "stills, false: false ones rose from 0.250 to 0.500 a minute",
    ]
    assert fallen(report(0.9, 0.25), report(0.85, 0.25), tolerance=0.06) == []


def test_reports_of_other_pictures_cannot_be_compared() -> None:
    with pytest.raises(KempsServerError, match="not the same pictures"):
        fallen(report(0.9, 0.2), report(0.9, 0.2, of=40))
    with pytest.raises(KempsServerError, match="no part in common"):
        fallen(report(0.9, 0.2), {"speed": {}})


def test_an_answer_is_made_once_and_a_broken_one_again(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> Answer:
        made.append(1)
        return {"faces": len(made)}

    assert kept(tmp_path, "a", make) == kept(tmp_path, "a", make) == {"faces": 1}
    (path,) = tmp_path.iterdir()
    path.write_text("{")
    assert kept(tmp_path, "a", make) == {"faces": 2}
    assert json.loads(path.read_text()) == {"faces": 2}
    assert kept(tmp_path, "b", make) == {"faces": 3}


@pytest.mark.shared
def test_the_labels_of_the_open_data_are_counted_as_their_scorer_counts_them(shared: Path) -> None:
    scenes = load_scenes(shared / "data" / "people")
    stills = [scene for scene in scenes if not scene.is_clip]
    assert sum(scene.faces or 0 for scene in stills if scene.counts_faces) == 163
    touching = [scene.hands_touch for scene in stills if scene.counts_touching]
    assert (touching.count(True), touching.count(False)) == (209, 19)
    assert sum(scene.hand_on_face is True for scene in stills) == 13
    assert sum(scene.is_d6 for scene in scenes) == 1


@pytest.mark.shared
def test_a_photo_of_the_open_data_is_seen_as_kemps_look_tells_it(shared: Path, tmp_path: Path) -> None:
    path = shared / "data" / "people" / "davisking-examples__faces__2008_002506.jpg"
    answer = StillTask(path).run(tmp_path)
    assert len(answer["faces"]) == 3
    assert answer["cpu_ms"] > 0
    assert all(0.0 < one["score"] <= 1.0 for one in answer["contacts"])
