"""The values and the random choices of runs, by Hypothesis or by a seeded generator.

Values are letters, used once, and aggregates distinguish all words and bags of them. Times are few
and close together, so that ties, edges, gaps and limits are common; a base moves all of a run below
zero or beyond 64 bits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self, TypeVar, get_args, get_type_hints

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.dialect import Dialect
from muntin.spec.query import Mode, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType


class Letter(int):
    """A small number that windows may look at, and a letter that is used once."""

    letter: int

    def __new__(cls, number: int, letter: int) -> Self:
        """Mark a number with a letter."""
        self = super().__new__(cls, number)
        self.letter = letter
        return self


def _word(value: object) -> Word:
    return (value.letter,) if isinstance(value, Letter) else ()


WORDS = Aggregate(
    "word", _word, FREE, lambda word: word, commutative=False, kind="holistic"
).erase_types()
"""The free monoid on events: agreement on it is agreement on every aggregate."""

BAGS = Aggregate(
    "bag",
    _word,
    Monoid[Word]((), lambda left, right: tuple(sorted(left + right))),
    lambda bag: bag,
    commutative=True,
    kind="holistic",
).erase_types()
"""The free commutative monoid on events: agreement on it is agreement on all that ignore order."""


T = TypeVar("T")

BEYOND_32_BITS = (2**31 // 420 + 1) * 420
"""A multiple of every small size that no integer of 32 bits holds."""
BASES = (0, 0, -37, BEYOND_32_BITS, -BEYOND_32_BITS, 10**25)
"""Where the times of a run lie."""


class RandomSource(Protocol):
    """A source of choices."""

    def integer(self, least: int, most: int, /) -> int:
        """Choose an integer, both ends included."""
        ...

    def choice(self, options: Sequence[T], /) -> T:
        """Choose one of these."""
        ...


class SeededSource(Random):
    """Choices of a seeded generator: the same seed, the same choices."""

    integer = Random.randint

    def __init__(self, seed: object) -> None:
        """Start from a seed: equal texts, equal choices."""
        super().__init__(str(seed))


def _every_third(state: object, event: Event) -> tuple[object, int, int]:
    """Begin a window with every third event, that ends before the fifth after it."""
    del event
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 3 == 0), int(n >= 5 and n % 3 == 2)  # noqa: PLR2004 - an arbitrary machine


def _after_evens(state: object, event: Event) -> tuple[object, int, int]:
    """Evict all but three events when an even number comes, and fire."""
    size = (state if isinstance(state, int) else 0) + 1
    even = isinstance(event.value, int) and event.value % 2 == 0
    evicted = max(0, size - 3) if even else 0
    return size - evicted, evicted, int(even)


DOUBLED = Measure("doubled", lambda event: 2 * event.time)
THIRDS = Measure("thirds", lambda event: event.time // 3)
"""Events at different times share a coordinate: the first of them completes a window."""


def _small(choose: RandomSource) -> int:
    return choose.integer(1, 7)


def _measure(choose: RandomSource) -> Measure:
    return choose.choice((TIME, TIME, COUNT, DOUBLED, THIRDS))


def _near(choose: RandomSource, base: int, measure: Measure) -> int:
    """Choose a coordinate close to those of the events."""
    origin = {COUNT: 0, DOUBLED: 2 * base, THIRDS: base // 3}.get(measure, base)
    return choose.integer(origin - 5, origin + 12)


def _offset(choose: RandomSource, base: int) -> int:
    return choose.integer(base - 4, base + 4)


def _cumulate(choose: RandomSource, base: int) -> WindowType:
    step = _small(choose)
    return Cumulate(step * choose.integer(1, 3), step, _offset(choose, base), _measure(choose))


def _band(choose: RandomSource, base: int) -> WindowType:
    measure = _measure(choose)
    start = _near(choose, base, measure)
    return Band(start, start + _small(choose), measure)


def _landmark(choose: RandomSource, base: int) -> WindowType:
    measure = _measure(choose)
    return Landmark(_near(choose, base, measure), _small(choose), measure)


def periodic(choose: RandomSource, base: int) -> WindowType:
    """Choose windows that every operator supports."""
    return Sliding(_small(choose), _small(choose), _offset(choose, base))


WINDOWS: tuple[Callable[[RandomSource, int], WindowType], ...] = (
    lambda c, base: tumbling(_small(c), _offset(c, base)),
    lambda c, base: Sliding(_small(c), _small(c), _offset(c, base), _measure(c)),
    lambda c, _: count(_small(c), _small(c)),
    lambda c, _: Session(_small(c), _measure(c)),
    lambda c, _: Session(_small(c)),
    _cumulate,
    _landmark,
    _band,
    lambda c, _: Rolling(_small(c), measure=_measure(c)),
    lambda c, _: slide_by_tuple(_small(c), _small(c)),
    lambda c, _: LastNEvery(_small(c), _small(c)),
    lambda c, _: Punctuation(measure=_measure(c)),
    lambda c, _: Delta(c.integer(0, 3), _measure(c)),
    lambda c, _: State(_measure(c)),
    lambda c, _: Threshold(c.integer(-1, 2), c.integer(1, 3), _measure(c)),
    lambda c, _: UserWindow(_every_third, c.choice((COUNT, TIME, THIRDS))),
    lambda _c, _: UserTrigger(_after_evens),
)


def _overlapping(choose: RandomSource, offset: int) -> WindowType:
    size = choose.integer(2, 7)
    return Sliding(size, choose.integer(1, size - 1), offset)


def _growing(choose: RandomSource, offset: int) -> WindowType:
    step = choose.integer(1, 4)
    return Cumulate(step * choose.integer(1, 3), step, offset)


def _count(choose: RandomSource, _: int) -> WindowType:
    size = choose.integer(1, 4)
    return count(size, choose.integer(1, size))


NAMED_WINDOWS: Mapping[str, Callable[[RandomSource, int], WindowType]] = MappingProxyType(
    {
        "tumbling": lambda choose, offset: tumbling(_small(choose), offset),
        "sliding": _overlapping,
        "session": lambda choose, _: Session(_small(choose)),
        "count": _count,
        "rolling": lambda choose, _: Rolling(_small(choose)),
        "cumulate": _growing,
    }
)
"""The windows that other engines have, by name, given their offset."""

NEED_NUMBERS = (Delta, Threshold)
"""The types among them that take no value but numbers."""


def window_type(choose: RandomSource, base: int) -> WindowType:
    """Choose any window type, with small parameters."""
    return choose.choice(WINDOWS)(choose, base)


CLOSINGS: tuple[int | Mapping[str, int], ...] = (0, 1, -1, MappingProxyType({"session": 1}))
DECISIONS = {name: get_args(hint) for name, hint in get_type_hints(Dialect).items()}
del DECISIONS["closing"]


def _any_dialect(choose: RandomSource) -> Dialect:
    chosen = {name: choose.choice(values) for name, values in DECISIONS.items()}
    return Dialect(closing=choose.choice(CLOSINGS), **chosen)


def dialect(choose: RandomSource) -> Dialect:
    """Choose any combination of decisions; most often ours."""
    kind = choose.choice(("ours", "lateness", "any"))
    if kind == "any":
        return _any_dialect(choose)
    return Dialect(lateness=choose.choice(("event", "window"))) if kind == "lateness" else Dialect()


def settings(choose: RandomSource, *, ordered: bool = False) -> Settings:
    """Choose any settings; most often out of order, or always in order if `ordered`."""
    modes: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "discard", "final")
    lateness = choose.choice((0, 0, 1, 3, 8, 100))
    mode = choose.choice(modes)
    in_order = ordered or choose.choice((False, False, False, True))
    ours = ordered and choose.choice((True, False))
    return Settings(lateness, mode, in_order, Dialect() if ours else dialect(choose))


@dataclass(frozen=True)
class EdgeCaseTimes:
    """A time that is chosen when the state of the run is known."""

    near: str  # zero, watermark, limit, or last
    offset: int

    def at(self, base: int, watermark: float, limit: float, last: float) -> int:
        """The time; near the base, if the place is not known yet."""
        place = {"watermark": watermark, "limit": limit, "last": last}.get(self.near, base)
        return (base if isinf(place) else int(place)) + self.offset


def corner(choose: RandomSource) -> EdgeCaseTimes:
    """Choose near zero, near the watermark, near the lateness limit, or near the last event."""
    near = choose.choice(("zero", "watermark", "limit", "last"))
    offsets = {"zero": (-12, 30), "last": (-7, 7)}.get(near, (-2, 2))
    return EdgeCaseTimes(near, choose.integer(*offsets))


class EventDraft(NamedTuple):
    """An event whose time is chosen when the state of the run is known."""

    corner: EdgeCaseTimes
    number: int
    key: str | None
    gap: int | None
    punctuation: bool


def draft(choose: RandomSource) -> EventDraft:
    """Choose an event draft."""
    return EventDraft(
        corner(choose),
        choose.integer(-2, 4),
        choose.choice((None, None, None, "k")),
        choose.choice((None, None, None, 1, 4)),
        choose.choice((False, False, False, True)),
    )
