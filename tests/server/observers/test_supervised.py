"""One observer kept alive: crashes, hangs, ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace

import pytest

from kemps_server.observers.supervised import ObserverState, Patience, Supervised

Script = Callable[..., list[str]]
Until = Callable[[Callable[[], bool]], None]

REST = "import sys; sys.stdin.read()"
STATUS = (
    'print(\'{"told":"status","live":{"at_ms":5,"cameras":[]},"fps":14.9}\', flush=True); '
    'print(\'{"told":"note","text":"camera 0 is back"}\', flush=True); print("not ours", flush=True); '
)


def test_an_observer_that_watches_is_shown_with_what_it_tells(
    script: Script, quick: Patience, until: Until
) -> None:
    one = Supervised("thursday", script(STATUS + REST), patience=quick)
    until(lambda: one.observed.notes == ("camera 0 is back",))
    seen = one.observed
    assert (seen.state, seen.game, seen.restarts, seen.reason) == (
        ObserverState.WATCHING,
        "thursday",
        0,
        "",
    )
    assert seen.pid is not None
    assert seen.status == {"live": {"at_ms": 5, "cameras": []}, "fps": 14.9}
    assert seen.heard_s is not None
    one.stop()
    assert one.wait(10)
    assert one.observed.state is ObserverState.OFF
    assert one.observed.pid is None


def test_one_that_is_killed_is_started_again_and_says_why(
    script: Script, quick: Patience, until: Until
) -> None:
    one = Supervised("thursday", script(REST), patience=quick)
    killed = set()
    for count in (1, 2):
        until(lambda: one.observed.state is ObserverState.WATCHING and one.observed.pid not in killed)
        pid = one.observed.pid
        assert pid is not None
        killed.add(pid)
        os.kill(pid, signal.SIGKILL)
        until(lambda count=count: one.observed.restarts == count)  # type: ignore[misc]
    until(lambda: one.observed.state is ObserverState.WATCHING)
    assert one.observed.reason == "it was killed (SIGKILL)"
    one.stop()
    assert one.wait(10)


def test_the_last_line_on_stderr_is_the_reason_of_a_crash(
    script: Script, quick: Patience, until: Until
) -> None:
    failing = "import sys; print('first', file=sys.stderr); sys.exit('the disk is full')"
    one = Supervised("thursday", script(failing), patience=quick)
    until(lambda: one.observed.restarts >= 2)
    assert one.observed.reason == "the disk is full"
    one.stop()
    assert one.wait(10)


def test_one_that_cannot_begin_is_not_tried_again_unless_it_could_before(
    script: Script, quick: Patience, until: Until
) -> None:
    text = "import sys; print('camera 0: cannot be opened', file=sys.stderr); sys.exit(2)"
    wrong = script(text, watches=False)
    first = Supervised("thursday", wrong, patience=quick)
    assert first.wait(10)
    seen = first.observed
    assert (seen.state, seen.reason) == (ObserverState.FAILED, "camera 0: cannot be opened")
    later = Supervised("thursday", wrong, patience=quick, is_resumed=True)
    until(lambda: later.observed.restarts >= 2)
    later.stop()
    assert later.wait(10)


def test_one_whose_source_is_over_has_ended(script: Script, quick: Patience) -> None:
    one = Supervised("thursday", script(""), patience=quick)
    assert one.wait(10)
    assert (one.observed.state, one.observed.restarts) == (ObserverState.ENDED, 0)


def test_one_that_says_nothing_any_more_is_killed_and_started_again(
    script: Script, quick: Patience, until: Until
) -> None:
    hangs = script("import time; time.sleep(60)")
    one = Supervised("thursday", hangs, patience=replace(quick, silent=0.3, stop=0.3))
    until(lambda: one.observed.restarts == 1)
    assert "it hung" in one.observed.reason
    one.stop()
    assert one.wait(10)


def test_one_that_does_not_end_when_asked_to_is_killed(script: Script, quick: Patience, until: Until) -> None:
    deaf = script("import time; time.sleep(60)")
    one = Supervised("thursday", deaf, patience=replace(quick, stop=0.2))
    until(lambda: one.observed.state is ObserverState.WATCHING)
    one.stop()
    stopping = one.observed.state
    assert one.wait(10)
    assert (stopping, one.observed.state) == (ObserverState.STOPPING, ObserverState.OFF)


@pytest.mark.parametrize("command", [["/no/such/program"]])
def test_a_program_that_is_not_there_is_told_and_tried_again(
    command: list[str], quick: Patience, until: Until
) -> None:
    one = Supervised("thursday", command, patience=quick)
    until(lambda: one.observed.restarts >= 1)
    assert "cannot be started" in one.observed.reason
    one.stop()
    assert one.wait(10)


def test_what_it_started_itself_goes_with_it(script: Script, quick: Patience, until: Until) -> None:
    child = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1); "
        'print(\'{"told":"note","text":"%d"}\' % p.pid, flush=True); '
    )
    one = Supervised("thursday", script(child), patience=quick)
    assert one.wait(15)
    pid = int(one.observed.notes[0])
    until(lambda: not _is_running(pid))


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:  # noqa: PTH123 - a number in /proc
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
