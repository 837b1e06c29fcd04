"""A sound that is another one, changed or noted on its way through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from kemps_vision.hearing.sources import SoundBlock, SoundHealth, SoundSource


class PassedSound(ABC):
    """What is known of the sound it is made of, and closing it; a subclass says how blocks pass."""

    def __init__(self, source: SoundSource) -> None:
        self._source = source
        self.name, self.channels, self.is_live = source.name, source.channels, source.is_live

    @abstractmethod
    def __iter__(self) -> Iterator[SoundBlock]:
        """The blocks as they come out."""

    @property
    def health(self) -> SoundHealth:
        """What was measured of its time."""
        return self._source.health

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        return self._source.notes

    def close(self) -> None:
        """Release it; may be called twice."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
