from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_rules.cards import DECK_52, JOKER
from kemps_server.errors import KempsServerError
from kemps_server.games import find_game
from kemps_server.page.evidence import NO_PICTURES, load_evidence
from kemps_server.page.faces import symbols
from kemps_server.page.render import clock, render_page
from kemps_server.page.seating import seat_places, spread
from kemps_server.page.story import HandLook, Story
from kemps_server.page.telling import tell_game
from kemps_server.page.timeline import draw_timeline
from kemps_server.page.words import LANGUAGES

StoryOf = Callable[[str], Story]
JPEG = cv2.imencode(".jpg", np.full((90, 1600, 3), 120, np.uint8))[1].tobytes()


class Page(HTMLParser):
    """What a page loads, links to, and is made of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags.append((tag, values))
        if "id" in values:
            self.ids.append(values["id"])

    def all(self, tag: str) -> list[dict[str, str]]:
        return [values for name, values in self.tags if name == tag]


def test_the_page_asks_for_nothing_outside_itself(story_of: StoryOf, game_text: str) -> None:
    html = render_page(story_of(game_text))
    assert not re.search(r"(https?:)?//[\w.-]+\.\w", html)
    page = Page(html)
    for tag, values in page.tags:
        for name in ("src", "href", "data", "action", "srcset", "poster"):
            assert values.get(name, "#").startswith(("#", "data:")), (tag, values)
    assert "url(" not in html.replace("url(#", "")
    assert "@import" not in html


def test_hostile_names_stay_text(story_of: StoryOf, game_text: str, hostile: str) -> None:
    text = game_text.replace('"Anna"', json.dumps(hostile)).replace(
        '"Boris"', '"</script><script>alert(2)</script>"'
    )
    html = render_page(story_of(text))
    page = Page(html)
    assert all(values["src"].startswith("data:") for values in page.all("img"))
    assert len(page.all("script")) == 2
    assert "49" not in re.findall(r"&amp;(.{2})", html)
    assert "<img src=x" not in html
    assert "</script><script>alert(2)" not in html
    assert not any(name.startswith("on") for _, values in page.tags for name in values)


def test_a_hostile_journal_line_and_title_stay_text(story_of: StoryOf, game_text: str, hostile: str) -> None:
    line = json.dumps({"kind": hostile, "at_ms": 28000, "x": "</pre><script>alert(3)</script>"})
    page = Page(render_page(story_of(game_text + line + "\n")))
    assert len(page.all("script")) == 2
    assert all(values["src"].startswith("data:") for values in page.all("img"))


def test_only_the_pages_own_script_may_run(story_of: StoryOf, game_text: str) -> None:
    html = render_page(story_of(game_text))
    policy = next(
        values["content"]
        for values in Page(html).all("meta")
        if "content" in values and "-src" in values["content"]
    )
    script = html.rsplit("<script>", 1)[1].split("</script>", 1)[0]
    assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_makes_a_whole_page(story_of: StoryOf, game_text: str, language: str) -> None:
    html = render_page(story_of(game_text), language)
    assert f'<html lang="{language}">' in html
    assert not re.search(r">[^<]*\{\w+\}[^<]*<", html.split('<script type="application/json"')[0])


def test_a_language_that_is_not_there_is_refused(story_of: StoryOf, game_text: str) -> None:
    with pytest.raises(KempsServerError, match="no page in 'xx'"):
        render_page(story_of(game_text), "xx")


def test_the_page_has_landmarks_one_heading_of_the_first_order_and_unique_ids(
    story_of: StoryOf, game_text: str
) -> None:
    page = Page(render_page(story_of(game_text)))
    for landmark in ("header", "main", "footer", "h1"):
        assert len(page.all(landmark)) == 1, landmark
    assert len(page.ids) == len(set(page.ids))
    labelled = {values["aria-labelledby"] for values in page.all("section") if "aria-labelledby" in values}
    assert labelled <= set(page.ids)
    linked = {values["href"][1:] for values in page.all("a") if values["href"].startswith("#")}
    assert linked <= set(page.ids)
    used = {values["href"][1:] for values in page.all("use")}
    assert used <= set(page.ids)


def test_pictures_and_cards_have_texts_for_those_who_cannot_see_them(
    story_of: StoryOf, game_text: str
) -> None:
    page = Page(render_page(story_of(game_text)))
    images = [values for values in page.all("svg") if values.get("role") == "img"]
    assert images
    assert all(values.get("aria-label") for values in images)
    hidden = [values for values in page.all("svg") if values.get("role") != "img"]
    assert all("aria-hidden" in values for values in hidden)
    assert all(values.get("aria-label") or values.get("title") for values in page.all("button"))


def test_the_data_for_the_script_has_a_step_for_each_event_listed(story_of: StoryOf, game_text: str) -> None:
    html = render_page(story_of(game_text))
    data = json.loads(
        re.findall(r'<script type="application/json" id="game-data">(.*?)</script>', html, re.DOTALL)[0]
    )
    steps = [
        values["data-step"] for values in Page(html).all("a") if values.get("class", "").startswith("k-")
    ]
    assert [int(step) for step in steps] == list(range(len(data["steps"])))
    assert set(data["words"]) == set(LANGUAGES)
    assert data["steps"][2]["hands"]["A"]["faces"] == ["9c", "back", "back", "back", "back"]


def test_a_game_without_events_makes_a_page(story_of: StoryOf, game_text: str) -> None:
    html = render_page(story_of(game_text.splitlines()[0] + "\n"))
    assert "No call was judged" in html


def test_the_same_game_makes_the_same_page(story_of: StoryOf, game_text: str) -> None:
    assert render_page(story_of(game_text)) == render_page(story_of(game_text))


def test_each_card_has_a_symbol_of_its_own() -> None:
    found = re.findall(r'<symbol id="card-([^"]+)".*?</symbol>', str(symbols()))
    assert len(found) == len(set(found)) == 52 + 1 + 2
    assert {str(card) for card in (*DECK_52, JOKER)} <= set(found)


def test_evidence_is_embedded_and_taken_from_its_folder_only(write_game: Callable[[], Path]) -> None:
    folder = write_game()
    (folder / "secret.jpg").write_bytes(JPEG)
    (folder / "evidence").mkdir()
    (folder / "evidence/call.jpg").write_bytes(JPEG)
    (folder / "evidence/notes.txt").write_text("no picture", encoding="utf-8")
    rows = [
        {"file": "call.jpg", "line": 11, "at_ms": 23250, "moment": "at"},
        {"file": "../secret.jpg", "line": 11, "at_ms": 23250, "moment": "before"},
        {"file": str(folder / "secret.jpg"), "line": 11, "at_ms": 23250, "moment": "before"},
        {"file": "notes.txt", "line": 11, "at_ms": 23250, "moment": "after"},
        {"file": "gone.jpg", "line": 11, "at_ms": 23250, "moment": "after"},
        {"file": 7, "line": "x"},
        "nonsense",
    ]
    (folder / "evidence/index.json").write_text(json.dumps({"pictures": rows}), encoding="utf-8")
    assert [(one.line, one.moment) for one in load_evidence(folder).pictures] == [(11, "at")]
    story = tell_game(find_game(folder))
    assert [picture.moment for picture in story.pictures] == ["at"]
    page = Page(render_page(story))
    images = page.all("img")
    assert images[-1]["src"].startswith("data:image/jpeg;base64,")
    assert "Carla calls Kemps" in images[-1]["alt"]
    # The picture stands in the file once; the verdict that rests on it points there.
    assert [link["data-picture"] for link in page.all("a") if "data-picture" in link] == ["0"]
    assert "picture-0" in page.ids
    data = np.frombuffer(b64decode(images[-1]["src"].split(",")[1]), np.uint8)
    pixels = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert pixels is not None
    assert pixels.shape == (45, 800, 3)


def test_of_too_many_pictures_calls_and_shown_hands_come_first(write_game: Callable[[], Path]) -> None:
    folder = write_game()
    (folder / "evidence").mkdir()
    (folder / "evidence/one.jpg").write_bytes(JPEG)
    rows = [
        {"file": "one.jpg", "line": 3 + number % 4, "kind": "card_taken", "at_ms": 100, "moment": moment}
        for number in range(60)
        for moment in ("before", "at", "after")
    ]
    rows += [{"file": "one.jpg", "line": 11, "kind": "called", "at_ms": 200, "moment": "at"}]
    (folder / "evidence/index.json").write_text(json.dumps({"pictures": rows}), encoding="utf-8")
    gallery = load_evidence(folder)
    assert (len(gallery.pictures), gallery.left_out) == (120, 61)
    assert gallery.pictures[-1].line == 11
    assert sum(picture.moment == "at" for picture in gallery.pictures) == 61


def test_an_index_that_is_broken_leaves_the_page_without_pictures(write_game: Callable[[], Path]) -> None:
    folder = write_game()
    (folder / "evidence").mkdir()
    for text in ("{", "[]", "7", '{"pictures": 7}'):
        (folder / "evidence/index.json").write_text(text, encoding="utf-8")
        assert load_evidence(folder) == NO_PICTURES


def test_the_timeline_keeps_marks_inside_and_lanes_apart(story_of: StoryOf, game_text: str) -> None:
    line = draw_timeline(story_of(game_text))
    assert [lane.sort for lane in line.lanes] == ["seat"] * 4 + ["someone", "centre", "flags"]
    assert all(mark.x >= 0 and mark.x + mark.width <= line.width for mark in line.marks)
    assert {mark.sort.split()[0] for mark in line.marks} >= {
        "swap",
        "call",
        "turn",
        "sweep",
        "shown",
        "hidden",
        "flag",
    }
    xs = [x for x, _ in line.ticks]
    assert min(b - a for a, b in pairwise(xs)) >= 79


def test_seats_sit_clockwise_from_below_and_partners_opposite() -> None:
    for count in (4, 6, 8):
        places = seat_places(count)
        assert places[0].y == max(place.y for place in places)
        assert places[1].x < places[0].x
        for one, partner in zip(places[: count // 2], places[count // 2 :], strict=True):
            assert (one.x + partner.x, one.y + partner.y) == pytest.approx((960, 600), abs=0.2)


def test_cards_move_closer_when_there_is_no_room() -> None:
    assert spread(2, 38, 132, 2) == (-39.0, 1.0)
    assert spread(0, 38, 132, 2) == ()
    many = spread(8, 38, 132, 2)
    assert many[-1] + 38 - many[0] == pytest.approx(132, abs=0.2)


def test_a_hand_is_drawn_as_known_cards_and_backs() -> None:
    assert HandLook(known=("9c", None), size=4).faces == ("9c", "unread", "back", "back")
    assert HandLook(known=("9c",), is_shown=True, size=1).faces == ("9c",)
    assert len(HandLook(size=40).faces) == 8


TEXT_ON_GROUND = [
    ("ink", "paper"),
    ("soft", "paper"),
    ("soft", "sheet"),
    ("accent", "paper"),
    ("right", "sheet"),
    ("wrong", "sheet"),
    ("unsure", "sheet"),
    ("flag", "sheet"),
    *(("sheet", f"pair-{number}") for number in range(4)),
    ("on-felt", "felt"),
    ("on-felt-soft", "felt-deep"),
    *((f"suit-{suit}", "card") for suit in "cdhs"),
]


def colours(style: str) -> dict[str, tuple[str, str]]:
    """The page's colours for light and for dark."""
    names = {name: (one, one) for name, one in re.findall(r"--([\w-]+): (#\w{6});", style)}
    return names | {
        name: (light, dark)
        for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)
    }


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("text", "ground"), TEXT_ON_GROUND)
def test_text_stands_out_from_its_ground_in_light_and_in_dark(text: str, ground: str) -> None:
    known = colours(files("kemps_server.page").joinpath("static", "tokens.css").read_text(encoding="utf-8"))
    for one, other in zip(known[text], known[ground], strict=True):
        low, high = sorted((luminance(one), luminance(other)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (one, other)


def test_the_clock_shows_hours_only_when_there_are_any() -> None:
    assert [clock(at_ms) for at_ms in (0, 59_999, 3_599_900, 3_600_000)] == [
        "0:00.0",
        "0:59.9",
        "59:59.9",
        "1:00:00.0",
    ]


def test_one_line_ages_later_does_not_fill_the_timeline_with_ticks(story_of: StoryOf, game_text: str) -> None:
    for at_ms in (10**10, 2**62):
        line = draw_timeline(story_of(game_text + f'{{"kind":"dry","at_ms":{at_ms}}}\n'))
        assert 2 <= len(line.ticks) <= line.width / 80 + 1
