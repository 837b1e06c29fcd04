"""Which of the heard calls count: those of an open deal, the first of it, that no button told already."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kemps_rules.events import Called, CentreTurned, DealEnded, DealStarted, Event, HandShown
from kemps_vision.hearing.detector import SAME_CALL_MS

HEARD: Final = "heard"
HOLD_MS: Final = 12_000  # a centre that was turned up is known by then
PRESSED_AFTER_MS: Final = 3000  # a person hears a call, finds the button and presses it
PRESSED_BEFORE_MS: Final = 700  # who calls may press first; and a button's time is known to half a second


def is_heard(call: Called) -> bool:
    """Whether an ear proposed this call, rather than a person."""
    return HEARD in call.extra


def is_unconfirmed(call: Called) -> bool:
    """Whether a call was only heard: a person who confirms it makes it certain."""
    return is_heard(call) and call.confidence < 1.0


def is_same_call(heard: Called, pressed: Called) -> bool:
    """Whether a button was pressed for the call that was heard; whatever word was heard, the button wins.

    Two who are known to be different people made two calls.
    """
    if heard.seat is not None and pressed.seat is not None and heard.seat != pressed.seat:
        return False
    return -PRESSED_BEFORE_MS <= pressed.at_ms - heard.at_ms <= PRESSED_AFTER_MS


class CallGate:
    """Holds heard calls until it is known whether their deal was open; everything on the game's clock.

    Of a deal the first call counts, and what cannot be told apart from it. Where that first one was only
    heard and no hand lies open yet, later ones are told, too: should a person deny it, the deal went on, and
    the call that ended it must not be lost. Calls of persons are told with ``pressed``, whether they stand in
    the journal already or are on their way; what stands there, with ``told``.
    """

    def __init__(self) -> None:
        self._waiting: list[Called] = []
        self._pressed: list[Called] = []
        self._first: Called | None = None
        self._open_ms: int | None = None
        self._is_shown = False

    def hear(self, call: Called) -> None:
        """A call that was heard just now."""
        self._waiting = sorted([*self._waiting, call], key=lambda one: one.at_ms)

    def pressed(self, call: Called) -> None:
        """A call that a person told."""
        if call not in self._pressed:
            self._pressed.append(call)

    def told(self, event: Event) -> None:
        """An event stands in the journal."""
        if isinstance(event, DealStarted):
            self._open_ms, self._first, self._is_shown = None, None, False
        elif isinstance(event, CentreTurned):
            self._open_ms = event.at_ms if self._open_ms is None else min(self._open_ms, event.at_ms)
        elif isinstance(event, DealEnded):
            self._open_ms = None
        elif isinstance(event, HandShown):
            self._is_shown = True
        elif isinstance(event, Called):
            if not is_unconfirmed(event):
                self.pressed(event)
            if self._first is None or event.at_ms < self._first.at_ms:
                self._first = event

    def withdraw(self, at_ms: int, call: str) -> None:
        """A person says that a call was none: the deal that it ended is open again."""
        first = self._first
        if first is not None and (first.at_ms, first.call) == (at_ms, call):
            self._first, self._is_shown = None, False

    def due(self, now_ms: float) -> list[Called]:
        """The calls that count, each once; what can count no more is let go of."""
        due = []
        for call in list(self._waiting):
            if any(is_same_call(call, pressed) for pressed in self._pressed):
                self._waiting.remove(call)
            elif self._counts(call):
                self._waiting.remove(call)
                self._first = self._first or call
                due.append(call)
        self._waiting = [call for call in self._waiting if now_ms - call.at_ms <= HOLD_MS]
        self._pressed = [call for call in self._pressed if now_ms - call.at_ms <= 2 * HOLD_MS]
        return due

    def _counts(self, call: Called) -> bool:
        if self._open_ms is None or call.at_ms + call.uncertainty_ms < self._open_ms:
            return False
        first = self._first
        if first is None:
            return True
        if first.call == call.call and abs(call.at_ms - first.at_ms) < SAME_CALL_MS:
            return False  # another microphone heard it again
        is_tie = call.at_ms - first.at_ms <= call.uncertainty_ms + first.uncertainty_ms
        return is_tie or (is_unconfirmed(first) and not self._is_shown)


def on_clock(call: Called, more_ms: int) -> Called:
    """A call whose time is less well known, by so many ms: sound and pictures were never brought together."""
    return replace(call, uncertainty_ms=call.uncertainty_ms + more_ms)
