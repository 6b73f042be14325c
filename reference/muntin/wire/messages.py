"""The messages of the wire: what an engine is, a trace, and the rows that answer it.

Times and values are integers, keys are texts or None. A row is a JSON object.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import index
from typing import SupportsIndex, TypeAlias, TypeGuard

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Row = dict[str, Json]
"""A result or a late event, as an object of JSON."""

VERSION = 1
END = float("inf")
"""The watermark after which no event comes."""


class UnsupportedTraceError(Exception):
    """The engine has no such window, parameter or setting: the trace does not count."""


@dataclass(frozen=True)
class EngineDescription:
    """What an engine is, and which traces it takes; the first words of an adapter.

    - `form`: `trace` (a trace a request, up to `max_traces` of them) or `steps`;
    - `windows`, `outputs`, `aggregates`: the names that transcripts have for them;
    - `clock`: `explicit` (it takes watermarks), `greatest` (it makes them of the greatest time so
      far) or `none` (a batch: all events, then the end);
    - `level`: what of its results can be compared. `sequence`: the results of each key in their
      order, step by step; `steps`: the same in any order; `bag`: all results, whenever they came;
      `standing`: the last result of each window;
    - `late`, `kinds`: whether it reports late events, and whether a result is new or updated;
    - `batches`: whether several events of a step are processed as one, and change a window once;
    - `lateness`, `offsets`, `keys`: whether it takes allowed lateness, offsets of windows, keys;
    - `min_time`, `max_time`: its times.
    """

    engine: str
    version: str
    windows: Sequence[str]
    form: str = "trace"
    outputs: Sequence[str] = ("final",)
    aggregates: Sequence[str] = ("collect",)
    clock: str = "none"
    level: str = "bag"
    late: bool = False
    kinds: bool = False
    batches: bool = False
    lateness: bool = False
    offsets: bool = False
    keys: bool = True
    max_traces: int = 1
    min_time: int = -(2**53)
    max_time: int = 2**53

    def to_message(self) -> Row:
        """The reply to `hello`."""
        return {"type": "hello", "muntin": VERSION, **asdict(self)}


@dataclass(frozen=True)
class WireEvent:
    """A time, a value, and a key."""

    time: int
    value: int
    key: str | None = None


@dataclass(frozen=True)
class WireStep:
    """Events in order of arrival, then perhaps a watermark, which may be END."""

    events: tuple[WireEvent, ...] = ()
    watermark: float | None = None


@dataclass(frozen=True)
class WireTrace:
    """One query, the settings of the run, and its steps."""

    window: str
    parameters: Mapping[str, int]
    aggregate: str = "collect"
    allowed_lateness: int = 0
    output: str = "final"
    steps: tuple[WireStep, ...] = ()

    @property
    def events(self) -> list[WireEvent]:
        """All events, in order of arrival."""
        return [event for step in self.steps for event in step.events]

    def parameter(self, name: str, default: int | None = None) -> int:
        """A parameter of the window, such as `size`; without a default it must be there.

        >>> WireTrace("tumbling", {"size": 5}).parameter("offset", 0)
        0
        """
        value = self.parameters.get(name, default)
        if value is None:
            raise UnsupportedTraceError(f"a {self.window} window has no {name}")
        return value


def read_trace(message: Mapping[str, Json]) -> WireTrace:
    """The trace in a message.

    >>> read_trace({"window": {"type": "session", "gap": 3}, "steps": [{"watermark": "end"}]})
    WireTrace(window='session', parameters={'gap': 3}, ..., steps=(WireStep(events=(), ...=inf),))
    """
    window = _object(message["window"])
    steps = message.get("steps")
    return WireTrace(
        str(window["type"]),
        {name: value for name, value in window.items() if isinstance(value, int)},
        str(message.get("aggregate", "collect")),
        _integer(message.get("allowed_lateness", 0)),
        str(message.get("output", "final")),
        tuple(_step(_object(step)) for step in (steps if isinstance(steps, list) else ())),
    )


def _step(message: Row) -> WireStep:
    events = message.get("events", [])
    watermark = message.get("watermark")
    return WireStep(
        tuple(_event(_object(event)) for event in (events if isinstance(events, list) else ())),
        END if watermark == "end" else None if watermark is None else _integer(watermark),
    )


def _event(message: Row) -> WireEvent:
    key = message.get("key")
    return WireEvent(
        _integer(message["t"]), _integer(message["v"]), None if key is None else str(key)
    )


def _object(value: Json) -> Row:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} must be an object")
    return value


def _integer(value: Json) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} must be an integer")
    return value


def result(  # noqa: PLR0913 - the fields of a result
    start: int,
    end: int,
    value: object,
    key: str | None = None,
    *,
    step: int | None = None,
    kind: str | None = None,
) -> Row:
    """A window with its value; the kind is `new`, `updated` or `retracted`.

    >>> result(0, 5, [1, 2])
    {'type': 'result', 'key': None, 'start': 0, 'end': 5, 'value': [1, 2]}
    """
    row: Row = {"type": "result", "key": key, "start": start, "end": end, "value": _value(value)}
    more: Row = {"step": step, "kind": kind}
    return {**row, **{name: field for name, field in more.items() if field is not None}}


def _value(value: object) -> Json:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, SupportsIndex):
        return index(value)
    if _is_iterable(value):
        return [_value(item) for item in value]
    raise TypeError(f"{value!r} of type {type(value).__name__} is no value of JSON")


def _is_iterable(value: object) -> TypeGuard[Iterable[object]]:
    return isinstance(value, Iterable)


def late(event: WireEvent, *, step: int | None = None) -> Row:
    """An event that came too late; its value identifies it.

    >>> late(WireEvent(7, 4))
    {'type': 'late', 'v': 4}
    """
    return {"type": "late", "v": event.value, **({} if step is None else {"step": step})}
