"""``python -m kemps_scenes``: renders a journal, a deck or the committed clips; measures its speed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import cv2

from kemps_rules.errors import KempsRulesError
from kemps_rules.journal import read_journal
from kemps_scenes.backs import BACKS
from kemps_scenes.bench import measure
from kemps_scenes.camera import VIEWS
from kemps_scenes.canvas import Image
from kemps_scenes.clips import render_clip
from kemps_scenes.deck import deck_sheet, open_deck
from kemps_scenes.demo import COMMITTED
from kemps_scenes.errors import ScenesError
from kemps_scenes.looks import DECKS
from kemps_scenes.pacing import paced
from kemps_scenes.spec import CENTRE_LAYOUTS, CLUTTER, PACKETS, SHOW_STYLES, SURFACES, SceneSpec
from kemps_scenes.stills import write_still


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; 0 when it worked, 1 when writing failed, 2 when the input was wrong."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except (ScenesError, KempsRulesError) as error:
        _say(f"kemps_scenes: {error}", sys.stderr)
        return 2
    except FileNotFoundError as error:
        _say(f"kemps_scenes: {error.filename} is not there; give a journal that exists", sys.stderr)
        return 2
    except OSError as error:
        _say(f"kemps_scenes: cannot write: {error}", sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m kemps_scenes", description="The made-up table.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    render = commands.add_parser("render", help="a journal becomes a clip with its truth beside it")
    render.add_argument("journal", type=Path)
    render.add_argument("--out", type=Path, required=True, metavar="CLIP.mp4")
    render.add_argument("--pace", action="store_true", help="put events off where hands need more time")
    _add_looks(render)
    render.set_defaults(run=_render)
    deck = commands.add_parser("deck", help="a sheet of all cards of a deck")
    deck.add_argument("--out", type=Path, required=True, metavar="SHEET.png")
    deck.add_argument("--deck", choices=DECKS, default="club")
    deck.add_argument("--back", choices=BACKS, default="lattice")
    deck.set_defaults(run=_deck)
    still = commands.add_parser("still", help="a picture of a random table with its truth beside it")
    still.add_argument("--out", type=Path, required=True, metavar="STILL.jpg")
    still.add_argument("--seed", type=int, default=1)
    still.add_argument("--layout", choices=("separate", "overlapping", "fan"), default=None)
    still.set_defaults(run=_still)
    demo = commands.add_parser("demo", help="renders the committed clips again")
    demo.add_argument("--root", type=Path, default=Path(), help="the repository's root")
    demo.add_argument("--only", default="", metavar="NAME")
    demo.set_defaults(run=_demo)
    bench = commands.add_parser("bench", help="frames a second on one core")
    bench.add_argument("--json", action="store_true")
    bench.set_defaults(run=_bench)
    return parser


def _add_looks(parser: argparse.ArgumentParser) -> None:
    usual = SceneSpec()
    parser.add_argument("--seed", type=int, default=usual.seed)
    for name, known in (
        ("deck", DECKS),
        ("back", BACKS),
        ("surface", SURFACES),
        ("camera", VIEWS),
        ("centre", CENTRE_LAYOUTS),
        ("clutter", CLUTTER),
        ("packets", PACKETS),
    ):
        parser.add_argument(f"--{name}", choices=tuple(known), default=getattr(usual, name))
    parser.add_argument("--shows", choices=SHOW_STYLES, nargs="+", default=list(usual.shows))
    for name in ("width", "height", "fps", "quality"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    for name in ("flicker", "light-change", "shake-px", "noise"):
        parser.add_argument(f"--{name}", type=float, default=getattr(usual, name.replace("-", "_")))


def _render(given: argparse.Namespace) -> int:
    fields = {name: getattr(given, name) for name in SceneSpec.__dataclass_fields__ if hasattr(given, name)}
    spec = SceneSpec(**{**fields, "shows": tuple(given.shows)})
    events = read_journal(given.journal).events
    render_clip(paced(events) if given.pace else events, spec, given.out, _progress)
    return 0


def _deck(given: argparse.Namespace) -> int:
    _write_picture(given.out, deck_sheet(open_deck(given.deck, given.back)))
    return 0


def _still(given: argparse.Namespace) -> int:
    write_still(given.seed, given.out, layout=given.layout)
    return 0


def _demo(given: argparse.Namespace) -> int:
    for clip in COMMITTED:
        if given.only in clip.path:
            _say(clip.path, sys.stderr)
            render_clip(clip.events, clip.spec, given.root / clip.path, _progress)
    return 0


def _bench(given: argparse.Namespace) -> int:
    figures = measure()
    _say(
        json.dumps(figures)
        if given.json
        else "\n".join(f"{name:22} {value}" for name, value in figures.items())
    )
    return 0


def _write_picture(path: Path, rgb: Image) -> None:
    if not cv2.imwrite(str(path), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)):
        raise OSError(f"{path} cannot be written; the name should end in .png or .jpg")


def _say(text: str, stream: TextIO = sys.stdout) -> None:
    stream.write(text + "\n")


def _progress(done: int, count: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == count else ""
        sys.stderr.write(f"\r{done}/{count} frames{end}")


if __name__ == "__main__":
    sys.exit(main())
