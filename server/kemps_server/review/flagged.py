"""Flags as incidents: what one rule says of the same seats at the same time is one, over all cameras."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kemps_rules.flags import Flag
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident, Part, Sort, Weight
from kemps_server.review.weights import reason, weight_of_flags

GAP_MS: Final = 2000
"""Flags of one rule and the same seats that lie no further apart are one incident."""


@dataclass(eq=False, slots=True)
class _Group:
    flags: list[Flag]
    until_ms: int


def flag_incidents(look: Look) -> Iterator[Incident]:
    """An incident for each group of flags, also of those that a person decided on."""
    decided = [entry.flag for entry in look.judgement.reviewed]
    every = dict.fromkeys((*look.judgement.flags, *decided))
    covered = {line for flag in every if flag.rule == "R11" for line in flag.events}
    for group in _groups(look, sorted(every, key=lambda flag: (flag.at_ms, flag.events, flag.rule))):
        weight, reasons = weight_of_flags(look, group.flags)
        if group.flags[0].rule == "R10" and all(covered & set(flag.events) for flag in group.flags):
            weight, reasons = Weight.ROUTINE, (reason("covered", rule="R11"), *reasons)
        yield Incident(
            sort=Sort.FLAG,
            rule=group.flags[0].rule,
            parts=_parts(group.flags),
            seats=tuple(dict.fromkeys(seat for flag in group.flags for seat in flag.seats)),
            at_ms=group.flags[0].at_ms,
            until_ms=group.until_ms,
            weight=weight,
            reasons=reasons,
        )


def _parts(flags: list[Flag]) -> tuple[Part, ...]:
    """A part for each set of lines that one review is about."""
    messages: dict[tuple[int, ...], list[str]] = {}
    for flag in flags:
        messages.setdefault(flag.events, []).append(flag.message)
    return tuple(Part(flags[0].rule, lines, "; ".join(texts)) for lines, texts in messages.items())


def _groups(look: Look, flags: list[Flag]) -> list[_Group]:
    groups: list[_Group] = []
    by_seats: dict[tuple[str, frozenset[str]], _Group] = {}
    by_line: dict[tuple[str, int], _Group] = {}  # a review that names the first line is about all of these
    for flag in flags:
        seats, line = (flag.rule, frozenset(flag.seats)), (flag.rule, flag.events[0])
        near = by_seats.get(seats)
        if near is not None and flag.at_ms > near.until_ms + GAP_MS:
            near = None
        same = by_line.get(line)
        if near is not None and same is not None and near is not same:
            near = _joined(groups, near, same, by_seats, by_line)
        group = near or same
        if group is None:
            group = _Group([], flag.at_ms)
            groups.append(group)
        group.flags.append(flag)
        group.until_ms = max(group.until_ms, _until_ms(look, flag))
        by_seats[seats] = by_line[line] = group
    return groups


def _joined(
    groups: list[_Group],
    one: _Group,
    other: _Group,
    by_seats: dict[tuple[str, frozenset[str]], _Group],
    by_line: dict[tuple[str, int], _Group],
) -> _Group:
    groups.remove(other)
    one.flags = sorted([*one.flags, *other.flags], key=lambda flag: (flag.at_ms, flag.events))
    one.until_ms = max(one.until_ms, other.until_ms)
    for seats, group in by_seats.items():
        if group is other:
            by_seats[seats] = one
    for line, group in by_line.items():
        if group is other:
            by_line[line] = one
    return one


def _until_ms(look: Look, flag: Flag) -> int:
    found = [event for event in map(look.effective, flag.events) if event is not None]
    return max([flag.at_ms, *(getattr(event, "until_ms", None) or event.at_ms for event in found)])
