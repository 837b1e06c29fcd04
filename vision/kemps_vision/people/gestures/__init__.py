"""Gestures over time: from what is seen of one person, frame by frame, to episodes with onset and end.

Reading order: ``episode`` (what is told), ``measures`` (a face as numbers), ``neutral`` (how this face is at
rest) and ``brow_lift``, ``sights`` (one look at a person), ``brows`` and ``expressions`` and ``eyes`` and
``head`` and ``hand_places`` and ``hand_shapes`` and ``rubbing`` (what each gesture is), ``holding``
(hysteresis), ``watcher`` (all of one person), ``following`` (every face of a clip), ``sketch`` (drawn on
pictures).

    >>> from kemps_vision.people.gestures import GestureWatcher
    >>> watcher = GestureWatcher()
    >>> told = [one for at_ms in range(0, 1000, 40) for one in watcher.step(at_ms, None)]
    >>> [*told, *watcher.finish()]
    [Unmeasured(what='no_face', at_ms=0, until_ms=960)]
"""

from __future__ import annotations

from kemps_vision.people.gestures.episode import GESTURES, NOT_CLAIMED, Episode, Told, Unmeasured
from kemps_vision.people.gestures.neutral import Neutral, neutral_of
from kemps_vision.people.gestures.watcher import GestureWatcher, watch_all

__all__ = [
    "GESTURES",
    "NOT_CLAIMED",
    "Episode",
    "GestureWatcher",
    "Neutral",
    "Told",
    "Unmeasured",
    "neutral_of",
    "watch_all",
]
