"""``python -m kemps_scenes.bodies``: sheets and clips of made-up people, and what MediaPipe finds of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import cv2

from kemps_scenes.bodies.errors import BodiesError
from kemps_scenes.bodies.scripts import SCRIPTS, Setting, sitting
from kemps_scenes.bodies.share import answers, face_shares, hand_shares
from kemps_scenes.bodies.sheet import people_sheet
from kemps_scenes.bodies.speed import speeds


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; 0 when it worked, 1 when writing failed, 2 when the input was wrong."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except BodiesError as error:
        _say(f"kemps_scenes.bodies: {error}", sys.stderr)
        return 2
    except OSError as error:
        _say(f"kemps_scenes.bodies: cannot write: {error}", sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m kemps_scenes.bodies", description="Made-up people.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    sheet = commands.add_parser("sheet", help="a sheet of people and expressions")
    sheet.add_argument("--out", type=Path, required=True, metavar="SHEET.png")
    sheet.add_argument("--people", type=int, default=6)
    sheet.add_argument("--seed", type=int, default=1)
    sheet.set_defaults(run=_sheet)
    clip = commands.add_parser("clip", help="a clip of a script with its truth beside it")
    clip.add_argument("script", choices=tuple(SCRIPTS))
    clip.add_argument("--out", type=Path, required=True, metavar="CLIP.mp4")
    usual = Setting()
    for name, kind in (("seed", int), ("seconds", float), ("people", int), ("distance-m", float)):
        clip.add_argument(f"--{name}", type=kind, default=getattr(usual, name.replace("-", "_")))
    for name in ("width", "height", "fps"):
        clip.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    clip.set_defaults(run=_clip)
    share = commands.add_parser(
        "share", help="how many faces and hands MediaPipe finds, and what it says of them"
    )
    share.add_argument("--people", type=int, default=12)
    share.add_argument("--seed", type=int, default=100)
    share.add_argument("--json", action="store_true")
    share.set_defaults(run=_share)
    speed = commands.add_parser("speed", help="frames a second of processor time")
    speed.set_defaults(run=_speed)
    return parser


def _sheet(given: argparse.Namespace) -> int:
    picture = people_sheet(range(given.seed, given.seed + given.people))
    if not cv2.imwrite(str(given.out), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)):
        raise OSError(f"{given.out} cannot be written; the name should end in .png or .jpg")
    return 0


def _clip(given: argparse.Namespace) -> int:
    fields = {name: getattr(given, name) for name in Setting.__dataclass_fields__}
    sitting(given.script, Setting(**fields)).write(given.out)
    return 0


def _share(given: argparse.Namespace) -> int:
    faces = face_shares(given.people, given.seed)
    hands = hand_shares(given.people, given.seed)
    said = answers(given.people, given.seed)
    if given.json:
        rows = [asdict(answer) for answer in said]
        _say(json.dumps({"people": given.people, "faces": faces, "hands": hands, "answers": rows}))
        return 0
    for distance, share in faces.items():
        _say(f"faces at {distance:.1f} m   {share:.2f} found")
    for name, (crop, whole) in hands.items():
        _say(f"hands, {name:6}   {crop:.2f} found in a crop, {whole:.2f} in the whole picture")
    for row in said:
        _say(f"{row.expression:16} {row.blendshape:16} {row.rest:.2f} at rest, {row.full:.2f} in full")
    return 0


def _speed(given: argparse.Namespace) -> int:
    del given
    for name, value in speeds().items():
        _say(f"{name:20} {value:.1f} frames a second")
    return 0


def _say(text: str, stream: TextIO = sys.stdout) -> None:
    stream.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
