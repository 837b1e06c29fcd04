"""The bars that following people is held to, and whether a report meets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kemps_server.bench.card_bars import Bar

OPEN: Final = "open data"
RENDERED: Final = "rendered"
OTHER: Final = "another renderer"
_SIGNALS: Final = {"winks": ("wink_left", "wink_right"), "raised brows": ("brow_raise",)}
_LEAST_WINKS, _LEAST_LIVELY_MINUTES, _LEAST_REACHES, _LEAST_TABLE_MINUTES = 50, 30.0, 300, 10.0

Report = Mapping[str, Any]


def bars(report: Report) -> list[Bar]:
    """All bars, in their order, held against a report of ``kemps bench people``."""
    return [
        *_faces(report),
        *_open_gestures(report),
        *_made_up_gestures(report),
        *_on_face(report),
        *_touching(report),
        *_still(report),
        *_table(report),
        *_speed(report),
    ]


def told(figure: Report) -> str:
    """A share for people, with its interval."""
    if figure["share"] is None:
        return "0 of 0"
    low, high = figure["share_95"]
    return f"{figure['right']} of {figure['of']}, {figure['share']:.3f} ({low:.3f}–{high:.3f})"


def _part(report: Report, *names: str) -> Any:  # noqa: ANN401 - any part of a JSON report
    here: Any = report
    for name in names:
        if not isinstance(here, Mapping) or name not in here:
            return None
        here = here[name]
    return here


def _judged(what: str, bar: str, where: str, figure: str | None, is_met: bool | None) -> Bar:
    return Bar(what, bar, {} if figure is None else {where: figure}, None if figure is None else is_met)


def _faces(report: Report) -> Iterator[Bar]:
    faces = _part(report, "stills", "faces")
    what, bar = "faces in stills, by number", "at least 0.90 found, at most 5 % extra"
    if faces is None:
        yield Bar(what, bar, {}, None)
        return
    is_met = (faces["found"]["share"] or 0) >= 0.9 and faces["extra_share"] <= 0.05
    yield _judged(what, bar, OPEN, f"{told(faces['found'])}; {faces['extra']} extra", is_met)


def _open_gestures(report: Report) -> Iterator[Bar]:
    classes = _part(report, "clips", "gestures", "classes")
    blink = _part(classes, "blink") if classes else None
    errors = None if blink is None else _errors(blink)
    yield _judged(
        "blinks in clips, without d6",
        "at most 2 errors",
        OPEN,
        None if blink is None else f"{_found(blink)}, {blink['false']['false']} false",
        errors is not None and errors <= 2,
    )
    for name, kinds in _SIGNALS.items():
        some = [classes[kind] for kind in kinds if kind in classes] if classes else []
        figure = None
        if classes is not None:
            right, of = (sum(one["recall"][part] for one in some) for part in ("right", "of"))
            figure = f"{right} of {of}, {sum(one['false']['false'] for one in some)} false"
        is_met = sum(_errors(one) for one in some) == 0 and bool(some)
        yield _judged(f"{name} in clips", "all found, none false", OPEN, figure, is_met)


def _made_up_gestures(report: Report) -> Iterator[Bar]:
    faces = _part(report, "rendered", "faces")
    winks = _part(faces, "winks") if faces else None
    is_enough = winks is not None and winks["of"] >= _LEAST_WINKS
    is_good = winks is not None and (winks["share"] or 0) >= 0.9
    yield _judged(
        f"winks with the right side, at least {_LEAST_WINKS}",
        "at least 0.9",
        RENDERED,
        None if winks is None else told(winks),
        is_good if is_enough or not is_good else None,
    )
    false = _part(faces, "lively", "false") if faces else None
    minutes = _part(faces, "lively", "person_minutes") if faces else None
    figure, is_met = None, None
    if false is not None and minutes:
        winks_told, brows_told = (sum(false[kind]["false"] for kind in kinds) for kinds in _SIGNALS.values())
        rate = (winks_told + brows_told) / minutes
        figure = f"{winks_told} winks, {brows_told} brows in {minutes:.1f} minutes, {rate:.2f} a minute"
        is_met = rate <= 0.5
        is_met = is_met if minutes >= _LEAST_LIVELY_MINUTES or not is_met else None
    what = "false winks and raised brows of faces that talk and look about, at least 30 minutes"
    yield _judged(what, "together at most 0.5 a minute", RENDERED, figure, is_met)
    others = _part(faces, "anothers_face") if faces else None
    told_others = None if others is None else f"{others} sights"
    yield _judged("another's face taken for a seat's", "0", RENDERED, told_others, others == 0)


def _on_face(report: Report) -> Iterator[Bar]:
    figures = {
        f"{OPEN}, {part}": figure
        for part in ("stills", "clips")
        if (figure := _part(report, part, "hand_on_face")) is not None
    }
    both = _part(report, "hand_on_face")
    if both is not None:
        figures[f"{OPEN}, both"] = both
    telling = {
        where: f"F1 {one['f1']:.3f}, precision {told(one['precision'])}, recall {told(one['recall'])}"
        for where, one in figures.items()
        if one["f1"] is not None
    }
    is_met = None if both is None or both["f1"] is None else both["f1"] >= 0.85
    yield Bar("hand on face, stills and clips", "F1 at least 0.85", telling, is_met if telling else None)


def _touching(report: Report) -> Iterator[Bar]:
    stills = _part(report, "stills", "hands_touched")
    yield _judged(
        "hands of two people that touch, stills",
        "recall 0.8 aimed at, at most 3 false of the negatives",
        OPEN,
        None
        if stills is None
        else f"recall {told(stills['recall'])}, {stills['false']} of {stills['negatives']} false",
        stills is not None and (stills["recall"]["share"] or 0) >= 0.8 and stills["false"] <= 3,
    )
    clips = _part(report, "clips", "hands_touched")
    figure = None
    if clips is not None:
        right, of = clips["recall"]["right"], clips["recall"]["of"]
        figure = f"{right} of {of}, {clips['false']} of {clips['negatives']} clips false"
    is_met = clips is not None and clips["recall"]["share"] == 1.0 and not clips["false"]
    yield _judged("hands that touch, clips: arm wrestling found", "found, none false", OPEN, figure, is_met)
    contacts = _part(report, "rendered", "tables", "contacts")
    meant = _part(contacts, "touches_and_clasps") if contacts else None
    yield _judged(
        "touches and clasps",
        "at least 0.9",
        RENDERED,
        None if meant is None else told(meant),
        meant is not None and (meant["share"] or 0) >= 0.9,
    )
    yield _rare("false contacts", RENDERED, _part(contacts, "false") if contacts else None)
    error = _part(contacts, "calibration") if contacts else None
    yield _judged(
        "scores of told contacts: expected calibration error",
        "at most 0.1",
        RENDERED,
        None if error is None or error["error"] is None else f"{error['error']:.3f}, {error['spans']} spans",
        error is not None and error["error"] is not None and error["error"] <= 0.1,
    )
    near = _part(report, "rendered", "tables", "near_misses", "not_called")
    yield _all("near misses not called", RENDERED, near)


def _still(report: Report) -> Iterator[Bar]:
    still = _part(report, "rendered", "faces", "still")
    figure = (
        None
        if still is None or not still["person_minutes"]
        else f"{still['episodes']} in {still['person_minutes']} minutes of one face"
    )
    is_met = still is not None and still["episodes"] == 0
    yield _judged("still faces, 30 s", "0 episodes", RENDERED, figure, is_met)
    idle = _part(report, "rendered", "tables", "by_script", "idle", "contacts", "false")
    figure = None if idle is None else f"{idle['false']} in {idle['minutes']} minutes of four players"
    yield _judged("idle hands, 60 s", "0 contacts", RENDERED, figure, idle is not None and idle["false"] == 0)


def _table(report: Report) -> Iterator[Bar]:
    tables = _part(report, "rendered", "tables")
    reaches = _part(tables, "reaches", "found") if tables else None
    is_enough = reaches is not None and reaches["of"] >= _LEAST_REACHES
    is_good = reaches is not None and (reaches["share"] or 0) >= 0.97
    yield _judged(
        f"reaches bound to their seat, at least {_LEAST_REACHES}",
        "at least 0.97",
        RENDERED,
        None if reaches is None else told(reaches),
        is_good if is_enough or not is_good else None,
    )
    swaps = _part(tables, "seats") if tables else None
    yield _no_swaps(RENDERED, swaps)
    fouls = _part(tables, "by_script", "fouls") if tables else None
    yield from _fouls(RENDERED, fouls)
    shared = _part(report, "other_tables")
    yield _all("reaches bound to their seat", OTHER, _part(shared, "reaches", "found") if shared else None)
    yield _no_swaps(OTHER, _part(shared, "seats") if shared else None)
    yield from _fouls(OTHER, _part(shared, "by_script", "fouls") if shared else None)


def _fouls(where: str, fouls: Report | None) -> Iterator[Bar]:
    contacts = None
    if fouls is not None:
        contacts = _part(fouls, "contacts", "meant")
    yield _all("fouls: contacts found, also while a card is passed", where, contacts)
    hidden = None if fouls is None else _part(fouls, "hidden", "found")
    yield _all("fouls: hidden hands found", where, hidden)
    near = None if fouls is None else _part(fouls, "near_misses", "not_called")
    yield _all("fouls: near misses not called", where, near)


def _speed(report: Report) -> Iterator[Bar]:
    speed = _part(report, "speed")
    times = None if speed is None else speed["times_bare"]
    yield _judged(
        "following people against the landmarkers that it calls, CPU",
        "at most 1.15 times",
        "this machine",
        None if times is None else f"{times:.3f} times",
        times is not None and times <= 1.15,
    )
    wall = None if speed is None else speed["updates_a_second"]
    yield _judged(
        "updates a second, one table and one face camera, four faces, 2 cores",
        "at least 10",
        "this machine",
        None if speed is None else f"{wall:.1f} by the clock, {speed['update_cpu_ms']:.0f} CPU-ms each",
        wall is not None and wall >= 10,
    )


def _rare(what: str, where: str, false: Report | None) -> Bar:
    bar = f"at most 1 in {_LEAST_TABLE_MINUTES:g} minutes"
    if false is None:
        return Bar(what, bar, {}, None)
    is_met = false["false"] <= false["minutes"] / _LEAST_TABLE_MINUTES
    is_told = is_met if false["minutes"] >= _LEAST_TABLE_MINUTES or not is_met else None
    return Bar(what, bar, {where: f"{false['false']} in {false['minutes']} minutes"}, is_told)


def _all(what: str, where: str, figure: Report | None) -> Bar:
    what = f"{what}, {where}"
    if figure is None or not figure["of"]:
        return Bar(what, "all", {}, None)
    return Bar(what, "all", {where: told(figure)}, figure["right"] == figure["of"])


def _no_swaps(where: str, seats: Report | None) -> Bar:
    what, bar = f"identities of hands swapped, {where}", "0"
    if seats is None:
        return Bar(what, bar, {}, None)
    figure = (
        f"{seats['swaps']}; of {seats['right']['of']} sights {seats['wrong']} wrong, {seats['unclear']} open"
    )
    return Bar(what, bar, {where: figure}, seats["swaps"] == 0)


def _found(figures: Report) -> str:
    return f"{figures['recall']['right']} of {figures['recall']['of']}"


def _errors(figures: Report) -> int:
    recall = figures["recall"]
    return int(recall["of"] - recall["right"] + figures["false"]["false"])
