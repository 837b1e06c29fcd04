"""Time as a set: spans that do not touch, in order; from their start up to and without their end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Spans: TypeAlias = tuple[tuple[int, int], ...]


def union(spans: Iterable[tuple[int, int]]) -> Spans:
    """All of the time that any of the spans covers.

    >>> union([(5, 9), (0, 2), (8, 12), (2, 3), (4, 4)])
    ((0, 3), (5, 12))
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def common(one: Spans, other: Spans) -> Spans:
    """The time that both cover.

    >>> common(((0, 5), (8, 12)), ((3, 9),))
    ((3, 5), (8, 9))
    """
    found, place = [], 0
    for start, end in one:
        while place and other[place - 1][1] > start:
            place -= 1
        while place < len(other) and other[place][0] < end:
            low, high = max(start, other[place][0]), min(end, other[place][1])
            if low < high:
                found.append((low, high))
            place += 1
    return tuple(found)


def without(one: Spans, other: Spans) -> Spans:
    """The time that the first covers and the second does not.

    >>> without(((0, 10),), ((2, 3), (9, 20)))
    ((0, 2), (3, 9))
    """
    found = []
    for start, end in one:
        for low, high in common(((start, end),), other):
            if start < low:
                found.append((start, low))
            start = high  # noqa: PLW2901 - what is left of the span
        if start < end:
            found.append((start, end))
    return tuple(found)


def length_of(spans: Spans) -> int:
    """How long they are together.

    >>> length_of(((0, 2), (5, 9)))
    6
    """
    return sum(end - start for start, end in spans)


def is_in(at_ms: int, spans: Spans) -> bool:
    """Whether a moment lies in one of the spans."""
    return any(start <= at_ms < end for start, end in spans)
