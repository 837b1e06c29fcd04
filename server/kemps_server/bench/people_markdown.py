"""The report of ``kemps bench people`` as the tables of a document, put between its two marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kemps_server.bench.marked_document import markdown_table, put_between
from kemps_server.bench.people_bars import told

BEGIN: Final = "<!-- kemps bench people --docs: begin -->"
END: Final = "<!-- kemps bench people --docs: end -->"

Part = Mapping[str, Any]


def put_into(path: Path, report: Part) -> None:
    """Writes the tables into a document in place of those between its marks.

    Raises:
        KempsServerError: The document is not there, or lacks the marks.
        WorkFailedError: It cannot be written.
    """
    put_between(path, BEGIN, END, markdown(report))


def markdown(report: Part) -> str:
    """The tables of all parts that were measured."""
    return "\n".join(line for part in _parts(report) for line in (*part, ""))


def _parts(report: Part) -> Iterator[Sequence[str]]:
    yield ["### Bars of people", "", *_bars(report["bars"])]
    if stills := report.get("stills"):
        yield from _stills(stills)
    if clips := report.get("clips"):
        yield from _clips(clips)
    rendered = report.get("rendered", {})
    if faces := rendered.get("faces"):
        yield from _faces(faces)
    if tables := rendered.get("tables"):
        yield from _tables("Made-up people at a table", tables)
    if other := report.get("other_tables"):
        yield from _tables("Tables of another renderer", other)
    if rendered:
        yield from _who(rendered)
    if speed := report.get("speed"):
        yield ["### Speed of following people", "", *_speed(speed)]


def _bars(bars: Sequence[Part]) -> list[str]:
    rows = []
    for bar in bars:
        figures = "<br>".join(f"{where}: {figure}" for where, figure in bar["figures"].items())
        rows.append([bar["what"], bar["bar"], figures or "–", f"**{bar['verdict']}**"])
    return markdown_table(["what", "bar", "figure (95 %)", ""], rows)


def _stills(stills: Part) -> Iterator[Sequence[str]]:
    yield [f"### Stills, {stills['photos']} of them"]
    rows = [["all", *_face_cells(stills["faces"])]]
    rows += [[kind, *_face_cells(one)] for kind, one in stills["faces_by_kind"].items()]
    rows += [
        [f"faces {name} wide" if name.endswith("px") else name, *_face_cells(one)]
        for name, one in stills["faces_by_width"].items()
    ]
    yield markdown_table(["faces, by number", "photos", "found (95 %)", "extra"], rows)
    for kind, name in (("hand_on_face", "hand on face"), ("hands_touched", "hands of two people that touch")):
        part = stills[kind]
        groups = {"all": part, **part["by_kind"]}
        rows = [[group, *_claim_cells(one)] for group, one in groups.items()]
        yield markdown_table([name, "precision (95 %)", "recall (95 %)", "F1", "false"], rows)
        curve = part["curve"].items()
        rows = [
            [least, _bare(one["precision"]), _bare(one["recall"]), str(one["false"])] for least, one in curve
        ]
        yield markdown_table([f"{name}, by least score", "precision", "recall", "false"], rows)


def _clips(clips: Part) -> Iterator[Sequence[str]]:
    onset = clips["onset"]
    yield [f"### Clips, {clips['clips']} of them, {clips['minutes']} minutes"]
    yield _classes("gesture, clips without d6", clips["gestures"]["classes"])
    yield _classes("gesture, d6", clips["gestures_in_d6"]["classes"])
    late = f"Told {onset['median_ms']} ms after they began, in the median of {onset['of']}."
    all_labelled = (
        "Only of blinks, winks and brows every one is labelled: only these count as false; in d6 none."
    )
    yield [f"{late} {all_labelled}"]
    for kind, name in (("hand_on_face", "Hand on face"), ("hands_touched", "Hands that touch")):
        part = clips[kind]
        scores = ", ".join(f"{clip} {score:.2f}" for clip, score in part["scores"].items())
        shares = f"recall {told(part['recall'])}, precision {told(part['precision'])}"
        yield [f"{name}, one claim a clip: {shares}; scores: {scores or 'none'}."]


def _faces(faces: Part) -> Iterator[Sequence[str]]:
    yield [f"### Made-up faces, {faces['clips']} clips, {faces['person_minutes']} minutes of one person"]
    yield _classes("gesture", faces["classes"])
    lively = faces["lively"]
    rows = [
        [kind, str(rate["false"]), _number(rate["a_minute"])]
        for kind, rate in lively["false"].items()
        if rate["false"] or kind in {"wink_left", "wink_right", "brow_raise"}
    ]
    head = f"false while people talk and look about, {lively['person_minutes']} minutes"
    yield markdown_table([head, "times", "a minute"], rows)
    rows = [[name, told(figure)] for name, figure in faces["found_by_width"].items()]
    yield markdown_table(["width of a face turned 40° or less", "sights in which it is found (95 %)"], rows)
    still = faces["still"]
    told_still = (
        f"In {still['person_minutes']} minutes of still faces {still['episodes']} episodes were told."
    )
    yield [f"Another's face was taken for a seat's in {faces['anothers_face']} sights. {told_still}"]


def _tables(title: str, tables: Part) -> Iterator[Sequence[str]]:
    yield [f"### {title}, {tables['clips']} clips, {tables['minutes']} minutes"]
    heads = ["clips of", "reaches, right seat (95 %)", "touches and clasps (95 %)", "false contacts"]
    heads += ["near misses not called", "hidden hands (95 %)", "false hidden"]
    rows = [["all", *_table_cells(tables)]]
    rows += [[script, *_table_cells(one)] for script, one in tables["by_script"].items()]
    yield markdown_table(heads, rows)
    contacts = tables["contacts"]
    rows = [[kind, told(figure)] for kind, figure in contacts["by_kind"].items()]
    yield markdown_table(["contacts, by what they belong to", "found (95 %)"], rows)
    rows = [
        [f"{row['from']:.1f}–{row['to']:.1f}", f"{row['score']:.3f}", told(row)]
        for row in contacts["calibration"]["bins"]
    ]
    yield markdown_table(["score of a told contact", "mean", "are contacts (95 %)"], rows)
    seats = tables["seats"]
    others = f"{seats['wrong']} wrong, {seats['unclear']} without a seat, {seats['nobodys']} where no hand is"
    reaches, hidden = (tables[name]["false"]["false"] for name in ("reaches", "hidden"))
    made_up = f"{reaches} reaches and {hidden} hidden hands were made up."
    yield [
        f"Seats of hands: {told(seats['right'])} sights right, {others}; {seats['swaps']} swaps. {made_up}"
    ]


def _who(rendered: Part) -> Iterator[Sequence[str]]:
    who = rendered["people"]
    skins = ", ".join(f"{skin}: {count}" for skin, count in who["skins_light_to_dark"].items())
    looks = f"{who['with_glasses']} with glasses, {who['with_stubble']} with stubble"
    people = f"{who['people']} made-up people, {who['women']} of them women, {looks}"
    clips = f"Clips, each with its seed: {', '.join(rendered['clips'])}."
    yield [f"{people}; skins from 0 (light) to 7 (dark) {skins}. {clips}"]


def _speed(speed: Part) -> list[str]:
    rows = [[name, f"{one['cpu_ms']:.1f}", str(one["calls"])] for name, one in speed["landmarkers"].items()]
    table = markdown_table(["MediaPipe alone", "CPU-ms a call", "calls"], rows)
    parts = f"table {speed['table_cpu_ms']:.1f}, four faces {speed['faces_cpu_ms']:.1f} CPU-ms a frame"
    times = f"Following people costs {speed['times_bare']:.3f} times what its landmarkers alone do ({parts})."
    update = f"An update of both cameras with cards and one body costs {speed['update_cpu_ms']:.1f} CPU-ms"
    by_clock = f"{speed['updates_a_second']:.1f} a second by the clock"
    others = f"with {speed['load_before']:.1f} programs running before"
    return [*table, "", f"{times} {update}; {by_clock}, {others}."]


def _classes(head: str, classes: Part) -> list[str]:
    heads = [head, "recall (95 %)", "precision (95 %)", "F1", "false", "a minute", "late, ms"]
    rows = []
    for kind, one in classes.items():
        false = one["false"]
        rows.append(
            [
                kind,
                told(one["recall"]),
                told(one["precision"]),
                _number(one["f1"]),
                str(false["false"]),
                _number(false["a_minute"]),
                "–" if one["onset"]["median_ms"] is None else str(one["onset"]["median_ms"]),
            ]
        )
    return markdown_table(heads, rows)


def _face_cells(figures: Part) -> list[str]:
    return [str(figures["photos"]), told(figures["found"]), str(figures["extra"])]


def _claim_cells(claims: Part) -> list[str]:
    false = f"{claims['false']} of {claims['negatives']}"
    return [told(claims["precision"]), told(claims["recall"]), _number(claims["f1"]), false]


def _table_cells(tables: Part) -> list[str]:
    return [
        told(tables["reaches"]["found"]),
        told(tables["contacts"]["touches_and_clasps"]),
        str(tables["contacts"]["false"]["false"]),
        told(tables["near_misses"]["not_called"]),
        told(tables["hidden"]["found"]),
        str(tables["hidden"]["false"]["false"]),
    ]


def _bare(figure: Part) -> str:
    return _number(figure["share"])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
