"""A case as a zip file: clips of all cameras, frames, the journal and what follows from it, and their hashes.

::

    case-thursday-40000-60000/
      manifest.json           what this is, and the SHA-256 of each file and of the journal
      SHA256SUMS              the same for ``sha256sum -c SHA256SUMS``
      journal/game.jsonl      the whole journal, byte for byte
      journal/part.jsonl      its lines that concern the span, and what people decided about them
      judgement.json          what ``kemps judge --json`` prints
      clips/table.mp4         of each camera; the recording's own pictures, unless faces are blurred
      frames/table/….jpg      the frame at each call, shown hand and flag
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import cv2

from kemps_rules.decisions import DECISIONS
from kemps_rules.events import Called, HandShown
from kemps_rules.journal import Journal, journal_of
from kemps_rules.judgement import Judgement
from kemps_rules.replay import judge
from kemps_server.cases.faces import FacesInSpan, face_finder, faces_in
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.film.clips import LONGEST_COPIED_MS, LONGEST_MADE_MS
from kemps_server.film.film import Film, NoPictureError, Wish
from kemps_server.games import KeptGame
from kemps_server.recording.disk import HeldSpan, hold
from kemps_server.store.clock import clock_ms
from kemps_vision.sources.recorded import folder_name

FORMAT: Final = "kemps-case"
VERSION: Final = 1
MOST_FRAMES: Final = 60  # moments of which frames are given
_SUMS: Final = "SHA256SUMS"
_BLUR_NOTE: Final = (
    "faces were looked for five times a second and blurred where they were found; "
    "one that was not found is not blurred: look at all of it before you hand it on"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWish:
    """Which case: a span of a game, who exports it, and whether faces are blurred."""

    from_ms: int
    until_ms: int
    by: str
    is_blurred: bool = False


def write_case(game: KeptGame, film: Film, wish: CaseWish, target: Path) -> None:
    """Write a case; the recording of its span is held from now on.

    Raises:
        KempsServerError: The span makes no sense or is too long.
        KempsRulesError: The journal cannot be judged.
        WeightsError: Faces are to be blurred, and what finds them was not fetched yet.
        WorkFailedError: It cannot be written.
    """
    _check(wish)
    content = game.content()
    journal = journal_of(content)
    judgement = judge(journal)
    title = re.sub(r"[^\w-]+", "_", game.title).strip("_") or "game"
    root = f"case-{title}-{wish.from_ms}-{wish.until_ms}"
    try:
        _hold(film, wish)
        with TemporaryDirectory(prefix="kemps-case-") as place, ZipFile(target, "w") as archive:
            case = _Case(archive, root, Path(place))
            case.add("journal/game.jsonl", content)
            case.add("journal/part.jsonl", _part(content, journal, wish))
            case.add("judgement.json", _json(judgement.as_json()))
            cameras = list(_filmed(case, film, wish, _moments(journal, judgement, wish)))
            case.close(_manifest(game, wish, content, cameras, film.problem))
    except OSError as error:
        raise WorkFailedError(f"the case cannot be written: {error.strerror or error}") from None


class _Case:
    """The zip file, and the hash of each file in it."""

    def __init__(self, archive: ZipFile, root: str, place: Path) -> None:
        self.place = place
        self._archive = archive
        self._root = root
        self._sums: dict[str, str] = {}

    def add(self, name: str, content: bytes) -> None:
        """A file; pictures and videos are small as they are."""
        kind = ZIP_STORED if name.endswith((".mp4", ".jpg")) else ZIP_DEFLATED
        self._archive.writestr(f"{self._root}/{name}", content, kind)
        self._sums[name] = sha256(content).hexdigest()

    def add_file(self, name: str, path: Path) -> None:
        """A file from the disk."""
        self._archive.write(path, f"{self._root}/{name}", ZIP_STORED)
        with path.open("rb") as file:
            digest = sha256()
            while block := file.read(1 << 20):
                digest.update(block)
        self._sums[name] = digest.hexdigest()

    def close(self, manifest: dict[str, Any]) -> None:
        """The manifest with all hashes, and the list that ``sha256sum`` reads."""
        self.add("manifest.json", _json({**manifest, "files": dict(self._sums)}))
        rows = "".join(f"{digest}  {name}\n" for name, digest in self._sums.items())
        self._archive.writestr(f"{self._root}/{_SUMS}", rows, ZIP_DEFLATED)


def _check(wish: CaseWish) -> None:
    if wish.until_ms <= wish.from_ms:
        raise KempsServerError("a case ends after it begins; give another span")
    most_ms = LONGEST_MADE_MS if wish.is_blurred else LONGEST_COPIED_MS
    if wish.until_ms - wish.from_ms > most_ms:
        minutes = most_ms // 60_000
        if wish.is_blurred:
            raise KempsServerError(
                f"a case with blurred faces is at most {minutes} minutes long; give a shorter span"
            )
        raise KempsServerError(f"a case is at most {minutes} minutes long; give a shorter span")


def _hold(film: Film, wish: CaseWish) -> None:
    """A live recording makes room by deleting its oldest: not this."""
    if any(camera.is_segmented for camera in film.cameras) and film.folder.is_dir():
        hold(film.folder, HeldSpan(wish.from_ms, wish.until_ms, "case"))


def _part(content: bytes, journal: Journal, wish: CaseWish) -> bytes:
    """The lines that concern the span, the header first, and decisions about them."""
    rows = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")  # blank lines are counted, too
    kept: set[int] = set()
    for line, event in journal.numbered:
        until_ms = getattr(event, "until_ms", None) or event.at_ms
        is_inside = event.at_ms <= wish.until_ms and wish.from_ms <= until_ms
        is_about = isinstance(event, DECISIONS) and getattr(event, "event", None) in kept
        if line == 0 or is_inside or is_about:
            kept.add(line)
    return b"".join(rows[line].rstrip(b"\r") + b"\n" for line in sorted(kept) if line < len(rows))


def _moments(journal: Journal, judgement: Judgement, wish: CaseWish) -> list[int]:
    """The times of calls, shown hands and flags in the span."""
    times = {event.at_ms for event in journal.events if isinstance(event, Called | HandShown)}
    times |= {flag.at_ms for flag in judgement.flags}
    return sorted(at_ms for at_ms in times if wish.from_ms <= at_ms <= wish.until_ms)[:MOST_FRAMES]


def _filmed(case: _Case, film: Film, wish: CaseWish, moments: list[int]) -> Iterator[dict[str, Any]]:
    """What the manifest says of each camera, once its clip and frames are in the case."""
    with ExitStack() as stack:
        finder = stack.enter_context(face_finder()) if wish.is_blurred else None
        for camera in film.cameras:
            note: dict[str, Any] = {
                "name": camera.name,
                "role": camera.role,
                "size": list(camera.size),
                "offset_ms": camera.offset_ms,
                "offset_by": camera.offset_by,
            }
            try:
                faces = None
                if finder is not None:
                    faces = faces_in(film, camera.name, (wish.from_ms, wish.until_ms), finder)
                note["clip"] = _clip(case, film, camera.name, wish, faces)
                note["frames"] = list(_frames(case, film, camera.name, moments, faces))
            except NoPictureError as error:
                note["problem"] = str(error)
            yield note


def _clip(case: _Case, film: Film, camera: str, wish: CaseWish, faces: FacesInSpan | None) -> dict[str, Any]:
    name = f"clips/{folder_name(camera)}.mp4"
    path = case.place / f"{folder_name(camera)}.mp4"
    how = Wish(may_copy=faces is None, draw=None if faces is None else faces.blur, widest_px=3840)
    clip = film.clip(camera, wish.from_ms, wish.until_ms, path, how)
    case.add_file(name, path)
    path.unlink()
    return {"file": name, **asdict(clip)}


def _frames(
    case: _Case, film: Film, camera: str, moments: list[int], faces: FacesInSpan | None
) -> Iterator[dict[str, Any]]:
    for moment in moments:
        try:
            frame = film.frame_at(camera, moment)
        except NoPictureError:
            continue
        pixels = frame.pixels if faces is None else faces.blur(frame)
        name = f"frames/{folder_name(camera)}/{moment:09}.jpg"
        bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
        _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
        case.add(name, data.tobytes())
        yield {"file": name, "moment_ms": moment, "at_ms": frame.at_ms, "index": frame.index}


def _manifest(
    game: KeptGame, wish: CaseWish, content: bytes, cameras: list[dict[str, Any]], problem: str
) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"kemps {version('kemps')}",
        "game": game.title,
        "from_ms": wish.from_ms,
        "until_ms": wish.until_ms,
        "exported_by": wish.by,
        "exported_ms": clock_ms(),
        "journal_sha256": sha256(content).hexdigest(),
        "cameras": cameras,
        "is_blurred": wish.is_blurred,
        "check_with": f"sha256sum -c {_SUMS}",
    }
    if wish.is_blurred:
        manifest["note"] = _BLUR_NOTE
    if problem:
        manifest["problem"] = problem
    return manifest


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()
