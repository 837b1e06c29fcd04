"""What was heard, at the desk: the wave and the sound for referees; confirmed and denied; secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.server.review.conftest import EVENING, HEADER
from tests.server.review.test_desk_routes import Visitor
from tests.vision.hearing.conftest import tones

from kemps_rules.events import Called, Corrected, GameOpened
from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.live.cursor import Cursor
from kemps_server.live.public_state import public_state
from kemps_server.observers.calling import take_call
from kemps_server.observers.clock import begin_clock
from kemps_server.sound.clips import keep_clip
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listening import Clip

HEARD: dict[str, Any] = {
    "kind": "called",
    "at_ms": 41250,
    "seat": None,
    "call": "kemps",
    "confidence": 0.71,
    "uncertainty_ms": 42,
    "source": "heard",
    "heard": {"score": 1.7, "overlap": False},
}
LINE = 7
SOUND = f"/api/games/thursday/sounds/{LINE}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path_factory.mktemp("heard") / "data")) as opened:
        yield opened


@pytest.fixture
def game(store: Store) -> Iterator[str]:
    rows = [HEADER, *EVENING[: LINE - 1], HEARD, *EVENING[LINE:]]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    made = store.games.take_in("thursday", text.encode()).game.id
    folder = store.folder.beside(made)
    keep_clip(folder, LINE, Clip(39_000.0, tones(4.0, [("kemps", 2.25)])))
    yield made
    store.games.remove(made)


@pytest.fixture(scope="module")
def people(store: Store) -> dict[str, Visitor]:
    app = create_app(Library(store))
    secrets = {role.value: store.tokens.issue(role, role.value)[1] for role in Role}
    return {name: Visitor(app, secret) for name, secret in secrets.items()} | {
        "stranger": Visitor(create_app(Library(store), host="0.0.0.0"))  # noqa: S104
    }


def incident(people: dict[str, Visitor]) -> dict[str, Any]:
    return dict(people["referee"].get(f"/api/games/thursday/incidents/call-{LINE}").json())


def test_the_desk_has_the_wave_of_a_heard_call_with_its_mark(game: str, people: dict[str, Visitor]) -> None:
    [sound] = incident(people)["sounds"]
    assert (sound["line"], sound["address"], sound["from_ms"], sound["at_ms"]) == (
        LINE,
        SOUND,
        39_000,
        41_250,
    )
    assert sound["is_unconfirmed"]
    assert 'class="wave-mark" d="M360.0 0' in sound["wave"]  # 2.25 of 4 s
    answer = people["referee"].get(SOUND)
    assert answer.headers["content-type"] == "audio/wav"
    assert len(answer.content) == 44 + 2 * 4 * RATE
    assert game == "thursday"


@pytest.mark.usefixtures("game")
def test_nobody_else_hears_it(people: dict[str, Visitor]) -> None:
    for name, visitor in people.items():
        if name not in {"referee", "owner"}:
            assert visitor.get(SOUND).status_code in {401, 403, 404}, name
    assert people["referee"].get("/api/games/thursday/sounds/3").status_code == 404


@pytest.mark.usefixtures("game")
def test_a_person_confirms_it(people: dict[str, Visitor]) -> None:
    decision = {"kind": "corrected", "event": LINE, "to": {"confidence": 1}, "why": "confirmed"}
    assert people["referee"].post("/api/games/thursday/decisions", {"decision": decision}).status_code == 200
    [sound] = incident(people)["sounds"]
    assert not sound["is_unconfirmed"]


@pytest.mark.usefixtures("game")
def test_a_person_denies_it_and_the_deal_is_without_a_call(people: dict[str, Visitor]) -> None:
    decision = {"kind": "retracted", "event": LINE, "why": "no call, though something was heard"}
    assert people["referee"].post("/api/games/thursday/decisions", {"decision": decision}).status_code == 200
    told = incident(people)
    assert (told["verdict"], told["decision"]) == ("", "dismiss")
    assert not told["sounds"][0]["is_unconfirmed"]


def followed(store: Store, game: str) -> dict[str, Any]:
    cursor = Cursor(game)
    cursor.load(store.games.journal(game).read())
    assert cursor.seen is not None
    return public_state(cursor.seen)


def test_a_heard_call_is_marked_for_everybody_until_a_person_confirms(store: Store, game: str) -> None:
    assert followed(store, game)["deals"]["1"]["verdict"]["is_heard"] is True
    store.games.journal(game).append(Corrected(at_ms=50_000, event=LINE, to={"confidence": 1.0}, by="Ida"))
    assert "is_heard" not in followed(store, game)["deals"]["1"]["verdict"]


@pytest.fixture
def running(store: Store) -> Iterator[str]:
    seats = {"A": "Ann", "B": "Ben", "C": "Cem", "D": "Dot"}
    record = store.games.begin("running", GameOpened(at_ms=0, seats=seats))
    begin_clock(store.folder.beside(record.id))
    yield record.id
    store.games.remove(record.id)


def heard(at_ms: int, seat: str | None = None) -> Called:
    extra = {"source": "heard", "heard": {"score": 1.7, "overlap": False}}
    return Called(at_ms=at_ms, seat=seat, call="kemps", confidence=0.71, uncertainty_ms=42, extra=dict(extra))


def test_a_button_pressed_for_a_heard_call_names_it_and_makes_no_second(store: Store, running: str) -> None:
    journal = store.games.journal(running)
    journal.append(heard(0))
    taken = take_call(store, running, seat="B", call="stop", against="A", by="Ida")
    assert (taken.line, taken.at_ms, taken.uncertainty_ms) == (1, 0, 42)
    events = [line.event for line in journal.read()]
    assert [event.kind for event in events] == ["game_opened", "called", "corrected"]
    assert isinstance(events[2], Corrected)
    assert events[2].to == {"call": "stop", "confidence": 1.0, "seat": "B", "against": "A"}
    again = take_call(store, running, seat="C", call="kemps", by="Ida")
    assert again.line == 3  # another person calls, too


def test_a_button_of_somebody_else_is_a_call_of_its_own(store: Store, running: str) -> None:
    store.games.journal(running).append(heard(0, seat="A"))
    assert take_call(store, running, seat="B", call="kemps", by="Ida").line == 2
