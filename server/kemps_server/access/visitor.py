"""Whoever sends a request: a role, and the name that stands under what they decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kemps_server.store.users import Role

_RANK: Final = {role: rank for rank, role in enumerate(Role)}


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks.

    Attributes:
        role: What they are, or None for somebody who has shown nothing.
        name: The user's name, or the label of a token that is nobody's; what ``by`` says in decisions.
        token: The id of the token they came with, or empty for the owner at this machine itself.
    """

    role: Role | None = None
    name: str = ""
    token: str = ""

    def may(self, role: Role) -> bool:
        """Whether they may do what ``role`` may.

        >>> Visitor(Role.REFEREE).may(Role.VIEWER), Visitor(Role.VIEWER).may(Role.REFEREE)
        (True, False)
        """
        return self.role is not None and _RANK[self.role] >= _RANK[role]


NOBODY: Final = Visitor()
