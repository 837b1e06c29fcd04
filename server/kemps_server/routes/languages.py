"""Which language a page is in."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Query, Request

from kemps_server.access.saying import PAGE_LANGUAGE
from kemps_server.page.words import LANGUAGES

Language: TypeAlias = Annotated[
    str | None, Query(alias="lang", description="en, ru, pt, fr or es; else the browser's.")
]


def script_language(request: Request) -> str:
    """The language that a page's script names for what it is told; English for programs."""
    asked = request.headers.get(PAGE_LANGUAGE, "")
    return asked if asked in LANGUAGES else LANGUAGES[0]


ScriptLanguage: TypeAlias = Annotated[str, Depends(script_language)]


def language_of(request: Request, asked: str | None) -> str:
    """The language asked for, else the one chosen before, else the browser's first that there is."""
    chosen = request.cookies.get("kemps_language", "")
    header = request.headers.get("accept-language", "")
    tags = [asked or "", chosen, *(part.split(";")[0].strip() for part in header.split(","))]
    return next((tag[:2].lower() for tag in tags if tag[:2].lower() in LANGUAGES), LANGUAGES[0])
