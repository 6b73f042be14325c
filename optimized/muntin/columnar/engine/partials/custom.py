"""Partials of a user's own aggregate: its functions, in kernels of a module made for it.

The columns are how many rows there are, and the fields of the partial. It must be commutative.
"""

from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np

from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.partials.columns import copy_columns
from muntin.columnar.engine.partials.kernels import PartKernels, items
from muntin.kernels.compiler.availability import compiler_version
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate
from muntin.kernels.compiler.source_closure import SourceClosure
from muntin.kernels.slicing.arrays import column_of
from muntin.kernels.slicing.batch import Source, Values
from muntin.kernels.slicing.custom_part import Custom

SOURCE = """# Kernels of partials of {name!r}, for {version}.
from math import inf, nan
from muntin.columnar.engine import directory as d
from muntin.columnar.engine.kernel_language import PartPhase, floats, inlined, ints
from muntin.columnar.engine.partials.columns import part_field
{functions}
@PartPhase
def add(t, part, to, origin):
    source, held = part_field(t, part, d.P_SOURCE), ints(t, to)
    {inputs}
    {fields}
    times, placed = ints(t, part_field(t, part, d.P_TIME)), ints(t, d.PLACED)
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH)
    for e in range(ints(t, d.SCALARS)[d.ENTRIES]):
        for i in range(begins[e], ends[e]):
            if (times[i] >= lows[e]) & (times[i] < highs[e]):
                row = rows[e] if rows[e] >= 0 else placed[i]
                held[row] += 1
                made = {combine}({before}, {lift}({lifted}))
                {store}
    return 0
@PartPhase
def merge(t, part, to, origin):
    froms, tos = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    held, others = ints(t, to), ints(t, origin)
    {fields}
    {other_fields}
    for i in range(ints(t, d.SCALARS)[d.MERGES]):
        row, at = tos[i], froms[i]
        held[row] += others[at]
        made = {combine}({before}, {other})
        {store}
    return 0
"""


def reader(kind: Kind) -> str:
    """What reads an array of numbers of a kind."""
    return "ints" if kind == "int" else "floats"


def source_of(summary: NumericAggregate) -> str:
    """The text of the module of an aggregate."""
    closure = SourceClosure()
    lift, combine = closure.add_function(summary.lift), closure.add_function(summary.combine)
    fields, inputs = list(enumerate(summary.fields)), list(enumerate(summary.columns))
    return SOURCE.format(
        name=summary.name, version=compiler_version(), functions=closure.text,
        lift=lift, combine=combine,
        inputs="; ".join(f"c{k} = {reader(kind)}(t, source + {k})" for k, kind in inputs),
        fields="; ".join(f"f{k} = {reader(kind)}(t, to + {k + 1})" for k, kind in fields),
        other_fields="; ".join(f"g{k} = {reader(kind)}(t, origin + {k + 1})" for k, kind in fields),
        lifted=", ".join(f"{kind}(c{k}[i])" for k, kind in inputs),
        before=_tuple(f"{kind}(f{k}[row])" for k, kind in fields),
        other=_tuple(f"{kind}(g{k}[at])" for k, kind in fields),
        store="; ".join(f"f{k}[row] = made[{k}]" for k, _ in fields),
    )  # fmt: skip


def _tuple(parts: Iterable[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"


@cache
def custom_kernels(part: Custom) -> PartKernels:
    """The kernels of a part; compiled when they are first called."""
    from muntin.kernels.compiler.specialization import written_module  # noqa: PLC0415 - imported when one is used

    module = vars(written_module(source_of(part.summary)))
    fields = zip(part.summary.identity, part.summary.fields, strict=True)
    identity = (*items(0), *(items(value, value_type=kind)[0] for value, kind in fields))
    return PartKernels("int", identity, module["add"], module["merge"], copy_columns)


def input_columns(part: Custom, columns: Mapping[Source, Values]) -> list[AnyArray]:
    """The columns that a part reads, as numbers of the kinds that its aggregate says."""
    from muntin.kernels.aggregator.array_backend import ArrayColumns  # noqa: PLC0415 - imported when one is used

    to_numbers, name = ArrayColumns(part.summary).to_numbers, part.summary.name
    inputs: list[AnyArray] = []
    for source, kind in zip(part.sources, part.summary.columns, strict=True):
        data, valid = columns[source]
        data = data if valid is None else np.where(valid, data, 0)
        inputs.append(column_of(to_numbers(data, kind, f"a value of {name}")))
    return inputs
