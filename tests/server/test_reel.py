"""The highlight reel: which moments, from which pictures, what is said, and whose faces are hidden."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import httpx
import numpy as np
import pytest
from typer.testing import CliRunner

from kemps_rules.journal import journal_of
from kemps_server.analysis.game import figures_from
from kemps_server.analysis.highlights import Highlight, highlights_of
from kemps_server.analysis.material import material_of
from kemps_server.app import create_app
from kemps_server.cli.app import build_app
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.film.film import Film, FilmCamera
from kemps_server.library import Library
from kemps_server.page.words import load_words
from kemps_server.reel.cards import GOLD, title_card
from kemps_server.reel.cuts import scenes_of
from kemps_server.reel.jobs import JobWish, ReelJobs
from kemps_server.reel.making import CARD_MS, ReelWish, make_reel
from kemps_server.store.store import Store
from kemps_server.taking_in import take_in
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, FaceSpot

SIZE = (320, 180)
STEP_MS = 100
LENGTH_MS = 40_000
EN = load_words("en", "analysis")

GAME = """
{"kind":"game_opened","at_ms":0,"seats":{"A":"Ann","B":"Ben","C":"Cem","D":"Dot"}}
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":1000,"cards":["9c","2h","5d","Js"]}
{"kind":"card_taken","at_ms":5000,"seat":"A","card":"9c"}
{"kind":"card_laid","at_ms":6000,"seat":"A","card":"Kc"}
{"kind":"called","at_ms":8000,"seat":"C","call":"kemps"}
{"kind":"hand_shown","at_ms":10000,"seat":"A","cards":["9s","9h","9d","9c"]}
{"kind":"deal_ended","at_ms":11000,"why":"call"}
{"kind":"deal_started","at_ms":12000,"dealer":"B"}
{"kind":"centre_turned","at_ms":13000,"cards":["Tc","3h","6d","Qs"]}
{"kind":"called","at_ms":20000,"seat":"A","call":"kemps"}
{"kind":"hand_shown","at_ms":21000,"seat":"C","cards":["2s","3c","4d","5c"]}
{"kind":"deal_ended","at_ms":22000,"why":"call"}
{"kind":"deal_started","at_ms":90000,"dealer":"C"}
{"kind":"centre_turned","at_ms":91000,"cards":["8c","2d","6h","Qd"]}
{"kind":"called","at_ms":95000,"seat":"B","call":"kemps"}
{"kind":"hand_shown","at_ms":97000,"seat":"D","cards":["As","Ah","Ad","Ac"]}
{"kind":"deal_ended","at_ms":98000,"why":"call"}
{"kind":"settled","at_ms":99000,"camera":"table"}
""".lstrip()


def shade(at_ms: int) -> int:
    """How bright the film is at a moment, so that a frame tells its time."""
    return 40 + at_ms // STEP_MS % 160


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty seconds whose pictures grow brighter."""
    path = tmp_path_factory.mktemp("film") / "table.mp4"
    with VideoWriter(path, fps=10) as writer:
        for at_ms in range(0, LENGTH_MS, STEP_MS):
            writer.add(np.full((SIZE[1], SIZE[0], 3), shade(at_ms), np.uint8), at_ms)
    return path


@pytest.fixture
def folder(tmp_path: Path, clip: Path) -> Path:
    """A game that was watched from the film."""
    folder = tmp_path / "thursday"
    folder.mkdir()
    (folder / "game.jsonl").write_text(GAME, encoding="utf-8")
    note = {"kind": "file", "name": clip.name, "size": list(SIZE), "fps": 10.0, "path": str(clip)}
    (folder / "recording.json").write_text(json.dumps(note), encoding="utf-8")
    return folder


@pytest.fixture
def film(folder: Path) -> Iterator[Film]:
    with Film.beside(folder) as opened:
        yield opened


def moments(text: str = GAME) -> tuple[Highlight, ...]:
    material = material_of(journal_of(text.encode()))
    return highlights_of(material, figures_from(material))


def reasons(one: Highlight) -> list[str]:
    return [EN.say(reason) for reason in one.reasons]


def frames_of(path: Path) -> list[tuple[int, Image]]:
    with av.open(str(path)) as container:
        return [
            (
                round(float((frame.pts or 0) * (frame.time_base or 0)) * 1000),
                np.asarray(frame.to_ndarray(format="rgb24"), np.uint8),
            )
            for frame in container.decode(video=0)
        ]


def test_moments_are_ranked_with_their_reasons() -> None:
    quick, right, wrong = moments()
    assert [(one.rank, one.deal) for one in (quick, right, wrong)] == [(1, 1), (2, 3), (3, 2)]
    assert reasons(quick) == ["a right call", "called 2.0 s after the hand was complete"]
    assert reasons(right) == ["a right call", "called 4.0 s after the hand was complete"]
    assert reasons(wrong) == ["a wrong call"]
    assert quick.score > right.score > wrong.score


def test_a_moment_goes_from_the_complete_hand_over_the_call_to_the_verdict() -> None:
    first = moments()[0]
    assert [(beat.kind, EN.say(beat.text)) for beat in first.beats] == [
        ("complete", "Ann has four of rank 9"),
        ("call", "Cem calls Kemps"),
        ("shown", "Ann shows 9♠ 9♥ 9♦ 9♣"),
        ("verdict", "Right: letter to Ben & Dot"),
    ]
    (stretch,) = first.stretches
    assert stretch.from_ms <= 6000 - 2000
    assert stretch.until_ms >= first.beats[-1].at_ms + 1000
    assert first.beat_at(5999) is None
    assert first.beat_at(9999) == first.beats[1]


def test_what_lies_far_before_the_call_is_shown_by_itself() -> None:
    only = GAME[: GAME.index('{"kind":"deal_started","at_ms":12000')]
    for before, after in ((8_000, 38_000), (10_000, 40_000), (11_000, 41_000)):
        only = only.replace(f'"at_ms":{before},', f'"at_ms":{after},')
    (first,) = moments(only)
    complete, call = first.stretches
    assert complete.from_ms <= 6000 <= complete.until_ms < call.from_ms <= 38_000 <= call.until_ms


def test_calls_that_could_not_be_verified_are_no_moment() -> None:
    unread = GAME.replace('"cards":["9s","9h","9d","9c"]', '"cards":["9s","9h"],"unread":2')
    assert {one.deal for one in moments(unread)} == {2, 3}


def test_the_best_moments_that_were_filmed_are_shown_in_the_order_of_time(film: Film) -> None:
    scenes = scenes_of(moments(), film, 5)
    assert [scene.highlight.deal for scene in scenes] == [1, 2], "the third was not filmed"
    assert [scene.highlight.deal for scene in scenes_of(moments(), film, 1)] == [1]


@pytest.mark.parametrize(
    ("parts", "deals"),
    [
        (((0, 7_900), (8_100, 40_000)), [1, 2]),
        (((0, 6_000), (12_000, 40_000)), [2]),  # the camera was away
    ],
)
def test_a_call_between_the_last_frame_of_a_file_and_the_first_of_the_next_was_filmed(
    film: Film, monkeypatch: pytest.MonkeyPatch, parts: tuple[tuple[int, int], ...], deals: list[int]
) -> None:
    cut_up = replace(film.cameras[0], parts=parts)

    def cameras(_film: Film) -> tuple[FilmCamera, ...]:
        return (cut_up,)

    monkeypatch.setattr(Film, "cameras", property(cameras))
    assert [scene.highlight.deal for scene in scenes_of(moments(), film, 5)] == deals


def test_the_reel_shows_the_pictures_of_its_moments_after_a_card_for_each(film: Film, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    target = tmp_path / "reel.mp4"
    wish = ReelWish(title="Thursday", words=EN)
    made = make_reel(moments(), film, target, wish, lambda done, of: told.append((done, of)))
    assert [moment.deal for moment in made.moments] == [1, 2]
    assert made.left_out == 1
    frames = frames_of(target)
    assert [at_ms for at_ms, _ in frames] == sorted({at_ms for at_ms, _ in frames})
    first = moments()[0].stretches[0]
    shown = [(at_ms, pixels) for at_ms, pixels in frames if CARD_MS <= at_ms < made.moments[1].starts_ms]
    for at_ms, pixels in shown[::10]:
        film_ms = at_ms - CARD_MS + first.from_ms
        assert abs(int(np.median(pixels[:80])) - shade(film_ms)) <= 4, film_ms
    card = frames[0][1]
    assert (np.abs(card.astype(int) - GOLD).sum(axis=2) < 60).any(), "the call stands on its card"
    assert told[-1][0] == told[-1][1]
    assert all(before <= after for before, after in pairwise(told))
    assert not list(tmp_path.glob(".reel*")), "nothing is left beside it"


def test_captions_are_said_while_they_hold_and_suits_are_shapes(film: Film, tmp_path: Path) -> None:
    made = make_reel(moments(), film, tmp_path / "reel.mp4", ReelWish(title="T", words=EN, most=1), _quiet)
    first = moments()[0].stretches[0]
    by_time = dict(frames_of(tmp_path / "reel.mp4"))

    def foot(film_ms: int) -> Image:
        return by_time[CARD_MS + film_ms - first.from_ms][150:, :220]

    assert made.moments[0].starts_ms == 0
    assert foot(5500).std() < 6, "nothing is said yet"
    assert foot(7000).std() > 20
    assert np.abs(foot(7000).astype(int) - foot(9000)).mean() > 5, "the call says something else"


def test_a_card_speaks_every_language_and_fits(film: Film) -> None:
    del film
    for language in ("en", "ru", "pt", "fr", "es"):
        card = title_card((640, 360), "T" * 200, moments()[0], (1, 3), load_words(language, "analysis"))
        edge = card[:, -20:].reshape(-1, 3)
        assert (edge == edge[0]).all(), language


def _quiet(_done_ms: int, _of_ms: int) -> None:
    pass


class OneFace:
    """Finds one face, where it says, in every picture it is shown."""

    box = Box(200, 20, 260, 80)

    def __enter__(self) -> OneFace:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, pixels: Image, box: Box | None = None) -> list[FaceSpot]:
        del pixels, box
        return [FaceSpot(self.box, 0.9, np.zeros((6, 2), np.float32))]


def test_faces_are_hidden_in_every_picture_when_that_is_wanted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
    noise = np.repeat(np.repeat(noise[::6, ::6], 6, axis=0), 6, axis=1)[: SIZE[1], : SIZE[0]].copy()
    with VideoWriter(tmp_path / "noise.mp4", fps=10) as writer:
        for at_ms in range(0, 14_000, STEP_MS):
            writer.add(noise, at_ms)
    note = json.loads((folder / "recording.json").read_text())
    (folder / "recording.json").write_text(json.dumps(note | {"path": str(tmp_path / "noise.mp4")}))
    monkeypatch.setattr("kemps_server.reel.making.face_finder", OneFace)
    with Film.beside(folder) as film:
        for blurs_faces in (False, True):
            wish = ReelWish(title="T", words=EN, most=1, blurs_faces=blurs_faces)
            make_reel(moments(), film, tmp_path / f"{blurs_faces}.mp4", wish, _quiet)
    shown, hidden = frames_of(tmp_path / "False.mp4"), frames_of(tmp_path / "True.mp4")
    assert len(shown) == len(hidden)
    for (at_ms, before), (_, after) in zip(shown, hidden, strict=True):
        if at_ms >= CARD_MS:
            assert after[30:70, 210:250].std() < before[30:70, 210:250].std() / 2
            assert np.abs(after[:140, :150].astype(int) - before[:140, :150]).mean() < 8


def test_without_a_moment_or_a_picture_it_says_why_and_writes_nothing(film: Film, tmp_path: Path) -> None:
    wish = ReelWish(title="T", words=EN)
    with pytest.raises(KempsServerError, match="no moment"):
        make_reel((), film, tmp_path / "reel.mp4", wish, _quiet)
    with pytest.raises(KempsServerError, match="no picture"):
        make_reel(moments()[1:2], film, tmp_path / "reel.mp4", wish, _quiet)
    empty = tmp_path / "empty"
    empty.mkdir()
    with Film.beside(empty) as nothing, pytest.raises(KempsServerError, match="recording"):
        make_reel(moments(), nothing, tmp_path / "reel.mp4", wish, _quiet)
    assert not list(tmp_path.glob("*.mp4"))


def test_the_command_makes_it_and_says_what_is_in_it(folder: Path) -> None:
    answer = CliRunner().invoke(
        build_app("reel"), ["reel", str(folder), "--json", "--lang", "fr", "--moments", "2"]
    )
    assert answer.exit_code == 0, answer.output
    assert "not closed" in answer.stderr
    *progress, made = [json.loads(line) for line in answer.stdout.splitlines()]
    assert progress[-1]["done_ms"] == progress[-1]["of_ms"]
    assert [moment["reasons"] for moment in made["moments"]][1] == ["un appel faux"]
    assert Path(made["file"]).stat().st_size > 1000
    note = json.loads((folder / "reel.json").read_text())
    assert (note["length_ms"], note["language"]) == (made["length_ms"], "fr")


def test_a_journal_by_itself_has_no_reel(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(GAME, encoding="utf-8")
    answer = CliRunner().invoke(build_app("reel"), ["reel", str(tmp_path / "one.jsonl")])
    assert isinstance(answer.exception, KempsServerError)
    assert "no recording" in str(answer.exception)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        yield Library(store)


def wait_for(jobs: ReelJobs, game: str, is_so: Callable[[str], bool]) -> str:
    for _ in range(600):
        job = jobs.of(game)
        if job is not None and is_so(job.state):
            return job.state
        time.sleep(0.1)
    raise AssertionError(f"{jobs.of(game)}")


def test_a_page_has_one_made_at_a_time_and_what_is_stopped_leaves_the_one_before(
    library: Library, folder: Path
) -> None:
    game = take_in(library.store, folder).taken.game.id
    found = library.find(game)
    assert found is not None
    (library.store.folder.beside(game) / "reel.mp4").write_bytes(b"the one before")
    jobs = ReelJobs(library.root)
    wish = JobWish(most=1, language="fr", blurs_faces=False)
    jobs.start(game, found, wish)
    with pytest.raises(KempsServerError, match="wait until it is done"):
        jobs.start(game, found, wish)
    jobs.close()
    assert wait_for(jobs, game, lambda state: state != "making") == "stopped"
    assert (library.store.folder.beside(game) / "reel.mp4").read_bytes() == b"the one before"


async def _ask(library: Library, game: str) -> list[httpx.Response]:
    transport = httpx.ASGITransport(create_app(library))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        api = f"/api/games/{game}/reel"
        return [
            await client.get(api),
            await client.post(api, json={"most": 0}),
            await client.post(api, json={"language": "xx"}),
            await client.post(api, json={}),
            await client.get(f"/games/{game}/reel.mp4"),
            await client.delete(api),
        ]


@pytest.mark.anyio
async def test_what_cannot_be_made_is_refused_in_one_line(
    library: Library, tmp_path: Path, anyio_backend: str
) -> None:
    del anyio_backend
    (tmp_path / "one.jsonl").write_text(GAME, encoding="utf-8")
    game = take_in(library.store, tmp_path / "one.jsonl").taken.game.id
    known, too_few, strange, without, missing, gone = await _ask(library, game)
    assert known.json()["moments"][0]["title"] == "Cem calls Kemps"
    assert known.json()["job"]["state"] == "none"
    assert known.json()["reel"] is None
    assert (too_few.status_code, strange.status_code) == (422, 422)
    assert without.status_code == 409
    assert "no film" in without.text
    assert missing.status_code == 404
    assert gone.status_code == 204
