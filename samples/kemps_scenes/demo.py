"""The clips that are part of the repository: their journals and looks, to render them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kemps_rules.events import Event
from kemps_rules.journal import parse_line
from kemps_scenes.spec import SceneSpec

_HEADER: Final = (
    '{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet",'
    '"seats":{"A":"Ana","B":"Boris","C":"Chloé","D":"Diego"}}'
)


@dataclass(frozen=True, slots=True)
class CommittedClip:
    """A clip under version control: where it lies (from the repository's root), its script and its look."""

    path: str
    script: str
    spec: SceneSpec

    @property
    def events(self) -> list[Event]:
        """The script's events."""
        return script_events(self.script)


def script_events(text: str) -> list[Event]:
    """The events of a journal given as text; blank lines are skipped."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [parse_line(line, number) for number, line in enumerate(lines)]


_DEMO: Final = f"""
{_HEADER}
{{"kind":"deal_started","at_ms":0,"dealer":"B"}}
{{"kind":"centre_turned","at_ms":2500,"cards":["3h","Kc","8d","6s"]}}
{{"kind":"card_taken","at_ms":4200,"seat":"D","card":"8d"}}
{{"kind":"card_laid","at_ms":5500,"seat":"D","card":"Th"}}
{{"kind":"card_taken","at_ms":5100,"seat":"A","card":"Kc"}}
{{"kind":"card_laid","at_ms":6600,"seat":"A","card":"4d"}}
{{"kind":"hand_reached","at_ms":7700,"until_ms":8400,"seat":"C","card":"Th"}}
{{"kind":"centre_swept","at_ms":9800,"seat":"B"}}
{{"kind":"centre_turned","at_ms":13300,"cards":["9c","2h","5d","Js"]}}
{{"kind":"card_taken","at_ms":14700,"seat":"D","card":"5d"}}
{{"kind":"card_laid","at_ms":16100,"seat":"D","card":"Ah"}}
{{"kind":"card_taken","at_ms":15000,"seat":"A","card":"9c"}}
{{"kind":"card_laid","at_ms":16500,"seat":"A","card":"Kc"}}
{{"kind":"called","at_ms":18000,"seat":"C","call":"kemps","uncertainty_ms":60}}
{{"kind":"hand_shown","at_ms":21000,"seat":"A","cards":["9s","9h","9d","9c"]}}
"""

_TAKE_FIRST: Final = f"""
{_HEADER}
{{"kind":"deal_started","at_ms":0,"dealer":"B"}}
{{"kind":"centre_turned","at_ms":0,"cards":["7h","Qd","2s","Tc"],"first_sight":true}}
{{"kind":"card_taken","at_ms":2000,"seat":"A","card":"Qd"}}
{{"kind":"card_laid","at_ms":3300,"seat":"A","card":"5c"}}
{{"kind":"card_taken","at_ms":4600,"seat":"D","card":"Tc"}}
{{"kind":"card_laid","at_ms":6100,"seat":"D","card":"As"}}
{{"kind":"card_taken","at_ms":5600,"seat":"C","card":"7h"}}
{{"kind":"card_laid","at_ms":7000,"seat":"C","card":"Jd"}}
"""

_LAY_FIRST: Final = f"""
{_HEADER.replace('"leaflet"', '"lay_first"')}
{{"kind":"deal_started","at_ms":0,"dealer":"B"}}
{{"kind":"centre_turned","at_ms":0,"cards":["3c","Ad","8s","Kh"],"first_sight":true}}
{{"kind":"card_laid","at_ms":2200,"seat":"A","card":"6d"}}
{{"kind":"card_taken","at_ms":3000,"seat":"A","card":"8s"}}
{{"kind":"card_laid","at_ms":5200,"seat":"B","card":"9h"}}
{{"kind":"card_taken","at_ms":6100,"seat":"B","card":"3c"}}
"""

_WRONG_CALL: Final = f"""
{_HEADER}
{{"kind":"deal_started","at_ms":0,"dealer":"B"}}
{{"kind":"centre_turned","at_ms":0,"cards":["4s","Jc","6h","2d"],"first_sight":true}}
{{"kind":"card_taken","at_ms":1500,"seat":"C","card":"Jc"}}
{{"kind":"card_laid","at_ms":2900,"seat":"C","card":"8h"}}
{{"kind":"called","at_ms":4200,"seat":"A","call":"kemps","uncertainty_ms":60}}
{{"kind":"hand_shown","at_ms":7000,"seat":"C","cards":["Jc","Jh","Js","Td"]}}
"""

DEMO: Final = CommittedClip(
    "server/kemps_server/demo/demo.mp4",
    _DEMO,
    SceneSpec(seed=4, surface="wood", clutter="some", tail_ms=2500),
)
COMMITTED: Final = (
    DEMO,
    CommittedClip(
        "samples/clips/swap_take_first.mp4",
        _TAKE_FIRST,
        SceneSpec(seed=11, width=960, height=540, quality=28),
    ),
    CommittedClip(
        "samples/clips/swap_lay_first.mp4",
        _LAY_FIRST,
        SceneSpec(
            seed=12,
            deck="modern",
            back="scales",
            surface="cloth",
            packets="lying",
            width=960,
            height=540,
            quality=28,
        ),
    ),
    CommittedClip(
        "samples/clips/wrong_call.mp4",
        _WRONG_CALL,
        SceneSpec(
            seed=13,
            deck="antique",
            back="rings",
            surface="slate",
            shows=("fan",),
            flicker=0.015,
            shake_px=0.6,
            tail_ms=3200,
            width=960,
            height=540,
            quality=28,
        ),
    ),
)
