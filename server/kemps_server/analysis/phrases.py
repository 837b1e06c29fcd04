"""Figures in words: shares with their intervals, times, ranks and gestures."""

from __future__ import annotations

from typing import Final

from kemps_server.analysis.estimates import Share
from kemps_server.page.words import Arg, Phrase, load_words

_KNOWN: Final = load_words("en")


def percent(share: float | None) -> str:
    """A share as people write it.

    >>> percent(0.4902), percent(None)
    ('49', '?')
    """
    return "?" if share is None else f"{share * 100:.0f}"


def seconds(ms: int) -> str:
    """A time in seconds, exact where that means something.

    >>> seconds(3586), seconds(46_872)
    ('3.6', '47')
    """
    return f"{ms / 1000:.1f}" if ms < 10_000 else f"{ms / 1000:.0f}"


def span_text(ms: int) -> Phrase:
    """How long something was: in seconds up to two minutes, then in minutes."""
    if ms < 120_000:
        return Phrase("figures.seconds", {"count": seconds(ms)})
    return Phrase("figures.minutes", {"count": f"{ms / 60_000:.1f}"})


def share_text(share: Share) -> Phrase:
    """``3 of 4, 75 % (30–95 %)``, or that there was no occasion."""
    if not share.of:
        return Phrase("figures.no_occasion")
    return Phrase(
        "figures.share",
        {
            "count": str(share.count),
            "of": str(share.of),
            "percent": percent(share.share),
            "low": percent(share.low),
            "high": percent(share.high),
        },
    )


def rank_word(rank: str) -> str:
    """A rank as it stands on an international card."""
    return "10" if rank == "T" else rank


def gesture_word(gesture: str) -> Arg:
    """A gesture in the page's words, or its own name where there are none."""
    known = f"gesture.{gesture}"
    return Phrase(known) if known in _KNOWN else gesture.replace("_", " ")
