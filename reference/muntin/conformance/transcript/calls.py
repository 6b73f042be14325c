"""Events, and calls of a structure with their results, in transcripts."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from muntin.conformance.transcript.json_reader import Json, JsonNode, decode, encode
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.errors import InvalidInputError
from muntin.spec.stream import END, Event
from muntin.spec.structure import OutOfOrder, in_time_order

FIELDS = ("v", "key", "gap", "punct")
"""The optional fields of an event."""


def read_event(node: JsonNode) -> Event:
    """The event that an object describes; without `v` its value is None.

    >>> read_event(JsonNode({"t": 35, "v": [2, "a"]})).value
    (2, 'a')
    """
    fields = node.fields(["t"], FIELDS)
    return Event(
        fields["t"].integer(),
        decode(fields["v"].value) if "v" in fields else None,
        read_key(fields["key"]) if "key" in fields else None,
        fields["gap"].integer(least=1) if "gap" in fields else None,
        "punct" in fields and fields["punct"].flag(),
    )


def read_key(node: JsonNode) -> Hashable:
    """A key: a string, an integer, or null, or a list of such.

    Floats and booleans are no keys: they equal integers too easily.
    """
    if isinstance(node.value, list):
        return tuple(read_key(item) for item in node.items())
    if node.value is not None and type(node.value) is not int and type(node.value) is not str:
        raise node.type_error("a string, an integer, null, or a list of such")
    return node.value


def read_watermark(node: JsonNode) -> float:
    """A watermark: an integer, or "end"."""
    if node.value == "end":
        return END
    if type(node.value) is not int:
        raise node.type_error('an integer or "end"')
    return node.value


def write_event(event: Event) -> dict[str, Json]:
    """An event as an object without the fields that have their default.

    >>> write_event(Event(35, 2, "a"))
    {'t': 35, 'v': 2, 'key': 'a'}
    """
    written = write_full_event(event)
    defaults = {"key": None, "gap": None, "punct": False}
    return {name: v for name, v in written.items() if name not in defaults or v != defaults[name]}


def write_full_event(event: Event) -> dict[str, Json]:
    """An event as an object with all its fields."""
    return {
        "t": event.time,
        "v": encode(event.value),
        "key": encode(event.key),
        "gap": event.gap,
        "punct": event.punctuation,
    }


TimedValue = tuple[int, object]


@dataclass(frozen=True)
class Call:
    """The name of an operation, and its arguments."""

    name: str
    times: tuple[int, ...] = ()
    pairs: tuple[TimedValue, ...] = ()


SIGNATURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "insert": ("time", "value"),
        "evict": ("time",),
        "evict_oldest": (),
        "bulk_insert": ("pairs",),
        "bulk_evict": ("up to",),
        "query": (),
        "query_range": ("first", "last"),
        "size": (),
        "oldest": (),
        "youngest": (),
    }
)
"""Every operation of version 1, and its arguments."""

QUERY_CALLS = ("query", "query_range", "size", "oldest", "youngest")
"""The operations that return a value."""


def read_call(node: JsonNode) -> Call:
    """The call that a list describes.

    >>> read_call(JsonNode(["query_range", 10, 40]))
    Call(name='query_range', times=(10, 40), pairs=())
    """
    parts = node.items()
    if not parts:
        raise node.type_error(f"one of {', '.join(SIGNATURES)}, with its arguments")
    name, arguments = parts[0].one_of(list(SIGNATURES)), parts[1:]
    parameters = SIGNATURES[name]
    if len(arguments) != len(parameters):
        usage = ", ".join([f'"{name}"', *parameters])
        raise node.type_error(f"[{usage}]")
    if name == "bulk_insert":
        return Call(name, pairs=_sorted_pairs(arguments[0]))
    if name == "insert":
        return Call(name, pairs=(_pair(*arguments),))
    return Call(name, tuple(argument.integer() for argument in arguments))


def _sorted_pairs(node: JsonNode) -> tuple[TimedValue, ...]:
    batch: list[TimedValue] = []
    for item in node.items():
        parts = item.items()
        if len(parts) != 2:  # noqa: PLR2004 - a pair
            raise item.type_error("[time, value]")
        batch.append(_pair(*parts))
    try:
        return tuple(in_time_order(batch))
    except InvalidInputError as error:
        raise node.error(error) from error


def _pair(time: JsonNode, value: JsonNode) -> TimedValue:
    return time.integer(), decode(value.value)


def perform(call: Call, structure: OutOfOrder[object], aggregate: AnyAggregate) -> object:
    """Make a call: values are lifted before it, and totals lowered after it.

    A null lifts to the identity. Evicting the oldest of no items changes nothing.
    """
    lifted = [(time, _lift(aggregate, value)) for time, value in call.pairs]
    match call.name, call.times:
        case "insert", ():
            structure.insert(*lifted[0])
        case "bulk_insert", ():
            structure.bulk_insert(lifted)
        case "evict", (time,):
            structure.evict(time)
        case "evict_oldest", () if (oldest := structure.oldest()) is not None:
            structure.evict(oldest)
        case "bulk_evict", (up_to,):
            structure.bulk_evict(up_to)
        case _:
            return _answer(call, structure, aggregate)
    return None


def _answer(call: Call, structure: OutOfOrder[object], aggregate: AnyAggregate) -> object:
    match call.name, call.times:
        case "query", ():
            return aggregate.lower(structure.query())
        case "query_range", (first, last):
            return aggregate.lower(structure.query_range(first, last))
        case "size", ():
            return len(structure)
        case "oldest", ():
            return structure.oldest()
        case "youngest", ():
            return structure.youngest()
        case _:
            return None


def _lift(aggregate: AnyAggregate, value: object) -> object:
    return aggregate.monoid.identity if value is None else aggregate.lift(value)
