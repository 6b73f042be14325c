"""How aggregates of the catalogue are computed over columns: from which parts, and how finished."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import exp, inf, ldexp, log, nan
from sys import float_info
from typing import TypeAlias

import numpy as np

from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import LAST, Column, Fields, Flags, Ints, Objects, column_of
from muntin.kernels.slicing.batch import Batch, Source, objects
from muntin.kernels.slicing.choice import (
    Choice,
    Distinct,
    Everything,
    InOrder,
    Product,
    Rank,
    Ties,
    rank_at,
    some,
)
from muntin.kernels.slicing.custom import CompiledAggregate
from muntin.kernels.slicing.over import Over
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum
from muntin.kernels.slicing.store import Store
from muntin.snapshot.function_equality import same_function
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import named, square_root
from muntin.spec.algebra.values import as_float
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query


@dataclass(frozen=True)
class Events(Part):
    """Each event."""

    def lift(self, batch: Batch, /) -> Fields:
        """Return the events."""
        return (column_of(batch.events()),)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Refuse: events are not combined."""
        raise NotImplementedError(a, b)

    def identity(self, fields: Fields, /) -> Fields:
        """Refuse."""
        raise NotImplementedError(fields)


EVENTS = Events(None)


@dataclass(frozen=True)
class Opaque:
    """The form of an aggregate of which nothing is known."""

    query: Query
    parts = (EVENTS,)
    sources = frozenset[Source]()
    holistic = True
    ordered = True

    @property
    def name(self) -> str:
        """The name of the aggregate."""
        return self.query.aggregate.name

    def __call__(self, store: Store, lo: Ints, hi: Ints) -> Answer:
        """Return the values of windows that hold these ranges of cells."""
        objects: Objects = np.asarray(store.parts[EVENTS][0], np.object_)
        values: Objects = np.empty(lo.size, np.object_)
        for i in range(lo.size):
            values[i] = self.query.value(objects[lo[i] : hi[i]].tolist())
        return Answer((column_of(values),))


Folded: TypeAlias = Mapping[Part, Fields]
Make: TypeAlias = Callable[[str, Source], "Form"]
EXACT = 2.0**53
"""Below it a quotient of two integers, taken as floats, is the nearest float."""
LOG_MOST, MOST_POWER = log(float_info.max), float_info.max_exp - 2


@dataclass(frozen=True)
class Form:
    """The parts that an aggregate needs, and how windows are finished from their folds."""

    name: str
    parts: tuple[Part, ...]
    finish: Callable[[Folded], Answer]
    ordered: bool = False  # whether it tells in which order events come
    counted: bool = False  # whether it tells how many values there are, not only that there are any

    @property
    def sources(self) -> set[Source]:
        """The columns that it reads."""
        return {source for part in self.parts for source in part.sources}

    @property
    def holistic(self) -> bool:
        """Whether it needs every value."""
        return any(isinstance(part, Everything) for part in self.parts)

    def __call__(self, store: Store, lo: Ints, hi: Ints) -> Answer:
        """Return the values of windows that hold these ranges of cells."""
        return self.finish({part: part.fold(store.parts[part], lo, hi) for part in self.parts})


def form_of(aggregate: AnyAggregate, *, in_engine: bool = False) -> Form | None:
    """Return the form of an aggregate: of the catalogue, over fields, or of the user's own."""
    if isinstance(aggregate, CompiledAggregate):
        return _summary(aggregate) if COMPILED else None
    inner, sources = aggregate, tuple[Source, ...]()
    if isinstance(aggregate, Over):
        inner, sources = aggregate.inner, aggregate.fields
        if not (
            same_function(aggregate.monoid, inner.monoid)
            and same_function(aggregate.lower, inner.lower)
        ):
            return None
    return form(inner.name, sources, in_engine=in_engine) if _of_catalogue(inner) else None


def _summary(aggregate: CompiledAggregate) -> Form:
    from muntin.kernels.slicing.custom_part import Custom  # noqa: PLC0415 - most never need it

    part = Custom(aggregate.fields[0], aggregate.fields[1:], aggregate.summary)

    def finish(folded: Folded) -> Answer:
        return Answer(part.lowered(folded[part]), folded[part][0] > 0)

    return Form(aggregate.name, (part,), finish, ordered=not aggregate.commutative)


@lru_cache(maxsize=1000)  # a user may ask for any number of percentiles
def catalogued(name: str) -> AnyAggregate:
    """Return `named(name)`, one and the same at each call: what is one is alike at once."""
    return named(name)


def _of_catalogue(aggregate: AnyAggregate) -> bool:
    """Whether this is `named(name)`: any name may be given to another aggregate."""
    try:
        return same_function(aggregate, catalogued(aggregate.name))
    except InvalidInputError:
        return False


def form(name: str, sources: tuple[Source, ...] = (), *, in_engine: bool = False) -> Form | None:
    """Return the form of this name over columns: of those that are, or for the engine."""
    first: Source = sources[0] if sources else None
    if name in ("argmin", "argmax"):
        pair: tuple[Source, ...] = sources or (0, 1)
        return _chosen(name, *pair) if len(pair) == 2 else None  # noqa: PLR2004 - key and payload
    if len(sources) > 1:
        return None
    if name == "median" or name.startswith("percentile("):
        p = Fraction(50) if name == "median" else Fraction(name[11:-1].rstrip("%"))
        return _ranked(name, first, p, in_engine=in_engine)
    made = {**_SIMPLE, **_IN_ENGINE} if in_engine else _SIMPLE
    return made[name](name, first) if name in made else None


def _ranked(name: str, source: Source, p: Fraction, *, in_engine: bool) -> Form:
    if not in_engine:
        values = Everything(source)
        return Form(name, (values,), partial(_percentile, values, p))
    part = Rank(source, p / 100)

    def finish(folded: Folded) -> Answer:
        low, high, n = folded[part]
        return _between(low, high, n, p)

    return Form(name, (part,), finish)


def _listed(part: Callable[[Source], Part]) -> Make:
    def make(name: str, source: Source) -> Form:
        main = part(source)

        def finish(folded: Folded) -> Answer:
            return Answer(folded[main])

        return Form(name, (main,), finish)

    return make


def _joined(name: str, source: Source) -> Form:
    part = InOrder(source, are_texts=True)

    def finish(folded: Folded) -> Answer:
        texts = ["".join(row) if row else None for row in folded[part][0].tolist()]
        return Answer((column_of(objects(texts)),))

    return Form(name, (part,), finish)


def _tied(*, greatest: bool) -> Make:
    def make(name: str, source: Source) -> Form:
        part = Ties(source, greatest)

        def finish(folded: Folded) -> Answer:
            _, n = folded[part]
            return Answer((n,), n > 0)

        return Form(name, (part,), finish)

    return make


def _geometric_mean(name: str, source: Source) -> Form:
    part = Product(source)

    def finish(folded: Folded) -> Answer:
        means = [_root(*row) for row in zip(*(c.tolist() for c in folded[part]), strict=True)]
        return Answer((np.array(means, np.float64),), folded[part][0] > 0)

    return Form(name, (part,), finish)


def _root(n: int, odd: int, zeros: int, product: float | Fraction, power: int) -> float:
    """The n-th root of a product, given as a number and a power of two."""
    if odd or zeros or not n:
        return nan if odd else 0.0
    if not isinstance(product, float):
        exact = Fraction(product)
        total = log(exact.numerator) - log(exact.denominator)
    elif -MOST_POWER < power < MOST_POWER:  # as the logarithm of an integer is computed
        total = log(ldexp(product, power))
    else:
        total = log(product / 2) + log(2) * (power + 1)
    return exp(total / n) if total / n < LOG_MOST else inf


def _single(part: Callable[[Source], Part], at: int, none: int | None = None) -> Make:
    """Return what makes forms that read one column of one part."""

    def make(name: str, source: Source) -> Form:
        main, n = part(source), Count(source)

        def finish(folded: Folded) -> Answer:
            return Answer((folded[main][at],), None if none == 0 else folded[n][0] > 0)

        return Form(name, (main, n) if main != n else (main,), finish, counted=main == n)

    return make


def _mean(name: str, source: Source) -> Form:
    total, n = Sum(source), Count(source)

    def finish(folded: Folded) -> Answer:
        count = folded[n][0]
        return Answer((quotient(folded[total][0], np.maximum(count, 1)),), count > 0)

    return Form(name, (total, n), finish, counted=True)


def quotient(a: Column, b: Column) -> Column:
    """Return the nearest floats to quotients of integers; floats are divided as floats."""
    if a.dtype == np.float64 or (_small(a) and _small(b)):
        return np.asarray(a / b, np.float64)
    return np.array(list(map(_nearest, a.tolist(), b.tolist())), np.float64)


def _nearest(x: float | Fraction, y: float | Fraction) -> float:
    try:
        return float(x / y)
    except OverflowError:
        return as_float(Fraction(x) / Fraction(y))


def roots(a: Column, b: Column) -> Column:
    """Return the floats that the specification has for roots of quotients of integers."""
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    return np.array([square_root(Fraction(x, y)) for x, y in pairs], np.float64)


def _small(a: Column) -> bool:
    if a.dtype == np.object_:
        return all(-EXACT < x < EXACT for x in a.tolist())
    return not a.size or float(np.abs(a.astype(np.float64)).max()) < EXACT


def _spread(missing: int, *, root: bool) -> Make:
    def make(name: str, source: Source) -> Form:
        part = Squares(source)

        def finish(folded: Folded) -> Answer:
            n, total, squares = folded[part]
            enough = n > missing
            some = np.where(enough, n, missing + 1)
            if total.dtype == np.float64:
                variance = squares / (some - missing)
                return Answer((np.sqrt(variance) if root else variance,), enough)
            exact = [column.astype(np.object_) for column in (n, total, squares, some)]
            above = exact[0] * exact[2] - exact[1] * exact[1]
            below = exact[3] * (exact[3] - missing)
            return Answer((roots(above, below) if root else quotient(above, below),), enough)

        return Form(name, (part,), finish)

    return make


def _chosen(name: str, key: Source, brings: Source) -> Form:
    part = Choice(key, brings, greatest=name == "argmax")

    def finish(folded: Folded) -> Answer:
        _, payload, time = folded[part]
        return Answer((payload,), some(time))

    return Form(name, (part,), finish)


def _several(*each: Callable[[Source], Part]) -> Make:
    """Return what makes forms whose values are tuples."""

    def make(name: str, source: Source) -> Form:
        parts = [one(source) for one in each]
        n = Count(source)

        def finish(folded: Folded) -> Answer:
            return Answer(tuple(folded[part][-1] for part in parts), folded[n][0] > 0)

        return Form(name, (*parts, n), finish)

    return make


def _range(name: str, source: Source) -> Form:
    low, high, n = Min(source), Max(source), Count(source)

    def finish(folded: Folded) -> Answer:
        some = folded[n][0] > 0
        a, b = (np.where(some, folded[part][0], 0) for part in (low, high))
        return Answer((_difference(b, a),), some)

    return Form(name, (low, high, n), finish)


def _difference(a: Column, b: Column) -> Column:
    """Return a - b; integers that may pass 64 bits are widened."""
    if a.dtype == np.int64 and (np.abs(a / 2 - b / 2) >= LAST / 2).any():
        return column_of(a.astype(np.object_) - b.astype(np.object_))
    with np.errstate(invalid="ignore", over="ignore"):  # of two infinities there is no difference
        return np.asarray(a - b)


def _percentile(part: Everything, p: Fraction, folded: Folded) -> Answer:
    """Interpolate between the two nearest ranks, exactly for integers."""
    values, first, n = folded[part]
    if not values.size:
        return Answer((np.zeros(n.size),), n > 0)
    _, steps, rest = rank_at(n, p / 100)
    low = values[np.minimum(first + steps, values.size - 1)]
    high = values[np.minimum(first + steps + (rest > 0), values.size - 1)]
    return _between(low, high, n, p)


def _between(low: Column, high: Column, n: Column, p: Fraction) -> Answer:
    """Interpolate between two neighbours, of n values each."""
    whole, _, rest = rank_at(n, p / 100)
    some: Flags = n > 0
    same = np.asarray((low == high) | (rest == 0), np.bool_)
    if low.dtype == np.float64:
        below, over = (np.asarray(part / whole, np.float64) for part in (whole - rest, rest))
        with np.errstate(invalid="ignore"):
            return Answer((np.where(same, low, low * below + high * over),), some)
    wide: list[Objects] = [column.astype(np.object_) for column in (low, high, rest)]
    with np.errstate(invalid="ignore"):  # floats among them may not be finite
        between = wide[0] * (whole - wide[2]) + wide[1] * wide[2]
    between[same] = wide[0][same] * whole
    floats = quotient(between, np.full(n.size, whole))
    kinds = set(map(type, between.tolist()))
    if float in kinds or (np.isfinite(floats).all() and Fraction not in kinds):
        return Answer((floats,), some)
    fractions = (Fraction(x, whole) for x in between.tolist())
    exact = [int(x) if x.denominator == 1 else x for x in fractions]
    return Answer((column_of(objects(exact)),), some)


_SIMPLE: Mapping[str, Make] = {
    "count": _single(Count, 0, none=0),
    "sum": _single(Sum, 0),
    "min": _single(Min, 0),
    "max": _single(Max, 0),
    "first": _single(First, 1),
    "last": _single(Last, 1),
    "mean": _mean,
    "var_pop": _spread(0, root=False),
    "var_sample": _spread(1, root=False),
    "std_pop": _spread(0, root=True),
    "std_sample": _spread(1, root=True),
    "range": _range,
    "m4": _several(Min, Max, First, Last),
}
_IN_ENGINE: Mapping[str, Make] = {
    "collect": _listed(InOrder),
    "concat": _joined,
    "distinct": _listed(Distinct),
    "maxcount": _tied(greatest=True),
    "mincount": _tied(greatest=False),
    "geomean": _geometric_mean,
}
"""What only the engine computes from parts."""
