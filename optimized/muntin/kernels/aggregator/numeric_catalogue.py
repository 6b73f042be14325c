"""Aggregates by name over numeric columns: the part of the catalogue that compiles.

Integers are summed exactly, in two halves that are added separately and that 2**31 values cannot
overflow; a total beyond 64 bits is widened by a query and is an error in a column. Floats are
summed without subtraction: the error of a sum of n values is at most (n - 1) u / (1 - (n - 1) u)
times the sum of their magnitudes, u = 2**-53, and in practice it grows with the depth of the tree.
NaN is the greatest number.
"""

from collections.abc import Callable
from math import inf, nan

from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.spec.errors import InvalidInputError, UnsupportedError

MAX_INT = 2**63 - 1
HALF_BITS, LOW_MASK = 32, 2**32 - 1
Single = tuple[float]
IntPair = tuple[int, int]


def identity_lift(v: float) -> Single:
    """Lift a value to itself."""
    return (v,)


def identity_lower(a: Partial) -> Partial:
    """Lower a partial to itself."""
    return a


def count_lift(_: float) -> tuple[int]:
    """Lift a value to a count of 1."""
    return (1,)


def add(a: Single, b: Single) -> Single:
    """Add two numbers."""
    return (a[0] + b[0],)


def sum_lift(v: int) -> IntPair:
    """Lift an integer to its two halves."""
    return (v >> HALF_BITS, v & LOW_MASK)


def add_pairs(a: IntPair, b: IntPair) -> IntPair:
    """Add two pairs."""
    return (a[0] + b[0], a[1] + b[1])


def sum_lower(a: IntPair) -> IntPair:
    """Lower two halves to an integer, and to 1 if it does not fit into 64 bits."""
    high, low = a[0] + (a[1] >> HALF_BITS), a[1] & LOW_MASK
    return ((high << HALF_BITS) + low, int(high >= 2**31 or high < -(2**31)))


def lift_with_count(v: float) -> tuple[float, int]:
    """Lift a value to itself and a count of 1."""
    return (v, 1)


def mean_lower(a: tuple[float, int]) -> Single:
    """Divide the sum by the count."""
    return (a[0] / a[1],)


def lift_halves_with_count(v: int) -> tuple[int, int, int]:
    """Lift an integer to its two halves and a count of 1."""
    return (v >> HALF_BITS, v & LOW_MASK, 1)


def add_triples(a: Partial, b: Partial) -> Partial:
    """Add two triples."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def int_mean_lower(a: tuple[int, int, int]) -> Single:
    """Divide the sum by the count, with at most three roundings."""
    high, low = a[0] + (a[1] >> HALF_BITS), a[1] & LOW_MASK
    return ((high * 4294967296.0 + low) / a[2],)


def minimum(a: Single, b: Single) -> Single:
    """The smaller value, or the first of equals."""
    return a if a[0] <= b[0] or b[0] != b[0] else b


def maximum(a: Single, b: Single) -> Single:
    """The larger value, or the first of equals."""
    return a if a[0] >= b[0] or a[0] != a[0] else b


_INT: tuple[Kind, ...] = ("int",)
NARROW_SUM = NumericAggregate(
    "sum", _INT, _INT, (0,), identity_lift, add, identity_lower, _INT, commutative=True
)
"""The sum of integers that stays within 64 bits."""

ArgPartial = tuple[float, float, int]


def arg_lift(key: float, payload: float) -> ArgPartial:
    """Lift a key and a payload, with 1 for present."""
    return (key, payload, 1)


def argmin_combine(a: ArgPartial, b: ArgPartial) -> ArgPartial:
    """The entry with the smaller key, or the first of equals."""
    before = a[0] <= b[0] or b[0] != b[0]
    return b if a[2] == 0 else a if b[2] == 0 or before else b


def argmax_combine(a: ArgPartial, b: ArgPartial) -> ArgPartial:
    """The entry with the larger key, or the first of equals."""
    before = a[0] >= b[0] or a[0] != a[0]
    return b if a[2] == 0 else a if b[2] == 0 or before else b


def arg_lower(a: ArgPartial) -> Single:
    """Lower to the payload."""
    return (a[1],)


def first_combine(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    """The first value present."""
    return b if a[1] == 0 else a


def last_combine(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    """The last value present."""
    return a if b[1] == 0 else b


def value_lower(a: tuple[float, int]) -> Single:
    """Lower to the value."""
    return (a[0],)


M4 = tuple[float, float, float, float, int]


def m4_lift(v: float) -> M4:
    """Lift to minimum, maximum, first and last."""
    return (v, v, v, v, 1)


def m4_combine(a: M4, b: M4) -> M4:
    """Minimum, maximum, first and last of both."""
    low, high = minimum((a[0],), (b[0],)), maximum((a[1],), (b[1],))
    both = (low[0], high[0], a[2], b[3], 1)
    return b if a[4] == 0 else a if b[4] == 0 else both


def m4_lower(a: M4) -> tuple[float, float, float, float]:
    """Lower to the four values."""
    return (a[0], a[1], a[2], a[3])


Moments = tuple[int, float, float]


def moments_lift(v: float) -> Moments:
    """Lift to count, mean, and the sum of squared distances from the mean.

    For an infinite value `v - v` is NaN, as its variance is.
    """
    return (1, v + 0.0, v - v + 0.0)


def combine_moments(a: Moments, b: Moments) -> Moments:
    """Combine means and squares without subtracting large numbers [Chan83]."""
    n, difference = a[0] + b[0], b[1] - a[1]
    share = b[0] / max(n, 1)
    return (n, a[1] + difference * share, a[2] + b[2] + difference * difference * (a[0] * share))


def sample_variance(a: Moments) -> Single:
    """Divide by the count less one; NaN for one value."""
    return (a[2] / (a[0] - 1) if a[0] > 1 else nan,)


def population_variance(a: Moments) -> Single:
    """Divide by the count."""
    return (a[2] / a[0],)


def sample_deviation(a: Moments) -> Single:
    """The square root of the sample variance."""
    return (sample_variance(a)[0] ** 0.5,)


def population_deviation(a: Moments) -> Single:
    """The square root of the population variance."""
    return (population_variance(a)[0] ** 0.5,)


SPREADS = {
    "var_sample": sample_variance,
    "var_pop": population_variance,
    "std_sample": sample_deviation,
    "std_pop": population_deviation,
}
NAMES = (
    "sum", "count", "mean", "min", "max", "argmin", "argmax", "first", "last", "m4", *SPREADS,
)  # fmt: skip
COMMUTATIVE_NAMES = frozenset({"sum", "count", "mean", "min", "max", *SPREADS})
"""The aggregates of numbers, not of places; of two equal floats either is the minimum."""
Function = Callable[..., Partial]
_Definition = tuple[tuple[Kind, ...], Partial, Function, Function, Function, tuple[Kind, ...]]


def numeric_aggregate(name: str, kind: Kind = "float", payload: Kind = "float") -> NumericAggregate:
    """The aggregate of this name over a column of this kind (definition K2).

    `argmin` and `argmax` take two columns, keys and payloads; `count` takes none.

    >>> numeric_aggregate("mean", "int").of([(1,), (2,), (6,)])
    (3.0,)
    """
    if {kind, payload} - {"int", "float"}:
        raise InvalidInputError(f"a column must be of int or float, not {kind!r} and {payload!r}")
    definitions = _definitions(kind, payload)
    if name not in definitions:
        raise UnsupportedError(f"{name!r} is not compiled; choose one of {', '.join(definitions)}")
    columns: dict[str, tuple[Kind, ...]] = {"count": ()}
    columns |= dict.fromkeys(("argmin", "argmax"), (kind, payload))
    checked = (name, kind) == ("sum", "int")
    read = columns.get(name, (kind,))
    commutative = name in COMMUTATIVE_NAMES
    narrow = NARROW_SUM if checked else None
    return NumericAggregate(
        name, read, *definitions[name], checked=checked, commutative=commutative, narrow=narrow
    )


def _definitions(kind: Kind, payload: Kind) -> dict[str, _Definition]:
    low, high, zero = (-MAX_INT - 1, MAX_INT, 0) if kind == "int" else (-inf, nan, 0.0)
    one: tuple[Kind, ...] = (kind,)
    three: tuple[Kind, ...] = ("int",) * 3
    spread: tuple[Kind, ...] = ("int", "float", "float")
    end: tuple[Kind, ...] = (kind, "int")
    pair: tuple[Kind, ...] = (kind, payload, "int")
    none: Partial = (zero, 0 if payload == "int" else 0.0, 0)
    table: dict[str, _Definition] = {
        "sum": (one, (0.0,), identity_lift, add, identity_lower, one),
        "count": (("int",), (0,), count_lift, add, identity_lower, ("int",)),
        "mean": (end, (0.0, 0), lift_with_count, add_pairs, mean_lower, ("float",)),
        "min": (one, (high,), identity_lift, minimum, identity_lower, one),
        "max": (one, (low,), identity_lift, maximum, identity_lower, one),
        "argmin": (pair, none, arg_lift, argmin_combine, arg_lower, (payload,)),
        "argmax": (pair, none, arg_lift, argmax_combine, arg_lower, (payload,)),
        "first": (end, (zero, 0), lift_with_count, first_combine, value_lower, one),
        "last": (end, (zero, 0), lift_with_count, last_combine, value_lower, one),
        "m4": ((*one * 4, "int"), (*(zero,) * 4, 0), m4_lift, m4_combine, m4_lower, one * 4),
    }
    for name, spread_lower in SPREADS.items():
        start = (0, 0.0, 0.0)
        table[name] = (spread, start, moments_lift, combine_moments, spread_lower, ("float",))
    if kind == "int":
        table["sum"] = (three[1:], (0, 0), sum_lift, add_pairs, sum_lower, three[1:])
        lift, lower = lift_halves_with_count, int_mean_lower
        table["mean"] = (three, (0, 0, 0), lift, add_triples, lower, ("float",))
    return table
