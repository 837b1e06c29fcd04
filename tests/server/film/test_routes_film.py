"""The film over HTTP: frames, clips, parts and videos, and who may have them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av
import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from kemps_rules.cards import Card
from kemps_server.app import create_app
from kemps_server.bench.numbered_film import Kind, make_clip, number_in
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_server.traces.chunks import TRACES, chunk_name, write_chunk
from kemps_server.traces.trace import CardTrace, FaceTrace, HandTrace, Trace
from kemps_vision.people.landmarks import Box

WriteFilm = Callable[..., Path]
CLOSED = '{"kind":"game_closed","at_ms":40000}\n'


class Client:
    """Asks an application in this process."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def ask(self, method: str, path: str, **more: object) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.request(method, path, **more)  # type: ignore[arg-type]

        return asyncio.run(ask())

    def get(self, path: str, **more: object) -> httpx.Response:
        return self.ask("GET", path, **more)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "data").mkdir(exist_ok=True)
    with Store.open(DataFolder(tmp_path / "data")) as store:
        yield store


@pytest.fixture
def client(store: Store) -> Client:
    return Client(create_app(Library(store)))


@pytest.fixture
def thursday(tmp_path: Path, linked: WriteFilm, game_text: str) -> Path:
    """A game of 100 numbered frames, 40 ms apart."""
    folder = linked(make_clip(tmp_path, Kind(b_frames=2, options={"bf": "2"}), 100))
    (folder / "game.jsonl").write_text(game_text)
    return folder


def pictured(answer: httpx.Response) -> int:
    """The number that the answered picture carries."""
    assert answer.status_code == 200, answer.text
    pixels = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    return number_in(pixels.astype(np.uint8))


def numbers_in(content: bytes) -> list[int]:
    with av.open(BytesIO(content), "r") as container:
        return [
            number_in(frame.to_ndarray(format="rgb24").astype(np.uint8))
            for frame in container.decode(video=0)
        ]


@pytest.mark.usefixtures("thursday")
def test_the_cameras_of_a_film_say_how_they_are_played(client: Client) -> None:
    (camera,) = client.get("/api/games/thursday/film").json()["cameras"]
    assert camera["plays"] == "file"
    assert camera["media_type"] == "video/mp4"
    assert (camera["from_ms"], camera["until_ms"], camera["parts"]) == (0, 3960, [])


@pytest.mark.usefixtures("thursday")
def test_a_frame_tells_its_own_time_and_is_not_sent_twice(client: Client) -> None:
    address = "/api/games/thursday/film/table/frame?at_ms=1010"
    answer = client.get(address)
    assert pictured(answer) == 25
    assert answer.headers["content-type"] == "image/jpeg"
    assert (answer.headers["kemps-at-ms"], answer.headers["kemps-index"]) == ("1000", "25")
    again = client.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert pictured(client.get(f"{address}&format=png&step=-3")) == 22
    assert pictured(client.get(f"{address}&step=1&width=48")) == 26
    assert pictured(client.get(f"{address}&step=1000")) == 99


@pytest.mark.usefixtures("thursday")
def test_a_moment_without_a_picture_is_one_line(client: Client) -> None:
    for path, said in (
        ("table/frame?at_ms=90000", "was over by then"),
        ("roof/frame?at_ms=0", "there is no camera 'roof'"),
        ("table/part.mp4?from_ms=0", "no part of camera table begins at 0 ms"),
        ("table/clip.mp4?from_ms=90000&until_ms=91000", "was over by then"),
    ):
        answer = client.get(f"/api/games/thursday/film/{path}")
        assert answer.status_code == 404
        assert said in answer.text
        assert answer.text.count("\n") <= 1
    for path in ("table/frame", "table/frame?at_ms=-1", "table/clip.mp4?from_ms=5&until_ms=5"):
        assert client.get(f"/api/games/thursday/film/{path}").status_code == 422


def test_a_clip_is_made_once_and_played_from_any_byte(client: Client, thursday: Path) -> None:
    address = "/api/games/thursday/film/table/clip.mp4?from_ms=400&until_ms=800"
    answer = client.get(address)
    assert answer.headers["kemps-from-ms"] == "400"
    assert numbers_in(answer.content) == list(range(10, 21))
    (kept,) = (thursday / "film" / "cuts").glob("*.mp4")
    written = kept.stat().st_ino
    part = client.get(address, headers={"Range": "bytes=4-7"})
    assert (part.status_code, part.content) == (206, answer.content[4:8])
    assert kept.stat().st_ino == written
    copied = client.get(f"{address}&copy=1")
    assert int(copied.headers["kemps-from-ms"]) <= 400


def test_what_was_seen_is_drawn_on_frames_and_clips(client: Client, thursday: Path) -> None:
    quad = np.asarray([[8, 36], [48, 36], [48, 60], [8, 60]], np.float64)
    seen = [Trace(at_ms=at_ms, cards=(CardTrace(None, 0.9, quad),)) for at_ms in range(0, 4000, 40)]
    write_chunk(thursday / TRACES / "table" / chunk_name(0), seen)
    plain = client.get("/api/games/thursday/film/table/frame?at_ms=400&format=png")
    drawn = client.get("/api/games/thursday/film/table/frame?at_ms=400&format=png&overlay=1")
    assert plain.headers["etag"] != drawn.headers["etag"]
    assert plain.content != drawn.content
    address = "/api/games/thursday/film/table/clip.mp4?from_ms=400&until_ms=800&overlay=1"
    marked = client.get(address)
    assert marked.content != client.get(address.removesuffix("&overlay=1")).content
    with av.open(BytesIO(marked.content), "r") as container:
        assert container.streams.video[0].width == 720  # enlarged for hands and faces


@pytest.mark.usefixtures("thursday")
def test_a_whole_video_is_the_file_itself(client: Client, tmp_path: Path) -> None:
    answer = client.get("/api/games/thursday/film/table/video.mp4", headers={"Range": "bytes=0-99"})
    assert (answer.status_code, answer.content) == (206, (tmp_path / "clip.mp4").read_bytes()[:100])


def test_a_live_recording_is_played_file_by_file(client: Client, recorded: WriteFilm, game_text: str) -> None:
    times = [round(number * 1000 / 15) for number in range(90)]
    folder = recorded({"table": times, "left/right": times}, ahead_ms=40)
    (folder / "game.jsonl").write_text(game_text)
    cameras = client.get("/api/games/live/film").json()["cameras"]
    assert [camera["plays"] for camera in cameras] == ["parts", "parts"]
    assert cameras[0]["media_type"].startswith('video/mp4; codecs="avc1.42')
    numbers = []
    for from_ms, _ in cameras[1]["parts"]:
        answer = client.get(f"/api/games/live/film/left%2Fright/part.mp4?from_ms={from_ms}")
        numbers += numbers_in(answer.content)
    assert numbers == list(range(90))
    assert client.get("/api/games/live/film/table/video.mp4").status_code == 404
    assert pictured(client.get("/api/games/live/film/left%2Fright/frame?at_ms=0")) == 0
    assert pictured(client.get(f"/api/games/live/film/table/frame?at_ms={times[29]}&step=40")) == 69
    assert pictured(client.get(f"/api/games/live/film/table/frame?at_ms={times[69]}&step=-40")) == 29


def test_what_browsers_do_not_play_comes_in_parts_that_are_made(
    client: Client, tmp_path: Path, linked: WriteFilm, game_text: str
) -> None:
    folder = linked(make_clip(tmp_path, Kind(name="old.avi", codec="mpeg4", base=Fraction(1, 25)), 130))
    (folder / "game.jsonl").write_text(game_text)
    (camera,) = client.get("/api/games/thursday/film").json()["cameras"]
    assert camera["plays"] == "parts"
    numbers = []
    for from_ms, _ in camera["parts"]:
        numbers += numbers_in(
            client.get(f"/api/games/thursday/film/table/part.mp4?from_ms={from_ms}").content
        )
    assert numbers == list(range(130))


def test_an_offset_is_said_by_name_and_moves_the_frames(client: Client, thursday: Path) -> None:
    address = "/api/games/thursday/film/table/"
    answer = client.ask("PUT", f"{address}offset", json={"offset_ms": 80, "why": "the lamp"})
    assert (answer.json()["offset_ms"], answer.json()["offset_by"]) == (80, "owner")
    assert pictured(client.get(f"{address}frame?at_ms=1000")) == 27
    assert '"by": "owner"' in (thursday / "offsets.jsonl").read_text()
    assert client.ask("PUT", f"{address}offset", json={"offset_ms": 10**9}).status_code == 422
    assert client.ask("PUT", "/api/games/thursday/film/no/offset", json={"offset_ms": 1}).status_code == 404


def test_marks_for_a_script_are_those_of_the_frames_and_hands_are_for_those_who_judge(
    client: Client, store: Store, thursday: Path, game_text: str
) -> None:
    quad = np.asarray([[8, 36], [48, 36], [48, 60], [8, 60]], np.float64)
    hand, face = HandTrace("A", np.full((21, 2), 30, np.float32)), FaceTrace("A", Box(1, 2, 11, 22))
    cards = (CardTrace(Card.parse("9h"), 0.99, quad),)
    seen = [Trace(at_ms=at_ms, cards=cards, hands=(hand,), faces=(face,)) for at_ms in range(0, 4000, 40)]
    write_chunk(thursday / TRACES / "table" / chunk_name(0), seen)
    address = "/api/games/thursday/film/table/marks?from_ms=400&until_ms=800"
    told = client.get(address).json()
    assert [row["at_ms"] for row in told["marks"]] == list(range(400, 800, 40))
    first = told["marks"][0]
    assert first["cards"][0]["name"] == "9♥"
    assert first["cards"][0]["quad"] == quad.tolist()
    assert (first["faces"], len(first["hands"][0])) == ([[1, 2, 10, 20]], 21)
    assert client.get(address.replace("until_ms=800", "until_ms=80000")).status_code == 422
    secret = {"Authorization": f"Bearer {store.tokens.issue(Role.VIEWER, 'Vi')[1]}"}
    assert client.get(address, headers=secret).status_code == 403
    (thursday / "game.jsonl").write_text(game_text + CLOSED)
    public = client.get(address, headers=secret).json()["marks"][0]
    assert set(public) == {"at_ms", "cards"}


def test_players_and_viewers_see_the_film_once_the_game_is_closed(
    client: Client, store: Store, thursday: Path, game_text: str
) -> None:
    addresses = [
        "/api/games/thursday/film",
        *(
            f"/api/games/thursday/film/table/{rest}"
            for rest in ("frame?at_ms=0", "clip.mp4?from_ms=0&until_ms=80", "video.mp4", "part.mp4?from_ms=0")
        ),
    ]
    for role in (Role.VIEWER, Role.PLAYER):
        secret = {"Authorization": f"Bearer {store.tokens.issue(role, 'Vi')[1]}"}
        (thursday / "game.jsonl").write_text(game_text)
        assert [client.get(address, headers=secret).status_code for address in addresses] == [403] * 5
        (thursday / "game.jsonl").write_text(game_text + CLOSED)
        assert [client.get(address, headers=secret).status_code for address in addresses] == [
            *[200] * 4,
            404,
        ]
        asked = client.ask(
            "PUT", "/api/games/thursday/film/table/offset", headers=secret, json={"offset_ms": 1}
        )
        assert asked.status_code == 403


def test_a_game_without_a_recording_says_so(client: Client, tmp_path: Path, game_text: str) -> None:
    (tmp_path / "data" / "bare").mkdir()
    (tmp_path / "data" / "bare" / "game.jsonl").write_text(game_text)
    answer = client.get("/api/games/bare/film")
    assert answer.json()["cameras"] == []
    assert "nothing says where" in answer.json()["problem"]
    assert client.get("/api/games/nobody/film").status_code == 404
