"""Random streams and queries that reach the corners (Hypothesis strategies).

Times are few and close together, so that ties, edges, gaps and limits are hit all the time; a
base moves a whole run below zero or beyond 64 bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self, get_args, get_type_hints

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from muntin.spec.aggregate import Aggregate
from muntin.spec.data_driven import LastNEvery, Punctuation, Rolling, Session, slide_by_tuple
from muntin.spec.dialect import Dialect
from muntin.spec.frames import Delta, State, Threshold
from muntin.spec.measure import COUNT, TIME, Measure
from muntin.spec.monoid import FREE, Monoid, Word
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.query import Settings
from muntin.spec.stream import Event
from muntin.spec.user_defined import UserTrigger, UserWindow
from muntin.spec.window import WindowType

BASES = st.sampled_from([0, 0, -37, 10**25])
"""Where the times of a run lie."""


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


def _shuffled(left: Word, right: Word) -> Word:
    return tuple(sorted(left + right))


WORDS = Aggregate(
    "word", _word, FREE, lambda word: word, commutative=False, kind="holistic"
).erased()
"""The free monoid on events: agreement on it is agreement on every aggregate."""

BAGS = Aggregate(
    "bag", _word, Monoid[Word]((), _shuffled), lambda bag: bag, commutative=True, kind="holistic"
).erased()
"""The free commutative monoid on events: agreement on it is agreement where order is no matter."""


def _every_third(state: object, event: Event) -> tuple[object, int, int]:
    """Begin a window with every third event, that ends before the fifth after it."""
    del event
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 3 == 0), int(n >= 5 and n % 3 == 2)  # noqa: PLR2004 - it is arbitrary


def _after_evens(state: object, event: Event) -> tuple[object, int, int]:
    """Let all but three events go when an even number comes, and fire."""
    held = (state if isinstance(state, int) else 0) + 1
    even = isinstance(event.value, int) and event.value % 2 == 0
    gone = max(0, held - 3) if even else 0
    return held - gone, gone, int(even)


SMALL = st.integers(1, 7)
MEASURES = st.sampled_from([TIME, TIME, COUNT, Measure("doubled", lambda event: 2 * event.time)])


def _cumulate(step: int, times: int, offset: int) -> Cumulate:
    return Cumulate(step * times, step, offset)


def _band(start: int, size: int) -> Band:
    return Band(start, start + size)


def window_types(base: int) -> SearchStrategy[WindowType]:
    """Every window type, with small parameters."""
    near, offsets = st.integers(base - 5, base + 12), st.integers(base - 4, base + 4)
    return st.one_of(
        st.builds(tumbling, SMALL, offsets),
        st.builds(Sliding, SMALL, SMALL, offsets, MEASURES),
        st.builds(count, SMALL, SMALL),
        st.builds(Session, SMALL, MEASURES),
        st.builds(Session, SMALL),
        st.builds(_cumulate, SMALL, st.integers(1, 3), offsets),
        st.builds(Landmark, near, SMALL),
        st.builds(_band, near, SMALL),
        st.builds(Rolling, SMALL, measure=MEASURES),
        st.builds(slide_by_tuple, SMALL, SMALL),
        st.builds(LastNEvery, SMALL, SMALL),
        st.builds(Punctuation, measure=MEASURES),
        st.builds(Delta, st.integers(0, 3), MEASURES),
        st.builds(State, MEASURES),
        st.builds(Threshold, st.integers(-1, 2), st.integers(1, 3), MEASURES),
        st.builds(UserWindow, st.just(_every_third), st.sampled_from([COUNT, TIME])),
        st.builds(UserTrigger, st.just(_after_evens)),
    )


def periodic(base: int) -> SearchStrategy[WindowType]:
    """Windows that every operator serves."""
    return st.builds(Sliding, SMALL, SMALL, st.integers(base - 4, base + 4))


CHOICES = {name: hint for name, hint in get_type_hints(Dialect).items() if name != "closing"}


def dialects() -> SearchStrategy[Dialect]:
    """Every combination of decisions; most often ours."""
    any_dialect = st.builds(
        Dialect,
        closing=st.sampled_from([0, 1, -1, CLOSING_OF_SESSIONS]),
        **{name: st.sampled_from(get_args(hint)) for name, hint in CHOICES.items()},
    )
    lateness = st.builds(Dialect, lateness=st.sampled_from(["event", "window"]))
    return st.one_of(st.just(Dialect()), lateness, any_dialect)


CLOSING_OF_SESSIONS: Mapping[str, int] = MappingProxyType({"session": 1})


def settings(*, ordered: bool = False) -> SearchStrategy[Settings]:
    """Every combination of settings; most often out of order, or always in order if so asked."""
    modes = st.sampled_from(["accumulate-retract", "accumulate", "discard", "final"])
    lateness = st.sampled_from([0, 0, 1, 3, 8, 100])
    in_order = st.sampled_from([True] if ordered else [False, False, False, True])
    ours = st.one_of(st.just(Dialect()), dialects()) if ordered else dialects()
    return st.builds(Settings, lateness, modes, in_order, ours)


@dataclass(frozen=True)
class Corner:
    """A time that is chosen when the state of the run is known."""

    near: str  # zero, watermark, limit, or last
    by: int


def corners() -> SearchStrategy[Corner]:
    """Times near zero, near the watermark, near the lateness limit, and near the last event."""
    return st.one_of(
        st.builds(Corner, st.just("zero"), st.integers(-12, 30)),
        st.builds(Corner, st.sampled_from(["watermark", "limit"]), st.integers(-2, 2)),
        st.builds(Corner, st.just("last"), st.integers(-7, 7)),
    )


def drafts() -> SearchStrategy[tuple[Corner, int, str, int | None, bool]]:
    """Events to be: time, number, key, own gap, punctuation."""
    return st.tuples(
        corners(),
        st.integers(-2, 4),
        st.sampled_from(["", "", "", "k"]),
        st.sampled_from([None, None, None, 1, 4]),
        st.sampled_from([False, False, False, True]),
    )
