"""What is empty is never lowered (definition K1): no garbage, no division by how many there are."""

from importlib import import_module

import pytest

from muntin.kernels.aggregator.column_window import ColumnWindow
from muntin.kernels.aggregator.in_order_scan import fold_ranges
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.compiler.kernel_api import Column
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.spec.windows.periodic import tumbling
from support.arrow_results import aggregate

pa = import_module("pyarrow")
MODES = [pytest.param(True, id="compiled"), pytest.param(False, id="as it is")]


def plain(column: Column[int | float]) -> list[float]:
    return [float(column[at]) for at in range(len(column))]


@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize(("name", "kind"), [("sum", "int"), ("mean", "float")])
def test_empty_windows_of_a_scan_are_not_lowered(name: str, kind: str, *, compiled: bool) -> None:
    summary = numeric_aggregate(name, "int" if kind == "int" else "float")
    values = [3, 4] if kind == "int" else [3.0, 4.0]
    each = [summary.of([(value,)]) or (0,) for value in values]
    bounds = [0, 1, 1, 2], [1, 1, 2, 2]
    folded = fold_ranges(summary, bounds, [1, 2], values, compiled=compiled)
    assert plain(folded[0]) == [each[0][0], 0, each[1][0], 0]
    none = fold_ranges(summary, ([0, 0], [0, 0]), [], [], compiled=compiled)
    assert plain(none[0]) == [0, 0]


@pytest.mark.parametrize("compiled", MODES)
def test_empty_ranges_of_a_tree_are_not_lowered(*, compiled: bool) -> None:
    window = ColumnWindow(numeric_aggregate("mean"), compiled=compiled)
    ranges = [1, 5, 9, 2], [2, 6, 3, 2]
    nonempty, (means,) = window.query_ranges(*ranges)
    assert (nonempty, plain(means)) == ([False] * 4, [0] * 4)
    window.insert([1, 2], [1.0, 2.0])
    nonempty, (means,) = window.query_ranges(*ranges)
    assert (nonempty, plain(means)) == ([True, False, False, True], [1.5, 0, 0, 2.0])


def lift(v: float) -> tuple[float, int]:
    return (v, 1)


def add(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    return (a[0] + b[0], a[1] + b[1])


def lower(a: tuple[float, int]) -> tuple[float]:
    if a[1] == 0:
        raise ValueError("nothing is there")
    return (a[0] / a[1],)


def test_a_window_of_nulls_is_not_lowered() -> None:
    own = NumericAggregate(
        "own", ("float",), ("float", "int"), (0.0, 0), lift, add, lower, ("float",)
    )
    table = pa.table({"t": [1, 12], "x": [2.0, None]})
    folded = aggregate(table, time="t", windows=[tumbling(10)], aggregates={"own": (own, "x")})
    assert [row["own"] for row in folded.to_pylist()] == [2.0, None]
