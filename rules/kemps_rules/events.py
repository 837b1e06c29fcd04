"""What can happen at a table: one frozen class for each kind of journal line.

Field names are those of the journal, except where Python's keywords forbid it (``from_seat``, ``to_seat``,
``as_event``). Times are integer milliseconds. ``None`` for a seat or a card means *not known*, never *nobody*
or *nothing*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, TypeAlias, get_args

from kemps_rules.cards import Card
from kemps_rules.seats import Seat

Json: TypeAlias = Any
"""What ``json`` reads: str, int, float, bool, None, and lists and dicts of these."""

CALL: Final = "call"
"""What a review or a note names instead of a rule when it is about a call."""
READING: Final = "reading"
"""What it names instead of a rule when it is about what was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What every event carries: when, how sure, how exactly, and keys that this version does not know."""

    at_ms: int
    confidence: float = 1.0
    uncertainty_ms: int = 0
    extra: dict[str, Json] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOpened(Timed):
    """The header: seats with their players' names, the rule set's name and its resolved switches."""

    kind: ClassVar[str] = "game_opened"
    version: int = 1
    rules: str = "leaflet"
    seats: dict[Seat, str] = field(hash=False)
    house: dict[str, Json] | None = field(default=None, hash=False)
    letters: dict[str, str] = field(default_factory=dict, hash=False)
    points: dict[str, int] = field(default_factory=dict, hash=False)
    opened_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealStarted(Timed):
    """Four cards to each seat are being dealt."""

    kind: ClassVar[str] = "deal_started"
    dealer: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CentreTurned(Timed):
    """Cards newly face up in the centre, ``unread`` further ones that could not be read.

    ``first_sight`` is a centre that already lay there when watching began.
    """

    kind: ClassVar[str] = "centre_turned"
    cards: tuple[Card, ...]
    unread: int = 0
    first_sight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTouched(Timed):
    """A seat put a finger on a centre card."""

    kind: ClassVar[str] = "card_touched"
    seat: Seat | None
    card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTaken(Timed):
    """A centre card starts to follow a seat's body-hand."""

    kind: ClassVar[str] = "card_taken"
    seat: Seat | None
    card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLaid(Timed):
    """A card from a hand lies in the centre; the body-hand lets go."""

    kind: ClassVar[str] = "card_laid"
    seat: Seat | None
    card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CentreSwept(Timed):
    """The centre's cards were set aside face down."""

    kind: ClassVar[str] = "centre_swept"
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called(Timed):
    """A call: ``kemps``, ``stop``, ``double_kemps``, or a word that the house rules may know.

    ``against`` names any seat of the accused pair, or the accused player where the house names one.
    """

    kind: ClassVar[str] = "called"
    seat: Seat | None
    call: str
    against: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(Timed):
    """A hand laid open: the cards read, and how many more surely lie there unread or face down.

    ``complete`` is false when the number of cards is not sure: there may be more, of the unread at most
    ``unread_at_most`` in all where that is told. ``None`` = nobody knows how many.
    """

    kind: ClassVar[str] = "hand_shown"
    seat: Seat | None
    cards: tuple[Card, ...]
    unread: int = 0
    unread_at_most: int | None = None
    face_down: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture(Timed):
    """A gesture; legal, decoys too, hence never a flag."""

    kind: ClassVar[str] = "gesture"
    until_ms: int | None = None
    seat: Seat | None
    gesture: str
    strength: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandsTouched(Timed):
    """Body-hands in contact; ``where`` is ``centre``, ``over_table``, ``below_table`` or ``body``."""

    kind: ClassVar[str] = "hands_touched"
    until_ms: int | None = None
    seats: tuple[Seat | None, ...]
    where: str = "over_table"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandReached(Timed):
    """A seat's body-hand over the centre; ``card`` when it is clear which one it goes for."""

    kind: ClassVar[str] = "hand_reached"
    until_ms: int | None = None
    seat: Seat | None
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandHidden(Timed):
    """A body-hand seen before, then out of view for half a second or more."""

    kind: ClassVar[str] = "hand_hidden"
    until_ms: int | None = None
    seat: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketHidden(Timed):
    """A packet of cards seen before, then out of view for half a second or more."""

    kind: ClassVar[str] = "packet_hidden"
    until_ms: int | None = None
    seat: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPassed(Timed):
    """A card went from hand to hand without the centre."""

    kind: ClassVar[str] = "card_passed"
    from_seat: Seat | None
    to_seat: Seat | None
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dry(Timed):
    """The stock is used up and nobody wants the last centre."""

    kind: ClassVar[str] = "dry"


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded(Timed):
    """The deal is over: ``call``, ``dry``, ``redeal``, ``voided`` or ``open``."""

    kind: ClassVar[str] = "deal_ended"
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameClosed(Timed):
    """The game is over and what was secret may be released, with its owner's consent."""

    kind: ClassVar[str] = "game_closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotObserved(Timed):
    """A camera saw nothing in this span; ``until_ms`` None = its end is not known.

    ``role`` is the camera's: ``table`` or ``faces``. ``seats`` are those whose places were out of sight while
    the rest of the table was seen; none named = all that the camera watches.
    """

    kind: ClassVar[str] = "not_observed"
    until_ms: int | None = None
    camera: str = ""
    role: str = ""
    seats: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMeasurable(Timed):
    """Something about a seat could not be measured in this span."""

    kind: ClassVar[str] = "not_measurable"
    until_ms: int | None = None
    seat: Seat | None
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Timed):
    """Nothing older than ``at_ms`` will still come from this camera."""

    kind: ClassVar[str] = "settled"
    camera: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignNamed(Timed):
    """A player named a pair's secret sign aloud; ``is_right`` once a person has confirmed or denied it."""

    kind: ClassVar[str] = "sign_named"
    seat: Seat | None
    against: Seat | None = None
    sign: str = ""
    is_right: bool | None = None
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRefused(Timed):
    """A seat that was asked to lay its hand open did not."""

    kind: ClassVar[str] = "show_refused"
    seat: Seat | None
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatChanged(Timed):
    """The player of ``seat`` moved to the seat ``to``, or was replaced by a player of that name."""

    kind: ClassVar[str] = "seat_changed"
    seat: Seat | None
    to: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentitiesSwapped(Timed):
    """From ``at_ms`` on, what was observed of one of the two seats is the other's."""

    kind: ClassVar[str] = "identities_swapped"
    seats: tuple[Seat, ...]
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted(Timed):
    """A person adds an event that was missed; it is known under this line's number."""

    kind: ClassVar[str] = "inserted"
    as_event: Event
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted(Timed):
    """A person takes out an event that never was."""

    kind: ClassVar[str] = "retracted"
    event: int
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Timed):
    """A person gives an event other fields, written as in the journal."""

    kind: ClassVar[str] = "corrected"
    event: int
    to: dict[str, Json] = field(hash=False)
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Timed):
    """A person's event is taken back; also an earlier ``undone``."""

    kind: ClassVar[str] = "undone"
    event: int
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled(Timed):
    """A person's ruling on a call: ``right``, ``wrong``, ``cannot_verify``, or ``first`` (it came first)."""

    kind: ClassVar[str] = "ruled"
    event: int
    ruling: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed(Timed):
    """A person's decision on the flag of ``rule`` about the lines ``events``.

    With ``CALL`` for a rule it is about calls, with ``READING`` about what was read in those lines.
    """

    kind: ClassVar[str] = "reviewed"
    rule: str
    events: tuple[int, ...]
    decision: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Timed):
    """A person says something and decides nothing; the target is named as in ``Reviewed``, or is the game."""

    kind: ClassVar[str] = "noted"
    rule: str = ""
    events: tuple[int, ...] = ()
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEvent(Timed):
    """A kind that this version does not know: kept and shown; ``is_timed`` is false without ``at_ms``."""

    kind: str
    fields: dict[str, Json] = field(default_factory=dict, hash=False)
    is_timed: bool = True


Observed: TypeAlias = (
    DealStarted | CentreTurned | CardTouched | CardTaken | CardLaid | CentreSwept | Called
    | HandShown | Gesture | HandsTouched | HandReached | HandHidden | PacketHidden | CardPassed
    | Dry | DealEnded | GameClosed | NotObserved | NotMeasurable | Settled | SignNamed | ShowRefused
    | UnknownEvent
)  # fmt: skip
"""What a camera, a microphone or a button reports; it can be corrected and retracted."""

Decision: TypeAlias = (
    SeatChanged | IdentitiesSwapped | Inserted | Retracted | Corrected | Undone | Ruled | Reviewed | Noted
)
"""What a person decides; it can be undone."""

Event: TypeAlias = GameOpened | Observed | Decision

KINDS: Final[dict[str, type[Event]]] = {
    cls.kind: cls for cls in get_args(GameOpened | Observed | Decision) if cls is not UnknownEvent
}
"""The class of each known kind."""
