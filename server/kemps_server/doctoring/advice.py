"""From figures to findings: what is wrong at the table, what it means for the reading, and what to do."""

from __future__ import annotations

from math import ceil
from typing import Final

from kemps_server.doctoring.card_sizes import Counts, SizeRow, SizeTable
from kemps_server.doctoring.findings import Finding, Level
from kemps_server.doctoring.light import Light
from kemps_server.doctoring.measures import CardMeasures, Measures

FULL_FPS: Final = 14.0  # the observer watches 15 frames a second and makes nothing of more
LEAST_FPS: Final = 9.0  # below, three readings of a card that lies free take longer than many swaps
TOLD_SHARE: Final = 0.8  # of the frames that a camera says it sends
LONG_GAP_MS: Final = 400
WATCHED_ENOUGH: Final = 0.97  # of the cards named after some seconds, by the table
WRONG_TOO_OFTEN: Final = 0.01
ROOM: Final = 0.85  # of the picture may be cards, when the camera goes nearer: hands need the rest
FLICKERS: Final = 0.04
UNREAD_MANY: Final = 0.1
SMALL_INDEX: Final = 0.85  # of the usual height for the card's length
SLOW_MS: Final = 250.0  # a busy centre is read every 133 ms, and is smaller than the picture
# What follows was set by `python -m kemps_server.bench.card_faults`: at the first of each pair about one card
# in twenty that was named is named no more, at the second one in five.
BLURRED, TOO_BLURRED = 0.010, 0.013  # by the card's length
DIM_PAPER, DARK_PAPER = 80.0, 40.0
FADED, PALE = 0.5, 0.38  # contrast by the brightness of the paper
BRIGHT, BURNT_OUT = 0.7, 0.85  # share of a card


def advise(measures: Measures, table: SizeTable) -> list[Finding]:
    """All findings about a camera that watches the table, the picture first."""
    findings = pace(measures)
    if measures.cards is None:
        return [*findings, no_cards(measures), *light(measures)]
    findings += [card_size(measures, measures.cards, table), *unread(measures.cards)]
    return findings + light(measures) + sharpness(measures.cards) + centre(measures) + speed(measures)


def no_cards(measures: Measures) -> Finding:
    """That there is nothing to measure."""
    looks = "one look" if measures.looks == 1 else f"{measures.looks} looks"
    todo = (
        "lay some cards face up where they lie in the game, and run this again; if some lie there, go nearer "
        "or bring more light"
    )
    return Finding(Level.FIX, "cards", f"no card was found in {looks}", todo)


def pace(measures: Measures) -> list[Finding]:
    """Size and rate of the frames."""
    width, height = measures.size
    if measures.fps is None:
        return [Finding(Level.OK, "picture", f"{width}x{height}")]
    says = f"{width}x{height}, {measures.fps:.1f} frames a second"
    gap = measures.longest_gap_ms or 0
    if measures.fps < LEAST_FPS:
        todo = (
            "bring more light (webcams slow down in the dark), give the camera a port of its own, or ask it "
            "for a smaller picture: quick swaps may be missed"
        )
        return [Finding(Level.FIX, "picture", says, todo)]
    if gap > LONG_GAP_MS:
        says += f", but once none for {gap} ms"
        return [
            Finding(Level.NOTE, "picture", says, "close other programs; what happens in a gap is not seen")
        ]
    if measures.told_fps is not None and measures.fps < TOLD_SHARE * measures.told_fps:
        says += f", though the camera says {measures.told_fps:.0f}"
        todo = "bring more light or fix its exposure, and give the camera a USB port of its own"
        return [Finding(Level.NOTE, "picture", says, todo)]
    if measures.fps < FULL_FPS:
        return [Finding(Level.NOTE, "picture", f"{says}; 15 are watched where they come")]
    return [Finding(Level.OK, "picture", says)]


def card_size(measures: Measures, cards: CardMeasures, table: SizeTable) -> Finding:
    """How long cards are in the picture, and what that means for reading them."""
    reads_as = cards.reads_as_px
    expected, row = table.expected(reads_as), table.nearest(reads_as)
    low, high = table.good_px
    says = (
        f"cards are {cards.length_px:.0f} px long{_index(cards)}; in tests {_told(row.one_look)} of "
        f"{row.length_px:.0f} px were named in one look, {_told(row.watched)} after "
        f"{table.watched_ms // 1000} s, {_wrongly(row)}"
    )
    is_bad = expected.watched < WATCHED_ENOUGH or expected.watched_wrong > WRONG_TOO_OFTEN
    if table.is_good(reads_as) and not is_bad:
        return Finding(Level.OK, "card size", says)
    todo = _nearer(measures, cards, table.good_px) if reads_as < low else _farther(high)
    return Finding(Level.FIX if is_bad else Level.NOTE, "card size", says, todo)


def unread(cards: CardMeasures) -> list[Finding]:
    """Cards that are seen but not named."""
    if cards.unread <= UNREAD_MANY * cards.seen:
        return []
    level = Level.FIX if cards.unread == cards.seen else Level.NOTE
    says = f"{cards.unread} of {cards.seen} cards seen in the {cards.looks} looks could not be named"
    todo = "see that no lamp mirrors in them and their corners lie free; kemps read --draw DIR shows which"
    return [Finding(level, "unread", says, todo)]


def light(measures: Measures) -> list[Finding]:
    """Exposure, contrast, and whether the light is steady."""
    seen = measures.light
    findings = [_exposure(seen, has_cards=measures.cards is not None)]
    if measures.flicker > FLICKERS:
        findings.append(
            Finding(
                Level.NOTE,
                "flicker",
                f"the brightness jumps by {_percent(measures.flicker)} from frame to frame",
                "set the camera to the mains frequency (50 or 60 Hz) or switch its automatic exposure off; "
                "dimmed LED lamps flicker too",
            )
        )
    return findings


def sharpness(cards: CardMeasures) -> list[Finding]:
    """Whether the cards are sharp enough for their size."""
    if cards.blur_px is None:
        return []
    share = cards.blur_px / cards.length_px
    says = f"edges on the cards are blurred by {cards.blur_px:.1f} px"
    if share < BLURRED:
        return [Finding(Level.OK, "sharpness", says)]
    todo = "focus the camera on the table, hold focus there, wipe its lens, or bring more light"
    return [Finding(Level.FIX if share >= TOO_BLURRED else Level.NOTE, "sharpness", says, todo)]


def centre(measures: Measures) -> list[Finding]:
    """Whether it is known where the centre is."""
    if measures.centre is None:
        says = "no group of three to five cards that could be the centre is found"
        todo = "lay the four cards of the centre side by side, or tell where it is: centre in table.toml"
        return [Finding(Level.NOTE, "centre", says, todo)]
    how = "as table.toml tells it" if measures.is_centre_told else "found by itself"
    says = f"the centre is {how}, with {measures.in_centre} cards in it"
    if measures.is_centre_told and measures.in_centre == 0:
        todo = "mark the centre again, or lay cards there: the camera may have been moved"
        return [Finding(Level.FIX, "centre", "no card lies in the centre that table.toml tells", todo)]
    return [Finding(Level.OK, "centre", says)]


def speed(measures: Measures) -> list[Finding]:
    """Whether this machine keeps up."""
    if measures.read_ms is None:
        return []
    says = f"reading the whole picture takes {measures.read_ms:.0f} ms on this machine"
    if measures.read_ms <= SLOW_MS:
        return [Finding(Level.OK, "speed", says)]
    todo = "close other programs; a live game may be read less often than it should"
    return [Finding(Level.NOTE, "speed", says, todo)]


def _exposure(seen: Light, *, has_cards: bool) -> Finding:
    says = f"the cards' paper is at {seen.paper:.0f} of 255, their ink {seen.contrast:.0f} below it"
    if not has_cards:
        dark = seen.paper - seen.contrast
        says = f"bright parts of the picture are at {seen.paper:.0f} of 255, dark ones at {dark:.0f}"
    if seen.paper < DIM_PAPER:
        level = Level.FIX if seen.paper < DARK_PAPER else Level.NOTE
        return Finding(level, "light", f"{says}: dark", "bring more light, even light most of all")
    if has_cards and seen.burnt > BRIGHT:
        level = Level.FIX if seen.burnt > BURNT_OUT else Level.NOTE
        says = f"{_percent(seen.burnt)} of the cards is burnt out"
        return Finding(
            level, "light", says, "turn exposure down or the lamp away: thin lines vanish in white"
        )
    faded = seen.contrast / max(1.0, seen.paper)
    if has_cards and faded < FADED:
        level = Level.FIX if faded < PALE else Level.NOTE
        todo = "put the lamp where it does not mirror in the cards, and wipe the camera's lens"
        return Finding(level, "light", f"{says}: pale", todo)
    return Finding(Level.OK, "light", says)


def _nearer(measures: Measures, cards: CardMeasures, good_px: tuple[float, float]) -> str:
    """What makes cards as long as the shortest that read well; more is not asked for."""
    width, height = measures.size
    low, high = good_px
    factor = low / cards.reads_as_px
    fits = ROOM / max(cards.extent)
    advice = (
        f"{low:.0f} to {high:.0f} px read best; {width}x{height} should show at most "
        f"{cards.across_cm / factor:.0f} cm across where the cards lie, not {cards.across_cm:.0f}"
    )
    if factor <= fits:
        return f"move the camera nearer or zoom in: {advice}"
    return (
        f"set the camera to pictures {100 * ceil(width * factor / 100)} px wide or more, or lay the cards "
        f"closer together and go nearer (where they lie now they would not fit in the picture); {advice}"
    )


def _farther(high: float) -> str:
    return f"move the camera away or set a smaller picture: cards up to {high:.0f} px long read best"


def _told(counts: Counts) -> str:
    return f"{counts.right} of {counts.cards} cards"


def _wrongly(row: SizeRow) -> str:
    if not row.one_look.wrong and not row.watched.wrong:
        return "none wrongly"
    return f"{row.one_look.wrong} wrongly in one look and {row.watched.wrong} after that"


def _index(cards: CardMeasures) -> str:
    if cards.index_px is None:
        return ""
    told = f" (their indices {cards.index_px:.0f} px high"
    if cards.reads_as_px > SMALL_INDEX * cards.length_px:
        return f"{told})"
    return f"{told}, as those of usual cards of {cards.reads_as_px:.0f} px)"


def _percent(share: float) -> str:
    """A share for people.

    >>> [_percent(share) for share in (0, 0.0004, 0.004, 0.5, 0.996, 1)]
    ['0 %', 'under 0.1 %', '0.4 %', '50 %', '99.6 %', '100 %']
    """
    if 0 < share < 0.001:
        return "under 0.1 %"
    is_fine = 0 < share < 0.02 or 0.98 < share < 1
    text = f"{100 * share:.1f}" if is_fine else f"{100 * share:.0f}"
    return f"{text.removesuffix('.0')} %"
