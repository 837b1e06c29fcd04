"""The data folder: where the server keeps its database, what lies beside games, decks, copies and logs.

::

    DIR/
      kemps.sqlite     games with their journals, tables, users; -wal and -shm beside it while it is open
      games/ID/        what lies beside a stored game: evidence/, recording.json
      video/           recordings
      decks/           learnt decks, a file each
      words/           learnt call words, a file each: no sound
      backups/         the database as it was before each upgrade
      logs/kemps.log   what the server did, with the five logs before it
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs

from kemps_server.errors import KempsServerError, StoreError


def default_data_folder() -> Path:
    """The user's data folder of this program, where the platform has such things."""
    return Path(platformdirs.user_data_dir("kemps", appauthor=False))


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The places in a data folder; none of them needs to be there yet."""

    root: Path

    @property
    def database(self) -> Path:
        """The SQLite database."""
        return self.root / "kemps.sqlite"

    @property
    def games(self) -> Path:
        """A folder for each stored game that has something beside its journal."""
        return self.root / "games"

    @property
    def video(self) -> Path:
        """Recordings."""
        return self.root / "video"

    @property
    def decks(self) -> Path:
        """Learnt decks."""
        return self.root / "decks"

    @property
    def words(self) -> Path:
        """Call words that players have said; made when the first is learnt."""
        return self.root / "words"

    @property
    def backups(self) -> Path:
        """Copies of the database that were taken before upgrades."""
        return self.root / "backups"

    @property
    def logs(self) -> Path:
        """Log files."""
        return self.root / "logs"

    @property
    def parts(self) -> tuple[Path, ...]:
        """All folders below the root."""
        return (self.games, self.video, self.decks, self.backups, self.logs)

    def beside(self, game: str) -> Path:
        """What lies beside the stored game ``game``."""
        return self.games / game

    def make(self) -> None:
        """Make the folder and its parts; one that is new can be entered by its owner only.

        Raises:
            KempsServerError: There is a file of that name.
            StoreError: It cannot be made.
        """
        if self.root.exists() and not self.root.is_dir():
            raise KempsServerError(f"{self.root}: is a file; --data names a folder")
        try:
            if not self.root.exists():
                self.root.mkdir(parents=True, mode=0o700)
            for part in self.parts:
                part.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self.root}: cannot be written ({(error.strerror or str(error)).lower()}), and the "
                "database and logs are kept there; name another folder with --data"
            ) from None
