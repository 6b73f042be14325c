"""What cells keep, as partial aggregates of the monoids of the catalogue and of summaries.

Where order matters, a partial is that of one event or two which stand for the whole cell: its first
and its last, or the one that was chosen. Of floats, sums of squares are made of deviations, whose
rounding they keep; all else is the same number.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import NamedTuple, TypeAlias

from muntin.kernels.slicing.arrays import LAST, column_of
from muntin.kernels.slicing.choice import Choice, Everything, some, when
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import Form
from muntin.kernels.slicing.opaque import Opaque
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum
from muntin.kernels.slicing.store import Store
from muntin.snapshot import SnapshotError
from muntin.spec.catalogue import Chosen
from muntin.spec.query import Query
from muntin.spec.stream import Event
from muntin.spec.values import Number, rank

Row: TypeAlias = Sequence[Number]
"""The fields of one part of one cell."""
Rows: TypeAlias = Mapping[type[Part], Row]
Inner: TypeAlias = Callable[[Rows], object]


class Standing(NamedTuple):
    """The partial of an event that stands for others, and its time, if that matters."""

    partial: object
    time: int | None = None


Rule: TypeAlias = Callable[[Rows], list[Standing]]


def standing(query: Query, form: Form | Opaque, store: Store) -> list[list[Standing]]:
    """Return, for each cell, what stands for it in event order; nothing, if it has no value."""
    if not len(store.cells):
        return []
    if isinstance(form, Opaque):
        events: list[Event] = store.parts[form.parts[0]][0].tolist()
        return [[Standing(_lifted(query, event))] for event in events]
    rule = rule_of(form)
    return [rule(rows) for rows in _rows(form, store)]


def _lifted(query: Query, event: Event) -> object:
    return query.guarded(f"{event}", lambda: query.aggregate.lift(event.value))


def _rows(form: Form, store: Store) -> list[Rows]:
    """Return the fields of each part of each cell."""
    columns: dict[type[Part], list[Row]] = {
        type(part): list(zip(*(field.tolist() for field in store.parts[part]), strict=True))
        for part in form.parts
    }
    lines = zip(*columns.values(), strict=True)
    return [dict(zip(columns, line, strict=True)) for line in lines]


def rule_of(form: Form) -> Rule:
    """Return the rule for the partials of a form."""
    if isinstance(form.parts[0], Custom):
        return _of_summary
    return _percentile if form.holistic else _RULES[form.name]


def _counted(inner: Inner) -> Rule:
    """Return the rule for what skips nulls, given what is made of all other values."""

    def rule(rows: Rows) -> list[Standing]:
        n = rows[Count][0]
        return [Standing((n, inner(rows)))] if n else []

    return rule


def _alone(value: object) -> Chosen:
    return Chosen(value, value)


def _first(rows: Rows) -> list[Standing]:
    (n,), (time, value) = rows[Count], rows[First]
    return [Standing((n, _alone(value)), int(time))] if n else []


def _last(rows: Rows) -> list[Standing]:
    (n,), (time, value) = rows[Count], rows[Last]
    return [Standing((n, _alone(value)), int(time))] if n else []


def _m4(rows: Rows) -> list[Standing]:
    """The first event of a cell brings the extremes, and the last one the last value."""
    (n,), (begin, first), (end, last) = rows[Count], rows[First], rows[Last]
    low, high = _alone(rows[Min][0]), _alone(rows[Max][0])
    one, other = (low, high, _alone(first), _alone(first)), (low, high, _alone(last), _alone(last))
    return [Standing((n, one), int(begin)), Standing((0, other), int(end))] if n else []


def _chosen(rows: Rows) -> list[Standing]:
    key, payload, time = rows[Choice]
    if time == LAST:
        return []
    away = column_of([int(time)])
    brought = payload if some(away).all() else None
    return [Standing((1, Chosen(key, brought)), int(when(away)[0]))]


def _powers(rows: Rows) -> list[Standing]:
    """How many, how many not finite, the sum and the sum of squares; of floats from the mean."""
    n, total, squares = rows[Squares]
    if not isinstance(total, float):
        return [Standing((n, (n, 0, Fraction(total), Fraction(squares))))] if n else []
    if not isfinite(total):
        return [Standing((n, (n, 1, Fraction(0), Fraction(0))))]
    if not isfinite(squares):
        raise SnapshotError("the squares of its values are beyond the floats")
    mean = Fraction(total)
    return [Standing((n, (n, 0, mean * n, Fraction(squares) + mean * mean * n)))] if n else []


def _percentile(rows: Rows) -> list[Standing]:
    value, present = rows[Everything]
    return [Standing((1, Counter([rank(value)])))] if present else []


def _of_summary(rows: Rows) -> list[Standing]:
    n, partial = rows[Custom]
    return [Standing((n, partial if isinstance(partial, tuple) else (partial,)))] if n else []


_RULES: Mapping[str, Rule] = {
    "count": _counted(lambda rows: rows[Count][0]),
    "sum": _counted(lambda rows: rows[Sum][0]),
    "mean": _counted(lambda rows: (rows[Count][0], rows[Sum][0])),
    "min": _counted(lambda rows: _alone(rows[Min][0])),
    "max": _counted(lambda rows: _alone(rows[Max][0])),
    "range": _counted(lambda rows: (_alone(rows[Min][0]), _alone(rows[Max][0]))),
    "first": _first,
    "last": _last,
    "m4": _m4,
    "argmin": _chosen,
    "argmax": _chosen,
    **dict.fromkeys(("var_pop", "var_sample", "std_pop", "std_sample"), _powers),
}
