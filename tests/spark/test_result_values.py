"""Values of the user's own aggregates are cast to their type: none is truncated."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from muntin.kernels.slicing.arrays import LAST
from muntin.spark.execution.arrow import batches
from muntin.spark.execution.evaluation import rows_of_results
from muntin.spark.execution.result_rows import cast_exactly, coordinates
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Result
from muntin.spec.stream import END
from muntin.spec.windows.periodic import tumbling
from spark_support.tables import plan_of

PAIR = StructType([StructField("a", IntegerType()), StructField("b", DoubleType())])


@pytest.mark.parametrize("kind", [LongType(), IntegerType(), DateType(), TimestampType()])
@pytest.mark.parametrize("value", [1.5, Fraction(3, 2), Decimal("1.5"), nan, inf, Decimal("NaN")])
def test_what_is_no_whole_number_is_refused(kind: DataType, value: object) -> None:
    for where, held in ((kind, value), (ArrayType(kind), [1, value])):
        with pytest.raises(InvalidInputError, match=r"a value of 'n' does not fit into .*no whole"):
            cast_exactly(held, where, "n")


@given(st.integers())
def test_whole_numbers_of_every_numeric_type_are_accepted(n: int) -> None:
    written = (n, Fraction(n), Decimal(n))
    assert [cast_exactly(one, LongType(), "n") for one in written] == [n] * 3


@pytest.mark.parametrize("value", [(2.0, 1.5), {"a": 2.0, "b": 1.5}])
def test_fields_are_each_of_their_type(value: object) -> None:
    assert cast_exactly(value, PAIR, "n") == {"a": 2, "b": 1.5}
    assert cast_exactly([value, None], ArrayType(PAIR), "n") == [{"a": 2, "b": 1.5}, None]


@pytest.mark.parametrize(
    "value",
    [(2.5, 1.5), {"a": 2.5}, (1,), (1, 2.0, 3), {"a": 2}, {"a": 2, "c": 1.5}, {"x": 1, "y": 2}],
)
def test_fields_that_do_not_fit_are_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match="a value of 'n' does not fit into"):
        cast_exactly(value, PAIR, "n")


def test_values_of_an_operator_are_cast_to_their_type() -> None:
    half = Aggregate("half", int, Monoid(0, int.__add__), lambda n: n / 2, True, "algebraic")  # noqa: FBT003 - as in docs
    plan = plan_of({"w": tumbling(9)}, {"half": (half, "v", LongType())})
    even, odd = (Result("w", "k", 0, 9, (value,), "new", 0) for value in (2.0, 2.5))
    (rows,) = rows_of_results(plan, [(0, even)])
    assert rows.values == {"half": [2]}
    with pytest.raises(InvalidInputError, match=r"'half' does not fit into bigint: 2\.5"):
        rows_of_results(plan, [(0, even), (0, odd)])


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (5, StringType()),
        (Fraction(1, 2), DecimalType(9, 2)),
        (1.5, DecimalType(9, 2)),
        (7, PAIR),
        (7, MapType(StringType(), LongType())),
    ],
)
def test_values_of_another_kind_are_named(value: object, kind: DataType) -> None:
    schema = StructType([StructField("own", kind)])
    with pytest.raises(InvalidInputError, match="a value of 'own' does not fit into"):
        list(batches({"own": [value]}, schema))


def test_windows_that_columns_cannot_hold_are_refused() -> None:
    assert coordinates([1 - LAST, 0, LAST - 1, END]).tolist() == [1 - LAST, 0, LAST - 1, LAST]
    for far in (-LAST, LAST, -END):
        with pytest.raises(InvalidInputError, match=f"begins or ends at {far}, which is more than"):
            coordinates([0, far])
