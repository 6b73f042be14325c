"""Lists as columns: NumPy would convert wide integers to floats, and numbers among strings."""

from collections.abc import Callable, Hashable, Sequence
from math import inf, nan
from typing import TypeVar

import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.aggregator.column_window import ColumnWindow
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate as summary
from muntin.kernels.compiler.availability import COMPILED
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.stream import END
from muntin.spec.windows.periodic import count, tumbling
from muntin.spec.windows.window import WindowType

T = TypeVar("T")
Listed = Callable[[Sequence[T]], Sequence[T]]
LISTED = (list, tuple)
WIDE = [-3, -3, 2**63, 1, 2**63]


def with_query(what: str, kind: WindowType) -> ColumnarOperator:
    """An operator with one query."""
    operator = ColumnarOperator()
    operator.add(Query("q", kind, named(what)))
    return operator


@pytest.mark.parametrize("listed", LISTED)
@pytest.mark.parametrize("kind", [tumbling(10), count(5, 5)])
@pytest.mark.parametrize("what", ["sum", "max", "collect"])
def test_wide_integers_with_negative_ones_stay_integers(
    what: str, kind: WindowType, listed: Listed[int]
) -> None:
    answered = with_query(what, kind).take_columns([1, 2, 3, 4, 5], listed(WIDE), None, END)
    (value,) = [result.value for result in answered.results()]
    assert repr(value) == repr(named(what).of(WIDE))


@pytest.mark.parametrize("compiled", {COMPILED, False})
@pytest.mark.parametrize("listed", LISTED)
@pytest.mark.parametrize("wide", [[2**63, -1], [1.5, 2**53 + 1], [inf, -(2**60)]])
def test_a_list_with_an_integer_that_is_no_float_is_refused_by_a_window(
    wide: list[float], listed: Listed[float], *, compiled: bool
) -> None:
    window = ColumnWindow(summary("mean"), compiled=compiled)
    with pytest.raises(InvalidInputError, match=r"floats, or integers up to 2\*\*53"):
        window.insert([1, 2], listed(wide))
    window.insert([1, 2], listed([2**53, 2.0**80]))
    assert window.query() == ((2.0**53 + 2.0**80) / 2,)


KEYS: list[tuple[Sequence[Hashable], list[Hashable], list[int]]] = [
    ([1, "1", 1, "a"], [1, "1", "a"], [5, 2, 8]),
    ([2**63, 2**63 + 1, -1, 2**63], [2**63, 2**63 + 1, -1], [9, 2, 4]),
    (["a", "a\0", "a", "b"], ["a", "a\0", "b"], [5, 2, 8]),
    ([("a", 1), ("a", 2), ("a", 1), ("b", 1)], [("a", 1), ("a", 2), ("b", 1)], [5, 2, 8]),
    ([None, float("nan"), float("nan"), None], [None, nan], [9, 6]),
    ([0.0, nan, -0.0, -nan], [0.0, nan], [5, 10]),
    ([True, 1, 0, 1.0], [1, 0], [11, 4]),
]


@pytest.mark.parametrize("listed", LISTED)
@pytest.mark.parametrize(("keys", "distinct", "sums"), KEYS)
def test_keys_in_a_list_stay_what_they_are(
    keys: Sequence[Hashable],
    distinct: list[Hashable],
    sums: list[int],
    listed: Listed[Hashable],
) -> None:
    values = [1, 2, 4, 8]
    answered = with_query("sum", tumbling(10)).take_columns([1, 1, 1, 1], values, listed(keys), END)
    assert [result.key for result in answered.results()] == distinct
    assert [result.value for result in answered.results()] == sums
