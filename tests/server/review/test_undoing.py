"""Any decisions, each taken back, leave a game as it was before them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kemps_rules.events import GameOpened
from kemps_rules.journal import read_journal
from kemps_server.data_folder import DataFolder
from kemps_server.review.acts import Act, words_for
from kemps_server.review.desk import Desk, Done, Found
from kemps_server.store.store import Store

JOURNALS = Path(__file__).resolve().parents[3] / "samples/journals"
GAMES = (
    "R11-breach-both-hidden",
    "R12-breach-refused",
    "R14-breach-completed-after",
    "R17-fair-a-person-decides",
)
Step = tuple[int, int, int, bool]
STEPS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.booleans()), max_size=6
)


@contextmanager
def desk_with(name: str) -> Iterator[Desk]:
    journal = read_journal(JOURNALS / f"{name}.jsonl")
    header = journal.events[0]
    assert isinstance(header, GameOpened)
    with TemporaryDirectory() as place, Store.open(DataFolder(Path(place) / "data")) as store:
        game = store.games.begin("game", header).id
        store.games.journal(game).append(*journal.events[1:])
        yield Desk(store)


def state_of(found: Found) -> object:
    """All that people can see of a game's judgement and of its incidents."""
    shown = [(one.id, one.lines, one.weight, one.verdict, one.standing) for one in found.incidents]
    return shown, found.look.judgement.as_json()


def do(desk: Desk, step: Step, number: int) -> Done | None:
    """One act that the game allows, chosen by the step's numbers; None when there is nothing to do."""
    which, what, line, is_second = step
    incidents = desk.find("game").incidents
    if not incidents:
        return None
    incident = incidents[which % len(incidents)]
    words = [word for word in words_for(incident) if word != "undo"]
    word = words[what % len(words)]
    lines = incident.lines
    act = Act(word=word, key=f"key-{number:05}", why="because", line=lines[line % len(lines)])
    return desk.act("game", incident.id, act, "Tom" if is_second else "Ida")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(GAMES), steps=STEPS)
def test_decisions_taken_back_in_reverse_leave_each_state_as_it_was(name: str, steps: list[Step]) -> None:
    with desk_with(name) as desk:
        states = [state_of(desk.find("game"))]
        done: list[Done] = []
        for number, step in enumerate(steps):
            act = do(desk, step, number)
            if act is not None:
                done.append(act)
                states.append(state_of(desk.find("game")))
        for number, act in reversed(list(enumerate(done))):
            incident = act.record.incident
            undo = Act(word="undo", key=f"undo-{number:05}", line=act.record.first)
            desk.act("game", incident, undo, "Ida")
            assert state_of(desk.find("game")) == states[number], act.record
