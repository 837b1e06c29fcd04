"""A person's name in the lines of a journal, and the name that stands there afterwards."""

from __future__ import annotations

import json
import re
import secrets
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from kemps_rules.seats import seats_of

# What these hold is a word of the format, never a person.
_WORDS: Final = frozenset(
    {
        "kind",
        "seat",
        "card",
        "cards",
        "call",
        "rule",
        "rules",
        "against",
        "camera",
        "dealer",
        "from",
        "ruling",
        "decision",
        "where",
        "what",
        "gesture",
        "sign",
        "alphabet",
        "house",
        "version",
        "opened_at",
        "letters",
        "points",
    }
)
_SEATS: Final = frozenset(seats_of(8))


@dataclass(frozen=True, slots=True)
class Renaming:
    """A name and what takes its place, wherever it stands for a person.

    The name counts in any case and spelling of its accents; in sentences as a whole word.
    """

    name: str
    pseudonym: str

    def is_name(self, text: str) -> bool:
        """Whether a text is the name and nothing else."""
        return _plain(text) == _plain(self.name)

    def in_text(self, text: str) -> str:
        """A sentence with the name replaced.

        >>> Renaming("Anna", "player-k3f9").in_text("anna, Annabel, the hand of ANNA")
        'player-k3f9, Annabel, the hand of player-k3f9'
        """
        name = re.escape(unicodedata.normalize("NFC", self.name.strip()))
        found = rf"(?<!\w){name}(?!\w)"
        return re.sub(
            found, lambda _: self.pseudonym, unicodedata.normalize("NFC", text), flags=re.IGNORECASE
        )

    def in_line(self, line: str) -> str:
        """A line of a journal with the name replaced; one without it comes back as it was."""
        if _plain(self.name) not in _plain(line) and "\\u" not in line:  # most lines by far
            return line
        try:
            value = json.loads(line)
        except ValueError:
            return line
        changed = self._in_value(value, "")
        if changed == value:
            return line
        ending = line[len(line.rstrip("\r\n")) :]
        return json.dumps(changed, ensure_ascii=False, separators=(",", ":")) + ending

    def _in_value(self, value: Any, key: str) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, dict):
            return {name: self._in_value(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self._in_value(part, key) for part in value]
        if not isinstance(value, str) or key in _WORDS:
            return value
        if self.is_name(value):
            # "to" of a move may be a seat as well as a person.
            return value if key in {"to", "seats"} and value in _SEATS else self.pseudonym
        return self.in_text(value)


def new_pseudonym() -> str:
    """A name that tells nobody anything, the same for one person in all games."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "player-" + "".join(secrets.choice(letters) for _ in range(5))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()
