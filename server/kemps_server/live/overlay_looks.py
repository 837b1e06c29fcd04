"""How an overlay looks: what the owner set for a table, what an address asks for, and what else holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)

Part: TypeAlias = Literal["score", "names", "centre", "stock", "call", "hands", "notes"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)

_ONE: Final = "|".join(PARTS)
_LIST: Final = rf"^(({_ONE})(,({_ONE}))*)?$"
_LISTS: Final = frozenset({"parts", "hide"})


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


class Asked(BaseModel):
    """How an address asks an overlay to look; a slip in it is as if it had not been said, and is named.

    >>> asked = Asked.model_validate({"scale": "abc", "hide": "stock,ghosts", "theme": "slate"})
    >>> asked.looks(), asked.slips
    ({'theme': 'slate', 'hide': ['stock']}, ('hide', 'scale'))
    """

    theme: Literal["", "felt", "slate", "paper", "clear"] = Field(
        default="", description="felt, slate, paper, or clear: no ground at all."
    )
    layout: Literal["", "bar", "corners", "column"] = Field(
        default="", description="bar: one row; corners: a pair in each; column: down one side."
    )
    side: Literal["", "bottom", "top", "left", "right"] = Field(
        default="", description="Where the row or the column lies."
    )
    lang: Literal["", "en", "ru", "pt", "fr", "es"] = Field(default="", description="The language.")
    parts: str = Field(
        default="", pattern=_LIST, description="What is shown and nothing else, with commas between."
    )
    hide: str = Field(default="", pattern=_LIST, description="What is not shown, with commas between.")
    scale: int | None = Field(
        default=None, ge=50, le=200, description="How large, in per cent; no larger than fits."
    )
    sample: bool = Field(default=False, description="For the owner without a link: a made-up game.")

    _slips: tuple[str, ...] = PrivateAttr(())

    @model_validator(mode="wrap")
    @classmethod
    def _forgive(cls, given: Any, handler: ModelWrapValidatorHandler[Asked]) -> Asked:  # noqa: ANN401
        # A page over a picture must not become a page of errors because of a letter in its address.
        said = {name: value for name, value in dict(given).items() if value != ""}
        slips: dict[str, None] = {}
        try:
            return handler(said)
        except ValidationError as error:
            slips = dict.fromkeys(str(one["loc"][0]) for one in error.errors())
        for name in slips:
            said[name] = _known_parts(said[name]) if name in _LISTS else cls.model_fields[name].default
        asked = handler(said)
        asked._slips = tuple(slips)  # noqa: SLF001 - its own
        return asked

    @property
    def slips(self) -> tuple[str, ...]:
        """The names of what made no sense."""
        return self._slips

    def looks(self) -> dict[str, Any]:
        """What was asked for, and nothing else."""
        asked: dict[str, Any] = {
            "theme": self.theme,
            "layout": self.layout,
            "side": self.side,
            "language": self.lang,
            "parts": self.parts.split(",") if self.parts else None,
            "hide": self.hide.split(",") if self.hide else None,
            "scale": self.scale,
        }
        return {name: value for name, value in asked.items() if value}


def _known_parts(said: object) -> str:
    return ",".join(part for part in str(said).split(",") if part in PARTS)
