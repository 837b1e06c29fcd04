"""Sealed opinions: what one referee thinks stays hidden until another has said what they think.

They are kept beside the journal, which every referee may read: an opinion that stood there would be none of
two. Once both are given, what they agree on is written as one decision, with both opinions in it; where they
differ the incident is held, with both opinions in it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kemps_rules.events import Json
from kemps_server.review.incident import Incident
from kemps_server.store.acts import WITHDRAWN, ActRecord


def sealed_on(acts: Iterable[ActRecord], incident: Incident) -> ActRecord | None:
    """The opinion that is given and waits for a second one, if there is one."""
    names, waiting = set(incident.names), None
    for act in acts:
        if act.incident in names and act.opinion:
            # An opinion with lines was the second one: they tell what both come to.
            waiting = None if act.opinion == WITHDRAWN or act.count else act
    return waiting


def both_as_json(first: ActRecord, second: str, by: str, why: str) -> list[Json]:
    """Two opinions as the decision carries them."""
    return [
        {"by": first.person, "decision": first.opinion, "why": first.why},
        {"by": by, "decision": second, "why": why},
    ]
