"""Window types in transcripts, each by its name and its fields: reading and writing."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from muntin.conformance.transcript.json_reader import Json, JsonNode, TranscriptError, encode
from muntin.spec.errors import InvalidInputError, UnsupportedError, integer
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType


def _value(event: Event) -> int:
    return integer(event.value, f"the value of the event at {event.time}, by measure value,")


VALUE = Measure("value", _value)
"""The value of an event is its coordinate."""

MEASURES: Mapping[str, Measure] = MappingProxyType({m.name: m for m in (TIME, COUNT, VALUE)})
"""The measures that a transcript can name."""


@dataclass(frozen=True)
class Fields:
    """The fields of a window, which have no unknown name."""

    fields: Mapping[str, JsonNode]
    measure: Measure

    def integer(self, name: str, default: int = 0) -> int:
        """A field that is an integer."""
        return self.fields[name].integer() if name in self.fields else default

    def positive(self, name: str, default: int = 0) -> int:
        """A field that is an integer greater than 0."""
        return self.fields[name].integer(least=1) if name in self.fields else default

    def number(self, name: str) -> float:
        """A field that is a number."""
        return self.fields[name].number()


@dataclass(frozen=True)
class WindowCodec:
    """How a window type is read and written."""

    needs: tuple[str, ...]
    build: Callable[[Fields], WindowType]
    may: tuple[str, ...] = ()
    measures: tuple[str, ...] = tuple(MEASURES)


def _tumbling(f: Fields) -> WindowType:
    size = f.positive("size")
    return Sliding(size, size, f.integer("offset"), f.measure)


def _sliding(f: Fields) -> WindowType:
    return Sliding(f.positive("size"), f.positive("slide"), f.integer("offset"), f.measure)


def _count(f: Fields) -> WindowType:
    size = f.positive("size")
    return Sliding(size, f.positive("slide", size), 0, COUNT)


def _rolling(f: Fields) -> WindowType:
    return Rolling(f.positive("size"), f.positive("every", 1), f.measure)


def _cumulate(f: Fields) -> WindowType:
    return Cumulate(f.positive("size"), f.positive("step"), f.integer("offset"), f.measure)


def _threshold(f: Fields) -> WindowType:
    return Threshold(f.number("at_least"), f.positive("min_count", 1), f.measure)


WINDOW_CODECS: Mapping[str, WindowCodec] = MappingProxyType(
    {
        "tumbling": WindowCodec(("size",), _tumbling, ("offset",)),
        "sliding": WindowCodec(("size", "slide"), _sliding, ("offset",)),
        "session": WindowCodec(("gap",), lambda f: Session(f.positive("gap"), f.measure)),
        "count": WindowCodec(("size",), _count, ("slide",), ("count",)),
        "rolling": WindowCodec(("size",), _rolling),
        "slide_by_tuple": WindowCodec(("size", "every"), _rolling),
        "punctuation": WindowCodec((), lambda f: Punctuation(measure=f.measure)),
        "landmark": WindowCodec(
            ("at", "every"), lambda f: Landmark(f.integer("at"), f.positive("every"), f.measure)
        ),
        "cumulate": WindowCodec(("size", "step"), _cumulate, ("offset",)),
        "band": WindowCodec(
            ("start", "end"), lambda f: Band(f.integer("start"), f.integer("end"), f.measure)
        ),
        "snapshot": WindowCodec((), lambda f: Sliding(1, 1, 0, f.measure)),
        "delta": WindowCodec(("threshold",), lambda f: Delta(f.number("threshold"), f.measure)),
        "threshold": WindowCodec(("at_least",), _threshold, ("min_count",)),
        "state": WindowCodec((), lambda f: State(f.measure)),
        "last_n_every": WindowCodec(
            ("n", "every"),
            lambda f: LastNEvery(f.positive("n"), f.positive("every")),
            measures=("time",),
        ),
    }
)
"""Every window type of version 1."""

WINDOW_NAMES = tuple(name for name in WINDOW_CODECS if name != "snapshot")
"""The types that a dialect distinguishes: a snapshot is a tumbling window."""


def read_window(node: JsonNode) -> WindowType:
    """The window type that a document describes.

    >>> read_window(JsonNode({"type": "session", "gap": 9})) == Session(9)
    True
    """
    members = node.members()
    if "type" not in members:
        raise node.error('the field "type" is missing')
    codec = WINDOW_CODECS[members["type"].one_of(list(WINDOW_CODECS))]
    fields = node.fields(["type", *codec.needs], [*codec.may, "measure"])
    measure = fields["measure"].one_of(codec.measures) if "measure" in fields else codec.measures[0]
    try:
        return codec.build(Fields(fields, MEASURES[measure]))
    except TranscriptError:
        raise
    except InvalidInputError as error:
        raise node.error(error) from error


def write_window(window_type: WindowType) -> dict[str, Json]:
    """The description of a window type; an error if version 1 has none.

    >>> write_window(Session(9))
    {'type': 'session', 'gap': 9}
    """
    names = (
        (window_type.name, "sliding") if isinstance(window_type, Sliding) else (window_type.name,)
    )
    for name in names:
        if name in WINDOW_CODECS:
            written = _written(name, window_type)
            with suppress(TranscriptError):
                if read_window(JsonNode(written)) == window_type:
                    return written
    raise UnsupportedError(f"version 1 of transcripts cannot describe the window {window_type}")


def _written(name: str, window_type: WindowType) -> dict[str, Json]:
    codec, measure = WINDOW_CODECS[name], window_type.measure.name
    fields = {name: encode(getattr(window_type, name)) for name in (*codec.needs, *codec.may)}
    extra: dict[str, Json] = {} if measure == codec.measures[0] else {"measure": measure}
    return {"type": name, **fields, **extra}
