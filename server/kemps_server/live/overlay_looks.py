"""How an overlay looks: what the owner set for a table, what an address asks for, and what else holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Part: TypeAlias = Literal["score", "names", "centre", "stock", "call", "hands", "notes"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)


class OverlayLooks(BaseModel):
    """How an overlay looks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    theme: Literal["felt", "slate", "paper", "clear"] = Field(
        default="felt", description="felt (green), slate (dark), paper (light), or clear: no ground at all."
    )
    layout: Literal["bar", "corners", "column"] = Field(
        default="bar",
        description="bar: all in one row; corners: a pair in each corner; column: down one side.",
    )
    side: Literal["bottom", "top", "left", "right"] = Field(
        default="bottom", description="Where the row or the column lies."
    )
    language: Literal["", "en", "ru", "pt", "fr", "es"] = Field(
        default="", description="Empty: the one of the browser that shows it."
    )
    parts: tuple[Part, ...] = Field(default=PARTS, description="What is shown.")
    scale: int = Field(default=100, ge=50, le=200, description="How large, in per cent.")


def looks_of(*settings: Mapping[str, Any]) -> OverlayLooks:
    """The look that settings hold, later ones first; what makes no sense is as if it had not been said.

    >>> looks_of({"theme": "slate", "scale": 9000}, {"scale": 120}).scale
    120
    """
    known: dict[str, Any] = {}
    looks = OverlayLooks()
    for given in settings:
        for name, value in given.items():
            try:
                looks = OverlayLooks.model_validate(known | {name: value})
            except ValidationError:
                continue
            known[name] = value
    return looks
