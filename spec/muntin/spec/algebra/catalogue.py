"""Every aggregate by its name in transcripts: Table 1 of [Tangwongsan15], and more.

M4 and distinct are as in [Tangwongsan19]. `named` skips nulls.
"""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import groupby
from math import ceil, exp, floor, inf, isqrt, log, nan
from operator import attrgetter, methodcaller
from sys import float_info
from typing import NamedTuple

from muntin.spec.algebra.aggregate import Aggregate, AggregateKind, AnyAggregate
from muntin.spec.algebra.monoid import A, BinaryOperation, Monoid, product
from muntin.spec.algebra.values import ORDER, Number, as_float, compare, number, sort_key
from muntin.spec.errors import InvalidInputError

Vector = tuple[Number, ...]
Items = tuple[object, ...]
Multiset = Counter[tuple[type, bool, object]]


class Extreme(NamedTuple):
    """A value, the key by which it was chosen, and how many keys were as good."""

    key: object
    value: object
    n: int = 1


def _group(identity: A, combine: BinaryOperation[A], invert: BinaryOperation[A]) -> Monoid[A]:
    return Monoid(identity, combine, invert, invert)


def _extreme(sign: int) -> Monoid[Extreme | None]:
    def combine(a: Extreme | None, b: Extreme | None) -> Extreme | None:
        if not (a and b):
            return a or b
        order = sign * compare(a.key, b.key)
        return a._replace(n=a.n + b.n) if order == 0 else a if order < 0 else b

    return Monoid(None, combine)


ADD: Monoid[Number] = _group(0, lambda a, b: a + b, lambda a, b: a - b)
MULTIPLY: Monoid[Number] = _group(Fraction(1), lambda a, b: a * b, lambda a, b: a / b)
MULTISET: Monoid[Multiset] = _group(Counter(), lambda a, b: a + b, lambda a, b: a - b)
SET: Monoid[Items] = Monoid(
    (), lambda a, b: tuple(next(same) for _, same in groupby(sorted(a + b, key=ORDER), ORDER))
)
SEQUENCE: Monoid[Items] = Monoid(
    (), lambda a, b: a + b, lambda a, b: a[: len(a) - len(b)], lambda a, b: a[len(b) :]
)
FIRST: Monoid[Extreme | None] = Monoid(None, lambda a, b: a or b)
LAST: Monoid[Extreme | None] = Monoid(None, lambda a, b: b or a)
MIN, MAX = _extreme(1), _extreme(-1)


def _aggregate(
    name: str, lift: Callable[[object], A], monoid: Monoid[A], lower: Callable[[A], object]
) -> AnyAggregate:
    def checked(value: object) -> A:
        try:
            return lift(value)
        except (ArithmeticError, ValueError) as cause:
            raise InvalidInputError(f"{value!r} is no value of {name}: {cause}") from cause

    def lowered(partial: A) -> object:
        return lower(partial) if total or partial != monoid.identity else None

    total = name in ("sum", "count", "collect", "distinct", "concat")
    commutative = name not in ("first", "last", "argmin", "argmax", "collect", "concat", "m4")
    simple = name in ("sum", "count", "min", "max", "first", "last")
    holistic = name.startswith(("median", "percentile", "collect", "concat", "distinct"))
    kind: AggregateKind = "distributive" if simple else "holistic" if holistic else "algebraic"
    return Aggregate(name, checked, monoid, lowered, commutative, kind).erase_types()


def _ordered(value: object) -> Extreme:
    if methodcaller("__lt__", value)(value) is NotImplemented:
        raise InvalidInputError(f"{value!r} is of a type that has no order")
    return Extreme(value, value)


def _argument(value: object) -> Extreme:
    if not issubclass(type(value), list | tuple):
        raise InvalidInputError("it is not [key, payload]")
    key, payload = methodcaller("__iter__")(value)
    return _ordered(key)._replace(value=payload)


def _text(value: object) -> Items:
    if isinstance(value, str):
        return (value,)
    raise InvalidInputError("it is not a string")


def _exact(value: object) -> tuple[int, Fraction]:
    """Whether a value is infinite or no number at all (1 or 0), and else its exact fraction."""
    x = number(value)
    return (0, Fraction(x)) if x - x == 0 else (1, Fraction(0))


def _factor(value: object) -> Vector:
    """How many, how many not finite, how many zeros, and the product of the others."""
    odd, x = _exact(value)
    if number(value) < 0:
        raise InvalidInputError("it must not be negative")
    return (1, odd, int(not x and not odd), x or 1)


def _geometric_mean(a: Vector) -> float:
    n, odd, zeros, product = (Fraction(x) for x in a)
    mean = (log(product.numerator) - log(product.denominator)) / n
    return nan if odd else 0.0 if zeros else exp(mean) if mean < log(float_info.max) else inf


def square_root(square: Fraction) -> float:
    """The nearest float to the square root, from 128 exact bits."""
    n, d = square.as_integer_ratio()
    return as_float(Fraction(isqrt(n * d << 256), d << 128))


def _powers(value: object) -> Vector:
    """How many, how many not finite, the sum and the sum of squares, exactly: nothing cancels."""
    odd, x = _exact(value)
    return (1, odd, x, x * x)


def _spread(name: str, missing: int, finish: Callable[[Fraction], float]) -> AnyAggregate:
    def lower(a: Vector) -> float | None:
        n, odd, total, squares = (Fraction(x) for x in a)
        exact = None if odd or n <= missing else (squares - total**2 / n) / (n - missing)
        return finish(exact) if exact is not None else nan if n > missing else None

    return _aggregate(name, _powers, product(ADD, ADD, ADD, ADD), lower)


def _percentile(name: str, p: Fraction) -> AnyAggregate:
    def lower(bag: Multiset) -> Number:
        ranks = [nan if is_nan else number(x) for _, is_nan, x in sorted(bag.elements())]
        position = (len(ranks) - 1) * p / 100
        low, high, part = ranks[floor(position)], ranks[ceil(position)], position % 1
        value = low if low == high or not part else low * (1 - part) + high * part
        return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value

    return _aggregate(name, lambda v: Counter([sort_key(number(v))]), MULTISET, lower)


def _mean(a: Vector) -> Number | None:
    n, total = a
    mean = total / Fraction(n) if n else None
    return mean if mean is None or isinstance(total, Fraction) else as_float(mean)


_VALUE, _N = attrgetter("value"), attrgetter("n")


def _values(a: tuple[Extreme | None, ...]) -> Items:
    return tuple(map(_VALUE, a))


def _range(a: tuple[Extreme | None, ...]) -> Number:
    low, high = map(number, _values(a))
    return high - low


_AGGREGATES = (
    _aggregate("sum", number, ADD, lambda a: a),
    _aggregate("count", lambda _: 1, ADD, lambda a: a),
    _aggregate("min", _ordered, MIN, _VALUE),
    _aggregate("max", _ordered, MAX, _VALUE),
    _aggregate("mean", lambda v: (1, number(v)), product(ADD, ADD), _mean),
    _percentile("median", Fraction(50)),
    _aggregate("first", lambda v: Extreme(v, v), FIRST, _VALUE),
    _aggregate("last", lambda v: Extreme(v, v), LAST, _VALUE),
    _aggregate("collect", lambda v: (v,), SEQUENCE, lambda a: a),
    _aggregate("distinct", lambda v: (_ordered(v).value,), SET, lambda a: a),
    _aggregate("argmax", _argument, MAX, _VALUE),
    _aggregate("argmin", _argument, MIN, _VALUE),
    _aggregate("maxcount", _ordered, MAX, _N),
    _aggregate("mincount", _ordered, MIN, _N),
    _aggregate("geomean", _factor, product(ADD, ADD, ADD, MULTIPLY), _geometric_mean),
    _spread("std_sample", 1, square_root),
    _spread("std_pop", 0, square_root),
    _spread("var_sample", 1, as_float),
    _spread("var_pop", 0, as_float),
    _aggregate("range", lambda v: (_ordered(number(v)),) * 2, product(MIN, MAX), _range),
    _aggregate("m4", lambda v: (_ordered(v),) * 4, product(MIN, MAX, FIRST, LAST), _values),
    _aggregate("concat", _text, SEQUENCE, lambda a: "".join(map(str, a))),
)
_TABLE = {aggregate.name: aggregate for aggregate in _AGGREGATES}
NAMES = tuple(_TABLE)
"""The names that stand alone; the other is percentile(p)."""


def named_keeping_nulls(name: str) -> AnyAggregate:
    """The aggregate of this name, to which null is a value like any other.

    >>> named_keeping_nulls("percentile(99.9)").of([1, 2])
    Fraction(1999, 1000)
    """
    match = re.fullmatch(r"percentile\((\d+(?:\.\d+)?)(%?)\)", name, re.ASCII)
    if name in _TABLE:
        return _TABLE[name]
    if match and not match[2] and 0 < (p := Fraction(match[1])) < 1:
        percentage = f"{float(100 * p):.15g}{'%' * (100 * p < 1)}"
        remedy = f"percentile({percentage}), or percentile({match[1]}%)"
        raise InvalidInputError(f"{name!r} may be a fraction of 1: write {remedy}")
    if match and Fraction(match[1]) <= 100:  # noqa: PLR2004 - a percentage
        return _percentile(name, Fraction(match[1]))
    names = f"{', '.join(NAMES)}, percentile(p) for 0 <= p <= 100"
    raise InvalidInputError(f"{name!r} is not an aggregate; known are {names}")


def skipping_nulls(aggregate: AnyAggregate, empty: object = None) -> AnyAggregate:
    """The aggregate of the values that are not None; `empty` if there are none.

    >>> skipping_nulls(named_keeping_nulls("sum")).of([1, None, 2])
    3
    """
    monoid, kind = product(named_keeping_nulls("count").monoid, aggregate.monoid), aggregate.kind

    def lift(value: object) -> Items:
        return monoid.identity if value is None else (1, aggregate.lift(value))

    def lower(a: Items) -> object:
        return aggregate.lower(a[1]) if a[0] else empty

    return Aggregate(aggregate.name, lift, monoid, lower, aggregate.commutative, kind).erase_types()


def named(name: str) -> AnyAggregate:
    """The aggregate of this name; nulls are skipped, as in SQL.

    >>> named("mean").of([1, None, 2])
    1.5
    """
    return _NAMED.get(name) or skipping_nulls(named_keeping_nulls(name))


_EMPTY: dict[str, Items | int] = {"count": 0, "collect": (), "distinct": ()}
_NAMED = {name: skipping_nulls(_TABLE[name], _EMPTY.get(name)) for name in NAMES}
