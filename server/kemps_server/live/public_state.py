"""What viewers and players are told of a game: what lies open on the table, and nothing else.

Each member is put in by name, from what everybody at the table sees: names, letters, the centre, the stock,
calls, the hands laid open after one, and verdicts. What is not named here does not leave: gestures, ledgers,
hands, flags, hidden spans, who took what, people's reasons and the numbers of journal lines (they would tell
how much else was noted).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from kemps_rules.events import HandShown
from kemps_rules.house import LANGUAGES, House
from kemps_rules.judgement import DealResult, Judgement
from kemps_rules.seats import pair_of, pairs_of
from kemps_rules.verdict import Verdict
from kemps_server.live.cursor import Note, Seen
from kemps_server.live.patches import without_nulls
from kemps_server.page.looks import centre_of, pairs_of_game
from kemps_server.store.names import plain

_MOST_UNREAD: Final = 8


def public_state(seen: Seen) -> dict[str, Any]:
    """The game as the public may know it; members that are not known are left out."""
    table, count = seen.table, len(seen.header.seats)
    state: dict[str, Any] = without_nulls(
        {
            "game": seen.game,
            "word": seen.house.word,
            "scoring": seen.house.scoring,
            "goal": seen.house.full_score,
            "words": {"kemps": words_of(seen.house, "kemps"), "stop": words_of(seen.house, "stop")},
            "seats": {
                seat: {"name": plain(table.players.get(seat) or name), "pair": pair_of(seat, count)}
                for seat, name in seen.header.seats.items()
            },
            "pairs": _pairs(seen),
            "deal": {
                "number": table.deal,
                "dealer": table.dealer,
                "is_open": table.is_open,
                "ended": table.ended,
            },
            "centre": list(centre_of(table)),
            "missing": table.missing,
            "stock": table.stock,
            "shown": {seat: _cards(hand) for seat, hand in seen.shown.items()},
            "deals": deals_of(seen.judgement, seen.heard),
            "notes": {str(number): _note(note) for number, note in seen.notes.items()},
            "is_over": bool(seen.judgement.lost or seen.judgement.won),
            "is_closed": seen.is_closed,
        }
    )
    return state


def words_of(house: House, call: str) -> dict[str, str]:
    """What players here say for a call, in each language that the house has a word in."""
    words = house.call_words if call == "kemps" else house.counter_words
    return {language: words[language][0] for language in LANGUAGES if words.get(language)}


def deals_of(judgement: Judgement, heard: Collection[int] = ()) -> dict[str, Any]:
    """What became of each deal; ``heard`` are the lines of calls that were heard and not confirmed."""
    return {str(result.deal): _deal(result, heard) for result in judgement.deals}


def _deal(result: DealResult, heard: Collection[int]) -> dict[str, Any]:
    if result.verdict is None:
        return {"ended": result.ended}
    is_heard = result.verdict.event in heard
    return {"ended": "call", "verdict": _verdict(result.verdict) | ({"is_heard": True} if is_heard else {})}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "call": verdict.call,
        "by": verdict.by,
        "hands": list(verdict.hands),
        "at_ms": verdict.at_ms,
        "ruling": verdict.ruling,
        "because": verdict.because,
        "letters_to": list(verdict.letters_to),
        "points_to": dict(verdict.points_to),
        "is_double": verdict.is_double,
        "is_provisional": verdict.is_provisional,
        "by_person": bool(verdict.ruled_by),
    }


def _pairs(seen: Seen) -> dict[str, Any]:
    looks = {look.id: look for look in pairs_of_game(seen.header, seen.judgement, seen.house)}
    return {
        pair: {
            "letters": looks[pair].letters,
            "points": looks[pair].points,
            "standing": looks[pair].standing,
        }
        for pair in pairs_of(len(seen.header.seats))
    }


def _cards(hand: HandShown) -> list[str | None]:
    cards: list[str | None] = [str(card) for card in hand.cards]
    return cards + [None] * min(hand.unread + hand.face_down, _MOST_UNREAD)


def _note(note: Note) -> dict[str, Any]:
    by = "person" if note.by_person else "observer"
    return {"what": note.what, "deal": note.deal, "by": by, "was": note.was or None, "now": note.now or None}
