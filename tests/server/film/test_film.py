"""The frame on show at a moment: the burned-in number equals the mark's frame, whatever the file is like."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from kemps_server.bench.numbered_film import HEIGHT, WIDTH, Kind, make_clip, number_in
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.film.film import Film, NoPictureError
from kemps_server.film.films import OPEN_FILMS, Films
from kemps_server.film.offsets import SaidOffset, say_offset
from kemps_server.keeping import files_note, note_recording
from kemps_server.people import OtherCamera
from kemps_server.store.store import Store
from kemps_server.taking_in import take_in
from kemps_server.traces.chunks import TRACES, chunk_name, write_chunk
from kemps_server.traces.reader import Traces
from kemps_server.traces.trace import Trace
from kemps_vision.sources.files import VideoFile

WriteFilm = Callable[..., Path]

UNEVEN = (3000, 1500, 9001, 2999, 700, 30011, 3003)  # ticks of 1/90000 s
KINDS = [
    Kind(name="constant.mp4"),
    Kind(name="b-frames.mp4", b_frames=3, gop=60, options={"bf": "3"}),
    Kind(name="open-gop.mp4", b_frames=3, gop=30, options={"bf": "3", "x264-params": "open-gop=1"}),
    Kind(name="variable.mp4", steps=UNEVEN, base=Fraction(1, 90000), b_frames=2, options={"bf": "2"}),
    Kind(name="late.mkv", steps=(17, 33, 41, 250), start=12345),
    Kind(name="late.ts", base=Fraction(1, 90000), start=900_000, b_frames=2, options={"bf": "2"}),
    Kind(name="old.avi", codec="mpeg4", base=Fraction(1, 25), gop=12),
    Kind(name="b-old.avi", base=Fraction(1, 25), b_frames=2, options={"bf": "2"}),
    Kind(name="bare.h264", base=Fraction(1, 25), b_frames=2, options={"bf": "2"}),
    Kind(name="web.webm", codec="libvpx", steps=(33, 34, 33, 120)),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_frames_sought_at_random_are_those_that_watching_the_file_gives(
    tmp_path: Path, linked: WriteFilm, kind: Kind
) -> None:
    clip = make_clip(tmp_path, kind, 150)
    with VideoFile(str(clip)) as source:
        watched = [(frame.at_ms, number_in(frame.pixels)) for frame in source]
    assert [number for _, number in watched] == list(range(150))
    random.seed(kind.name)
    with Film.beside(linked(clip)) as film:
        (camera,) = film.cameras
        assert camera.problem == ""
        assert (camera.from_ms, camera.until_ms) == (0, watched[-1][0])
        for _ in range(100):
            place = random.randrange(150)
            at_ms, number = watched[place]
            following = watched[place + 1][0] if place < 149 else at_ms + 30
            frame = film.frame_at("table", random.randrange(at_ms, following))
            assert (frame.at_ms, frame.index, number_in(frame.pixels)) == (at_ms, place, number)


def test_stepping_back_and_forth_shows_each_frame(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, KINDS[3], 60)
    with Film.beside(linked(clip)) as film:
        times = [shot.at_ms for shot in film.shots("table", 0, 10**6)]
        for place in [*range(60), *range(59, -1, -1)]:
            assert number_in(film.frame_at("table", times[place]).pixels) == place


def test_a_span_gives_the_frames_shown_first_in_it(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, KINDS[0], 60)
    with Film.beside(linked(clip)) as film:
        assert [number_in(frame.pixels) for frame in film.frames("table", 400, 600)] == list(range(10, 16))
        assert [shot.at_ms for shot in film.shots("table", 401, 479)] == [440]


def test_a_live_recording_is_one_film_over_all_its_files(recorded: WriteFilm) -> None:
    times = [round(number * 1000 / 15) for number in range(90)]
    folder = recorded({"table": times, "faces": [at_ms + 7 for at_ms in times]}, ahead_ms=20)
    assert len(list((folder / "video" / "table").iterdir())) > 2
    with Film.beside(folder) as film:
        assert [(camera.name, camera.role, camera.offset_ms) for camera in film.cameras] == [
            ("table", "table", 0),
            ("faces", "faces", 20),
        ]
        for place in random.Random(1).sample(range(90), 40):
            frame = film.frame_at("table", times[place] + 30)
            assert (frame.at_ms, number_in(frame.pixels)) == (times[place], place)
        shown = [(frame.at_ms, number_in(frame.pixels)) for frame in film.frames("faces", 0, 10**6)]
        assert shown == [(times[place] - 13, place) for place in range(1, 90)]


def test_a_camera_that_was_away_has_no_picture_then(recorded: WriteFilm) -> None:
    times = [*range(0, 3000, 66), *range(9000, 12000, 66)]
    with Film.beside(recorded({"table": times})) as film:
        assert film.frame_at("table", 2970 + 1500).at_ms == 2970
        with pytest.raises(NoPictureError, match=r"was away: .* between 2970 and 9000 ms"):
            film.frame_at("table", 7000)
        assert film.frame_at("table", 9001).at_ms == 9000
        with pytest.raises(NoPictureError, match="was over by then"):
            film.frame_at("table", 20_000)
        with pytest.raises(NoPictureError, match="there is no camera 'faces' in this game; there is table"):
            film.frame_at("faces", 0)


def test_a_recording_that_grows_is_seen_to_grow(recorded: WriteFilm) -> None:
    folder = recorded({"table": range(0, 3000, 66)})
    with Film.beside(folder) as film:
        assert film.cameras[0].until_ms == 2970
        recorded({"table": range(0, 6000, 66)})
        assert film.cameras[0].until_ms == 5940
        assert number_in(film.frame_at("table", 5940).pixels) == 90


def test_what_a_person_said_of_a_clock_moves_the_film(tmp_path: Path, linked: WriteFilm) -> None:
    folder = linked(make_clip(tmp_path, KINDS[0], 60))
    with Film.beside(folder) as film:
        assert number_in(film.frame_at("table", 400).pixels) == 10
        say_offset(folder, SaidOffset(camera="table", offset_ms=40, by="ref", why="the lamp"))
        assert number_in(film.frame_at("table", 400).pixels) == 11
        assert (film.cameras[0].offset_ms, film.cameras[0].offset_by) == (40, "ref")
        assert film.cameras[0].from_ms == -40
        with (folder / "offsets.jsonl").open("a") as file:
            file.write('nonsense\n{"camera": "table", "offset_ms": true}\n')
        assert film.cameras[0].offset_ms == 40
    with pytest.raises(KempsServerError, match="more than a clock can be off"):
        say_offset(folder, SaidOffset(camera="table", offset_ms=10**9, by="ref"))


def test_the_index_is_kept_beside_and_made_anew_for_another_file(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, KINDS[0], 60)
    folder = linked(clip)
    with Film.beside(folder) as film:
        assert film.cameras[0].until_ms == 59 * 40
    kept = folder / "film" / "constant_mp4.npz"
    written = kept.stat().st_mtime_ns
    with Film.beside(folder) as film:
        assert film.cameras[0].until_ms == 59 * 40
    assert kept.stat().st_mtime_ns == written
    kept.write_bytes(b"PK broken")
    make_clip(tmp_path, KINDS[0], 30)
    with Film.beside(folder) as film:
        assert film.cameras[0].until_ms == 29 * 40


def test_a_file_that_is_gone_or_another_is_told_and_nothing_of_it_shown(
    tmp_path: Path, linked: WriteFilm
) -> None:
    clip = make_clip(tmp_path, KINDS[0], 60)
    with Film.beside(linked(clip, duration_ms=2400)) as film:
        assert film.cameras[0].problem == ""
        make_clip(tmp_path, KINDS[0], 90)
        assert "is another video than the one that was watched" in film.cameras[0].problem
        with pytest.raises(NoPictureError, match="another video"):
            film.frame_at("table", 0)
        clip.unlink()
        assert "the recording is not there" in film.cameras[0].problem
        clip.write_text("no video")
        assert "cannot be opened" in film.cameras[0].problem


def test_a_recording_that_moved_along_with_its_game_is_found(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, KINDS[0], 30)
    folder = linked(clip)
    (folder / "video").mkdir()
    clip.rename(folder / "video" / clip.name)
    with Film.beside(folder) as film:
        assert number_in(film.frame_at("table", 400).pixels) == 10


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (None, "nothing says where the recording"),
        ("[]", "nothing says where the recording"),
        ('{"kind": "webcam", "size": [96, 64]}', "watched without being recorded"),
        ('{"kind": "recording", "path": "/nowhere/game"}', "not there any more: game"),
        ('{"kind": "file", "path": 7, "size": [96, 64]}', "watched without being recorded"),
        ('{"kind": "file", "path": "a.mp4", "size": "x"}', "watched without being recorded"),
    ],
)
def test_a_game_without_a_film_says_why(tmp_path: Path, note: str | None, said: str) -> None:
    if note is not None:
        (tmp_path / "recording.json").write_text(note)
    with Film.beside(tmp_path) as film:
        assert film.cameras == ()
        assert said in film.problem
        with pytest.raises(NoPictureError, match=said):
            film.frame_at("table", 0)


def test_a_game_watched_again_from_its_recording_has_that_film(tmp_path: Path, recorded: WriteFilm) -> None:
    folder = recorded({"table": range(0, 3000, 66)})
    again = tmp_path / "again"
    again.mkdir()
    note = {"kind": "recording", "path": str(folder), "size": [WIDTH, HEIGHT], "fps": 15}
    (again / "recording.json").write_text(json.dumps(note))
    with Film.beside(again) as film:
        assert number_in(film.frame_at("table", 660).pixels) == 10


def test_a_file_that_was_cut_off_is_shown_as_far_as_it_goes(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, Kind(name="cut.mkv"), 100)
    data = clip.read_bytes()
    clip.write_bytes(data[: len(data) * 2 // 3])
    with Film.beside(linked(clip)) as film:
        until_ms = film.cameras[0].until_ms
        assert 1000 < until_ms < 3960
        frame = film.frame_at("table", until_ms + 30)
        assert frame.at_ms in (until_ms, until_ms - 40)  # the last picture may be half there
        assert number_in(frame.pixels) == frame.at_ms // 40


def test_few_films_are_open_at_a_time(tmp_path: Path) -> None:
    films = Films()
    folders = [tmp_path / str(number) for number in range(OPEN_FILMS + 1)]
    first = films.beside(folders[0])
    assert films.beside(folders[0]) is first
    for folder in folders[1:]:
        films.beside(folder)
    assert films.beside(folders[0]) is not first
    films.close()


def test_all_recordings_that_were_watched_together_are_cameras(tmp_path: Path) -> None:
    table = make_clip(tmp_path, Kind(name="table.mp4"), 60)
    front = make_clip(tmp_path, Kind(name="front.mp4"), 60)
    with VideoFile(str(table)) as one, VideoFile(str(front), camera="front") as other:
        files = files_note("above", one, [OtherCamera("front", other, ahead_ms=200)])
        note_recording(tmp_path, one.info, files=files)
    with Film.beside(tmp_path) as film:
        assert [(camera.name, camera.role) for camera in film.cameras] == [
            ("above", "table"),
            ("front", "faces"),
        ]
        assert number_in(film.frame_at("above", 1000).pixels) == 25
        assert number_in(film.frame_at("front", 1000).pixels) == 30


def test_a_game_that_was_taken_in_keeps_its_film_and_its_traces(
    tmp_path: Path, recorded: WriteFilm, game_text: str
) -> None:
    folder = recorded({"table": range(0, 3000, 66)})
    (folder / "game.jsonl").write_text(game_text)
    write_chunk(folder / TRACES / "table" / chunk_name(0), [Trace(at_ms=0)])
    say_offset(folder, SaidOffset(camera="table", offset_ms=66, by="ref"))
    with Store.open(DataFolder(tmp_path / "kept")) as store:
        taken = take_in(store, folder)
        beside = store.folder.beside(taken.taken.game.id)
        with Film.beside(beside) as film:
            assert number_in(film.frame_at("table", 660).pixels) == 11
        assert Traces.beside(beside).at("table", 10) is not None
        assert take_in(store, folder).trouble == ""
