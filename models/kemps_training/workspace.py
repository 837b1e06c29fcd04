"""Where training keeps its art, pools and checkpoints: a folder outside git."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kemps_training.errors import WorkspaceError

ENVIRONMENT = "KEMPS_TRAINING_DIR"
DEFAULT = Path(".cache/training")


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders of one training; each is made when first asked for."""

    root: Path

    @property
    def packages(self) -> Path:
        """Fetched package files, and under ``files`` what is in them."""
        return self._folder("packages")

    @property
    def decks(self) -> Path:
        """A folder for each deck: ``faces.npy`` and ``deck.json``."""
        return self._folder("decks")

    @property
    def backgrounds(self) -> Path:
        """Table and room pictures that cards are laid upon, as ``.npy``."""
        return self._folder("backgrounds")

    @property
    def runs(self) -> Path:
        """Checkpoints and learning curves, a folder a network."""
        return self._folder("runs")

    def pool(self, name: str) -> Path:
        """The folder of the pool of scenes called ``name`` ("train", "held_out")."""
        return self._folder(f"pools/{name}")

    def _folder(self, name: str) -> Path:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path


def open_workspace(root: Path | None = None) -> Workspace:
    """The workspace at ``root``, or where ``KEMPS_TRAINING_DIR`` says, or ``.cache/training``."""
    chosen = root or Path(os.environ.get(ENVIRONMENT) or DEFAULT)
    if chosen.exists() and not chosen.is_dir():
        raise WorkspaceError(
            f"{chosen} is not a folder; set {ENVIRONMENT} to a folder that training may fill"
        )
    chosen.mkdir(parents=True, exist_ok=True)
    return Workspace(chosen)
