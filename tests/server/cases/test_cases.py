"""Cases: what is in them, that anybody can check them, and that faces in them cannot be recognised."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import av
import cv2
import httpx
import numpy as np
import pytest

from kemps_server.app import create_app
from kemps_server.bench.numbered_film import HEIGHT, WIDTH, Kind, make_clip, number_in, numbered
from kemps_server.cases import case as cases
from kemps_server.cases.case import CaseWish, write_case
from kemps_server.cases.faces import AROUND_MS, faces_in
from kemps_server.cli import main
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.film.film import Film
from kemps_server.games import Game, find_game
from kemps_server.library import Library
from kemps_server.recording.disk import HELD, Disk, Held
from kemps_server.recording.recorder import CameraTap
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_vision.frame import Frame, Image, SourceInfo
from kemps_vision.people.landmarks import Box, FaceSpot

WriteGame = Callable[..., Path]
RULED = '{"kind":"ruled","at_ms":60000,"event":11,"ruling":"right","by":"ref","why":"seen"}\n'


@pytest.fixture
def game(tmp_path: Path, write_game: WriteGame, game_text: str) -> Game:
    """A game of 30 s, a frame each 40 ms, in which somebody calls at 23,250 ms."""
    folder = write_game(game_text + RULED)
    clip = make_clip(tmp_path, Kind(b_frames=2, options={"bf": "2"}), 750)
    note = {"kind": "file", "name": clip.name, "size": [WIDTH, HEIGHT], "fps": 25.0, "path": str(clip)}
    (folder / "recording.json").write_text(json.dumps(note))
    return find_game(folder)


def unpacked(path: Path, into: Path) -> Path:
    """The only folder in a case."""
    with ZipFile(path) as archive:
        archive.extractall(into)
    (root,) = into.iterdir()
    return root


def run(words: list[str]) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def wish(from_ms: int = 20_500, until_ms: int = 24_000) -> CaseWish:
    return CaseWish(from_ms=from_ms, until_ms=until_ms, by="ref")


def test_a_case_holds_film_journal_and_judgement_and_can_be_checked(game: Game, tmp_path: Path) -> None:
    with Film.beside(game.journal.parent) as film:
        write_case(game, film, wish(), tmp_path / "case.zip")
    root = unpacked(tmp_path / "case.zip", tmp_path / "out")
    assert root.name == "case-thursday-20500-24000"
    manifest = json.loads((root / "manifest.json").read_text())
    assert (manifest["format"], manifest["exported_by"], manifest["is_blurred"]) == (
        "kemps-case",
        "ref",
        False,
    )
    content = game.content()
    assert (root / "journal" / "game.jsonl").read_bytes() == content
    assert manifest["journal_sha256"] == sha256(content).hexdigest()
    part = [json.loads(row) for row in (root / "journal" / "part.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in part] == [
        "game_opened",
        "centre_turned",
        "gesture",
        "called",
        "ruled",
    ]
    assert json.loads((root / "judgement.json").read_text())["deals"][0]["verdict"]["ruling"] == "right"
    (camera,) = manifest["cameras"]
    assert camera["clip"]["is_copied"]
    with av.open(str(root / camera["clip"]["file"]), "r") as container:
        numbers = [
            number_in(frame.to_ndarray(format="rgb24").astype(np.uint8))
            for frame in container.decode(video=0)
        ]
    assert numbers[0] * 40 == camera["clip"]["from_ms"] <= 20_500
    assert numbers[-1] * 40 >= 24_000 - 40
    (still,) = camera["frames"]
    picture = cv2.imread(str(root / still["file"]))
    assert picture is not None
    assert number_in(picture.astype(np.uint8)) * 40 == still["at_ms"] == 23_240
    for name, digest in manifest["files"].items():
        assert sha256((root / name).read_bytes()).hexdigest() == digest


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum")
def test_sha256sum_checks_a_case_and_tells_of_a_change(game: Game, tmp_path: Path) -> None:
    with Film.beside(game.journal.parent) as film:
        write_case(game, film, wish(), tmp_path / "case.zip")
    root = unpacked(tmp_path / "case.zip", tmp_path / "out")
    check = ["sha256sum", "--quiet", "--strict", "-c", "SHA256SUMS"]
    assert subprocess.run(check, cwd=root, check=False).returncode == 0
    listed = {row.split("  ", 1)[1] for row in (root / "SHA256SUMS").read_text().splitlines()}
    there = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert there - listed == {"SHA256SUMS"}
    with (root / "judgement.json").open("a") as file:
        file.write(" ")
    assert subprocess.run(check, cwd=root, check=False, capture_output=True).returncode == 1


def test_a_live_recording_of_a_case_is_held_and_a_camera_without_a_picture_says_so(
    write_game: WriteGame, tmp_path: Path
) -> None:
    folder = write_game(name="live")
    cameras = {"table": range(19_000, 25_000, 66), "front": range(0, 3000, 66)}
    notes = []
    for name, times in cameras.items():
        info = SourceInfo(name=name, where="0", kind="webcam", width=WIDTH, height=HEIGHT, fps=15)
        tap = CameraTap(folder / "video" / name, info, Disk(folder, 10**12, print, free=lambda _: 10**12))
        for number, at_ms in enumerate(times):
            tap.encode(at_ms, np.ascontiguousarray(numbered(number)[:, :, ::-1]))
        tap.close()
        notes.append({"name": name, "role": "table", "size": [WIDTH, HEIGHT], "fps": 15.0, "ahead_ms": 0})
    (folder / "recording.json").write_text(json.dumps({"kind": "webcam", "cameras": notes}))
    with Film.beside(folder) as film:
        write_case(find_game(folder), film, wish(), tmp_path / "case.zip")
    assert Held(folder).covers(20_500, 24_000)
    assert '"why": "case"' in (folder / HELD).read_text()
    root = unpacked(tmp_path / "case.zip", tmp_path / "out")
    table, front = json.loads((root / "manifest.json").read_text())["cameras"]
    assert table["clip"]["is_copied"]
    assert "was over by then" in front["problem"]
    assert not (root / "clips" / "front.mp4").exists()


class OneFace:
    """Finds a face in the lower half, but in every second picture only."""

    def __init__(self) -> None:
        self.looks = 0

    def read(self, pixels: Image, box: Box | None = None) -> list[FaceSpot]:
        """The face, when the whole picture is looked at."""
        if box is not None or not pixels.size:
            return []
        self.looks += 1
        found = FaceSpot(Box(30, 36, 60, 60), 0.9, np.zeros((6, 2), np.float32))
        return [found] if self.looks % 2 else []

    def __enter__(self) -> OneFace:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_faces_are_blurred_also_when_they_are_lost_for_a_moment(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "face_finder", OneFace)
    blurred = CaseWish(from_ms=20_500, until_ms=24_000, by="ref", is_blurred=True)
    with Film.beside(game.journal.parent) as film:
        found = faces_in(film, "table", (20_500, 24_000), OneFace())
        assert found.near(20_700) == [Box(30, 36, 60, 60)]
        assert sum(map(len, found.boxes)) > 3
        assert found.near(24_000 + 3 * AROUND_MS) == []
        checked = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        checked[::2, ::2] = 255
        shown = found.blur(Frame("table", 0, 20_700, checked))
        inside = shown[40:56, 34:56].astype(int)
        assert abs(np.diff(inside, axis=0)).max() < 60
        assert np.array_equal(shown[:20, :20], checked[:20, :20])
        write_case(game, film, blurred, tmp_path / "case.zip")
    manifest = json.loads((unpacked(tmp_path / "case.zip", tmp_path / "out") / "manifest.json").read_text())
    assert manifest["is_blurred"]
    assert "one that was not found is not blurred" in manifest["note"]
    assert not manifest["cameras"][0]["clip"]["is_copied"]


def test_a_span_that_makes_no_sense_is_refused(game: Game, tmp_path: Path) -> None:
    with Film.beside(game.journal.parent) as film:
        for span, said in (((5000, 5000), "ends after it begins"), ((0, 10**8), "at most 30 minutes")):
            with pytest.raises(KempsServerError, match=said):
                write_case(game, film, wish(*span), tmp_path / "case.zip")
    assert not (tmp_path / "case.zip").exists()


def test_the_command_writes_a_case(game: Game, tmp_path: Path) -> None:
    folder, out = str(game.journal.parent), tmp_path / "my case.zip"
    asked = ["export", folder, "--to", "case", "--from", "20.5", "--until", "0:24", "--out", str(out)]
    assert run(asked) == 0
    assert unpacked(out, tmp_path / "out").name == "case-thursday-20500-24000"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--from", "1", "--until", "2"], "name it with --out"),
        (["--from", "soon", "--until", "2", "--out", "a.zip"], "write a time as in"),
        (["--from", "9", "--until", "2", "--out", "a.zip"], "ends after it begins"),
    ],
)
def test_the_command_says_in_a_line_what_is_wrong(
    game: Game, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(game.journal.parent), "--to", "case", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not Path("a.zip").exists()


@pytest.fixture
def store(game: Game) -> Iterator[Store]:
    with Store.open(DataFolder(game.journal.parent.parent)) as store:
        yield store


def test_a_referee_downloads_a_case_and_a_player_does_not(store: Store, tmp_path: Path) -> None:
    app = create_app(Library(store))

    def get(path: str, role: Role) -> httpx.Response:
        headers = {"Authorization": f"Bearer {store.tokens.issue(role, 'Vi')[1]}"}

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.get(path, headers=headers)

        return asyncio.run(ask())

    address = "/api/games/thursday/case.zip?from_ms=20500&until_ms=24000"
    answer = get(address, Role.REFEREE)
    assert answer.headers["content-type"] == "application/zip"
    (tmp_path / "got.zip").write_bytes(answer.content)
    manifest = json.loads((unpacked(tmp_path / "got.zip", tmp_path / "out") / "manifest.json").read_text())
    assert manifest["exported_by"] == "Vi"
    assert get(address, Role.PLAYER).status_code == 403
    assert get("/api/games/thursday/case.zip?from_ms=9&until_ms=2", Role.REFEREE).status_code == 422
    assert get("/api/games/nobody/case.zip?from_ms=0&until_ms=2", Role.REFEREE).status_code == 404
