"""What was seen, kept beside a game and drawn again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kemps_rules.cards import JOKER, Card
from kemps_server.bench.numbered_film import numbered
from kemps_server.traces.chunks import CHUNK_MS, TRACES, read_chunk, write_chunk
from kemps_server.traces.drawing import draw_trace
from kemps_server.traces.reader import HANDS_MS, LONGEST_MS, Traces
from kemps_server.traces.trace import CardTrace, FaceTrace, HandTrace, Trace
from kemps_server.traces.writer import TraceWriter
from kemps_vision.frame import Frame
from kemps_vision.people.hand_seats import SeatedHand
from kemps_vision.people.landmarks import Box, FacePose, HandPose
from kemps_vision.pipeline import Snapshot
from kemps_vision.zones import TableZones

QUAD = np.asarray([[10.25, 10], [30, 10], [30, 40.5], [10, 40]])
POINTS = np.asarray([[30 + place, 20 + place, 0] for place in range(21)], np.float32)
ZONES = TableZones(((0.0, 0.0), (90.0, 0.0), (90.0, 60.0), (0.0, 60.0)), {"A": (40.0, 70.0)})


def trace(at_ms: int, **more: object) -> Trace:
    nine, joker = Card.parse("9s"), JOKER
    cards = (CardTrace(nine, 0.5, QUAD), CardTrace(joker, 1.0, QUAD), CardTrace(None, 0.2, QUAD))
    return Trace(at_ms=at_ms, cards=cards, zones={"centre": None, "seats": {}}, **more)  # type: ignore[arg-type]


def snapshot(at_ms: int) -> Snapshot:
    return Snapshot(Frame("table", at_ms // 66, at_ms, numbered(1)), ZONES, ())


def hands() -> Sequence[SeatedHand]:
    return [SeatedHand(1, HandPose(POINTS, 0.9, is_left=False), "B", 1.0)]


def test_what_is_packed_comes_out_again(tmp_path: Path) -> None:
    hand, face = HandTrace("B", POINTS), FaceTrace("", Box(1, 2.5, 30, 40))
    write_chunk(tmp_path / "a.npz", [trace(0), trace(66, hands=(hand,), faces=(face,)), Trace(at_ms=132)])
    first, second, third = read_chunk(tmp_path / "a.npz")
    assert [card.card for card in first.cards] == [Card.parse("9s"), JOKER, None]
    assert first.cards[0].score == pytest.approx(0.5, abs=0.01)
    assert np.array_equal(first.cards[0].quad, QUAD)
    assert (first.hands, first.faces) == ((), ())
    assert (second.hands[0].seat, second.faces[0].seat, second.faces[0].box) == ("B", "", face.box)
    assert np.array_equal(second.hands[0].points, POINTS[:, :2])
    assert (third.at_ms, third.cards, third.zones) == (132, (), {})
    assert second.zones == {"centre": None, "seats": {}}


def test_what_is_broken_or_of_another_version_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    assert read_chunk(path) == ()
    path.write_bytes(b"PK nonsense")
    assert read_chunk(path) == ()
    np.savez_compressed(path, version=np.asarray([99]))
    assert read_chunk(path) == ()


def test_a_game_that_is_watched_leaves_its_traces_in_chunks(tmp_path: Path) -> None:
    found = hands()
    with TraceWriter(tmp_path) as writer:
        for at_ms in range(0, 2 * CHUNK_MS, 1000):
            writer.see_table(snapshot(at_ms), found)
            writer.see_table(snapshot(at_ms), found)  # a frame between two that were watched
        writer.see_table(None)
        writer.see_faces("faces", 500, {"A": _face()})
    assert [path.name for path in sorted((tmp_path / TRACES / "table").iterdir())] == [
        "000000000000.npz",
        "000000020000.npz",
    ]
    traces = Traces.beside(tmp_path)
    assert traces.are_there
    seen = traces.at("table", 100)
    assert seen is not None
    assert seen.zones["seats"] == {"A": [40.0, 70.0]}
    assert [hand.seat for hand in seen.hands] == ["B"]
    faces = traces.at("faces", 700)
    assert faces is not None
    assert [face.seat for face in faces.faces] == ["A"]
    TraceWriter(tmp_path, goes_on=True).close()
    assert traces.are_there
    TraceWriter(tmp_path).close()
    assert not traces.are_there


def test_nothing_is_told_of_a_moment_that_was_not_watched(tmp_path: Path) -> None:
    with TraceWriter(tmp_path) as writer:
        writer.see_table(snapshot(5000), hands())
        writer.see_table(snapshot(5600))
    traces = Traces.beside(tmp_path)
    assert traces.at("table", 4999) is None
    assert traces.at("faces", 5000) is None
    late, later = traces.at("table", 5600 + LONGEST_MS), traces.at("table", 5600 + LONGEST_MS + 1)
    assert late is not None
    assert later is None
    stale, fresh = traces.at("table", 5600), traces.at("table", 5000 + HANDS_MS)
    assert stale is not None
    assert stale.hands == ()
    assert fresh is not None
    assert len(fresh.hands) == 1


def test_a_disk_that_refuses_ends_the_traces_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / TRACES).write_text("a file where the folder would be")
    with TraceWriter(tmp_path, goes_on=True) as writer:
        for at_ms in range(0, 3 * CHUNK_MS, 1000):
            writer.see_table(snapshot(at_ms))
    assert caplog.text.count("traces are not kept") == 1


def test_hands_and_faces_are_drawn_for_those_who_judge_only() -> None:
    pixels = np.full((720, 960, 3), 40, np.uint8)
    seen = trace(0, hands=(HandTrace("B", POINTS * 10),), faces=(FaceTrace("A", Box(600, 100, 800, 300)),))
    for_all = draw_trace(pixels, seen, with_people=False)
    for_staff = draw_trace(pixels, seen, with_people=True)
    assert not np.array_equal(for_all, pixels)
    assert np.array_equal(for_all[100:300, 590:810], pixels[100:300, 590:810])
    assert not np.array_equal(for_staff[100:300, 590:810], pixels[100:300, 590:810])
    assert (pixels == 40).all()
    assert np.array_equal(draw_trace(pixels, Trace(at_ms=0), with_people=True), pixels)


def test_a_minute_of_a_busy_table_takes_less_than_two_megabytes(tmp_path: Path) -> None:
    noise = np.random.default_rng(1)

    def busy(at_ms: int) -> Trace:
        cards = [CardTrace(Card.parse("9s"), 0.9, QUAD * 10 + noise.normal(0, 1, (4, 2))) for _ in range(10)]
        points = [POINTS[:, :2] * 10 + noise.normal(0, 20, (21, 2)) for _ in range(4)]
        return Trace(
            at_ms=at_ms,
            cards=tuple(cards),
            hands=tuple(HandTrace("A", one.astype(np.float32)) for one in points),
        )

    write_chunk(tmp_path / "a.npz", [busy(round(number * 1000 / 15)) for number in range(300)])
    assert (tmp_path / "a.npz").stat().st_size * 3 < 2_000_000


def _face() -> FacePose:
    return FacePose(np.asarray([[1, 2, 0], [30, 40, 0]], np.float32), np.zeros(52, np.float32))
