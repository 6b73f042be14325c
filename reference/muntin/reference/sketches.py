"""Mergeable sketches [Agarwal12]: bounded summaries with a bounded error, by Apache DataSketches.

They need the optional package `datasketches`, which has no Bloom filter. A partial is a serialised
sketch, so no combine can change it; partials of equal content may differ in bytes.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from math import isfinite, isnan
from operator import methodcaller
from types import ModuleType
from typing import TypeVar

from muntin.spec.algebra.aggregate import Aggregate, AnyAggregate
from muntin.spec.algebra.catalogue import skipping_nulls
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.algebra.values import Number, as_float
from muntin.spec.errors import InvalidInputError, UnsupportedError

S = TypeVar("S")
FORMS = "hll, theta, kll(p) for 0 <= p <= 100, and countmin(item) of a number or else a string"


def _kit() -> ModuleType:
    try:
        return import_module("datasketches")
    except ImportError as cause:
        raise UnsupportedError("sketches need: pip install muntin[sketches]") from cause


def _fed(sketch: S, verb: str, *items: object) -> S:
    for item in items:
        methodcaller(verb, item)(sketch)
    return sketch


def _text(item: object) -> str:
    if isinstance(item, bool) or not isinstance(item, Number):
        return repr(item)
    return repr(item) if isinstance(item, float) and not isfinite(item) else str(Fraction(item))


def _float(value: object) -> float:
    if isinstance(value, Number) and not isinstance(value, bool) and not isnan(as_float(value)):
        return as_float(value)
    raise InvalidInputError(f"a value of kll must be a number, and not NaN, not {value!r}")


def _sketch(
    lift: Callable[[object], bytes],
    merge: Callable[[bytes, bytes], bytes],
    lower: Callable[[bytes], object],
) -> AnyAggregate:
    def save(value: object) -> bytes:
        return bytes(lift(value))

    monoid = Monoid(b"", lambda a, b: bytes(merge(a, b)) if a and b else a or b)
    return Aggregate("", save, monoid, lower, commutative=True, kind="algebraic").erase_types()


def _hll(kit: ModuleType) -> AnyAggregate:
    load, union = kit.hll_sketch.deserialize, kit.hll_union
    return _sketch(
        lambda v: _fed(kit.hll_sketch(12), "update", _text(v)).serialize_compact(),
        lambda a, b: _fed(union(12), "update", load(a), load(b)).get_result().serialize_compact(),
        lambda a: load(a).get_estimate() if a else 0.0,
    )


def _theta(kit: ModuleType) -> AnyAggregate:
    load, union = kit.compact_theta_sketch.deserialize, kit.theta_union
    return _sketch(
        lambda v: _fed(kit.update_theta_sketch(12), "update", _text(v)).compact().serialize(),
        lambda a, b: _fed(union(12), "update", load(a), load(b)).get_result().serialize(),
        lambda a: load(a).get_estimate() if a else 0.0,
    )


def _kll(kit: ModuleType, p: str) -> AnyAggregate:
    load, part = kit.kll_doubles_sketch.deserialize, float(Fraction(p.rstrip("%")) / 100)
    if 0 < 100 * part < 1 and not p.endswith("%"):
        percentage = f"{1e4 * part:.15g}{'%' * (1e4 * part < 1)}"
        raise InvalidInputError(
            f"'kll({p})' may be a fraction of 1: write kll({percentage}), or kll({p}%)"
        )
    return _sketch(
        lambda v: _fed(kit.kll_doubles_sketch(200), "update", _float(v)).serialize(),
        lambda a, b: _fed(load(a), "merge", load(b)).serialize(),
        lambda a: load(a).get_quantile(part) if a else None,
    )


def _countmin(kit: ModuleType, item: str) -> AnyAggregate:
    load = kit.count_min_sketch.deserialize
    text = str(Fraction(item)) if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", item) else repr(item)
    return _sketch(
        lambda v: _fed(kit.count_min_sketch(5, 272), "update", _text(v)).serialize(),
        lambda a, b: _fed(load(a), "merge", load(b)).serialize(),
        lambda a: int(load(a).get_estimate(text)) if a else 0,
    )


def sketch(name: str) -> AnyAggregate:
    """The sketch of this name.

    `hll` and `theta` count distinct values: three standard errors are 5 %. With 99 % confidence
    kll(p) is within 1.33 % of percentile p in rank, countmin(item) at most 1 % of all too often.

    >>> sketch("theta").of(["a", 1, 1.0]), sketch("countmin(a)").of(["a", "b", "a"])
    (2.0, 2)
    """
    makers: dict[str, Callable[..., AnyAggregate]] = {
        "hll": _hll,
        "theta": _theta,
        r"kll\(((?:100|[0-9]{1,2}(?:\.[0-9]+)?)%?)\)": _kll,
        r"countmin\((.+)\)": _countmin,
    }
    for pattern, maker in makers.items():
        match = re.fullmatch(pattern, name, re.DOTALL)
        if match:
            return replace(maker(_kit(), *match.groups()), name=name)
    raise InvalidInputError(f"{name!r} is not a sketch; known are {FORMS}")


def named(name: str) -> AnyAggregate:
    """The sketch of this name as operators have it: nulls are skipped."""
    return skipping_nulls(sketch(name), sketch(name).of([]))
