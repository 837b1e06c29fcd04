"""A game as captions (WebVTT) that play beside its recording."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from kemps_rules.journal import Journal
from kemps_server.page.moments import Moment, header_of, moments_of
from kemps_server.page.narration import Narrator
from kemps_server.page.words import Words

SHORTEST_MS: Final = 1_500  # a caption that can be read
_QUIET: Final = frozenset({"settled"})


def webvtt_of(journal: Journal, words: Words) -> bytes:
    """A cue an event, from its time to its end; what a person took out is left out.

    Raises:
        KempsServerError: The journal has no header.
    """
    names = {seat: name or seat for seat, name in header_of(journal).seats.items()}
    narrator = Narrator(names)
    cues = [_cue(moment, narrator, words) for moment in _shown(journal)]
    return "\n\n".join(["WEBVTT", *cues, ""]).encode()


def _shown(journal: Journal) -> Iterator[Moment]:
    for moment in moments_of(journal):
        if not moment.is_retracted and moment.event.kind not in _QUIET:
            yield moment


def _cue(moment: Moment, narrator: Narrator, words: Words) -> str:
    start = moment.event.at_ms
    end = max(moment.until_ms, start + SHORTEST_MS)
    text = words.say(narrator.tell(moment.event, deal=moment.table.deal))
    text = escape(" ".join(text.split()), quote=False)
    return f"{moment.line}\n{_clock(start)} --> {_clock(end)}\n{text[:1].upper()}{text[1:]}"


def _clock(at_ms: int) -> str:
    """A time as WebVTT writes it.

    >>> _clock(3_723_004)
    '01:02:03.004'
    """
    seconds, thousandths = divmod(at_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}.{thousandths:03}"
