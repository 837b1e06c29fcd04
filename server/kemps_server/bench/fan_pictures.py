"""The pictures that ``kemps_scenes.fans`` draws, with what a reader must read of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.errors import KempsServerError
from kemps_vision.cards.alphabets import ANY
from kemps_vision.cards.reading import Pixels

FIRST_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class FanPicture:
    """The picture of a seed."""

    seed: int
    alphabet: str = ANY

    @property
    def key(self) -> str:
        """The seed and the version of what draws and labels."""
        return f"fan {self.seed} {code_fingerprint(__name__)} {self.alphabet}"

    def load(self) -> tuple[Pixels, dict[str, Any]]:
        """The picture, drawn, and its label.

        Raises:
            KempsServerError: The made-up table is not here, because it is not part of the installed package.
        """
        try:
            from kemps_scenes.fans import WHOLE, random_fan  # noqa: PLC0415 - the wheel has no samples
        except ImportError:
            raise KempsServerError(
                "made-up hands need the project's checkout; there run: pip install -e . (or give --fans 0)"
            ) from None
        still = random_fan(self.seed)
        return still.pixels, label_of(still.truth, WHOLE)


def fan_pictures(count: int) -> list[FanPicture]:
    """The first pictures of the series."""
    return [FanPicture(seed) for seed in range(FIRST_SEED, FIRST_SEED + count)]


def label_of(truth: dict[str, Any], whole: float) -> dict[str, Any]:
    """The cards with an index of which ``whole`` or more is seen, those without, how and where they lie."""
    corners = np.asarray([entry["quad"] for entry in truth["cards"]]).reshape(-1, 2)
    needed = [entry for entry in truth["cards"] if max(entry["indices"], default=0.0) >= whole]
    return {
        "cards": [entry["card"] for entry in needed],
        "may_be_read": [entry["card"] for entry in truth["cards"] if entry not in needed],
        "deck": truth["spec"]["deck"],
        "surface": truth["spec"]["surface"],
        "box": [*np.floor(corners.min(axis=0)).tolist(), *np.ceil(corners.max(axis=0)).tolist()],
        **{name: truth[name] for name in ("layout", "lying", "light", "tilt_deg", "card_px")},
    }
