"""Events in transcripts: reading and writing."""

from collections.abc import Hashable

from muntin.conformance.transcript.json_reader import Json, JsonNode, decode, encode
from muntin.spec.stream import END, Event

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
