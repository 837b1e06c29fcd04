"""How sure a contact over a table is: from above, hands that pass over each other look as if they touched.

What tells them apart is how long two hands stay where they are against each other, and whether there is a
reason for both to be there: over the cards of the centre hands of two seats lie side by side all the time.
"""

from __future__ import annotations

import math
from typing import Final

from kemps_vision.people.contact.spans import ContactSpan

STILL_MS: Final = 250  # half of the contacts that lasted so long were some
SPREAD_MS: Final = 150
ARMS_IN_CENTRE: Final = 0.6  # of a score of which nothing but arms that became one piece over the cards tells


def weighed(span: ContactSpan, *, is_in_centre: bool, is_of_arms: bool) -> float:
    """The score 0..1 that a contact is one; ``is_of_arms`` is whether nothing but arms tells of it."""
    share = 1.0 / (1.0 + math.exp(min(50.0, (STILL_MS - span.still_ms) / SPREAD_MS)))
    return span.score * share * (ARMS_IN_CENTRE if is_in_centre and is_of_arms else 1.0)
