"""What a watcher's screen shows while a recording is being watched: progress, the centre, the events."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from kemps_rules import events
from kemps_rules.cards import Card
from kemps_rules.events import Event
from kemps_server.page.narration import Narrator
from kemps_server.page.render import clock
from kemps_server.page.words import Words
from kemps_vision.frame import Frame, SourceInfo
from kemps_vision.pipeline import Snapshot

_SHOWN: Final = 12
_SUIT_STYLES: Final = {"c": "green", "d": "dark_orange", "h": "red", "s": "bold"}
_STYLES: Final = {"called": "bold yellow", "hand_shown": "bold", "deal_started": "dim"}
_QUIET: Final = frozenset({"game_opened", "settled"})


class Screen(Protocol):
    """Where events and progress go; ``on_event`` and ``on_frame`` fit ``watch``."""

    def on_event(self, event: Event, snapshot: Snapshot | None) -> None:
        """An event has become known."""
        ...

    def on_frame(self, frame: Frame, snapshot: Snapshot | None = None) -> None:
        """A frame has been worked through."""
        ...

    def begin(self, what: str) -> None:
        """The work that comes now, which runs through the recording once."""
        ...


@contextmanager
def screen(console: Console, info: SourceInfo, words: Words, *, has_events: bool = True) -> Iterator[Screen]:
    """A live view on a terminal, else one plain line an event; progress alone where there are no events."""
    teller = _Teller(words)
    if not console.is_terminal:
        yield _Lines(console, teller)
        return
    view = _View(info, teller, has_events=has_events)
    with Live(view.draw(), console=console, refresh_per_second=8, transient=True) as live:
        view.live = live
        yield view
    for line in view.told:
        console.print(line)


class _Teller:
    """Events as lines with their time, told with the names in the journal's header."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._narrator = Narrator({})
        self._deal = 0

    def line(self, event: Event) -> Text | None:
        if isinstance(event, events.GameOpened):
            self._narrator = Narrator(dict(event.seats))
        if isinstance(event, events.DealStarted):
            self._deal += 1
        if event.kind in _QUIET:
            return None
        text = self._words.say(self._narrator.tell(event, deal=self._deal))
        line = Text(f"{clock(event.at_ms):>8}  ", style="cyan")
        return line.append(text[:1].upper() + text[1:], style=_STYLES.get(event.kind, "default"))


class _Lines:
    """Plain lines, for files and logs."""

    def __init__(self, console: Console, teller: _Teller) -> None:
        self._console, self._teller = console, teller

    def on_event(self, event: Event, snapshot: Snapshot | None) -> None:
        del snapshot
        line = self._teller.line(event)
        if line is not None:
            self._console.print(line)

    def on_frame(self, frame: Frame, snapshot: Snapshot | None = None) -> None:
        """Nothing: progress is for terminals."""

    def begin(self, what: str) -> None:
        self._console.print(what)


class _View:
    """The live view."""

    def __init__(self, info: SourceInfo, teller: _Teller, *, has_events: bool) -> None:
        self._teller = teller
        self._has_events = has_events
        self._info = info
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            expand=True,
        )
        self._task = self._progress.add_task(info.name, total=info.duration_ms)
        self._centre = Text("—", style="dim")
        self._last: deque[Text] = deque(maxlen=_SHOWN)
        self.told: list[Text] = []
        self.live: Live | None = None

    def begin(self, what: str) -> None:
        self._progress.reset(self._task, description=what, total=self._info.duration_ms)

    def on_event(self, event: Event, snapshot: Snapshot | None) -> None:
        del snapshot
        line = self._teller.line(event)
        if line is not None:
            self._last.append(line)
            self.told.append(line)
            self._update()

    def on_frame(self, frame: Frame, snapshot: Snapshot | None = None) -> None:
        self._progress.update(self._task, completed=frame.at_ms)
        if snapshot is not None:
            self._centre = _cards(snapshot)
        self._update()

    def draw(self) -> Group:
        if not self._has_events:
            return Group(self._progress)
        rows = Table.grid()
        for line in self._last:
            rows.add_row(line)
        return Group(
            self._progress,
            Panel(self._centre, title="centre", title_align="left", padding=(0, 2)),
            Panel(rows, title="events", title_align="left", padding=(0, 1), height=_SHOWN + 2),
        )

    def _update(self) -> None:
        if self.live is not None:
            self.live.update(self.draw())


def _cards(snapshot: Snapshot) -> Text:
    """The settled cards in the centre, left to right, and how many more are being read."""
    spots = sorted(
        (spot for spot in snapshot.spots if snapshot.zones.is_in_centre(spot.centre)),
        key=lambda spot: spot.centre[0],
    )
    text = Text()
    for spot in spots:
        if spot.is_settled and spot.card is not None:
            text.append(f" {spot.card.sign} ", style=_style(spot.card)).append("  ")
        else:
            text.append(" ? ", style="dim").append("  ")
    return text if spots else Text("—", style="dim")


def _style(card: Card) -> str:
    return f"{_SUIT_STYLES.get(card.suit, 'default')} on white" if card.suit != "s" else "black on white"
