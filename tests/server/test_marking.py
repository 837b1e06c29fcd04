from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_server.marking import Album, Captions, mark_recording, ruled_at
from kemps_server.page.story import Story
from kemps_server.page.words import load_words
from kemps_server.stills import AFTER_MS, wanted_stills, write_stills
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Frame, FrameSource
from kemps_vision.pipeline import Snapshot
from kemps_vision.sources import open_source
from kemps_vision.spots import Spot
from kemps_vision.zones import TableZones

StoryOf = Callable[[str], Story]


@pytest.fixture
def story(story_of: StoryOf, game_text: str) -> Story:
    return story_of(game_text)


@pytest.fixture
def captions(story: Story) -> Captions:
    return Captions(story, load_words("en"))


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[FrameSource]:
    """A grey recording of 27 s, a frame every half second."""
    path = tmp_path / "game.mp4"
    with VideoWriter(path, fps=2) as video:
        for number in range(54):
            video.add(np.full((120, 160, 3), 90, np.uint8), number * 500)
    with open_source(str(path)) as source:
        yield source


def spot(card: str, *, is_settled: bool = True, kept: float = 1.0) -> Spot:
    quad = np.array([[20.0, 20.0], [50.0, 20.0], [50.0, 60.0], [20.0, 60.0]])
    return Spot(
        id=1, quad=quad, first_read_ms=0, reads=3, card=Card.parse(card), is_settled=is_settled, kept=kept
    )


def frame(at_ms: int) -> Frame:
    return Frame(camera="table", index=0, at_ms=at_ms, pixels=np.full((120, 160, 3), 90, np.uint8))


def seen(album: Album, at_ms: int, *spots: Spot) -> None:
    now = frame(at_ms)
    album.see(now, Snapshot(frame=now, zones=TableZones(seats={"A": (80.0, 118.0)}), spots=spots))


def test_captions_tell_the_last_event_and_the_verdict_only_once_its_hands_are_shown(
    captions: Captions,
) -> None:
    assert captions.at(0).event == "Deal 1 begins, Anna deals"
    assert captions.at(8400).event == "Anna takes 9♣"
    assert captions.at(23250).event == "Carla calls Kemps"
    assert (captions.at(25999).verdict, captions.at(25999).ruling) == ("", "")
    assert (captions.at(26000).verdict, captions.at(26000).ruling) == (
        "Right · Letter to Boris & Dmitri",
        "right",
    )


def test_a_verdict_without_a_shown_hand_is_ruled_at_the_call(story_of: StoryOf, game_text: str) -> None:
    story = story_of("".join(line + "\n" for line in game_text.splitlines() if "hand_shown" not in line))
    verdict = story.deals[0].verdict
    assert verdict is not None
    assert ruled_at(story, verdict) == 23250


def test_an_album_gives_what_was_seen_last_and_claims_nothing_unsettled() -> None:
    album = Album()
    assert album.reading(100).cards == ()
    seen(album, 0, spot("9c"), spot("2h", is_settled=False), spot("5d", kept=0.05))
    seen(album, 200)
    album.see(frame(300), None)
    assert [card.card for card in album.reading(150).cards] == [Card.parse("9c"), None]
    assert album.reading(150).unread == 1
    assert album.reading(250).cards == ()
    assert album.places({"A": "Anna"}).seats == {"A": ("Anna", (80.0, 118.0))}


def test_marks_are_kept_as_they_were_when_the_track_goes_on() -> None:
    album, track = Album(), spot("9c")
    seen(album, 0, track)
    track.quad += 50
    assert album.reading(0).cards[0].quad[0].tolist() == [20.0, 20.0]


def test_the_recording_is_drawn_whole_and_the_frames_asked_for_come_back(
    recording: FrameSource, captions: Captions, tmp_path: Path
) -> None:
    album, told = Album(), list[int]()
    seen(album, 0, spot("9c"))
    kept = mark_recording(
        recording,
        album,
        captions,
        tmp_path / "out.mp4",
        keep_ms=[8400, 99_000],
        on_frame=lambda frame: told.append(frame.at_ms),
    )
    assert len(told) == 54
    assert set(kept) == {8400, 99_000}
    assert kept[8400].marked.shape == (120, 160, 3)
    assert kept[8400].told.shape[0] > 120
    with open_source(str(tmp_path / "out.mp4")) as drawn:
        assert [frame.at_ms for frame in drawn] == told


def test_the_stills_are_of_the_verdict_and_of_what_decided_it(
    story: Story, captions: Captions, tmp_path: Path, recording: FrameSource
) -> None:
    wanted = wanted_stills(story, Album())
    assert wanted.picture_ms == story.duration_ms
    assert [step.kind for _, step in wanted.moments] == ["card_taken", "card_laid", "called", "hand_shown"]
    kept = mark_recording(recording, Album(), captions, tmp_path / "out.mp4", keep_ms=wanted.times)
    write_stills(tmp_path, captions, wanted, kept)
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "moments.png").read_bytes()[:4] == b"\x89PNG"


def test_a_game_without_a_verdict_has_a_picture_of_its_end(story_of: StoryOf, game_text: str) -> None:
    story = story_of("".join(line + "\n" for line in game_text.splitlines()[:5]))
    wanted = wanted_stills(story, Album())
    assert wanted.picture_ms == story.duration_ms
    assert len(wanted.moments) == 1


def test_shown_hands_are_looked_at_once_their_cards_were_read(story: Story) -> None:
    album = Album()
    seen(album, 26000, spot("9s"), spot("9h"), spot("9d"), spot("9c", is_settled=False))
    seen(album, 26800, spot("9s"), spot("9h"), spot("9d"), spot("9c"))
    wanted = wanted_stills(story, album)
    assert wanted.picture_ms == 26800
    assert wanted.moments[-1][0] == 26800
    assert wanted_stills(story, album).picture_ms > 26000 + AFTER_MS
