"""``kemps judge``: the verdict of each deal, the letters and the flags of a journal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kemps_rules.decisions import DECISIONS, plan_of
from kemps_rules.errors import JournalError
from kemps_rules.flags import Flag
from kemps_rules.house import load_house
from kemps_rules.journal import Journal, read_journal
from kemps_rules.judgement import DealResult, Judgement
from kemps_rules.replay import judge as judge_events
from kemps_server.errors import KempsServerError

_SIGNS: Final = {"right": "✔ right", "wrong": "✘ wrong", "cannot_verify": "? cannot verify"}
_STYLES: Final = {"right": "bold green", "wrong": "bold red", "cannot_verify": "bold yellow"}
_CALLS: Final = {"kemps": "Kemps", "stop": "Stop Kemps", "double_kemps": "Double Kemps", "unclear": "a call"}
_ENDS: Final = {
    "dry": "ended dry, without letters",
    "redeal": "dealt again, without letters",
    "voided": "voided, without letters",
    "open": "no call that counts",
}


def judge(
    journal: Path = typer.Argument(..., metavar="JOURNAL", help="A game's journal, game.jsonl."),
    rules: str | None = typer.Option(
        None, metavar="NAME|FILE", help="Judge by these house rules instead of the journal's own."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON object instead of text for people."),
) -> None:
    """Judge a game: the verdict of each deal with its reason, the letters, and flags for a person."""
    house = None if rules is None else load_house(rules)
    try:
        read = read_journal(journal)
    except JournalError as error:
        text = str(error)
        raise KempsServerError(text if str(journal) in text else f"{journal}: {text}") from None
    for warning in read.warnings:
        print(f"kemps judge: {journal}: {warning}", file=sys.stderr)  # noqa: T201 - a warning for people
    judgement = judge_events(read, house)
    if as_json:
        print(json.dumps(judgement.as_json(), ensure_ascii=False))  # noqa: T201 - the answer
        return
    console = Console(highlight=False, soft_wrap=True)
    for exchange in _exchanges(read):
        console.print(exchange)
    print_judgement(judgement, console)


def print_judgement(judgement: Judgement, console: Console) -> None:
    """Print a judgement for people: deals, letters, who has lost, flags."""
    for deal in judgement.deals:
        console.print(_deal(deal))
    if not judgement.deals:
        console.print("No deal has been seen yet.")
    console.print(_score(judgement))
    for label, pairs in (("lost", judgement.lost), ("won", judgement.won)):
        if pairs:
            console.print(Text(f"{' and '.join(map(_pair, pairs))} {label} the game.", style="bold"))
    if judgement.flags:
        console.print(Text("\nFlags, for a person to look at:", style="bold"))
    for flag in judgement.flags:
        console.print(_flag(flag))
    for entry in judgement.reviewed:
        decision = f"  {entry.review.decision} by {entry.review.by or 'somebody'}"
        console.print(_flag(entry.flag).append(f"{decision} {entry.review.why}".rstrip(), style="dim"))


def _exchanges(journal: Journal) -> list[Text]:
    """Which seats count for each other, and since when, as people decided."""
    plan = plan_of((line, event) for line, event in journal.numbered if isinstance(event, DECISIONS))
    return [
        Text(f"From {clock(at_ms)} on what was seen of {one} counts for {two}, and the other way round.")
        for at_ms, one, two in plan.swaps
    ]


def clock(at_ms: int) -> str:
    """A time for people.

    >>> clock(2472000), clock(41250)
    ('41:12.0', '00:41.2')
    """
    seconds, tenths = divmod(at_ms // 100, 10)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02}:{seconds:02}.{tenths}"
    return f"{hours}:{text}" if hours else text


def _pair(pair: str) -> str:
    return "/".join(pair)


def _deal(deal: DealResult) -> Text:
    text = Text(f"Deal {deal.deal}  ", style="bold")
    verdict = deal.verdict
    if verdict is None:
        return text.append(_ENDS.get(deal.ended, deal.ended), style="dim")
    call = (
        f"{clock(verdict.at_ms)}  {verdict.by or 'somebody'} says {_CALLS.get(verdict.call, verdict.call)}: "
    )
    text.append(call, style="not bold")
    text.append(_SIGNS.get(verdict.ruling, verdict.ruling), style=_STYLES.get(verdict.ruling, ""))
    text.append(f"; {verdict.reason}.", style="not bold")
    gains = [f"{_pair(pair)} get a letter" for pair in verdict.letters_to]
    gains += [f"{_pair(pair)} {points:+d}" for pair, points in verdict.points_to.items()]
    return text.append(f" {', '.join(gains)}." if gains else "", style="not bold")


def _score(judgement: Judgement) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for pair, letters in judgement.letters.items():
        count = str(judgement.points[pair]) if judgement.points else " ".join(letters)
        table.add_row(Text(_pair(pair), style="bold"), count or "–")
    return table


def _flag(flag: Flag) -> Text:
    text = Text(f"  {clock(flag.at_ms)}  ")
    text.append(f"{flag.rule:<4}", style="bold yellow")
    lines = ", ".join(str(line + 1) for line in flag.events)
    return text.append(f"{flag.message}").append(f"  (line {lines})", style="dim")
