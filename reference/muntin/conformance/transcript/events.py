"""Events in transcripts: read and written."""

from collections.abc import Hashable

from muntin.conformance.transcript.json_reader import JsonNode
from muntin.conformance.transcript.json_values import Json, decode, encode
from muntin.spec.stream import END, Event

FIELDS = ("v", "key", "gap", "punct")
"""What an event may have besides its time."""


def read_event(node: JsonNode) -> Event:
    """Return an event; without `v` its value is None.

    >>> read_event(JsonNode({"t": 35, "v": [2, "a"]})).value
    (2, 'a')
    """
    found = node.fields(["t"], FIELDS)
    return Event(
        found["t"].integer(),
        decode(found["v"].value) if "v" in found else None,
        read_key(found["key"]) if "key" in found else None,
        found["gap"].integer(least=1) if "gap" in found else None,
        "punct" in found and found["punct"].flag(),
    )


def read_key(node: JsonNode) -> Hashable:
    """Return a key: a string, an integer, or null, or a list of such.

    A number that is no integer is none, and neither is a boolean: they equal integers too easily.
    """
    if isinstance(node.value, list):
        return tuple(read_key(item) for item in node.items())
    if node.value is not None and type(node.value) is not int and type(node.value) is not str:
        raise node.type_error("a string, an integer, null, or a list of such")
    return node.value


def read_watermark(node: JsonNode) -> float:
    """Return a watermark: an integer, or "end"."""
    if node.value == "end":
        return END
    if type(node.value) is not int:
        raise node.type_error('an integer or "end"')
    return node.value


def write_event(event: Event) -> dict[str, Json]:
    """Return an event without what goes without saying.

    >>> write_event(Event(35, 2, "a"))
    {'t': 35, 'v': 2, 'key': 'a'}
    """
    written = write_full_event(event)
    plain = {"key": None, "gap": None, "punct": False}
    return {name: v for name, v in written.items() if name not in plain or v != plain[name]}


def write_full_event(event: Event) -> dict[str, Json]:
    """Return an event with all its fields."""
    return {
        "t": event.time,
        "v": encode(event.value),
        "key": encode(event.key),
        "gap": event.gap,
        "punct": event.punctuation,
    }
