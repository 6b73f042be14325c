"""What cells keep for an aggregate of the user's own, and its kernels."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.compiler.source_closure import SourceClosure
from muntin.kernels.slicing.arrays import Column, Fields, Flags, Ints, column_of
from muntin.kernels.slicing.batch import Batch, Source, Values
from muntin.kernels.slicing.parts import Part, by_prefix

if TYPE_CHECKING:
    from muntin.kernels.aggregator.array_backend import ArrayColumns

FEW = 4
"""Ranges that hold each cell so many times or less, on average, are folded one by one."""


@dataclass(frozen=True)
class Kernels:
    """What is compiled for a summary: `aggregator.column_kernels` says what each does."""

    columns: "ArrayColumns"
    combine_each: Callable[..., None]
    fold_each: Callable[..., None]
    identity: Column


@cache
def kernels_for(summary: NumericAggregate) -> Kernels:
    """Return the kernels of a summary: compiled when they are first called, and cached on disk."""
    from muntin.kernels.aggregator.array_backend import (  # noqa: PLC0415 - it brings Numba
        ArrayColumns,
        ArrayStorage,
    )
    from muntin.kernels.compiler.engine import NodeShape  # noqa: PLC0415 - as above
    from muntin.kernels.compiler.specialization import (  # noqa: PLC0415 - as above
        COLUMN_SOURCES,
        compiled_module,
    )

    found = vars(compiled_module(summary, COLUMN_SOURCES, *NodeShape()))
    identity = column_of(ArrayStorage(summary).column([summary.identity]))
    return Kernels(ArrayColumns(summary), found["combine_each"], found["fold_each"], identity)


@dataclass(frozen=True)
class Custom(Part):
    """How many rows there are, and their partial: records of numbers, or numbers."""

    folds = "compiled functions, one by one or in a flat tree"
    others: tuple[Source, ...]
    summary: NumericAggregate

    @property
    def sources(self) -> tuple[Source, ...]:
        """The columns that it reads."""
        return (self.source, *self.others)

    @property
    def may_raise(self) -> bool:
        """Whether its functions have a statement that raises an error."""
        closure = SourceClosure()
        for function in (self.summary.lift, self.summary.combine):
            closure.add_function(function)
        return any(
            isinstance(node, ast.Raise | ast.Assert) for node in ast.walk(ast.parse(closure.text))
        )

    def lift(self, batch: Batch, /) -> Fields:
        """Return ones and lifted rows; nothing for a row with a null."""
        columns = [batch.columns[source] for source in self.sources]
        kernels, name = kernels_for(self.summary), self.summary.name
        taken = [
            kernels.columns.to_numbers(values.data, kind, f"a value of {name}")
            for values, kind in zip(columns, self.summary.columns, strict=True)
        ]
        partials = column_of(kernels.columns.lift(taken))
        some = _valid(columns, len(batch))
        partials[~some] = kernels.identity[0]
        return column_of(some.astype(np.int64)), partials

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Combine each."""
        left, right = np.ascontiguousarray(a[1]), np.ascontiguousarray(b[1])
        out = np.empty_like(left)
        kernels_for(self.summary).combine_each(left, right, out)
        return a[0] + b[0], out

    def identity(self, _: Fields, /) -> Fields:
        """Return what changes nothing."""
        return column_of(np.zeros(1, np.int64)), kernels_for(self.summary).identity

    def fold(self, fields: Fields, lo: Ints, hi: Ints) -> Fields:
        """Fold ranges one by one if they overlap little, else along a tree."""
        if lo.size and (hi - lo).sum() > FEW * (hi.max() - lo.min()):
            return super().fold(fields, lo, hi)
        kernels = kernels_for(self.summary)
        out = np.repeat(kernels.identity, lo.size)
        kernels.fold_each(np.ascontiguousarray(fields[1]), lo, hi, out)
        return by_prefix(fields[0], lo, hi), out

    def lowered(self, fields: Fields) -> tuple[Column, ...]:
        """Return the results of partials that hold a row."""
        form = kernels_for(self.summary).columns
        some = column_of(fields[0] > 0)
        from muntin.kernels.aggregator.column_backend import lower_partials  # noqa: PLC0415 - as above

        each = lower_partials(form, self.summary, fields[1], None if some.all() else some)
        return tuple(column_of(one) for one in each)


def _valid(columns: Sequence[Values], n: int) -> Flags:
    some: Flags = np.ones(n, np.bool_)
    for values in columns:
        if values.valid is not None:
            some &= values.valid
    return np.asarray(some)
