"""What the doctor says: one finding a line, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTE = "note"  # good to know; nothing needs doing
    FIX = "fix"  # the reading of the game will suffer until this is put right


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: ``about`` what, what it ``says``, and what ``todo`` where that helps."""

    level: Level
    about: str
    says: str
    todo: str = ""

    def as_json(self) -> dict[str, str]:
        """The finding for programs."""
        told = {"level": str(self.level), "about": self.about, "says": self.says}
        return told | ({"do": self.todo} if self.todo else {})


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings about one camera, or about the installation, and the figures they come from."""

    name: str
    findings: tuple[Finding, ...]
    figures: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The diagnosis for programs."""
        return {"name": self.name, "findings": [one.as_json() for one in self.findings], **self.figures}


def is_fine(diagnoses: Sequence[Diagnosis]) -> bool:
    """Whether nothing has to be put right."""
    return all(one.level is not Level.FIX for diagnosis in diagnoses for one in diagnosis.findings)
