"""Aggregates by name, over columns of one kind: the part of the catalogue that compiles.

Integers are summed exactly, in two halves that are added apart and that 2**31 values cannot
overflow; a total that does not fit into 64 bits is widened by a query, and refused in a column.
Floats are summed as they come, which over a tree loses little, since nothing is subtracted: the
error of a sum of n values is at most (n - 1) u / (1 - (n - 1) u) times the sum of their magnitudes,
u = 2**-53, and in fact it goes by the depth of the tree. NaN is the greatest of numbers.
"""

from collections.abc import Callable
from math import inf, nan

from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.spec.errors import InvalidInputError, UnsupportedError

LARGEST = 2**63 - 1
HALF, LOW = 32, 2**32 - 1
One = tuple[float]
Two = tuple[int, int]


def identity_lift(v: float) -> One:
    """Lift a value to itself."""
    return (v,)


def identity_lower(a: Partial) -> Partial:
    """Lower a partial to itself."""
    return a


def count_lift(_: float) -> tuple[int]:
    """Lift a value to one."""
    return (1,)


def add(a: One, b: One) -> One:
    """Add."""
    return (a[0] + b[0],)


def sum_lift(v: int) -> Two:
    """Lift an integer to its two halves."""
    return (v >> HALF, v & LOW)


def add_two(a: Two, b: Two) -> Two:
    """Add twice."""
    return (a[0] + b[0], a[1] + b[1])


def sum_lower(a: Two) -> Two:
    """Lower two halves to an integer, and say whether it is too large."""
    high, low = a[0] + (a[1] >> HALF), a[1] & LOW
    return ((high << HALF) + low, int(high >= 2**31 or high < -(2**31)))


def counted(v: float) -> tuple[float, int]:
    """Lift a value to itself and one."""
    return (v, 1)


def mean(a: tuple[float, int]) -> One:
    """Divide."""
    return (a[0] / a[1],)


def halves_counted(v: int) -> tuple[int, int, int]:
    """Lift an integer to its two halves and one."""
    return (v >> HALF, v & LOW, 1)


def add_three(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int, int]:
    """Add three times."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def mean_of_halves(a: tuple[int, int, int]) -> One:
    """Divide, with at most three roundings."""
    high, low = a[0] + (a[1] >> HALF), a[1] & LOW
    return ((high * 4294967296.0 + low) / a[2],)


def smaller(a: One, b: One) -> One:
    """Choose the smaller one, or the first of equals."""
    return a if a[0] <= b[0] or b[0] != b[0] else b


def larger(a: One, b: One) -> One:
    """Choose the larger one, or the first of equals."""
    return a if a[0] >= b[0] or a[0] != a[0] else b


Chosen = tuple[float, float, int]


def chosen(key: float, payload: float) -> Chosen:
    """Lift a key and a payload."""
    return (key, payload, 1)


def with_smaller(a: Chosen, b: Chosen) -> Chosen:
    """Choose the one with the smaller key, or the first of equals."""
    before = a[0] <= b[0] or b[0] != b[0]
    return b if a[2] == 0 else a if b[2] == 0 or before else b


def with_larger(a: Chosen, b: Chosen) -> Chosen:
    """Choose the one with the larger key, or the first of equals."""
    before = a[0] >= b[0] or a[0] != a[0]
    return b if a[2] == 0 else a if b[2] == 0 or before else b


def payload_of(a: Chosen) -> One:
    """Lower to what was chosen."""
    return (a[1],)


def earlier(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    """Choose the first."""
    return b if a[1] == 0 else a


def later(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    """Choose the last."""
    return a if b[1] == 0 else b


def value(a: tuple[float, int]) -> One:
    """Lower to the value."""
    return (a[0],)


M4 = tuple[float, float, float, float, int]


def m4_lift(v: float) -> M4:
    """Lift to minimum, maximum, first and last."""
    return (v, v, v, v, 1)


def m4_combine(a: M4, b: M4) -> M4:
    """Choose the smallest, the largest, the first and the last."""
    low, high = smaller((a[0],), (b[0],)), larger((a[1],), (b[1],))
    both = (low[0], high[0], a[2], b[3], 1)
    return b if a[4] == 0 else a if b[4] == 0 else both


def m4_lower(a: M4) -> tuple[float, float, float, float]:
    """Lower to the four values."""
    return (a[0], a[1], a[2], a[3])


Moments = tuple[int, float, float]


def moments(v: float) -> Moments:
    """Lift to how many, their mean, and the sum of the squares of the distances from it.

    Of one that is not finite, `v - v` is no number, as its spread is none.
    """
    return (1, v + 0.0, v - v + 0.0)


def join_moments(a: Moments, b: Moments) -> Moments:
    """Add means and squares without subtracting what is large [Chan83]."""
    n, apart = a[0] + b[0], b[1] - a[1]
    share = b[0] / max(n, 1)
    return (n, a[1] + apart * share, a[2] + b[2] + apart * apart * (a[0] * share))


def variance(a: Moments) -> One:
    """Divide by one less than there are; of one value there is no sample variance: NaN."""
    return (a[2] / (a[0] - 1) if a[0] > 1 else nan,)


def variance_of_all(a: Moments) -> One:
    """Divide by how many there are."""
    return (a[2] / a[0],)


def deviation(a: Moments) -> One:
    """Take the root of the sample variance."""
    return (variance(a)[0] ** 0.5,)


def deviation_of_all(a: Moments) -> One:
    """Take the root of the variance."""
    return (variance_of_all(a)[0] ** 0.5,)


SPREADS = {
    "var_sample": variance,
    "var_pop": variance_of_all,
    "std_sample": deviation,
    "std_pop": deviation_of_all,
}
NAMES = (
    "sum", "count", "mean", "min", "max", "argmin", "argmax", "first", "last", "m4", *SPREADS,
)  # fmt: skip


def numeric_aggregate(name: str, kind: Kind = "float", payload: Kind = "float") -> NumericAggregate:
    """Return the aggregate of this name over a column of this kind (definition K2).

    `argmin` and `argmax` are over two columns, keys and payloads. A count is of no column.

    >>> numeric_aggregate("mean", "int").of([(1,), (2,), (6,)])
    (3.0,)
    """
    if {kind, payload} - {"int", "float"}:
        raise InvalidInputError(f"a column is of int or float, not of {kind!r} or {payload!r}")
    low, zero = (-LARGEST - 1, 0) if kind == "int" else (-inf, 0.0)
    none = 0.0 if payload == "float" else 0
    some: tuple[Kind, ...] = (kind,)
    ends: tuple[Kind, ...] = (kind,) * 4 + ("int",)
    largest = LARGEST if kind == "int" else nan
    table: dict[str, Callable[[], NumericAggregate]] = {
        "count": lambda: NumericAggregate(
            name, (), ("int",), (0,), count_lift, add, identity_lower, ("int",)
        ),
        "min": lambda: NumericAggregate(
            name, some, some, (largest,), identity_lift, smaller, identity_lower, some
        ),
        "max": lambda: NumericAggregate(
            name, some, some, (low,), identity_lift, larger, identity_lower, some
        ),
        "first": lambda: _of_value(name, kind, earlier),
        "last": lambda: _of_value(name, kind, later),
        "argmin": lambda: _argument(name, (kind, payload), (zero, none, 0), with_smaller),
        "argmax": lambda: _argument(name, (kind, payload), (zero, none, 0), with_larger),
        "m4": lambda: NumericAggregate(
            name, some, ends, (zero,) * 4 + (0,), m4_lift, m4_combine, m4_lower, (kind,) * 4
        ),
        "sum": lambda: _sum(kind),
        "mean": lambda: _mean(kind),
    }
    if name in SPREADS:
        return _spread(name, kind)
    if name not in table:
        raise UnsupportedError(f"{name} is none of {', '.join(NAMES)}")
    return table[name]()


def _spread(name: str, kind: Kind) -> NumericAggregate:
    fields: tuple[Kind, ...] = ("int", "float", "float")
    start, lower = (0, 0.0, 0.0), SPREADS[name]
    return NumericAggregate(name, (kind,), fields, start, moments, join_moments, lower, ("float",))


def _sum(kind: Kind) -> NumericAggregate:
    if kind == "float":
        return NumericAggregate(
            "sum", (kind,), (kind,), (0.0,), identity_lift, add, identity_lower, (kind,)
        )
    two: tuple[Kind, ...] = ("int", "int")
    return NumericAggregate(
        "sum", (kind,), two, (0, 0), sum_lift, add_two, sum_lower, two, checked=True
    )


def _mean(kind: Kind) -> NumericAggregate:
    if kind == "float":
        fields: tuple[Kind, ...] = ("float", "int")
        return NumericAggregate(
            "mean", (kind,), fields, (0.0, 0), counted, add_two, mean, ("float",)
        )
    three: tuple[Kind, ...] = ("int",) * 3
    return NumericAggregate(
        "mean", (kind,), three, (0, 0, 0), halves_counted, add_three, mean_of_halves, ("float",)
    )


def _of_value(name: str, kind: Kind, combine: Callable[..., Partial]) -> NumericAggregate:
    identity: Partial = (0, 0) if kind == "int" else (0.0, 0)
    return NumericAggregate(
        name, (kind,), (kind, "int"), identity, counted, combine, value, (kind,)
    )


def _argument(
    name: str, kinds: tuple[Kind, Kind], identity: Partial, combine: Callable[..., Partial]
) -> NumericAggregate:
    fields: tuple[Kind, ...] = (*kinds, "int")
    return NumericAggregate(name, kinds, fields, identity, chosen, combine, payload_of, kinds[1:])
