"""JSON merge patches (RFC 7396): what to change in one state to get the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_nulls(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """The value without members that are null, which a merge patch cannot set; lists keep theirs.

    >>> without_nulls({"a": None, "b": [None, {"c": None}]})
    {'b': [None, {}]}
    """
    if isinstance(value, Mapping):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [without_nulls(item) for item in value]
    return value


def patch_between(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The patch that makes ``new`` of ``old``; empty when they are the same.

    >>> patch_between({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 4}})
    {'b': {'c': 4, 'd': None}}
    """
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            # An object that was emptied member by member is the same as an empty one.
            if inner := patch_between(before, value):
                patch[key] = inner
        elif key not in old or before != value or type(before) is not type(value):
            patch[key] = value
    return patch


def patched(old: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The state after a patch.

    >>> patched({"a": 1, "b": {"c": 2}}, {"b": {"c": None}, "e": [None]})
    {'a': 1, 'b': {}, 'e': [None]}
    """
    new = dict(old)
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        elif isinstance(value, dict):
            before = new.get(key)
            new[key] = patched(before if isinstance(before, dict) else {}, value)
        else:
            new[key] = value
    return new
