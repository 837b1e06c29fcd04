"""Backups: one zip file with the database as it was at one moment and the files beside it; and back again.

``kemps-backup.json``, its last member, says what made it, which schema the database has, and the SHA-256 of
every file. A backup is written beside its name and moved there when it is whole; a restore is unpacked beside
the folder, checked, and moved there, so that neither is ever half there.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, NewerStoreError, StoreError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.schema import HEAD
from kemps_server.store.upgrading import copy_database

MANIFEST: Final = "kemps-backup.json"
VERSION: Final = 1
_CHUNK: Final = 1 << 20
_LOOSE: Final = frozenset(
    {".sqlite", ".json", ".jsonl", ".html", ".toml", ".txt"}
)  # the rest is dense already
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds: files with the database among them, games in the store, and what it left out."""

    files: int
    games: int
    left_out: tuple[str, ...] = ()


def back_up(folder: DataFolder, target: Path, clock: Clock, *, with_video: bool = True) -> Backup:
    """Write a backup of a data folder, also while a server uses it.

    Logs and the copies from before upgrades are not in it; links are left out and named.

    Raises:
        KempsServerError: There is no store there, or the target is there already.
        StoreError: Something could not be read or written; no half backup is left.
    """
    if not folder.database.is_file():
        raise KempsServerError(f"{folder.root}: there is no store (no {folder.database.name}) to back up")
    if target.exists():
        raise KempsServerError(f"{target}: is there already; name another file")
    half = target.with_name(f".{target.name}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".kemps-backup-") as place:
            copy = Path(place) / folder.database.name
            copy_database(folder.database, copy)
            done = _pack(folder, copy, half, stamp(clock()), with_video=with_video)
        half.replace(target)
    except OSError as error:
        raise StoreError(
            f"{target}: the backup could not be written: {error.strerror or error}; nothing was lost"
        ) from error
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)
    return done


def restore(source: Path, folder: DataFolder) -> Backup:
    """Put a backup where there is nothing yet.

    Raises:
        KempsServerError: The folder is not empty, or the file is no backup or a damaged one.
        NewerStoreError: It was made by a newer program.
        StoreError: Something could not be read or written; the folder is as it was.
    """
    root = folder.root
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise KempsServerError(f"{root}: is not empty; name a new folder, so that nothing is overwritten")
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=root.parent, prefix=".kemps-restore-") as place:
            fresh = DataFolder(Path(place) / "data")
            fresh.root.mkdir(mode=0o700)
            done = _unpack(source, fresh)
            if root.exists():
                root.rmdir()
            fresh.root.replace(root)
    except _BROKEN as error:
        raise KempsServerError(f"{source}: is no backup of kemps, or a damaged one ({error})") from error
    except OSError as error:
        raise StoreError(
            f"{error.filename or root}: {(error.strerror or str(error)).lower()}; {root} is as it was"
        ) from error
    return done


def _pack(folder: DataFolder, database: Path, half: Path, at: str, *, with_video: bool) -> Backup:
    sums: dict[str, str] = {}
    links: list[str] = []
    half.touch(mode=0o600)
    with zipfile.ZipFile(half, "w", allowZip64=True) as pack:
        sums[database.name] = _add(pack, database, database.name)
        for path in _files(folder, links, with_video=with_video):
            name = path.relative_to(folder.root).as_posix()
            try:
                sums[name] = _add(pack, path, name)
            except FileNotFoundError:  # gone in the meantime
                continue
        manifest = {"version": VERSION, "kemps": version("kemps"), "schema": _schema(database), "made_at": at}
        text = json.dumps({**manifest, "files": sums}, indent=1, ensure_ascii=False)
        pack.writestr(MANIFEST, text.encode("utf-8", "surrogateescape"), zipfile.ZIP_DEFLATED)
    with half.open("rb") as written:
        os.fsync(written.fileno())
    return Backup(len(sums), _count(database), tuple(links))


def _files(folder: DataFolder, links: list[str], *, with_video: bool) -> Iterator[Path]:
    """What belongs into a backup beside the database; links are put into ``links`` instead.

    What begins with a dot is half of something: also this very backup, if it goes into the folder.
    """
    own = folder.database.name
    for place, folders, names in os.walk(folder.root):
        here = Path(place)
        linked = [name for name in [*folders, *names] if (here / name).is_symlink()]
        links += [(here / name).relative_to(folder.root).as_posix() for name in sorted(linked)]
        folders[:] = [
            name
            for name in sorted(folders)
            if name not in linked
            and not name.startswith(".")
            and here / name not in {folder.logs, folder.backups}
            and (with_video or name != folder.video.name)
        ]
        for name in sorted(names):
            if name in linked or name.startswith(".") or (here == folder.root and name.startswith(own)):
                continue
            yield here / name


def _add(pack: zipfile.ZipFile, path: Path, name: str) -> str:
    """The SHA-256 of what was put into the pack."""
    info = zipfile.ZipInfo.from_file(path, name, strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED if path.suffix in _LOOSE else zipfile.ZIP_STORED
    with path.open("rb") as source, pack.open(info, "w", force_zip64=True) as target:
        return _copy(source, target)


def _copy(source: IO[bytes], target: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()


def _unpack(source: Path, fresh: DataFolder) -> Backup:
    with zipfile.ZipFile(source) as pack:
        sums = _checked_manifest(pack, source)
        for name, expected in sums.items():
            path = fresh.root / _safe(name, source)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with pack.open(name) as packed, path.open("xb") as target:
                    found = _copy(packed, target)
            except KeyError:
                raise KempsServerError(f"{source}: {name} is missing in it; take another backup") from None
            if found != expected:
                raise KempsServerError(f"{source}: {name} in it is damaged; take another backup")
    if _schema(fresh.database) == "":
        raise KempsServerError(f"{source}: the database in it is damaged; take another backup")
    return Backup(len(sums), _count(fresh.database))


def _checked_manifest(pack: zipfile.ZipFile, source: Path) -> dict[str, str]:
    try:
        manifest: Any = json.loads(pack.read(MANIFEST).decode("utf-8", "surrogateescape"))
        made_by, schema, sums = int(manifest["version"]), str(manifest["schema"]), dict(manifest["files"])
    except (KeyError, TypeError, ValueError):
        raise KempsServerError(f"{source}: is no backup of kemps (no readable {MANIFEST} in it)") from None
    if made_by > VERSION or schema > HEAD:
        raise NewerStoreError(
            f"{source}: was made by a newer kemps ({manifest.get('kemps')}, schema {schema}); update kemps"
        )
    return {str(name): str(digest) for name, digest in sums.items()}


def _safe(name: str, source: Path) -> PurePosixPath:
    """The name as a path that stays below the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or any(part == ".." for part in path.parts) or "\\" in name:
        raise KempsServerError(f"{source}: {name!r} in it would lead out of the folder; nothing was restored")
    return path


def _schema(database: Path) -> str:
    """The version of a whole database; empty when it is damaged."""
    try:
        with closing(sqlite3.connect(database)) as file:
            is_whole = file.execute("PRAGMA quick_check").fetchone() == ("ok",)
            row = file.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error:
        return ""
    return str(row[0]) if is_whole and row else ""


def _count(database: Path) -> int:
    with closing(sqlite3.connect(database)) as file:
        return int(file.execute("SELECT count(*) FROM games").fetchone()[0])
