"""Every aggregate of the catalogue against a plain definition on lists; nulls; errors."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.spec.algebra.catalogue import NAMES, named, named_keeping_nulls, skipping_nulls
from muntin.spec.algebra.values import compare
from muntin.spec.errors import InvalidInputError

NAN, INF = float("nan"), float("inf")

ints = st.integers(-9, 9)
some = st.lists(ints, min_size=1, max_size=8)


def interpolated(values: Sequence[int], p: Fraction) -> Fraction:
    ranks = sorted(values)
    place = (len(ranks) - 1) * p / 100
    below = math.floor(place)
    above = min(below + 1, len(ranks) - 1)
    return ranks[below] + (place - below) * (ranks[above] - ranks[below])


EXACT: dict[str, Callable[[list[int]], object]] = {
    "sum": sum,
    "count": len,
    "min": min,
    "max": max,
    "mean": lambda v: sum(v) / len(v),
    "median": statistics.median,
    "percentile(0)": min,
    "percentile(95)": lambda v: interpolated(v, Fraction(95)),
    "percentile(99.9)": lambda v: interpolated(v, Fraction("99.9")),
    "percentile(0.5%)": lambda v: interpolated(v, Fraction("0.5")),
    "percentile(100)": max,
    "first": lambda v: v[0],
    "last": lambda v: v[-1],
    "collect": tuple,
    "distinct": lambda v: tuple(sorted(set(v))),
    "maxcount": lambda v: v.count(max(v)),
    "mincount": lambda v: v.count(min(v)),
    "var_pop": lambda v: float(statistics.pvariance(map(Fraction, v))),
    "var_sample": lambda v: float(statistics.variance(map(Fraction, v))) if v[1:] else None,
    "std_pop": lambda v: statistics.pstdev(map(Fraction, v)),
    "std_sample": lambda v: statistics.stdev(map(Fraction, v)) if v[1:] else None,
    "range": lambda v: max(v) - min(v),
    "m4": lambda v: (min(v), max(v), v[0], v[-1]),
}


@pytest.mark.parametrize("name", EXACT)
@given(values=some)
def test_equals_its_definition_on_lists(name: str, values: list[int]) -> None:
    assert named_keeping_nulls(name).of(values) == EXACT[name](values)
    assert named(name).of([None, *values, None]) == EXACT[name](values)


@given(st.lists(st.tuples(ints, st.text(max_size=2)), min_size=1, max_size=6))
def test_the_argument_of_an_extreme_is_the_first_of_a_tie(pairs: list[tuple[int, str]]) -> None:
    assert named_keeping_nulls("argmax").of(pairs) == max(pairs, key=lambda pair: pair[0])[1]
    assert (
        named_keeping_nulls("argmin").of(map(list, pairs))
        == min(pairs, key=lambda pair: pair[0])[1]
    )


@given(st.lists(st.text(max_size=3)))
def test_concat_is_join(values: list[str]) -> None:
    assert named_keeping_nulls("concat").of(values) == "".join(values)


@given(st.lists(st.integers(1, 10**30), min_size=1, max_size=8))
def test_geomean_is_the_root_of_the_product(values: list[int]) -> None:
    mean = named_keeping_nulls("geomean").of(values)
    assert isinstance(mean, float)
    assert mean == pytest.approx(statistics.geometric_mean(values), rel=1e-12)
    assert math.isclose(Fraction(mean) ** len(values) / math.prod(values), 1, rel_tol=1e-12)


def test_geomean_knows_no_overflow_underflow_or_lost_zero() -> None:
    geomean = named_keeping_nulls("geomean")
    assert geomean.of([10**400, Fraction(1, 10**400)]) == pytest.approx(1, rel=1e-12)
    assert geomean.of([1e308] * 100) == pytest.approx(1e308, rel=1e-12)
    assert geomean.of([5e-324] * 100) == pytest.approx(5e-324)
    assert geomean.of([2, 8.0]) == pytest.approx(4, rel=1e-14)
    assert geomean.of([10**400]) == INF
    assert geomean.of([0, 5, 0.0]) == 0.0
    undo = geomean.monoid.invert
    assert undo
    without_zero = undo(geomean.partial([2, 8, 0]), geomean.partial([0]))
    assert without_zero == geomean.partial([2, 8])
    with pytest.raises(
        InvalidInputError, match="-1 is no value of geomean: it must not be negative"
    ):
        geomean.of([-1])


floats = st.floats(-1e6, 1e6)


@given(st.lists(floats, min_size=2, max_size=20), st.integers(0, 20))
def test_floats_are_within_the_rounding_of_their_size(values: list[float], cut: int) -> None:
    bound = 1e-14 * max(map(abs, values)) * len(values)
    underflow = 1e-300
    truth = list(map(Fraction, values))

    def near(name: str, expected: Fraction, bound: float) -> None:
        a, monoid = named_keeping_nulls(name), named_keeping_nulls(name).monoid
        split = a.lower(monoid.combine(a.partial(values[:cut]), a.partial(values[cut:])))
        for answer in (a.of(values), split):
            assert isinstance(answer, float)
            assert abs(Fraction(answer) - expected) <= bound + underflow

    near("sum", sum(truth, Fraction(0)), bound)
    near("mean", statistics.mean(truth), bound)
    near("var_pop", statistics.pvariance(truth), bound * max(map(abs, values)) * 2)


def test_variance_survives_where_the_formula_of_squares_does_not() -> None:
    values = [1e9 + d for d in (4.0, 7.0, 13.0, 16.0)]
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    naive = (squares - total * total / n) / (n - 1)
    assert naive != pytest.approx(30.0, rel=0.01)
    assert named_keeping_nulls("var_sample").of(values) == pytest.approx(30.0, rel=1e-12)
    assert named_keeping_nulls("var_sample").of(map(int, values)) == 30.0


@given(st.lists(floats), st.lists(floats))
def test_a_spread_is_undone_exactly(kept: list[float], gone: list[float]) -> None:
    for name in ("std_pop", "var_sample", "geomean"):
        spread = named_keeping_nulls(name)
        x, y = (list(map(abs, values)) for values in (kept, gone))
        undo = spread.monoid.invert
        assert undo
        assert undo(spread.partial(x + y), spread.partial(y)) == spread.partial(x)


def test_results_beyond_the_floats() -> None:
    assert named_keeping_nulls("mean").of([10**400, 10**400]) == INF
    assert named_keeping_nulls("std_pop").of([10**200, -(10**200)]) == 1e200
    assert named_keeping_nulls("var_pop").of([1e200, -1e200]) == INF


def test_exact_values_give_exact_results_of_their_kind() -> None:
    half = Fraction(1, 2)
    assert repr(named_keeping_nulls("sum").of([1, 2])) == "3"
    assert repr(named_keeping_nulls("mean").of([half, 1])) == "Fraction(3, 4)"
    assert repr(named_keeping_nulls("mean").of([10**20, 10**20 + 2])) == "1e+20"
    assert repr(named_keeping_nulls("median").of([1, 3])) == "2"
    assert repr(named_keeping_nulls("median").of([1, 2])) == "Fraction(3, 2)"
    assert repr(named_keeping_nulls("median").of([1.0, 2])) == "1.5"
    assert repr(named_keeping_nulls("median").of([0.1, 0.1, 0.1])) == "0.1"
    assert named_keeping_nulls("percentile(25)").of([-INF, INF]) != 0
    assert named_keeping_nulls("median").of([INF, INF]) == INF


def test_what_has_no_exact_value_makes_a_spread_that_is_no_number_and_can_be_undone() -> None:
    for name in ("geomean", "var_pop", "std_sample"):
        aggregate = named_keeping_nulls(name)
        for odd in (NAN, INF):
            assert repr(aggregate.of([1, odd, 2])) == "nan"
            whole, part = aggregate.partial([1, 2, odd]), aggregate.partial([odd])
            assert aggregate.monoid.invert is not None
            undone = aggregate.monoid.invert(whole, part)
            assert aggregate.lower(undone) == aggregate.of([1, 2])


def test_nan_is_the_greatest_number() -> None:
    values = [NAN, 1, INF]
    assert named_keeping_nulls("min").of(values) == 1
    assert repr(named_keeping_nulls("max").of(values)) == "nan"
    assert repr(named_keeping_nulls("distinct").of([NAN, 2, NAN, 1])) == "(1, 2, nan)"
    assert named_keeping_nulls("maxcount").of([NAN, INF, float("nan")]) == 2
    assert named_keeping_nulls("argmax").of([(1, "a"), (NAN, "b"), (NAN, "c")]) == "b"
    assert named_keeping_nulls("median").of(values) == INF
    assert repr(named_keeping_nulls("sum").of(values)) == "nan"


totally = st.integers(-3, 3) | st.fractions(-3, 3, max_denominator=2) | st.floats(width=16)


@given(totally, totally, totally)
def test_the_order_is_total(x: object, y: object, z: object) -> None:
    assert compare(x, y) == -compare(y, x)
    assert compare(x, y) > 0 or compare(y, z) > 0 or compare(x, z) <= 0


NOTHING = {"sum": 0, "count": 0, "collect": (), "distinct": (), "concat": ""}


@pytest.mark.parametrize("name", [*NAMES, "percentile(5)"])
def test_an_aggregate_of_nothing(name: str) -> None:
    assert named_keeping_nulls(name).of([]) == NOTHING.get(name)
    empty = {"count": 0, "collect": (), "distinct": ()}.get(name)
    assert named(name).of([]) == named(name).of([None, None]) == empty


def test_samples_of_one_have_no_spread() -> None:
    assert (
        named_keeping_nulls("var_sample").of([7])
        is named_keeping_nulls("std_sample").of([7.0])
        is None
    )
    assert named_keeping_nulls("var_pop").of([7]) == named_keeping_nulls("std_pop").of([7.0]) == 0


def test_nulls_never_reach_the_inner_aggregate() -> None:
    assert named_keeping_nulls("collect").of([1, None]) == (1, None)
    assert named("collect").of([1, None, 2]) == (1, 2)
    assert named("first").of([None, 5]) == 5
    assert named("count").of([None, 5]) == 1
    assert named_keeping_nulls("count").of([None, 5]) == 2


def test_undoing_every_value_is_to_have_seen_none() -> None:
    total = named("sum")
    undo = total.monoid.invert
    assert undo
    assert total.lower(undo(total.partial([1, None, -1]), total.partial([1, -1]))) is None
    assert total.lower(undo(total.partial([1, None, -1]), total.partial([None, -1]))) == 1


def test_skipping_nulls_keeps_an_aggregate_of_the_user() -> None:
    assert skipping_nulls(replace(named_keeping_nulls("sum"), name="mine")).of([None, 2]) == 2
    assert skipping_nulls(named_keeping_nulls("sum"), empty=7).of([None]) == 7


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in ("sum", "mean", "median", "percentile(5)", "geomean", "range")),
        *((name, "x") for name in ("std_pop", "std_sample", "var_pop", "var_sample", "argmax")),
        *((name, True) for name in ("sum", "median", "range", "var_pop")),
        *((name, {}) for name in ("min", "max", "maxcount", "mincount", "distinct", "m4")),
        *((name, None) for name in ("sum", "min", "m4")),
        ("argmin", (1,)),
        ("argmin", (None, 1)),
        ("concat", 1),
        ("geomean", -INF),
    ],
)
def test_a_wrong_value_is_named_with_its_aggregate(name: str, value: object) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        named_keeping_nulls(name).lift(value)
    assert name in str(refusal.value)
    assert repr(value) in str(refusal.value) or repr(None) in str(refusal.value)


@pytest.mark.parametrize("values", [(1, "a"), (True, 1), ([1], (1,)), ({1}, {2}), ("a", b"a")])
def test_values_without_a_common_order_are_named(values: tuple[object, object]) -> None:
    left, right = map(repr, values)
    with pytest.raises(InvalidInputError) as refusal:
        named_keeping_nulls("min").of(values)
    assert left in str(refusal.value)
    assert right in str(refusal.value)


UNKNOWN = ["total", "", "percentile", "percentile()", "percentile(101)", "percentile(-1)"]


@pytest.mark.parametrize(
    "name",
    [*UNKNOWN, "percentile(x)", "percentile(1e1)", "percentile(5", "kll(50)", "hll", "sum(1)"],
)
def test_an_unknown_name_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        named(name)
    assert repr(name) in str(refusal.value)
    assert all(known in str(refusal.value) for known in (*NAMES, "percentile(p)"))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("percentile(0.95)", r"write percentile\(95\), or percentile\(0.95%\)"),
        ("percentile(0.999)", r"write percentile\(99.9\), or percentile\(0.999%\)"),
        ("percentile(0.005)", r"write percentile\(0.5%\), or percentile\(0.005%\)"),
    ],
)
def test_a_fraction_of_one_is_no_percentage(name: str, remedy: str) -> None:
    with pytest.raises(InvalidInputError, match=remedy):
        named(name)
    assert named(f"{name[:-1]}%)").of([0, 10]) == Fraction(name[11:-1]) / 10


@pytest.mark.parametrize("name", [*NAMES, "percentile(99.9)"])
def test_an_aggregate_bears_its_name(name: str) -> None:
    assert named_keeping_nulls(name).name == named(name).name == name
