"""A trial of structures: each holds one sliding window over the same events, call by call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, Protocol

from muntin.cli.registry import StructureEntry
from muntin.cli.trial import Tick
from muntin.reference.specified import Specified
from muntin.spec.aggregate import Aggregate
from muntin.spec.cost import Meter
from muntin.spec.errors import UnsupportedError
from muntin.spec.stream import Accepted, Event, event_order


class Window(Protocol):
    """What a trial asks of a structure."""

    def insert(self, time: int, value: object, /) -> None:
        """Add a value."""

    def bulk_evict(self, up_to: int, /) -> None:
        """Remove everything at or before this time."""

    def query(self) -> object:
        """Fold all values."""

    def __len__(self) -> int:
        """Return the number of items held."""
        ...


class Call(NamedTuple):
    """Insert a value at a time, evict up to another, then query."""

    time: int
    value: object
    up_to: int


@dataclass
class Sliding:
    """What a structure answered, spent and held."""

    name: str
    answers: list[object] = field(default_factory=list[object])
    meter: Meter = field(default_factory=Meter)
    most: int = 0
    refusal: str | None = None
    crash: str | None = None

    def first_difference(self, specified: Sequence[object]) -> str | None:
        """Say at which call the answers part, if they do.

        >>> Sliding("mine", [1, 2, 4]).first_difference([1, 2, 3])
        'call 2: 4 instead of 3'
        """
        missing = [self.crash or "no answer"] * (len(specified) - len(self.answers))
        pairs = zip(specified, [*self.answers, *missing], strict=True)
        found = (
            f"call {i}: {got} instead of {want}"
            for i, (want, got) in enumerate(pairs)
            if want != got
        )
        return next(found, None)


class Slid(NamedTuple):
    """What a structure did with one aggregate, and where it first went wrong, if it did."""

    aggregate: str
    slide: Sliding
    wrong: str | None


def as_it_landed(events: Sequence[Event], size: int) -> list[Call]:
    """Return the calls for a window that reaches back so far from the youngest event so far.

    >>> as_it_landed([Event(20, "a"), Event(17, "b")], size=5)
    [Call(time=20, value='a', up_to=15), Call(time=17, value='b', up_to=15)]
    """
    youngest = accumulate((event.time for event in events), max)
    return [Call(e.time, e.value, to - size) for e, to in zip(events, youngest, strict=True)]


def as_it_left(events: Sequence[Event], size: int) -> list[Call]:
    """Return the calls in event order, with times that are told apart by their rank.

    >>> as_it_left([Event(20, "a"), Event(17, "b")], size=5)
    [Call(time=34, value='b', up_to=25), Call(time=41, value='a', up_to=31)]
    """
    n = len(events)
    ordered = event_order([Accepted(event, nth) for nth, event in enumerate(events)])
    return [
        Call(e.event.time * n + rank, e.event.value, (e.event.time - size) * n + n - 1)
        for rank, e in enumerate(ordered)
    ]


def slide(
    entry: StructureEntry,
    aggregate: Aggregate[object, object, object],
    calls: Sequence[Call],
    tick: Tick,
) -> Sliding:
    """Make the calls on a new structure, and note every answer."""
    done = Sliding(entry.name)
    watched = done.meter.watch_aggregate(aggregate)
    try:
        window = entry.build(watched.monoid, done.meter)
    except UnsupportedError as refusal:
        done.refusal = str(refusal)
    else:
        _make(calls, window, watched, done)
    tick()
    return done


def _make(
    calls: Sequence[Call],
    window: Window,
    aggregate: Aggregate[object, object, object],
    done: Sliding,
) -> None:
    try:
        for answer in answers(calls, window, aggregate):
            done.answers.append(answer)
            done.most = max(done.most, len(window))
    except Exception as error:  # noqa: BLE001 - to raise is to disagree, whatever is raised
        done.crash = f"raised {error!r}"


def answers(
    calls: Sequence[Call],
    window: Window,
    aggregate: Aggregate[object, object, object],
) -> Iterator[object]:
    """Yield the answer to each call."""
    for call in calls:
        window.insert(call.time, aggregate.lift(call.value))
        window.bulk_evict(call.up_to)
        yield aggregate.lower(window.query())


def specified(calls: Sequence[Call], aggregate: Aggregate[object, object, object]) -> list[object]:
    """Return the answers of the definition."""
    return list(answers(calls, Specified(aggregate.monoid), aggregate))
