"""Compiled aggregates of a user; one depends on the order of rows."""

from collections.abc import Mapping

from pyspark.sql.types import DoubleType, LongType

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.custom import compiled_aggregate

Two = tuple[int, int]


def weigh(value: int, weight: int) -> Two:
    """A value times its weight, and the weight."""
    return value * weight, weight


def add(a: Two, b: Two) -> Two:
    """Add up the parts."""
    return a[0] + b[0], a[1] + b[1]


def mean(a: Two) -> tuple[float]:
    """The weighted mean."""
    return (a[0] / a[1] if a[1] else 0.0,)


def digit(value: int) -> Two:
    """The last digit, and the factor of the digits before it."""
    return value % 10, 10


def concatenate(a: Two, b: Two) -> Two:
    """Write digits one after the other."""
    return (a[0] * b[1] + b[0]) % 10**9, a[1] * b[1] % 10**9


def digits(a: Two) -> tuple[int]:
    """The digits as a number."""
    return (a[0],)


def single(value: int) -> tuple[int]:
    """A value as a partial."""
    return (value,)


def plus(a: tuple[int], b: tuple[int]) -> tuple[int]:
    """Add up the parts."""
    return (a[0] + b[0],)


def total(a: tuple[int]) -> tuple[int]:
    """The sum."""
    return (a[0],)


TOTAL = NumericAggregate("total", ("int",), ("int",), (0,), single, plus, total, ("int",))
WEIGHED = NumericAggregate(
    "weighed", ("int", "int"), ("int", "int"), (0, 0), weigh, add, mean, ("float",)
)
DIGITS = NumericAggregate(
    "digits", ("int",), ("int", "int"), (0, 1), digit, concatenate, digits, ("int",)
)
OWN: Mapping[str, AggregateSpec] = {
    "weighed": (compiled_aggregate(WEIGHED, commutative=True), "v", "t", DoubleType()),
    "digits": (compiled_aggregate(DIGITS), "v", LongType()),
    "rows": "count",
}
"""These, and one of the catalogue."""
