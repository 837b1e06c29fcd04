"""Whether the signs of made-up evenings stand out, and nothing else: ``python -m`` this module."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass

from kemps_rules.journal import journal_of
from kemps_rules.seats import pairs_of
from kemps_server.analysis.game import analyse
from kemps_server.bench.long_game import journal_text, long_game
from kemps_server.bench.played_deal import SIGNALS


@dataclass(frozen=True, slots=True)
class Found:
    """Pairs and gestures of some evenings: how many there were, and which stood out rightly or wrongly."""

    evenings: int
    pairs: int
    gestures: int
    rightly: int
    wrongly: int


def look_for_signs(seats: int, evenings: int, minutes: float) -> Found:
    """What stands out in that many evenings of this many players."""
    true = dict(zip(pairs_of(seats), SIGNALS, strict=False))
    gestures = rightly = wrongly = 0
    for seed in range(1, evenings + 1):
        text = journal_text(long_game(seats, minutes=minutes, seed=seed))
        for sign in analyse(journal_of(text.encode())).signs:
            gestures += 1
            rightly += sign.stands_out and true[sign.pair] == sign.gesture
            wrongly += sign.stands_out and true[sign.pair] != sign.gesture
    return Found(evenings, evenings * len(true), gestures, rightly, wrongly)


def main() -> None:
    """Print what stands out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, default=4, choices=(4, 6, 8))
    parser.add_argument("--evenings", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=35)
    asked = parser.parse_args()
    print(json.dumps(asdict(look_for_signs(asked.seats, asked.evenings, asked.minutes))))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
