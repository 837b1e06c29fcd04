"""Events as JSON objects: each field's type decides how it is read, checked and written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Any, Final, cast

from kemps_rules.cards import Card
from kemps_rules.errors import CardError, JournalError
from kemps_rules.events import KINDS, Event, HandShown, Inserted, Json, Noted, Reviewed, Timed, UnknownEvent
from kemps_rules.seats import SEATS, TABLE_SIZES, seats_of

LATEST_MS: Final = 2**63 - 1
MOST_CARDS: Final = 104

_WORDS: Final = {
    ("deal_ended", "why"): ("call", "dry", "redeal", "voided", "open"),
    ("ruled", "ruling"): ("right", "wrong", "cannot_verify", "first"),
    ("not_observed", "role"): ("table", "faces"),
    ("reviewed", "decision"): ("confirm", "overturn", "dismiss", "hold", "reopen"),
}
_JSON_NAMES: Final = {"from_seat": "from", "to_seat": "to", "as_event": "as"}
_LAST: Final = ("confidence", "uncertainty_ms")
_ALWAYS: Final = frozenset(  # written out although it is the default: what people look for in such a line
    (
        ("game_opened", "version"),
        ("game_opened", "rules"),
        ("hands_touched", "where"),
        ("hand_shown", "unread"),
    )
)


def read_time(value: Json, name: str) -> int:
    """The time a value is, in ms.

    Raises:
        JournalError: It is no integer, negative, or beyond any clock.
    """
    if type(value) is not int or not 0 <= value <= LATEST_MS:
        raise JournalError(
            f"{name} is {_short(value)}, but a time is a whole number of milliseconds, 0 or more"
        )
    return value


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _text(value: Json, name: str) -> str:
    if not isinstance(value, str):
        raise JournalError(f"{name} is {_short(value)}, but must be a text")
    return value


def _flag(value: Json, name: str) -> bool:
    if not isinstance(value, bool):
        raise JournalError(f"{name} is {_short(value)}, but must be true or false")
    return value


def _count(value: Json, name: str) -> int:
    if type(value) is not int or not 0 <= value <= LATEST_MS:
        raise JournalError(f"{name} is {_short(value)}, but must be a whole number, 0 or more")
    return value


def _number(value: Json, name: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and not math.isfinite(value)) or abs(value) > LATEST_MS:
        raise JournalError(f"{name} is {_short(value)}, but must be a number")
    return float(value)


def _seat(value: Json, name: str) -> str:
    if not isinstance(value, str) or len(value) != 1 or value not in SEATS:
        raise JournalError(
            f"{name} is {_short(value)}, which is no seat; seats are the letters A to H, null = not known"
        )
    return value


def _card(value: Json, name: str) -> Card:
    try:
        return Card.parse(_text(value, name))
    except CardError as error:
        raise JournalError(f"{name}: {error}") from None


def _object(value: Json, name: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise JournalError(f"{name} is {_short(value)}, but must be an object {{…}}")
    return value


def _list_of(read: Callable[[Json, str], Any]) -> Callable[[Json, str], tuple[Any, ...]]:
    def read_list(value: Json, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) > MOST_CARDS:
            raise JournalError(f"{name} is {_short(value)}, but must be a list of at most {MOST_CARDS}")
        return tuple([read(item, name) for item in value])

    return read_list


def _or_null(read: Callable[[Json, str], Any]) -> Callable[[Json, str], Any]:
    return lambda value, name: None if value is None else read(value, name)


def _map_of(read: Callable[[Json, str], Any]) -> Callable[[Json, str], dict[str, Any]]:
    def read_map(value: Json, name: str) -> dict[str, Any]:
        return {key: read(item, f"{name}.{key}") for key, item in _object(value, name).items()}

    return read_map


def _table(value: Json, name: str) -> dict[str, str]:
    names = _map_of(_text)(value, name)
    if len(names) not in TABLE_SIZES or set(names) != set(seats_of(len(names))):
        raise JournalError(f"{name} names {', '.join(names) or 'nobody'}; a table is A–D, A–F or A–H (R2)")
    return dict(sorted(names.items()))


def _event(value: Json, name: str) -> Event:
    return event_from_json(_object(value, name))


_READERS: Final[dict[str, Callable[[Json, str], Any]]] = {
    "str": _text,
    "str | None": _or_null(_text),
    "bool": _flag,
    "bool | None": _or_null(_flag),
    "int": _count,
    "int | None": _or_null(_count),
    "float": _number,
    "float | None": _or_null(_number),
    "Seat | None": _or_null(_seat),
    "Card | None": _or_null(_card),
    "tuple[Card, ...]": _list_of(_card),
    "tuple[int, ...]": _list_of(_count),
    "tuple[Seat, ...]": _list_of(_seat),
    "tuple[Seat | None, ...]": _list_of(_or_null(_seat)),
    "dict[Seat, str]": _table,
    "dict[str, str]": _map_of(_text),
    "dict[str, int]": _map_of(_count),
    "dict[str, Json]": _object,
    "dict[str, Json] | None": _or_null(_object),
    "Event": _event,
}


@dataclass(frozen=True, slots=True)
class _Slot:
    """How one field is written in the journal."""

    name: str
    key: str
    read: Callable[[Json, str], Any]
    default: Any
    is_required: bool


def _slot(f: Field[Any]) -> _Slot:
    default = f.default if f.default_factory is MISSING else f.default_factory()
    read = read_time if f.name in ("at_ms", "until_ms") else _READERS[str(f.type)]
    if f.name == "until_ms":
        read = _or_null(read_time)
    if f.name in ("unread", "face_down", "unread_at_most"):
        read = _or_null(_few) if f.name == "unread_at_most" else _few
    is_nullable = str(f.type) in ("Seat | None", "Card | None")
    return _Slot(
        f.name, _JSON_NAMES.get(f.name, f.name), read, default, default is MISSING and not is_nullable
    )


def _few(value: Json, name: str) -> int:
    if _count(value, name) > MOST_CARDS:
        raise JournalError(f"{name} is {_short(value)}, but no table has more than {MOST_CARDS} cards")
    return int(value)


@cache
def _slots(kind: str) -> tuple[_Slot, ...]:
    """The fields of a kind in the order of writing: the time first, doubt last."""
    slots = [_slot(f) for f in fields(KINDS[kind]) if f.name != "extra"]
    return tuple(sorted(slots, key=lambda s: (s.name != "at_ms", s.name in _LAST)))


def event_from_json(data: dict[str, Json], at_ms: int | None = None) -> Event:
    """The event that an object describes; ``at_ms`` stands in where it gives none.

    Raises:
        JournalError: A field is missing or cannot be what it says.
    """
    kind = data.get("kind")
    if not isinstance(kind, str) or not kind:
        raise JournalError('the line names no "kind"')
    if kind not in KINDS:
        return _unknown(kind, data)
    given = dict(data)
    del given["kind"]
    if "at_ms" not in given and (kind == "game_opened" or at_ms is not None):
        given["at_ms"] = at_ms or 0
    if kind == Inserted.kind and isinstance(given.get("as"), dict):
        given["as"] = {"at_ms": given.get("at_ms"), **given["as"]}
    if kind in (Reviewed.kind, Noted.kind):
        target = _object(given.pop("target", {}), "target")
        given |= {key: target[key] for key in ("rule", "events") if key in target}
    values = {slot.name: _value(slot, given, kind) for slot in _slots(kind)}
    event: Event = KINDS[kind](**values, extra=given)
    _check(event)
    return event


def _value(slot: _Slot, given: dict[str, Json], kind: str) -> Json:
    if slot.key not in given:
        if slot.is_required and not (slot.key == "cards" and ("unread" in given or "face_down" in given)):
            raise JournalError(f'{kind} needs "{slot.key}"')
        return () if slot.key == "cards" else None if slot.default is MISSING else slot.default
    value = slot.read(given.pop(slot.key), slot.key)
    words = _WORDS.get((kind, slot.key))
    if words and value not in words:
        raise JournalError(f"{slot.key} is {_short(value)}, but must be one of {', '.join(words)}")
    return value


def _check(event: Event) -> None:
    until_ms = getattr(event, "until_ms", None)
    if until_ms is not None and until_ms < event.at_ms:
        raise JournalError(f"until_ms {until_ms} lies before at_ms {event.at_ms}")
    if not 0 <= event.confidence <= 1:
        raise JournalError(f"confidence is {event.confidence}, but must lie between 0 and 1")
    if isinstance(event, HandShown) and event.unread_at_most is not None:
        _check_most(event, event.unread_at_most)
    if isinstance(event, Inserted) and event.as_event.kind in _NOT_INSERTED:
        raise JournalError(f"{event.as_event.kind} cannot be inserted; only what happened at the table can")


def _check_most(hand: HandShown, most: int) -> None:
    if most < hand.unread:
        raise JournalError(f"unread_at_most {most} is less than unread {hand.unread}")
    if hand.complete and most > hand.unread:
        raise JournalError('unread_at_most tells that the number is not sure; add "complete":false')


_NOT_INSERTED: Final = frozenset(
    (
        "game_opened",
        "seat_changed",
        "identities_swapped",
        "inserted",
        "retracted",
        "corrected",
        "undone",
        "ruled",
        "reviewed",
        "noted",
    )
)


def _unknown(kind: str, data: dict[str, Json]) -> UnknownEvent:
    given = {key: value for key, value in data.items() if key not in ("kind", "at_ms", *_LAST)}
    at_ms = read_time(data["at_ms"], "at_ms") if "at_ms" in data else 0
    until_ms = read_time(given["until_ms"], "until_ms") if given.get("until_ms") is not None else at_ms
    if until_ms < at_ms:
        raise JournalError(f"until_ms {until_ms} lies before at_ms {at_ms}")
    event = UnknownEvent(
        at_ms=at_ms,
        kind=kind,
        fields=given,
        is_timed="at_ms" in data,
        confidence=_number(data.get("confidence", 1.0), "confidence"),
        uncertainty_ms=_count(data.get("uncertainty_ms", 0), "uncertainty_ms"),
    )
    _check(event)
    return event


def event_to_json(event: Event) -> dict[str, Json]:
    """The object that describes an event: kind, time, fields in their order, doubt and unknown keys last."""
    if isinstance(event, UnknownEvent):
        fields_given = (
            {"kind": event.kind} | ({"at_ms": event.at_ms} if event.is_timed else {}) | event.fields
        )
        return fields_given | {
            name: getattr(event, name) for name in _LAST if getattr(event, name) != _DOUBT[name]
        }
    data: dict[str, Json] = {"kind": event.kind}
    for slot in _slots(event.kind):
        value = getattr(event, slot.name)
        if slot.default is MISSING or value != slot.default or (event.kind, slot.key) in _ALWAYS:
            data[slot.key] = _plain(value)
    if isinstance(event, Reviewed | Noted) and (target := _target(data)):
        data["target"] = target
        data = {key: data[key] for key in ("kind", "at_ms", "target", *data)}
    return data | {key: value for key, value in event.extra.items() if key not in data}


def _target(data: dict[str, Json]) -> dict[str, Json]:
    """What a review or a note is about, taken out of its other fields."""
    return {name: data.pop(name) for name in ("rule", "events") if name in data}


_DOUBT: Final[dict[str, float]] = {"confidence": 1.0, "uncertainty_ms": 0}


def _plain(value: object) -> Json:
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return event_to_json(cast("Event", value)) if isinstance(value, Timed) else value
