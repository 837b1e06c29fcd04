"""The replay page in a real browser: what is shown at the cursor is what was filmed then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page

from kemps_server.app import create_app
from kemps_server.bench.long_game import journal_text, long_game
from kemps_server.bench.numbered_film import HEIGHT, WIDTH, Kind, make_clip, numbered
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.recording.disk import Disk
from kemps_server.recording.recorder import CameraTap
from kemps_server.store.store import Store
from kemps_server.traces.chunks import TRACES, chunk_name, write_chunk
from kemps_server.traces.trace import CardTrace, Trace
from kemps_vision.frame import SourceInfo
from kemps_vision.sources.files import VideoFile

pytestmark = pytest.mark.browser

JOURNAL = """
{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"Anna","B":"Boris","C":"Carla","D":"Dmitri"}}
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":400,"cards":["9c","2h","5d","Js"]}
{"kind":"card_taken","at_ms":1400,"seat":"A","card":"9c","confidence":0.7}
{"kind":"card_laid","at_ms":2300,"seat":"A","card":"Kc"}
{"kind":"hand_hidden","at_ms":2600,"until_ms":3900,"seat":"C"}
{"kind":"called","at_ms":4250,"seat":"C","call":"kemps"}
{"kind":"hand_shown","at_ms":5000,"seat":"A","cards":["9s","9h","9d","9c"]}
{"kind":"settled","at_ms":6000,"camera":"table"}
""".lstrip()
OPENED = JOURNAL.splitlines()[0].replace("Anna", "Maximiliano Andrés").replace("Carla", "Anastasia Petrovna")
WORDY = f"""
{OPENED}
{{"kind":"deal_started","at_ms":0,"dealer":"A"}}
{{"kind":"centre_turned","at_ms":400,"cards":["9c","2h","5d","Js"]}}
{{"kind":"card_passed","at_ms":900,"from_seat":"A","to_seat":"C"}}
{{"kind":"hands_touched","at_ms":1900,"until_ms":2300,"seats":["A","C"],"where":"below_table"}}
{{"kind":"called","at_ms":4250,"seat":"A","call":"stop_kemps","against":"C"}}
""".lstrip()
UNEVEN = (3000, 1500, 9001, 2999, 700, 6011, 3003)
READ_NUMBER = """([name, bits, shown]) => {
  const cameras = [...document.querySelectorAll(".camera")];
  const source = cameras.find((one) => one.textContent.includes(name)).querySelector(shown);
  const width = source.videoWidth || source.width, height = source.videoHeight || source.height;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(source, 0, 0);
  let number = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const x = Math.round(((bit % 6) + 0.5) * width / 6);
    const y = Math.round((Math.floor(bit / 6) + 0.5) * height / 4);
    if (pen.getImageData(x, y, 1, 1).data[0] > 126) number |= 1 << bit;
  }
  return number;
}"""
LOWER_HALF = """() => {
  const source = document.querySelector(".camera canvas");
  const canvas = Object.assign(document.createElement("canvas"), { width: 96, height: 30 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(source, 0, 34, 96, 30, 0, 0, 96, 30);
  return pen.getImageData(0, 0, 96, 30).data.join();
}"""
INKED = """(() => {
  const canvas = document.querySelector(".film-marks:not([hidden])");
  if (!canvas) return false;
  const drawn = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return drawn.data.some((part) => part > 0);
})()"""
CUT_OFF = """() => {
  const names = "button, label, select, a, figcaption *, .replay-note, #verdict, option";
  const isCut = (one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1;
  const isBox = (one) => getComputedStyle(one).display !== "inline";
  const cut = [...document.querySelectorAll(names)].filter(isBox).filter(isCut);
  return cut.map((one) => one.outerHTML.slice(0, 120));
}"""

PANELS = """() => {
  const heightOf = (name) => document.querySelector(name).getBoundingClientRect().height;
  const drawn = 960 * document.getElementById("table").getScreenCTM().a;
  return [drawn, document.querySelector(".replay-table").clientWidth, heightOf("#list")];
}"""
CUT_EVENTS = """() => [...document.querySelectorAll(".event-text")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.textContent)"""


def number_shown(page: Page, camera: str = "table", *, by: str = "canvas") -> int:
    return int(page.evaluate(READ_NUMBER, [camera, 12, by]))


def wait_until(page: Page, expression: str) -> None:
    """Waits for an expression to be true; asked from here, since the page itself may evaluate nothing."""
    for _ in range(300):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never true: {expression}")


def wait_for_number(page: Page, camera: str, number: int) -> None:
    for _ in range(300):
        if number_shown(page, camera) == number:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"{camera} never showed frame {number}")


def clock_ms(page: Page) -> int:
    minutes, seconds = page.inner_text("#clock").split(":")
    return round(60_000 * int(minutes) + 1000 * float(seconds))


def record(folder: Path, cameras: dict[str, Sequence[int]]) -> None:
    notes: list[dict[str, object]] = []
    for name, times in cameras.items():
        info = SourceInfo(name=name, where="0", kind="webcam", width=WIDTH, height=HEIGHT, fps=15)
        tap = CameraTap(folder / "video" / name, info, Disk(folder, 10**12, print, free=lambda _: 10**12))
        for number, at_ms in enumerate(times):
            tap.encode(at_ms, np.ascontiguousarray(numbered(number)[:, :, ::-1]))
        tap.close()
        role = "faces" if notes else "table"
        notes.append({"name": name, "role": role, "size": [WIDTH, HEIGHT], "fps": 15.0, "ahead_ms": 0})
    (folder / "recording.json").write_text(json.dumps({"kind": "webcam", "cameras": notes}))


@pytest.fixture(scope="module")
def times() -> list[int]:
    """When each of the frames of the live game was shown."""
    return [round(number * 1000 / 15) for number in range(110)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, times: list[int]) -> Path:
    """A game from a file of uneven frames, a live one of two cameras, and an evening without a film."""
    root = tmp_path_factory.mktemp("replay") / "data"
    for name in ("file", "live", "late", "evening"):
        (root / name).mkdir(parents=True)
        (root / name / "game.jsonl").write_text(JOURNAL)
    (root / "words").mkdir()
    (root / "words" / "game.jsonl").write_text(WORDY)
    uneven = Kind(steps=UNEVEN, base=Fraction(1, 90000), b_frames=2, options={"bf": "2"})
    clip = make_clip(root.parent, uneven, 130)
    note = {"kind": "file", "name": clip.name, "size": [WIDTH, HEIGHT], "fps": 25.0, "path": str(clip)}
    (root / "file" / "recording.json").write_text(json.dumps(note))
    record(root / "live", {"table": times, "front": [*times[:40], *times[80:]]})
    record(root / "late", {"table": times[1:20], "front": times[:20]})
    quad = np.asarray([[10, 36], [40, 36], [40, 60], [10, 60]], np.float64)
    seen = [Trace(at_ms=at_ms, cards=(CardTrace(None, 0.9, quad),)) for at_ms in times]
    write_chunk(root / "live" / TRACES / "table" / chunk_name(0), seen)
    (root / "evening" / "game.jsonl").write_text(journal_text(long_game(minutes=15)))
    return root


@pytest.fixture
def app(data: Path) -> Iterator[FastAPI]:
    with Store.open(DataFolder(data)) as store:
        yield create_app(Library(store))


@pytest.fixture
def open_replay(
    app: FastAPI, serving: Callable[[FastAPI], str], context: BrowserContext
) -> Callable[[str], Page]:
    """Opens a replay and waits until it is usable and its cameras are there."""
    base = serving(app)
    page = context.new_page()

    def visit(path: str) -> Page:
        page.goto(f"{base}/games/{path}")
        page.wait_for_selector("body[data-is-filmed]")
        return page

    return visit


def wait_for_frame(page: Page, at_ms: int, camera: int = 1) -> None:
    page.wait_for_selector(f'.camera:nth-child({camera})[data-at-ms="{at_ms}"]')


def test_stepping_shows_each_frame_of_an_uneven_film(open_replay: Callable[[str], Page], data: Path) -> None:
    with VideoFile(str(data.parent / "clip.mp4")) as source:
        shown = [frame.at_ms for frame in source]
    page = open_replay("file?at=1000")
    place = max(number for number, at_ms in enumerate(shown) if at_ms <= 1000)
    wait_for_frame(page, shown[place])
    assert number_shown(page) == place
    for key, step in [("ArrowRight", 1)] * 5 + [("ArrowLeft", -1)] * 8:
        place += step
        page.keyboard.press(key)
        wait_for_frame(page, shown[place])
        assert number_shown(page) == place
        assert clock_ms(page) == shown[place]
    wait_until(page, f"location.search.includes('at={shown[place]}')")


def test_it_opens_on_the_first_picture_unless_a_moment_is_asked_for(
    open_replay: Callable[[str], Page], times: list[int]
) -> None:
    page = open_replay("late")
    for camera in (1, 2):
        wait_for_frame(page, times[1], camera)
    assert clock_ms(page) == times[1] == 67
    page = open_replay("late?at=0")
    page.wait_for_selector('.camera:nth-child(1)[data-at-ms=""] .no-picture:not([hidden])')
    assert clock_ms(page) == 0


def test_all_cameras_stand_at_the_same_moment_and_one_that_was_away_says_so(
    open_replay: Callable[[str], Page], times: list[int]
) -> None:
    page = open_replay("live?at=1010")
    for camera in (1, 2):
        wait_for_frame(page, 1000, camera)
    assert (number_shown(page), number_shown(page, "front")) == (15, 15)
    page.keyboard.press("ArrowRight")
    for camera in (1, 2):
        wait_for_frame(page, times[16], camera)
    page.goto(page.url.split("?")[0] + "?at=4900")
    wait_for_frame(page, times[73])
    page.wait_for_selector('.camera:nth-child(2)[data-at-ms=""] .no-picture:not([hidden])')


def test_playing_shows_the_frames_of_the_clock_in_all_cameras(
    open_replay: Callable[[str], Page], times: list[int]
) -> None:
    page = open_replay("live?at=500")
    page.keyboard.press("Space")
    wait_until(page, "[...document.querySelectorAll('video')].every((video) => !video.hidden)")
    wait_until(page, "document.getElementById('clock').textContent > '0:01.500'")
    numbers = [number_shown(page, name, by="video") for name in ("table", "front")]
    assert abs(numbers[0] - numbers[1]) <= 5  # 0.3 s, beyond which one is sought anew
    page.keyboard.press("Space")
    page.wait_for_selector('#play[aria-pressed="false"]')
    stopped = clock_ms(page)
    place = max(number for number, at_ms in enumerate(times) if at_ms <= stopped)
    wait_for_frame(page, times[place])
    assert number_shown(page) == place
    assert numbers[0] <= place + 2  # a frame may be on show before the page hears of it


def test_playing_goes_on_without_a_camera_and_stops_at_the_end(
    open_replay: Callable[[str], Page], times: list[int]
) -> None:
    page = open_replay("file?at=5200")
    page.select_option("#speed", "4")
    page.keyboard.press("Space")
    page.wait_for_selector('#play[aria-pressed="false"]')
    assert clock_ms(page) == 6000
    page = open_replay(f"live?at={times[-1] - 400}")
    page.keyboard.press("Space")
    page.wait_for_selector('#play[aria-pressed="true"]')
    page.wait_for_selector('#play[aria-pressed="false"]')
    assert clock_ms(page) == times[-1]


def test_a_camera_is_moved_by_a_frame_and_that_is_kept(
    open_replay: Callable[[str], Page], data: Path
) -> None:
    page = open_replay("live?at=1000")
    wait_for_frame(page, 1000, 2)
    page.click(".camera:nth-child(2)")
    page.keyboard.press(",")
    wait_until(page, "document.querySelectorAll('.camera')[1].textContent.includes('Offset 67 ms')")
    wait_for_number(page, "front", 16)
    assert number_shown(page) == 15
    page.reload()
    page.wait_for_selector("body[data-is-filmed]")
    wait_for_number(page, "front", 16)
    page.click(".camera:nth-child(2) .nudge:last-child")
    wait_for_number(page, "front", 15)
    said = [json.loads(line) for line in (data / "live" / "offsets.jsonl").read_text().splitlines()]
    assert [(row["camera"], row["offset_ms"], row["by"]) for row in said] == [
        ("front", 67, "owner"),
        ("front", 0, "owner"),
    ]


def test_keys_lead_to_events_calls_flags_and_doubts_and_the_table_follows(
    open_replay: Callable[[str], Page],
) -> None:
    page = open_replay("file?at=0")
    for keys, at_ms in (
        ("Shift+ArrowRight", 400),
        ("d", 1400),
        ("f", 2600),
        ("c", 4250),
        ("Shift+ArrowLeft", 2600),
        ("End", 6000),
        ("Shift+C", 4250),
        ("Home", 0),
    ):
        page.keyboard.press(keys)
        assert clock_ms(page) == at_ms, keys
    page.keyboard.press("d")
    assert page.inner_text("#now").startswith("Anna takes 9♣")
    assert page.locator("#table use[href='#card-9c']").count() == 1
    page.keyboard.press("End")
    assert "Right" in page.inner_text("#verdict")


def test_what_was_seen_is_drawn_on_the_frames(open_replay: Callable[[str], Page]) -> None:
    page = open_replay("live?at=1000")
    wait_for_frame(page, 1000)
    plain = page.evaluate(LOWER_HALF)
    page.keyboard.press("b")
    page.wait_for_selector('#boxes[aria-pressed="true"]')
    wait_until(page, f"({LOWER_HALF})() !== {json.dumps(plain)}")
    page.keyboard.press("b")
    wait_until(page, f"({LOWER_HALF})() === {json.dumps(plain)}")
    page.keyboard.press("Space")
    wait_until(page, "[...document.querySelectorAll('video')].some((video) => !video.hidden)")
    assert page.locator(".film-marks:not([hidden])").count() == 0
    page.keyboard.press("b")
    wait_until(page, INKED)
    page.keyboard.press("b")
    wait_until(page, "document.querySelectorAll('.film-marks:not([hidden])').length === 0")


@pytest.mark.parametrize("asks", ["ArrowRight", "Space"])
def test_a_game_deleted_while_it_is_open_is_said_to_be_gone(
    app: FastAPI, data: Path, serving: Callable[[FastAPI], str], browser: Browser, asks: str
) -> None:
    (data / "brief").mkdir()
    (data / "brief" / "game.jsonl").write_text(JOURNAL)
    record(data / "brief", {"table": range(0, 3000, 67)})
    with closing(
        browser.new_context(locale="en-US")
    ) as context:  # its browser complains of what is not there
        page = context.new_page()
        problems: list[str] = []
        context.on("weberror", lambda error: problems.append(str(error.error)))
        page.goto(f"{serving(app)}/games/brief?at=1000")
        wait_for_frame(page, 938)
        assert page.request.delete(page.url.replace("/games/", "/api/games/").split("?")[0]).ok
        page.keyboard.press(asks)
        page.wait_for_selector("text=This game is no longer here: it was deleted.")
        assert not page.locator("#table, .camera, #list, #lanes").filter(visible=True).count()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for key in ("ArrowLeft", "Space", "End", "c"):
            page.keyboard.press(key)
        page.wait_for_timeout(300)
        assert (asked, problems) == ([], [])


def test_of_a_long_evening_only_what_is_in_sight_is_there(open_replay: Callable[[str], Page]) -> None:
    page = open_replay("evening?at=400000")
    assert page.locator(".event-row").count() < 60
    box = page.locator("#lanes").bounding_box()
    assert box is not None
    seen = set()
    page.mouse.move(box["x"] + 300, box["y"] + 15)
    page.mouse.down()
    for x in range(300, 900, 60):
        page.mouse.move(box["x"] + x, box["y"] + 15)
        seen.add(clock_ms(page))
    page.mouse.up()
    assert len(seen) == 10
    assert all(a < b for a, b in pairwise(sorted(seen)))
    assert page.locator(".event-row[aria-current]").count() == 1
    page.select_option("#filter", "calls")
    assert "calls" in page.inner_text(".event-row >> nth=3") or page.locator(".event-row").count() > 3


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 720), (1280, 900), (1600, 900), (1920, 950), (1920, 1080)]
)
def test_the_table_fills_its_panel(open_replay: Callable[[str], Page], width: int, height: int) -> None:
    page = open_replay("live?at=1000")
    page.set_viewport_size({"width": width, "height": height})
    drawn, panel, events = page.evaluate(PANELS)
    assert drawn > 0.85 * panel
    assert events > 150
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("language", ["en", "ru", "pt", "fr", "es"])
def test_no_event_of_the_list_is_cut_off(open_replay: Callable[[str], Page], language: str) -> None:
    page = open_replay(f"words?at=0&lang={language}")
    assert page.locator(".event-row").count() == len(WORDY.splitlines()) - 1  # game_opened is no row
    assert page.evaluate(CUT_EVENTS) == []


@pytest.mark.parametrize("language", ["en", "ru", "pt", "fr", "es"])
def test_no_text_is_cut_off_in_any_language(open_replay: Callable[[str], Page], language: str) -> None:
    page = open_replay(f"live?at=1000&lang={language}")
    page.click("#keys-open")
    page.click("#export-open")
    cut = page.evaluate(CUT_OFF)
    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.lang") == language
