"""The aggregates of a call: what is computed under each result name, and over which columns.

Shared by `muntin.columnar.aggregate` and `muntin.spark.aggregate`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

from muntin.columnar.arguments import is_mapping, is_sequence
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.custom import CompiledAggregate, compiled_aggregate
from muntin.kernels.slicing.forms import catalogued
from muntin.kernels.slicing.over import over
from muntin.spec.algebra.aggregate import Aggregate, AnyAggregate
from muntin.spec.algebra.catalogue import named_keeping_nulls, skipping_nulls
from muntin.spec.errors import InvalidInputError

AggregateSpec: TypeAlias = str | Sequence[object]
"""`"count"`, `("sum", "v")`, `("argmax", "v", "name")`, or `(aggregate, "v", "double")`."""
AggregateSpecs: TypeAlias = Mapping[str, AggregateSpec] | Sequence[AggregateSpec]
"""Aggregates by result name; in a list they are named as in `sum(price)`."""

PAIR_AGGREGATES = ("argmin", "argmax")
PAIR = "('sum', 'price')"


@dataclass(frozen=True)
class AggregateRequest:
    """An aggregate of some columns under its result name.

    `type` is the type of the values of an aggregate of the user's own, as the caller wrote it;
    else None.
    """

    label: str
    what: str | AnyAggregate
    columns: tuple[str, ...]
    type: object

    @property
    def catalogue_name(self) -> str | None:
        """The name of an aggregate of the catalogue."""
        return self.what if isinstance(self.what, str) else None

    @property
    def counts_rows(self) -> bool:
        """Whether it counts rows, whatever they hold."""
        return not self.columns

    @property
    def description(self) -> str:
        """Its name in snapshots and messages."""
        name = self.what if isinstance(self.what, str) else self.what.name
        return f"{self.label} = {name}({', '.join(self.columns)})"

    def definition(self) -> AnyAggregate:
        """The aggregate of single values, or of tuples if it has several columns."""
        if isinstance(self.what, str):
            return self.named(self.what)
        if isinstance(self.what, CompiledAggregate):
            return compiled_aggregate(self.what.summary, commutative=self.what.commutative)
        return skipping_nulls(self.what)

    def named(self, name: str) -> AnyAggregate:
        """An aggregate of the catalogue; `muntin.spark` adds sketches."""
        return catalogued(name)

    def over_values(self, *, is_single: bool) -> AnyAggregate:
        """The aggregate of the values of events: of their single column, or of records."""
        if self.counts_rows:
            return named_keeping_nulls("count")
        return self.definition() if is_single else self.over_columns()

    def over_columns(self, time: str = "") -> AnyAggregate:
        """The aggregate of records; to count rows is to count their times, which are never null."""
        if self.counts_rows:
            return over((time,), catalogued("count"))
        if isinstance(self.what, CompiledAggregate):
            commutative = self.what.commutative
            return compiled_aggregate(self.what.summary, self.columns, commutative=commutative)
        return over(self.columns, self.definition())


def value_columns(requests: Iterable[AggregateRequest], extra: Sequence[str]) -> tuple[str, ...]:
    """The columns that make the value of an event, each once."""
    names = (name for request in requests for name in request.columns)
    return tuple(dict.fromkeys((*names, *extra)))


def parse_aggregates(
    aggregates: object, lookup: Callable[[str], AnyAggregate] = catalogued
) -> tuple[AggregateRequest, ...]:
    """Requests by result name; `lookup` refuses names that are in no catalogue.

    >>> [one.label for one in parse_aggregates(["count", ("argmax", "price", "size")])]
    ['count', 'argmax(price, size)']
    """
    if not is_mapping(aggregates) and not is_sequence(aggregates):
        raise InvalidInputError(
            "aggregates must be a dict from result names to aggregates, such as "
            f"{{'total': {PAIR}}}, or a list of aggregates, such as [{PAIR}], not {aggregates!r}"
        )
    parsed: dict[str, AggregateRequest] = {}
    if is_mapping(aggregates):
        for name, spec in aggregates.items():
            if not isinstance(name, str):
                raise InvalidInputError(f"the name of an aggregate must be a string, not {name!r}")
            parsed[name] = parse_aggregate(name, spec, lookup)
    else:
        for position, spec in enumerate(aggregates):
            request = parse_aggregate(None, spec, lookup, f"aggregates[{position}]")
            if request.label in parsed:
                raise InvalidInputError(
                    f"the result would have two columns {request.label!r}; name aggregates in a "
                    "dict from result names to them"
                )
            parsed[request.label] = request
    if not parsed:
        raise InvalidInputError(
            f"aggregates is empty; name at least one aggregate, such as {{'total': {PAIR}}}"
        )
    return tuple(parsed.values())


def parse_aggregate(
    label: str | None,
    spec: object,
    lookup: Callable[[str], AnyAggregate] = catalogued,
    where: str | None = None,
) -> AggregateRequest:
    """One request; without a label it is named as in `sum(price)`, and messages say where it is."""
    where = where or f"aggregate {label!r}"
    what, *rest = tuple(spec) if is_sequence(spec) and spec else (spec,)
    kind: object = None
    if isinstance(what, NumericAggregate):
        what = compiled_aggregate(what)
    if isinstance(what, CompiledAggregate):
        columns = _compiled_columns(what, rest, where)
        kind = rest[len(columns)] if len(columns) < len(rest) else None
    elif is_aggregate(what):
        columns, kind = _own_columns(what, rest, where)
    elif isinstance(what, str):
        columns = _catalogue_columns(what, rest, lookup, where)
    else:
        raise InvalidInputError(f"{where}: {spec!r} must be a name and a column, such as {PAIR}")
    name = what if isinstance(what, str) else what.name
    shown = f"{name}({', '.join(columns)})" if columns else name
    return AggregateRequest(shown if label is None else label, what, columns, kind)


def is_aggregate(value: object) -> TypeGuard[AnyAggregate]:
    """Whether a value is an aggregate, of values of any type."""
    return isinstance(value, Aggregate)


def _own_columns(
    what: AnyAggregate, rest: Sequence[object], where: str
) -> tuple[tuple[str, ...], object]:
    if len(rest) < 2:  # noqa: PLR2004 - a column and a type
        raise InvalidInputError(
            f"{where}: after an aggregate of your own name its columns and the type of its values, "
            f"such as ({what.name}, 'price', 'double')"
        )
    return _strings(rest[:-1], where), rest[-1]


def _compiled_columns(
    what: CompiledAggregate, rest: Sequence[object], where: str
) -> tuple[str, ...]:
    n = len(what.summary.columns)
    if not n <= len(rest) <= n + 1:
        raise _wrong_arity(what.name, n, rest, where)
    return _strings(rest[:n], where)


def _catalogue_columns(
    what: str, rest: Sequence[object], lookup: Callable[[str], AnyAggregate], where: str
) -> tuple[str, ...]:
    try:
        lookup(what)
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from error
    columns = _strings(rest, where)
    n = 1 + (what in PAIR_AGGREGATES)
    if len(columns) != n and (columns or what != "count"):
        raise _wrong_arity(what, n, columns, where)
    return columns


def _strings(names: Sequence[object], where: str) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str):
            raise InvalidInputError(
                f"{where}: columns are named by strings, such as ('argmax', 'price', 'size'), "
                f"not by {name!r}"
            )
    return tuple(name for name in names if isinstance(name, str))


def _wrong_arity(name: str, n: int, columns: Sequence[object], where: str) -> InvalidInputError:
    read = f"{n} column{'s' * (n > 1)}, not {len(columns)}: {(*columns,)}"
    example = ", ".join(["'price'", "'size'", *(f"'column {i}'" for i in range(3, n + 1))][:n])
    return InvalidInputError(f"{where}: {name} reads {read}; write ({name!r}, {example})")
