"""Partials of the columnar engine: each window has the value that the specification defines for it.

The value of a window is the aggregate of its values in the order of time and arrival, so windows
are computed here from the events themselves, and no other operator is needed.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
import pytest

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.partials.sources import SourceColumns
from muntin.columnar.engine.plan import periods_of, query_row
from muntin.columnar.engine.results import WindowRows
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.columns_in import any_column
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import form
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.windows.periodic import Sliding

if TYPE_CHECKING:
    from muntin.kernels.slicing.batch import Source, Values

ONE = (
    "count", "sum", "mean", "min", "max", "first", "last", "range", "m4",
    "var_pop", "var_sample", "std_pop", "std_sample",
)  # fmt: skip
ORDERED = ("count", "min", "max", "first", "last", "m4")
PAIRS = ("argmin", "argmax")
SIZE, SLIDE = 12, 4
NEAR = 1e-9
Event = tuple[int, object, int]
Draw = Callable[[Random], object]
COLUMNS: dict[str, tuple[Draw, ...]] = {
    "integers": (lambda r: r.randrange(-50, 50),),
    "floats": (lambda r: r.randrange(-400, 400) / 8,),
    "nulls among integers": (
        lambda r: r.randrange(9), lambda r: r.choice([None, r.randrange(9)]), lambda _: None,
    ),
    "nulls among floats": (lambda r: r.choice([None, 1.5, -2.0]), lambda r: r.random()),
    "floats after integers": (lambda r: r.randrange(-9, 9), lambda r: r.choice([1.5, -2.25])),
    "integers after floats": (lambda r: r.choice([0.5, -7.0]), lambda r: r.randrange(-9, 9)),
    "sums beyond 64 bits": (
        lambda r: r.randrange(9), lambda r: r.choice([2**63 - 1, -(2**63), 2**62, -(2**61) - 7]),
    ),
    "squares beyond 64 bits": (
        lambda r: r.randrange(9), lambda r: r.choice([3 * 10**9, -(2**31), 7, -(10**12)]),
    ),
    "integers beyond 64 bits": (
        lambda r: r.randrange(9), lambda r: r.choice([2**70, -(2**70), 5, None, 2**2000]),
    ),
    "wide sums, then wide integers": (
        lambda r: r.choice([2**62, -(2**62)]), lambda r: r.choice([2**62, 2**64]),
    ),
    "not finite": (lambda r: r.choice([math.nan, math.inf, -math.inf, 1.5, 0.0, -0.0]),),
    "not finite after wide": (
        lambda r: r.choice([2**70, 3]), lambda r: r.choice([math.nan, math.inf, 2.5]),
    ),
    "fractions": (lambda r: Fraction(r.randrange(-9, 9), 7), lambda r: r.choice([None, 3, 1.5])),
}  # fmt: skip
ANY: dict[str, tuple[Draw, ...]] = {
    "texts": (lambda r: r.choice(["b", "a", "", "ab", None]),),
    "dates": (lambda r: r.choice([date(2020, 1, 1), date(1999, 12, 31), date(2020, 1, 2)]),),
    "decimals": (lambda r: r.choice([Decimal("1.1"), Decimal(-3), None]),),
    "booleans": (lambda r: r.choice([True, False]),),
}


class Stream:
    """An engine of one sliding window, and all events that it was given."""

    def __init__(self, *names: str, keyed: bool = False) -> None:
        kind = Sliding(SIZE, SLIDE, 1)
        self.engine = ColumnarEngine([query_row(kind) or []], periods_of([kind]), "final", 0)
        self.keyed = keyed
        self.forms = {name: form(name) for name in names}
        parts = [part for one in self.forms.values() if one for part in one.parts]
        self.columns = SourceColumns(self.engine, parts)
        self.events: list[Event] = []

    def feed(self, times: Sequence[int], values: Sequence[object], keys: Sequence[int]) -> None:
        """Take a batch of events, none of which is late."""
        n = len(times)
        self._bind(times, values, keys)
        assert self.engine.step(n, -d.FAR)
        assert not self.engine.scalars[d.OUT]
        self.events += zip(times, values, keys, strict=True)

    def _bind(self, times: Sequence[int], values: Sequence[object], keys: Sequence[int]) -> None:
        time, n = np.array(times, np.int64), len(times)
        if 1 in self.columns.sources:
            first, second = (
                [one[k] if is_tuple(one) else None for one in values] for k in range(2)
            )
            columns: dict[Source, Values] = {
                0: any_column(first, 0, n),
                1: any_column(second, 1, n),
            }
        else:
            columns = {None: any_column(list(values), None, n)}
        self.engine.bind(d.TIMES, time)
        if self.keyed:
            self.engine.scalars[d.KEYING] = d.HASHED
            self.engine.bind(d.KEYS, np.array(keys, np.int64))
        self.columns.bind(columns, time)

    def windows(self) -> WindowRows:
        """The rows of all windows."""
        self.engine.step(0, max(time for time, _, _ in self.events) + SIZE + 1)
        rows = self.engine.take()
        assert len(rows) == len(self._windows())
        return rows

    def contents(self, rows: WindowRows) -> Iterator[list[object]]:
        """The values of each window, in the order of time and arrival."""
        keys = self.engine.directory.arrays[d.KEY_OF]
        in_order = sorted(self.events, key=lambda event: event[0])  # stable: by arrival
        for start, end, number in zip(rows.start, rows.end, rows.key, strict=True):
            key = keys[number] if self.keyed else None
            yield [
                value for time, value, its in in_order
                if start <= time < end and key in (None, its)
            ]  # fmt: skip

    def check(self) -> None:
        """Compare all windows with the definition of their values."""
        rows = self.windows()
        folded = {part: rows.fields(part) for part in self.columns.parts}
        contents = list(self.contents(rows))
        for name, one in self.forms.items():
            assert one is not None
            results = one.finish(folded).objects().tolist()
            for result, content in zip(results, contents, strict=True):
                assert is_near(result, named(name).of(content)), (name, content)

    def _windows(self) -> set[tuple[int, int]]:
        phase = (1 + SIZE) % SLIDE
        return {
            (end, key if self.keyed else 0)
            for time, _, key in self.events
            for end in range(time + 1 + (phase - time - 1) % SLIDE, time + SIZE + 1, SLIDE)
        }


def is_tuple(value: object) -> TypeGuard[tuple[object, ...]]:
    """Whether a value is a tuple, of whatever."""
    return isinstance(value, tuple)


def is_near(result: object, expected: object) -> bool:
    """Whether a result is the expected one, floats to within rounding; an integer is exact."""
    if is_tuple(expected):
        return is_tuple(result) and all(map(is_near, result, expected))
    if isinstance(expected, float | Fraction) and isinstance(result, int | float | Fraction):
        return float(result) == pytest.approx(float(expected), rel=NEAR, abs=NEAR, nan_ok=True)
    if isinstance(expected, int) and isinstance(result, float):  # a column has one type
        return result == expected  # pyright: ignore[reportUnnecessaryComparison] - both are numbers
    return type(result) is type(expected) and result == expected


def batches(rng: Random, draws: Sequence[Draw], keys: int, spread: int) -> list[list[Event]]:
    """Batches of events: of each column in turn, then of any."""
    made: list[list[Event]] = []
    for nth in range(5):
        draw = draws[nth] if nth < len(draws) else rng.choice(draws)
        made.append(
            [
                (rng.randrange(nth * spread // 2, nth * spread + 9), draw(rng), rng.randrange(keys))
                for _ in range(rng.choice([1, 7, 60, 300]))
            ]
        )
    return made


def feed(stream: Stream, events: list[list[Event]], *, pairs: bool = False) -> None:
    rng = Random(1)  # noqa: S311 - nothing secret
    for batch in events:
        times, values, keys = map(list, zip(*batch, strict=True))
        chosen: list[object] = [*values]
        if pairs:
            chosen = [
                (value, rng.choice([value, rng.randrange(5), None])) if value is not None else None
                for value in values
            ]
        stream.feed(times, chosen, keys)


@pytest.mark.parametrize("spread", [3, 60, 400], ids=["one slice", "few slices", "many slices"])
@pytest.mark.parametrize("keys", [1, 5, 100])
@pytest.mark.parametrize("column", COLUMNS)
def test_numbers(column: str, keys: int, spread: int) -> None:
    stream = Stream(*ONE, keyed=keys > 1)
    feed(stream, batches(Random(f"{column} {keys}"), COLUMNS[column], keys, spread))  # noqa: S311 - nothing secret
    stream.check()


@pytest.mark.parametrize("spread", [3, 60, 400], ids=["one slice", "few slices", "many slices"])
@pytest.mark.parametrize("keys", [1, 5])
@pytest.mark.parametrize("column", [*COLUMNS, *ANY])
@pytest.mark.parametrize("name", PAIRS)
def test_choices(name: str, column: str, keys: int, spread: int) -> None:
    stream = Stream(name, keyed=keys > 1)
    draws = (COLUMNS | ANY)[column]
    feed(stream, batches(Random(f"{column} {keys}"), draws, keys, spread), pairs=True)  # noqa: S311 - nothing secret
    stream.check()


@pytest.mark.parametrize("keys", [1, 5])
@pytest.mark.parametrize("column", ANY)
def test_values_that_are_no_numbers(column: str, keys: int) -> None:
    stream = Stream(*ORDERED, keyed=keys > 1)
    feed(stream, batches(Random(f"{column} {keys}"), ANY[column], keys, 60))  # noqa: S311 - nothing secret
    stream.check()


@pytest.mark.parametrize("bad", [["a"], [None, True], [date(2020, 1, 1)]])
@pytest.mark.parametrize("name", ["sum", "mean", "var_pop"])
def test_what_cannot_be_added_is_refused_before_any_change(name: str, bad: list[object]) -> None:
    stream = Stream(name, "count")
    stream.feed([1, 2], [3, 4], [0, 0])
    with pytest.raises(InvalidInputError, match="not a number"):
        stream.feed([5] * len(bad), bad, [0] * len(bad))
    stream.feed([3], [5], [0])
    stream.check()


def test_values_of_types_without_an_order_are_refused_before_any_change() -> None:
    stream = Stream("argmin", "argmax")
    stream.feed([1, 2], [(3, 1), (4, 2)], [0, 0])
    with pytest.raises(UnsupportedError, match=r"'a' \(str\) has no order with the values of type"):
        stream.feed([5], [("a", 1)], [0])
    with pytest.raises(InvalidInputError, match="type that has no order"):
        stream.feed([5], [(1j, 1)], [0])
    stream.feed([3], [(9, 5)], [0])
    stream.check()


def value_types(stream: Stream) -> set[str]:
    return {kept.kernels.value_type for kept in stream.engine.parts}


def test_a_bound_of_sums_falls_with_the_sums_that_are_live() -> None:
    stream = Stream("sum", "var_pop")
    for step in range(40):
        stream.feed([step] * 2, [2**30, -(2**30)], [0, 0])
    assert value_types(stream) == {"int", "wide"}  # squares add up; sums cancel
    stream.check()


@pytest.mark.parametrize("last", [2**62, -(2**63)])
def test_a_sum_that_passes_64_bits_gets_a_limb(last: int) -> None:
    stream = Stream("sum", "mean")
    stream.feed([1, 2], [2**61, 2**62], [0, 0])
    stream.feed([3, 4], [last, last], [0, 0])
    assert value_types(stream) == {"wide"}
    stream.check()


class Unsteady:
    """A value that has an order by itself, and fails beside another."""

    def __lt__(self, other: object) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no more")

    __hash__ = None  # type: ignore[assignment] # it has no value to hash


def test_an_error_in_the_comparison_of_values_is_raised() -> None:
    stream = Stream("min")
    with pytest.raises(RuntimeError, match="no more"):
        stream.feed([1, 2, 3, 4], [Unsteady() for _ in range(4)], [0] * 4)


def lift(price: float, size: int) -> tuple[float, int]:
    return price * size, size


def combine(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    return a[0] + b[0], a[1] + b[1]


def lower(a: tuple[float, int]) -> tuple[float]:
    return (a[0] / a[1] if a[1] else 0.0,)


@pytest.mark.parametrize("keys", [1, 5])
@pytest.mark.parametrize("spread", [3, 60, 400])
def test_an_aggregate_of_the_user(keys: int, spread: int) -> None:
    kinds = ("float", "int")
    summary = NumericAggregate("wap", kinds, kinds, (0.0, 0), lift, combine, lower, ("float",))  # type: ignore[arg-type] # literals
    part = Custom(0, (1,), summary)
    stream = Stream(keyed=keys > 1)
    stream.columns.add([part])
    draws: tuple[Draw, ...] = (
        lambda r: r.choice([(r.random(), r.randrange(1, 9)), (None, 3), (1.5, None)]),
    )
    feed(stream, batches(Random(spread), draws, keys, spread))  # noqa: S311 - nothing secret
    rows = stream.windows()
    held, partials = rows.fields(part)
    for i, content in enumerate(stream.contents(rows)):
        some = [pair for pair in content if is_tuple(pair) and None not in pair]
        total = summary.monoid().fold(summary.lift(*pair) for pair in some)
        assert held[i] == len(some)
        assert partials[i].item() == pytest.approx(total)
