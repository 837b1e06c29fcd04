"""A listener that hears a house's own words beside "Kemps" and "Stop Kemps"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.house import House
from kemps_vision.hearing.house_words import HouseWord, WordStore
from kemps_vision.hearing.likeness import Likeness, shipped_likeness
from kemps_vision.hearing.listener import Ear, Heats, Listener, shipped_listener

STEEP: Final = 20.0
"""How fast heat falls off below a word's threshold: e-fold in a twentieth of likeness."""
WIDTH: Final = 2.3
"""The sum of the heat around a word that is just at its threshold, in units of its highest."""


class HouseListener:
    """Hears what another listener hears, and words of the house as the calls that they mean.

    Args:
        listener: Hears the calls that come with the product.
        likeness: Compares words.
        words: Each of the house's words with the call that it means.
    """

    def __init__(self, listener: Heats, likeness: Likeness, words: Sequence[tuple[str, HouseWord]]) -> None:
        self._listener, self._likeness = listener, likeness
        self._words = [(listener.ear.calls.index(call), word) for call, word in words]
        uncertainty_ms = max(listener.ear.uncertainty_ms, likeness.uncertainty_ms)
        self.ear: Ear = replace(listener.ear, uncertainty_ms=uncertainty_ms)

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """As of every listener."""
        heat = self._listener.heat(rows)
        if not heat.shape[1]:
            return heat
        marks = self._likeness.marks(rows[self.ear.past - self._likeness.past :])[: heat.shape[1]]
        for channel, word in self._words:
            above = word.likeness(marks) - word.least
            shape = np.where(above < 0, np.exp(STEEP * np.minimum(0, above)), 1 + STEEP / 2 * above)
            np.maximum(heat[channel], shape * (self.ear.thresholds[channel] / WIDTH), out=heat[channel])
        return heat


def house_listener(house: House, folder: Path | None = None, listener: Listener | None = None) -> Heats:
    """What hears the calls of a house: the product's words, and those of its own that were learnt.

    Args:
        house: Its rules say what each word means.
        folder: Where learnt words are kept; the user's data folder by default.
        listener: Hears the product's own words.

    Raises:
        ReaderError: A learnt word cannot be used; the text says what to do.
        ModelError: A network is missing.
    """
    plain = listener or shipped_listener()
    store = WordStore(folder)
    if not store.has_words():
        return plain
    likeness = shipped_likeness()
    words = [
        (call, word)
        for word in store.words(likeness.checksum)
        if (call := house.call_named(word.text)) in plain.ear.calls
    ]
    return HouseListener(plain, likeness, words) if words else plain
