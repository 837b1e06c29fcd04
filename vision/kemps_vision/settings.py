"""One table of a TOML file, read key by key; a wrong value is an error that names its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kemps_vision.errors import ConfigError


class Section:
    """A TOML table whose keys are among ``keys`` (separated by spaces); ``where`` names it in errors."""

    def __init__(self, data: object, where: str, keys: str) -> None:
        if not isinstance(data, dict):
            raise ConfigError(f"{where}: is no table of keys and values")
        self._data: dict[str, Any] = data
        self._where = where
        known = keys.split()
        for key in data:
            if key not in known:
                raise ConfigError(f"{where}: unknown key {key!r}; known are {', '.join(known)}")

    def error(self, key: str, what: str) -> ConfigError:
        """An error about the value of ``key``."""
        return ConfigError(f"{self._where}: {key} {what}")

    def has(self, key: str) -> bool:
        """Whether something is said under a key."""
        return key in self._data

    def text(self, key: str, default: str) -> str:
        """The text under a key."""
        value = self._data.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"is a text in quotes, not {value!r}")
        return value.strip()

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """One of ``choices``, the first when the key is absent."""
        value = self.text(key, choices[0])
        if value not in choices:
            raise self.error(key, f"is one of {', '.join(choices)}, not {value!r}")
        return value

    def integer(self, key: str, default: int) -> int:
        """The whole number under a key."""
        value = self._data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"is a whole number, not {value!r}")
        return value

    def numbers(self, key: str, count: int) -> tuple[float, ...] | None:
        """The list of ``count`` numbers under a key, or None when it is absent."""
        value = self._data.get(key)
        return None if value is None else self._numbers(key, value, count)

    def points(self, key: str) -> tuple[tuple[float, float], ...] | None:
        """The list of points ``[x, y]`` under a key, or None when it is absent."""
        value = self._data.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.error(key, "is a list of points, as [[x, y], …]")
        pairs = [self._numbers(key, point, 2) for point in value]
        return tuple((pair[0], pair[1]) for pair in pairs)

    def section(self, key: str, keys: str) -> Section | None:
        """The table under a key, or None when it is absent."""
        value = self._data.get(key)
        return None if value is None else Section(value, f"{self._where}: {key}", keys)

    def sections(self, key: str, keys: str) -> list[Section]:
        """The tables of ``[[key]]``."""
        value = self._data.get(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"is written [[{key}]], with two brackets")
        return [Section(one, f"{self._where}: {key} {number}", keys) for number, one in enumerate(value, 1)]

    def _numbers(self, key: str, value: object, count: int) -> tuple[float, ...]:
        is_list = isinstance(value, list) and len(value) == count
        if not isinstance(value, list) or not is_list or not all(_is_number(one) for one in value):
            raise self.error(key, f"is made of lists of {count} numbers, not {value!r}")
        return tuple(float(one) for one in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
