"""Aggregates over columns: equal to the catalogue, floats within their bound, compiled or not."""

from fractions import Fraction
from math import inf, isnan, nan, sqrt, ulp
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from muntin.kernels.aggregator.column_window import ColumnWindow
from muntin.kernels.aggregator.in_order_scan import fold_ranges
from muntin.kernels.aggregator.numeric_catalogue import NAMES, SPREADS, numeric_aggregate
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.algebra.laws import is_same

KINDS: tuple[Kind, Kind] = ("int", "float")
U = 2.0**-53
EXACT = [name for name in NAMES if name not in SPREADS and name != "mean"]
INTS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
FLOATS = st.floats() | st.sampled_from([0.0, -0.0, 1.0, inf, -inf, nan])


def specified(name: str, rows: list[Partial]) -> object:
    values: list[object] = [[*row] if name.startswith("arg") else next(iter(row)) for row in rows]
    return named_keeping_nulls(name).of(values)


def answer(summary: NumericAggregate, rows: list[Partial]) -> object:
    result = summary.of(rows)
    assert result is not None
    expected = result[:-1] if summary.checked else result
    return next(iter(expected)) if len(expected) == 1 else expected


def rows_of(name: str, kind: Kind) -> st.SearchStrategy[list[Partial]]:
    values = INTS if kind == "int" else FLOATS
    both = st.tuples(values, st.integers(0, 9)) if name.startswith("arg") else st.tuples(values)
    return st.lists(both, min_size=1, max_size=8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in EXACT if name not in ("sum", "count")])
@given(st.data())
def test_what_is_chosen_is_what_the_catalogue_chooses(
    name: str, kind: Kind, data: st.DataObject
) -> None:
    rows = data.draw(rows_of(name, kind))
    summary = numeric_aggregate(name, kind, "int")
    assert is_same(answer(summary, rows), specified(name, rows))


@given(st.lists(st.tuples(INTS), min_size=1))
def test_integers_are_summed_exactly_however_large(rows: list[tuple[int]]) -> None:
    total = sum(row[0] for row in rows)
    result = numeric_aggregate("sum", "int").of([*rows])
    assert result == (total, int(not -(2**63) <= total < 2**63))


@given(st.lists(st.tuples(INTS), min_size=1))
def test_a_mean_of_integers_is_off_by_a_few_roundings(rows: list[tuple[int]]) -> None:
    exact = Fraction(sum(row[0] for row in rows), len(rows))
    result = numeric_aggregate("mean", "int").of([*rows])
    assert result
    assert abs(Fraction(result[0]) - exact) <= 4 * Fraction(U) * abs(exact)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_commutes_is_what_the_catalogue_says(name: str, kind: Kind) -> None:
    assert numeric_aggregate(name, kind).commutative is named_keeping_nulls(name).commutative


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_identity_is_one(name: str, kind: Kind) -> None:
    summary = numeric_aggregate(name, kind)
    floats = [(3.0, 4.0), (-inf, 1.0), (inf, 1.0), (nan, 2.0)]
    for row in [(3, 4)] if kind == "int" else floats[: 1 if name in SPREADS else None]:
        lifted = summary.lift(*row[: max(1, len(summary.columns))])
        assert repr(summary.combine(summary.identity, lifted)) == repr(lifted)
        assert repr(summary.combine(lifted, summary.identity)) == repr(lifted)


def columns(name: str, kind: Kind, size: int) -> tuple[list[int], list[list[int | float]]]:
    random = Random(f"{name} {kind}")  # noqa: S311 nothing secret
    times = [random.randrange(size) for _ in range(size)]
    wide = 2**62 if kind == "int" and name not in SPREADS else 2**20
    draw = [random.randrange(-wide, wide) for _ in range(size)]
    values = [x if kind == "int" else x / 2**10 for x in draw]
    payload = [float(random.randrange(100)) for _ in range(size)]
    expected = len(numeric_aggregate(name, kind).columns)
    return times, [[*values], [*payload]][:expected]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_compiled_code_answers_what_its_source_does(name: str, kind: Kind) -> None:
    """Of the sources of a tree nothing depends on the monoid; so this is of the monoid alone."""
    summary, size = numeric_aggregate(name, kind), 200
    times, given_columns = columns(name, kind, size)
    bounds = [max(0, k - 37) for k in range(size)], [k + 1 - k % 2 for k in range(size)]
    shifts = [min(a, b) for a, b in zip(*bounds, strict=True)], bounds[1]
    if name == "sum" and kind == "int":
        given_columns = [[x // 2**8 for x in given_columns[0]]]
    interpreted, from_numba = (
        fold_ranges(summary, shifts, times, *given_columns, compiled=compiled)
        for compiled in (False, True)
    )
    windows = [k for k in range(size) if shifts[0][k] < shifts[1][k]]
    for mine, compiled in zip(interpreted, from_numba, strict=True):
        assert len(compiled) == size
        assert [float(mine[k]) for k in windows] == pytest.approx(
            [float(compiled[k]) for k in windows], rel=0, abs=0, nan_ok=True
        )


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=300), st.randoms())
def test_a_float_sum_is_within_its_bound(values: list[float], random: Random) -> None:
    window = ColumnWindow(numeric_aggregate("sum"), compiled=False)
    times = list(range(len(values)))
    random.shuffle(times)
    window.insert(times, values)
    window.evict([times[0]])
    kept = [Fraction(x) for x in values[1:]]
    if not kept:
        assert window.query() is None
        return
    result, n = window.query(), len(kept) - 1
    assert result
    exact, size = sum(kept), sum(map(abs, kept))
    assert abs(Fraction(result[0]) - exact) <= Fraction(n * U / (1 - n * U)) * size


def test_subtracting_drifts_and_the_tree_does_not() -> None:
    """One large value comes and goes: what is subtracted on leaving takes all the small ones."""
    values = [0.1] * 10 + [1e17] + [0.1] * 30
    running, window = 0.0, ColumnWindow(numeric_aggregate("sum"), compiled=False)
    for at, value in enumerate(values):
        running += value - (values[at - 10] if at >= 10 else 0.0)
        window.evict_through(at - 10)
        window.insert([at], [value])
    exact = 10 * Fraction(0.1)
    result = window.query()
    assert result
    assert abs(Fraction(result[0]) - exact) < Fraction(1, 10**15)
    assert abs(Fraction(running) - exact) > Fraction(1, 2)


def moments(values: list[float]) -> tuple[Fraction, Fraction]:
    exact = [Fraction(x) for x in values]
    mean = sum(exact, Fraction()) / len(exact)
    squares = sum(((x - mean) * (x - mean) for x in exact), Fraction())
    return squares, sum((x * x for x in exact), Fraction())


@given(
    st.sampled_from([0.0, 1.0, 1e6, 1e9]),
    st.lists(st.floats(-1, 1), min_size=2, max_size=100),
)
@example(0.0, [0.0, 9.604838543108818e-166])
def test_a_variance_is_within_its_bound(offset: float, noise: list[float]) -> None:
    """A few roundings for each value, times the condition number of the problem [Chan83].

    The bound is relative where nothing underflows; a square that does is off by less than the
    least positive float.
    """
    values = [offset + x for x in noise]
    squares, size = moments(values)
    result = numeric_aggregate("var_pop").of([(x,) for x in values])
    assert result
    if squares == 0:
        assert result[0] <= (len(values) * U * (abs(offset) + 1)) ** 2 * 16
        return
    condition = sqrt(size / squares)
    slack = 8 * len(values) * U * condition
    exact = squares / len(values)
    underflow = 4 * len(values) * Fraction(ulp(0.0))
    assert abs(Fraction(result[0]) - exact) <= exact * Fraction(slack * (1 + slack)) + underflow


def test_the_naive_variance_fails_where_this_one_does_not() -> None:
    values = [1e9 + k % 3 for k in range(300)]
    naive = sum(x * x for x in values) / 300 - (sum(values) / 300) ** 2
    result = numeric_aggregate("var_pop").of([(x,) for x in values])
    assert result
    assert abs(result[0] - 2 / 3) < 1e-6
    assert abs(naive - 2 / 3) > 1


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_window_has_no_result(name: str) -> None:
    window = ColumnWindow(numeric_aggregate(name), compiled=False)
    assert window.query() is None


def test_of_one_value_there_is_no_sample_variance() -> None:
    assert all(
        isnan((numeric_aggregate(name).of([(1.0,)]) or (0.0,))[0])
        for name in ("var_sample", "std_sample")
    )
