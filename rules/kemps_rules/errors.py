"""What can be wrong with the input; play that breaks a rule is a flag, never an exception.

::

    KempsRulesError
    ├── CardError      a text that names no card
    ├── SeatError      a text that names no seat of this table
    ├── JournalError   a broken line, with its number counted from 1
    └── HouseError     house rules that cannot be read or make no sense
"""

from __future__ import annotations


class KempsRulesError(ValueError):
    """Base of all errors of this package; its text is one line a person can act on."""


class CardError(KempsRulesError):
    """A text names no card."""


class SeatError(KempsRulesError):
    """A text names no seat of this table."""


class JournalError(KempsRulesError):
    """A line of a journal cannot be used."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class HouseError(KempsRulesError):
    """House rules cannot be read, or a combination of them makes no sense."""
