"""Aggregates of the user's own that have a form over columns: the order of rows shows in one."""

from collections.abc import Mapping

from pyspark.sql.types import DoubleType, LongType

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.custom import compiled_aggregate

Two = tuple[int, int]


def weighed(value: int, weight: int) -> Two:
    """Return a value so many times."""
    return value * weight, weight


def added(a: Two, b: Two) -> Two:
    """Add."""
    return a[0] + b[0], a[1] + b[1]


def mean(a: Two) -> tuple[float]:
    """Return the mean."""
    return (a[0] / a[1] if a[1] else 0.0,)


def digit(value: int) -> Two:
    """Return the last digit, and what the digits before it are multiplied by."""
    return value % 10, 10


def beside(a: Two, b: Two) -> Two:
    """Write digits one behind the other."""
    return (a[0] * b[1] + b[0]) % 10**9, a[1] * b[1] % 10**9


def written(a: Two) -> tuple[int]:
    """Return the digits."""
    return (a[0],)


def one(value: int) -> tuple[int]:
    """Return a value as a partial."""
    return (value,)


def plus(a: tuple[int], b: tuple[int]) -> tuple[int]:
    """Add."""
    return (a[0] + b[0],)


def total(a: tuple[int]) -> tuple[int]:
    """Return the sum."""
    return (a[0],)


TOTAL = NumericAggregate("total", ("int",), ("int",), (0,), one, plus, total, ("int",))
WEIGHED = NumericAggregate(
    "weighed", ("int", "int"), ("int", "int"), (0, 0), weighed, added, mean, ("float",)
)
DIGITS = NumericAggregate(
    "digits", ("int",), ("int", "int"), (0, 1), digit, beside, written, ("int",)
)
OWN: Mapping[str, AggregateSpec] = {
    "weighed": (compiled_aggregate(WEIGHED, commutative=True), "v", "t", DoubleType()),
    "digits": (compiled_aggregate(DIGITS), "v", LongType()),
    "rows": "count",
}
"""Those, and one of the catalogue."""
