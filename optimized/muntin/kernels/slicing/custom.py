"""Aggregates of the user's own over columns: lift, combine and lower, compiled (definition K1).

Where kernels are not compiled, the generic operator takes them as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.slicing.batch import Source
from muntin.kernels.slicing.over import field, is_row
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import skipping_nulls
from muntin.spec.errors import InvalidInputError


@dataclass(frozen=True)
class CompiledAggregate(Aggregate[object, object, object]):
    """A summary of fields of values as an aggregate: every operator takes it."""

    summary: NumericAggregate
    fields: tuple[Source, ...]


def compiled_aggregate(
    summary: NumericAggregate, fields: Sequence[Source] | str = (), *, commutative: bool = False
) -> CompiledAggregate:
    """Return an aggregate of values, or of these fields of them; rows with a null are skipped.

    Say that it is commutative if it is: then slices can be kept where events come out of order.

    >>> def lift(v: float) -> tuple[float]: return (v * v,)
    >>> def combine(a: tuple[float], b: tuple[float]) -> tuple[float]: return (a[0] + b[0],)
    >>> def lower(a: tuple[float]) -> tuple[float]: return (a[0] ** 0.5,)
    >>> number = ("float",)
    >>> norm = NumericAggregate("norm", number, number, (0.0,), lift, combine, lower, number)
    >>> compiled_aggregate(norm, commutative=True).of([3, None, 4])
    5.0
    """
    count = len(summary.columns)
    alone: Sequence[Source] = (None,) if count == 1 else range(count)
    names = (fields,) if isinstance(fields, str) else tuple(fields) or tuple(alone)
    if len(names) != count or not count:
        raise InvalidInputError(f"{summary.name} is of {count} columns, not {len(names)}")

    def lift(value: object) -> Partial:
        return summary.lift(*_row(value, names, summary.columns))

    def lower(partial: Partial) -> object:
        results = summary.lower(partial)[: len(summary.results)]
        results = results[:-1] if summary.checked else results
        return results[0] if len(results) == 1 else results

    monoid = summary.monoid()
    plain = Aggregate(summary.name, lift, monoid, lower, commutative, "algebraic")
    guarded = skipping_nulls(plain.erase_types())

    def lift_some(value: object) -> object:
        some = value is not None and all(_part(value, name) is not None for name in names)
        return guarded.lift(value if some else None)

    rest = (guarded.monoid, guarded.lower, commutative, guarded.kind)
    return CompiledAggregate(summary.name, lift_some, *rest, summary, names)


def _part(value: object, name: Source) -> object:
    if name is None:
        return value
    if isinstance(name, str):
        return field(value, name)
    if is_row(value) and name < len(value):
        return value[name]
    raise InvalidInputError(f"{value!r} has no field {name}")


def _row(value: object, names: Sequence[Source], kinds: Sequence[Kind]) -> list[int | float]:
    row: list[int | float] = []
    for name, kind in zip(names, kinds, strict=True):
        number = _part(value, name)
        if not isinstance(number, int if kind == "int" else int | float):
            raise InvalidInputError(f"{number!r} is no {kind}")
        row.append(float(number) if kind == "float" else number)
    return row
