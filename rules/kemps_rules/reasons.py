"""Why a verdict is what it is, in one sentence for people."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kemps_rules.completions import Hands
from kemps_rules.deal import CallMade, Gap
from kemps_rules.events import Ruled
from kemps_rules.seats import Seat

_RANKS = {"A": "aces", "J": "jacks", "Q": "queens", "K": "kings", "T": "tens", "6": "sixes"} | {
    "2": "twos", "3": "threes", "4": "fours", "5": "fives", "7": "sevens", "8": "eights", "9": "nines"
}  # fmt: skip


def reason_for(
    call: CallMade,
    asked: tuple[Seat, ...],
    hands: Hands,
    because: str,
    ruled: Ruled | None,
    refusals: Mapping[Seat, bool],
) -> str:
    """The sentence for the one-word reason ``because``.

    ``refusals`` are the asked seats that were seen not to show, and whether a person has confirmed it.
    """
    caller = call.event.seat
    if because == "ruled" and ruled is not None:
        return f"ruled by {ruled.by or 'a person'}" + (f": {ruled.why}" if ruled.why else "")
    if because == "caller_unknown":
        return "nobody knows who called; a person has to name the caller"
    if because == "nobody_named":
        return f"{caller} named no rivals; a person has to name the accused pair"
    if because == "own_pair":
        return f"{caller} named the own pair"
    if because == "refused":
        who = " and ".join(seat for seat in asked if refusals.get(seat))
        return f"{who} did not show; a person has confirmed that this counts against the pair"
    if call.is_early_perhaps and because == "unobserved":
        return "nobody saw the table, so it is not known whether swapping had begun when the call came"
    if because == "quad":
        seat = next((seat for seat in asked if hands.outcome(seat) == frozenset((True,))), asked[0])
        return _held(seat, hands)
    if because == "no_quad":
        if caller is not None and hands.any_of(asked) == frozenset((True,)):  # a double Kemps is about both
            return f"{_held(asked[0], hands)}; but {_not_held(call, caller, hands, refusals)}"
        return "; ".join(_not_held(call, seat, hands, refusals) for seat in asked)
    unclear = [seat for seat in asked if len(hands.outcome(seat)) > 1]
    if call.call == "double_kemps" and caller is not None and len(hands.outcome(caller)) > 1:
        unclear.append(caller)
    return "; ".join(_open(call, seat, hands, refusals) for seat in unclear)


def _cards(seat: Seat, hands: Hands) -> str:
    hand = hands.shown[seat]
    more = f" and {hand.unread} not read" if hand.unread else ""
    return (" ".join(card.sign for card in hand.cards) or "no card") + more


def _held(seat: Seat, hands: Hands) -> str:
    hand = hands.shown.get(seat)
    if hand is None:
        return f"{seat} took four of a rank through the centre"
    ranks = {card.rank for card in hand.cards}
    is_told = len(ranks) == 1 and not hand.unread and len(hand.cards) == 4
    what = f": four {_RANKS[ranks.pop()]}" if is_told else ", by the ledger four of a rank at the call"
    return f"{seat} shows {_cards(seat, hands)}{what}"


def _not_held(call: CallMade, seat: Seat, hands: Hands, refusals: Collection[Seat]) -> str:
    hand = hands.shown.get(seat)
    if hand is None:
        return f"{_unseen(seat, refusals)}, but by the ledger held no four of a rank"
    text = f"{seat} shows {_cards(seat, hands)}"
    count = len(hand.cards) + hand.unread
    is_four_alike = len(hand.cards) >= 4 and len({card.rank for card in hand.cards}) == 1
    if is_four_alike and count == 4:
        later = [move for move in hands.moves if move.at_ms >= call.event.at_ms and move.is_in]
        moved = any(move.seat in (seat, None) and move.card in hand.cards for move in later)
        return text + (", completed after the call" if moved else ", but the swap was still open at the call")
    if count != 4 and hand.is_complete:
        return text + f": {count} cards instead of four"
    return text + ": no quad"


def _unseen(seat: Seat, refusals: Collection[Seat]) -> str:
    """That a hand was not seen is no refusal: that is told only where one was."""
    return f"{seat} did not show" if seat in refusals else f"{seat}'s hand was not seen"


def _open(call: CallMade, seat: Seat, hands: Hands, refusals: Collection[Seat]) -> str:
    hand = hands.shown.get(seat)
    if hand is None:
        return _unseen(seat, refusals)
    if seat in hands.blind:
        return f"{seat} shows {_cards(seat, hands)}, but {_unwatched(hands.blind[seat])}"
    if hand.is_doubtful:
        what = "the same card twice" if hand.is_doubtful == "twice" else "one time this, another time that"
        return f"{seat} shows {_cards(seat, hands)}: {what}"
    if hand.unread:
        return f"{seat} shows {_cards(seat, hands)}"
    if any(move.seat in (seat, None) for move in hands.close):
        return f"{seat} shows {_cards(seat, hands)}, but a card moved too close to the call"
    if call.sizes[seat] != 4 and seat not in call.unsized:
        return f"{seat} shows {_cards(seat, hands)}, but by the ledger had a swap open whose end was not seen"
    if not hand.is_complete:
        return f"{seat} shows {_cards(seat, hands)}, and perhaps more"
    return f"{seat} shows {_cards(seat, hands)}, but somebody's swap was open at the call, nobody saw whose"


def _unwatched(gap: Gap) -> str:
    """That the table was out of sight between the call and the showing of a hand, and when."""
    span = f"from {gap.at_ms / 1000:.1f} to {gap.until_ms / 1000:.1f} s"
    return f"{span}, between the call and then, nobody saw the cards"
