"""``kemps bench server``: how soon events are seen, many sockets, idling, kills, the journal's speed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import typer
from rich.console import Console

from kemps_server.bench.desk import converging_ms
from kemps_server.bench.journal_speed import journal_speeds
from kemps_server.bench.long_game import journal_text, long_game
from kemps_server.bench.report_files import write_report
from kemps_server.bench.served_game import ServedGame, percentile
from kemps_server.bench.server_clients import Clients, Heard
from kemps_server.bench.server_kills import measure_kills
from kemps_server.bench.server_overlay import open_overlay
from kemps_server.bench.server_tables import bars_of, put_into, table_of
from kemps_server.data_folder import DataFolder
from kemps_server.store.store import Store

_OVERLAYS: Final = 20
_WARM_UP: Final = 20  # events before it counts: caches fill, code is imported
_HEALTHY: Final = 50
_SEED: Final = 7
_IDLE_S: Final = 5.0  # before idling is measured: animations end


@dataclass(frozen=True, slots=True)
class OverlaySpeed:
    """From an event's being on disk until it was seen in overlays, one of which is a page in a browser.

    Attributes:
        events: How many there were.
        overlays: How many there were, the page among them.
        p50_ms: Until the page's drawing had changed and all sockets had it, for half of the events.
        p95_ms: The same for 95 of 100.
        most_ms: The same for all.
        page_p95_ms: Until the page's drawing had changed.
        lost: Events that some overlay did not show.
    """

    events: int
    overlays: int
    p50_ms: float
    p95_ms: float
    most_ms: float
    page_p95_ms: float
    lost: int


@dataclass(frozen=True, slots=True)
class SocketSpeed:
    """Many sockets that are told of one table.

    Attributes:
        clients: How many read; ``stuck`` how many never did.
        events: How many were appended, ``per_s`` a second.
        p50_ms: From an event's being on disk until a socket had it, over all sockets and events.
        p95_ms: The same for 95 of 100.
        most_ms: The same for all.
        lost: Deltas that did not come, over all sockets.
        disordered: Sockets that were told something twice, in another order, or anew.
        memory_before_mb: What the server held after the first tenth of the events.
        memory_after_mb: What it held at the end.
        cpus: Processors that the server used on average.
    """

    clients: int
    stuck: int
    events: int
    per_s: float
    p50_ms: float
    p95_ms: float
    most_ms: float
    lost: int
    disordered: int
    memory_before_mb: float
    memory_after_mb: float
    cpus: float


@dataclass(frozen=True, slots=True)
class Idling:
    """What it takes when nothing happens, in percent of one core: a browser with an overlay, the server."""

    seconds: float
    browser_percent: float
    server_percent: float


def server(  # noqa: PLR0913, PLR0917 - one for each option of the command
    events: int = typer.Option(400, min=10, metavar="N", help="Events for the overlays."),
    seconds: float = typer.Option(60.0, min=2, metavar="S", help="How long many sockets are told of events."),
    clients: int = typer.Option(200, min=1, metavar="N", help="How many sockets."),
    per_s: float = typer.Option(20.0, min=1, metavar="N", help="Events a second."),
    idle: float = typer.Option(60.0, min=1, metavar="S", help="How long nothing happens."),
    kills: int = typer.Option(50, min=0, metavar="N", help="How often server and observer are killed."),
    decisions: int = typer.Option(30, min=0, metavar="N", help="Decisions at one desk, seen at another."),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    docs: Path | None = typer.Option(
        None, metavar="FILE", help="Also put the table into this document, between its marks."
    ),
) -> None:
    """The server under load: a process of its own, with events appended by this one as an observer does.

    Run it on a machine that does nothing else: its figures are wall time.
    """
    count = max(10, round(seconds * per_s))
    report: dict[str, Any] = {"cpus": os.cpu_count()}
    report |= _rounded("overlays", *overlay_speed(events, per_s, idle))
    report |= _rounded("sockets", socket_speed(clients, 0, count, per_s))
    report |= _rounded("beside_stuck", socket_speed(_HEALTHY, 1, count, per_s))
    report["journal"] = [
        {name: round(value, 1) for name, value in asdict(speed).items()} for speed in journal_speeds()
    ]
    if kills:
        report["kills"] = asdict(measure_kills(kills, _SEED))
    if decisions:
        report["desks"] = desk_speed(decisions)
    report["bars"] = bars_of(report)
    if out is not None:
        write_report(out, report)
    if docs is not None:
        put_into(docs, report)
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        Console(highlight=False).print(table_of(report))


def overlay_speed(events: int, per_s: float, idle_s: float) -> tuple[OverlaySpeed, Idling]:
    """How soon events are seen in twenty overlays, and what the page takes when nothing happens."""
    with TemporaryDirectory() as folder, ServedGame(Path(folder) / "data") as game:
        game.play(_WARM_UP, per_s)
        with open_overlay(game.overlay_address) as overlay:
            others = Clients(game.socket_address, _OVERLAYS - 1, events, Path(folder) / "heard.json")
            overlay.watch()
            appended = [one.done_ms for one in game.play(events, per_s)]
            heard = others.heard()
            shown = overlay.changes()
            time.sleep(_IDLE_S)
            served, begun = game.cpu_s(), time.monotonic()
            browser = overlay.idle_cpu(idle_s)
            server_share = 100 * (game.cpu_s() - served) / (time.monotonic() - begun)
    seen = [shown, *(list(one.at_ms) for one in heard)]
    whole = [times for times in seen if len(times) == events]
    # An event counts as seen when the last of all overlays has it.
    late = (
        [max(times[n] for times in whole) - appended[n] for n in range(events)] if whole else [float("inf")]
    )
    page = [at - done for at, done in zip(shown, appended, strict=False)] or [float("inf")]
    speed = OverlaySpeed(
        events=events,
        overlays=len(seen),
        p50_ms=percentile(late, 0.5),
        p95_ms=percentile(late, 0.95),
        most_ms=max(late),
        page_p95_ms=percentile(page, 0.95),
        lost=sum(max(0, events - len(times)) for times in seen),
    )
    return speed, Idling(idle_s, browser, server_share)


def socket_speed(clients: int, stuck: int, events: int, per_s: float) -> SocketSpeed:
    """How soon and how completely many sockets are told of events."""
    with TemporaryDirectory() as folder, ServedGame(Path(folder) / "data") as game:
        game.play(_WARM_UP, per_s)
        file = Path(folder) / "heard.json"
        listening = Clients(game.socket_address, clients, events, file, stuck=stuck)
        first = max(1, events // 10)
        begun, cpu_s = time.monotonic(), game.cpu_s()
        appended = game.play(first, per_s)
        before = game.memory_mb()
        appended += game.play(events - first, per_s)
        after, cpus = game.memory_mb(), (game.cpu_s() - cpu_s) / (time.monotonic() - begun)
        heard = listening.heard()
    late = lateness([one.done_ms for one in appended], heard) or [float("inf")]
    return SocketSpeed(
        clients=clients,
        stuck=stuck,
        events=events,
        per_s=per_s,
        p50_ms=percentile(late, 0.5),
        p95_ms=percentile(late, 0.95),
        most_ms=max(late),
        lost=sum(max(0, events - len(one.numbers)) for one in heard),
        disordered=sum(not one.is_in_order for one in heard),
        memory_before_mb=before,
        memory_after_mb=after,
        cpus=cpus,
    )


def desk_speed(decisions: int) -> dict[str, float]:
    """How soon a decision at one desk is seen at another, both pages in a browser, with an hour's game."""
    with TemporaryDirectory() as folder, Store.open(DataFolder(Path(folder) / "data")) as store:
        store.games.take_in("An evening", journal_text(long_game()).encode())
        seen_ms = converging_ms(store, decisions)
    return {
        "decisions": decisions,
        "p50_ms": round(percentile(seen_ms, 0.5), 1),
        "p95_ms": round(percentile(seen_ms, 0.95), 1),
        "most_ms": round(max(seen_ms), 1),
    }


def lateness(appended: Sequence[float], heard: Sequence[Heard]) -> list[float]:
    """For each socket and each delta it had: how long after the event was on disk, in ms.

    The first delta that all sockets wait for is the first event's.

    >>> lateness([100.0, 200.0], [Heard((8, 9), (103.0, 204.0), 1)])
    [3.0, 4.0]
    """
    first = min((one.numbers[0] for one in heard if one.numbers), default=0)
    return [
        at_ms - appended[number - first]
        for one in heard
        for number, at_ms in zip(one.numbers, one.at_ms, strict=True)
        if number - first < len(appended)
    ]


def _rounded(name: str, figures: Any, idling: Any = None) -> dict[str, Any]:  # noqa: ANN401 - dataclasses
    parts = {name: figures} | ({"idle": idling} if idling is not None else {})
    return {
        part: {
            key: round(value, 2) if isinstance(value, float) else value for key, value in asdict(one).items()
        }
        for part, one in parts.items()
    }
