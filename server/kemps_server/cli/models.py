"""``kemps models``: fetch what finds faces, hands and bodies, and check all models."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

import typer
from rich.console import Console
from rich.table import Table

from kemps_models.errors import FetchError, ModelError
from kemps_models.fetching import fetch
from kemps_models.landmarkers import landmarkers_folder, load_landmarkers
from kemps_models.registry import FOLDER, load_manifest, verified_path
from kemps_server.errors import WorkFailedError

_MISSING: Final = 1
_SHIPPED, _READY, _FETCHED, _ABSENT = "shipped", "ready", "fetched", "missing"


@dataclass(frozen=True, slots=True)
class ModelState:
    """One model for the list: ``state`` is shipped, ready (fetched before), fetched (now) or missing."""

    name: str
    state: str
    bytes: int
    licence: str
    sha256: str
    says: str = ""


def models(
    check: bool = typer.Option(False, "--check", help="Fetch nothing; say what is there."),
    as_json: bool = typer.Option(False, "--json", help="One JSON object."),
) -> int:
    """Fetch MediaPipe's models for faces, hands and bodies once, and check every model's checksum.

    About 21 MB are fetched into the cache folder ($KEMPS_MODELS names another); afterwards all works offline.
    The card reader's own weights are part of the program. The exit code is 1 when a model is missing.
    """
    states = [*_shipped(), *_landmarkers(fetches=not check)]
    if as_json:
        told = {"folder": str(landmarkers_folder()), "models": [asdict(state) for state in states]}
        print(json.dumps(told, ensure_ascii=False))  # noqa: T201 - the answer
    else:
        _tell(states)
    missing = [state for state in states if state.state == _ABSENT]
    if missing and not check:
        raise WorkFailedError(missing[0].says)
    return _MISSING if missing else 0


def _shipped() -> list[ModelState]:
    states = []
    manifest = load_manifest()
    for name, entry in manifest.items():
        try:
            verified_path(name, manifest, FOLDER)
            state, says = _SHIPPED, ""
        except ModelError as error:
            state, says = _ABSENT, str(error)
        states.append(ModelState(name, state, entry.bytes, entry.licence, entry.sha256, says))
    return states


def _landmarkers(*, fetches: bool) -> list[ModelState]:
    states = []
    for entry in load_landmarkers().values():
        says = ""
        try:
            is_new = fetch(entry, landmarkers_folder(), None if fetches else ())
            state = _FETCHED if is_new else _READY
        except FetchError as error:
            state, says = _ABSENT, str(error) if fetches else "not fetched yet; run kemps models"
        states.append(ModelState(entry.name, state, entry.bytes, entry.licence, entry.sha256, says))
    return states


def _tell(states: list[ModelState]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("model", "MB", "licence", "state"):
        table.add_column(title, justify="right" if title == "MB" else "left")
    for one in states:
        colour = "red" if one.state == _ABSENT else "green"
        table.add_row(one.name, f"{one.bytes / 1e6:.1f}", one.licence, f"[{colour}]{one.state}[/{colour}]")
    console = Console(highlight=False)
    console.print(table)
    console.print(f"the fetched ones lie in {landmarkers_folder()}", soft_wrap=True)
