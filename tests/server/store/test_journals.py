"""One contract for every kind of journal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kemps_rules.errors import JournalError
from kemps_rules.events import CardTaken, CentreSwept, GameOpened, Settled
from kemps_rules.journal import read_journal
from kemps_server.store.journals import Journal, Line, content_of, follow

SAMPLES = sorted((Path(__file__).resolve().parents[3] / "samples/journals").glob("*.jsonl"))
SWEEP = '{"kind":"centre_swept","at_ms":30100,"seat":"A"}'

NewJournal = Callable[[], Journal]


def sweep(at_ms: int) -> CentreSwept:
    return CentreSwept(at_ms=at_ms, seat="A")


def test_the_header_is_line_0_and_the_numbers_have_no_gaps(new_journal: NewJournal) -> None:
    journal = new_journal()
    assert len(journal) == 1
    assert journal.append(sweep(100)) == range(1, 2)
    assert journal.append(sweep(200), sweep(300)) == range(2, 4)
    assert journal.append() == range(4, 4)
    lines = journal.read()
    assert [line.number for line in lines] == [0, 1, 2, 3]
    assert isinstance(lines[0].event, GameOpened)
    assert [line.event.at_ms for line in lines[1:]] == [100, 200, 300]
    assert len(journal) == 4


def test_a_part_can_be_read(new_journal: NewJournal) -> None:
    journal = new_journal()
    journal.append(*map(sweep, range(5)))
    assert [line.number for line in journal.read(3)] == [3, 4, 5]
    assert [line.number for line in journal.read(2, 4)] == [2, 3]
    assert journal.read(6) == ()
    assert journal.read(4, 4) == ()


def test_two_journals_do_not_see_each_others_lines(new_journal: NewJournal) -> None:
    one, other = new_journal(), new_journal()
    one.append(sweep(100))
    assert (len(one), len(other)) == (2, 1)
    assert one.game != other.game


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "line 3: not readable as JSON"),
        ('{"kind":"centre_swept","at_ms":-5,"seat":"A"}', "line 3: "),
        ('{"kind":"centre_swept","at_ms":5,"seat":"F"}', "line 3: seat F is not at this table"),
        ('{"kind":"game_opened","at_ms":0,"seats":{"A":"","B":"","C":"","D":""}}', "line 3: a second header"),
        ('{"kind":"sneezed","at_ms":5,"who":"\ud800"}', "line 3: half a character"),
        (f"{SWEEP}\n{SWEEP}", "line 3: two lines where one is to be appended"),
    ],
)
def test_of_lines_one_of_which_is_impossible_none_is_kept(
    new_journal: NewJournal, text: str, message: str
) -> None:
    journal = new_journal()
    with pytest.raises(JournalError, match=message):
        journal.append_texts([f"{SWEEP}\n", f"{text}\n"])
    assert len(journal) == 1
    assert journal.append(sweep(100)) == range(1, 2)


def test_an_impossible_event_is_refused_and_none_of_its_company_is_kept(new_journal: NewJournal) -> None:
    journal = new_journal()
    with pytest.raises(JournalError, match="line 3"):
        journal.append(sweep(100), CentreSwept(at_ms=-1, seat="A"))
    with pytest.raises(JournalError, match="seat H is not at this table"):
        journal.append(CardTaken(at_ms=5, seat="H", card=None))
    assert len(journal) == 1


def test_unknown_kinds_and_lines_as_people_write_them_are_kept_as_they_are(new_journal: NewJournal) -> None:
    journal = new_journal()
    texts = [
        '  {"kind" : "sneezed", "at_ms": 5, "who": "Ann ❤ \\u0000 \u2028"}\r\n',
        "\n",
        " \t\r\n",
        SWEEP,
    ]
    assert journal.append_texts(texts) == range(1, 5)
    assert [line.text for line in journal.read(1)] == texts
    assert [line.is_blank for line in journal.read()] == [False, False, True, True, False]


@pytest.mark.parametrize("path", [SAMPLES[0], *SAMPLES[5::40]], ids=lambda path: path.stem)
def test_a_file_comes_back_byte_for_byte(new_journal: NewJournal, tmp_path: Path, path: Path) -> None:
    header, rest = path.read_bytes().split(b"\n", 1)
    journal = new_journal()
    journal.append_texts([f"{line}\n" for line in rest.decode().split("\n")[:-1]])
    kept = content_of(journal.read()).split(b"\n", 1)[1]
    assert kept == rest
    again = tmp_path / "game.jsonl"
    again.write_bytes(header + b"\n" + kept)
    assert read_journal(again) == read_journal(path)


def test_a_line_without_a_newline_gets_one_when_another_follows() -> None:
    lines = [Line(0, "{}\r\n"), Line(1, "[]"), Line(2, "x")]
    assert content_of(lines) == b"{}\r\n[]\nx"
    assert content_of([]) == b""


def test_writers_at_the_same_time_get_each_number_once(new_journal: NewJournal) -> None:
    journal = new_journal()
    writers, appends, batch = 4, 6, 3

    def write(writer: int) -> list[int]:
        numbers: list[int] = []
        for _ in range(appends):
            numbers += journal.append(*[sweep(writer)] * batch)
        return numbers

    with ThreadPoolExecutor(writers) as pool:
        given = [number for numbers in pool.map(write, range(writers)) for number in numbers]
    assert sorted(given) == list(range(1, writers * appends * batch + 1))
    lines = journal.read(1)
    assert [line.number for line in lines] == sorted(given)
    together = [line.event.at_ms for line in lines]
    assert all(len(set(together[start : start + batch])) == 1 for start in range(0, len(together), batch))


def test_who_waits_hears_of_the_next_line_and_else_of_none(new_journal: NewJournal) -> None:
    journal = new_journal()
    assert journal.wait(0, 60) == 1
    assert journal.wait(1, 0.05) == 1
    heard: list[int] = []
    waiting = threading.Thread(target=lambda: heard.append(journal.wait(1, 60)))
    waiting.start()
    journal.append(sweep(100))
    waiting.join(30)
    assert heard == [2]


def test_who_follows_gets_every_line_in_order_and_ends(new_journal: NewJournal) -> None:
    journal = new_journal()
    over = threading.Event()
    got: list[Line] = []
    following = threading.Thread(target=lambda: got.extend(follow(journal, 0, over.is_set)))
    following.start()
    for at_ms in range(10):
        journal.append(sweep(at_ms))
        time.sleep(0.001)
    journal.append(Settled(at_ms=99, camera="table"))
    over.set()
    following.join(30)
    assert got == list(journal.read())
    assert [line.number for line in got] == list(range(12))


def test_who_follows_a_game_that_is_over_gets_it_at_once(new_journal: NewJournal) -> None:
    journal = new_journal()
    journal.append(sweep(1))
    assert [line.number for line in follow(journal, 1, lambda: True)] == [1]
