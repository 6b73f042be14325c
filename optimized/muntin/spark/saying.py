"""What a bucket says, as payloads: batches of the answer, unpacked where they are read."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from muntin.kernels.slicing.over import is_record
from muntin.spark.answering import lines_of
from muntin.spark.answers import told
from muntin.spark.arrow import Keys, Table, Work, batches, pa, typed
from muntin.spark.bucket import Key, Said
from muntin.spark.packing import read, written
from muntin.spark.plan import Plan
from muntin.spec.stream import Event

LATE = "late"


def payloads_of(plan: Plan, said: Said) -> list[bytes]:
    """Return what is said, packed: lines about windows, then late rows."""
    batched = [*_lines(plan, said), *_late(plan, said.late)]
    return [written(batch) for batch in batched]


def _lines(plan: Plan, said: Said) -> Iterator[Table]:
    numbers: dict[Key, int] = {}
    results = [(numbers.setdefault(key, len(numbers)), one) for key, one in said.results]
    number = np.arange(len(numbers))
    found = Keys(number, number)
    return told(plan, lines_of(plan, results), _keys(plan, list(numbers)), found)


def _keys(plan: Plan, keys: Sequence[Key]) -> Table:
    """Return keys as the columns that they were."""
    columns = {
        name: typed([key[nth] for key in keys], plan.types[name])
        for nth, name in enumerate(plan.keys)
    }
    found: Table = pa.RecordBatch.from_pydict(columns or {"": pa.nulls(len(keys))})
    return found


def _late(plan: Plan, late: Sequence[tuple[Key, Event]]) -> Iterator[Table]:
    """Return late rows as lines of the kind `late`; they start at their times."""
    if not late:
        return iter(())
    schema, n = plan.schema(), len(late)
    none = {field.name: typed([None] * n, field.dataType) for field in schema.fields}
    keys = _keys(plan, [key for key, _ in late])
    columns: dict[str, object] = {**none, **{name: keys.column(name) for name in plan.keys}}
    columns["start"] = typed([event.time for _, event in late], plan.types[plan.time])
    columns["kind"] = [LATE] * n
    if plan.late == "rows":
        columns["late"] = _rows(plan, [event for _, event in late])
    return batches(columns, schema)


def _rows(plan: Plan, events: Sequence[Event]) -> object:
    names, fields = plan.values, plan.row().fields
    rows = [_row(plan, names, event) for event in events]
    columns = [typed([row[f.name] for row in rows], f.dataType) for f in fields]
    return pa.StructArray.from_arrays(columns, [field.name for field in fields])


def _row(plan: Plan, names: Sequence[str], event: Event) -> dict[str, object]:
    value = event.value
    fields = {names[0]: value} if plan.plain and names else value
    return {plan.time: event.time} | (dict(fields) if is_record(fields) else {})


def unpacking(given: Iterable[Table]) -> Iterator[object]:
    """Yield the batches in payloads."""
    for batch in given:
        for payload in batch.column("payload").to_pylist():
            if isinstance(payload, bytes):
                yield from read(payload)


UNPACKING: Work = unpacking
