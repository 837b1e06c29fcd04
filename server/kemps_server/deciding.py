"""A person's decision added to a game: checked as the whole journal stands, then one line at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kemps_rules.decisions import DECISIONS
from kemps_rules.errors import JournalError
from kemps_rules.events import CALL, READING, Event, GameOpened, Json, Reviewed
from kemps_rules.journal import Journal, JournalWriter, journal_of, read_journal
from kemps_rules.replay import Replay
from kemps_rules.wire import event_from_json
from kemps_server.errors import KempsServerError
from kemps_server.games import Game, KeptGame
from kemps_server.library import StoredGame

_CLOCK: Final = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+)(?:\.(\d{1,3}))?(s|ms)?")
_EVENT: Final = re.compile(r"\bevent (\d+)")


def moment_ms(text: str) -> int:
    """The time that somebody wrote, in ms from the beginning.

    >>> moment_ms("12.5s"), moment_ms("1:02.5"), moment_ms("1:00:00"), moment_ms("12500ms")
    (12500, 62500, 3600000, 12500)

    Raises:
        KempsServerError: It is none.
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None or (found[5] == "ms" and (found[2] or found[4])):
        raise KempsServerError(f"{text!r} is no time; write 12.5s, 12500ms, 1:02.5 or 1:01:02")
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[:3])
    if found[5] == "ms":
        return seconds
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int((found[4] or "").ljust(3, "0"))


def decision_of(data: Mapping[str, Json], latest_ms: int) -> Event:
    """The decision that ``data`` describes, at ``latest_ms`` where it gives no time.

    Raises:
        KempsServerError: It cannot be one; the message says why.
    """
    try:
        decision = event_from_json(dict(data), at_ms=latest_ms)
    except JournalError as error:
        raise KempsServerError(str(error)) from None
    is_decision = isinstance(decision, DECISIONS)
    if not is_decision:
        raise KempsServerError(f"{decision.kind} is no person's decision")
    return decision


def latest_ms(game: KeptGame) -> int:
    """When the last thing happened that its journal tells."""
    return max(event.at_ms for event in journal_of(game.content()))


def add_decision(game: KeptGame, decision: Event) -> int:
    """The number of the line that was added, the header being 0.

    Raises:
        KempsServerError: The decision makes no sense in this game, or nothing can be added to it; it is then
            as it was.
        JournalError: The journal is broken, cannot be written, or is being written.
    """
    if isinstance(game, StoredGame):
        check_decision_in(journal_of(game.content()), decision, len(game.store.games.journal(game.record.id)))
        return game.store.decisions.add(game.record.id, decision).line
    if not isinstance(game, Game):
        raise KempsServerError(f"{game.where}: decisions cannot be added to this game")
    return _add_to_file(game.journal, decision)


def _add_to_file(path: Path, decision: Event) -> int:
    read_journal(path)  # a broken one is not touched
    with JournalWriter(path) as writer:
        check_decision_in(read_journal(path), decision, path.read_bytes().count(b"\n"))
        return writer.append(decision)


def check_decision_in(journal: Journal, decision: Event, line: int) -> None:
    """Nothing, when a decision makes sense as the next ``line`` of a journal.

    Raises:
        KempsServerError: It does not.
    """
    header = journal.events[0]
    if not isinstance(header, GameOpened):
        raise KempsServerError("the journal has no header, so there is no game to decide about")
    walk = Replay(header, line=journal.lines[0])
    walk.extend(list(journal.numbered)[1:])
    if isinstance(decision, Reviewed):
        check_word(decision)
        if decision.rule not in _WORDS:
            _check_review(walk, decision)
    try:
        walk.push(line, decision)
    except JournalError as error:
        raise KempsServerError(f"not added: {as_lines(str(error), line)}") from None


_WORDS: Final = {
    CALL: (("hold", "reopen"), "a call is decided by a ruling, and a review of it says hold or reopen"),
    READING: (
        ("confirm", "dismiss", "hold", "reopen"),
        "a reading is put right by a correction, and a review of it says confirm, dismiss, hold or reopen",
    ),
}


def check_word(review: Reviewed) -> None:
    """Nothing, when a review says something that can be said of its target.

    Raises:
        KempsServerError: It does not; the text says what can be said.
    """
    words, message = _WORDS.get(review.rule, ((), ""))
    if message and review.decision not in words:
        raise KempsServerError(f"not added: {message}")


def _check_review(walk: Replay, review: Reviewed) -> None:
    judgement = walk.judgement()
    flags = [*judgement.flags, *(entry.flag for entry in judgement.reviewed)]
    if not any(flag.rule == review.rule and set(review.events) & set(flag.events) for flag in flags):
        lines = ", ".join(str(number + 1) for number in review.events)
        raise KempsServerError(
            f"not added: no flag {review.rule} about line {lines}; kemps judge lists the flags"
        )


def as_lines(message: str, line: int) -> str:
    """An error about the line that was not added, with other lines counted from 1 as people do."""
    text = message.removeprefix(f"line {line + 1}: ")
    return _EVENT.sub(lambda found: f"line {int(found[1]) + 1}", text)
