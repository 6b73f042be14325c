"""The state of an operator over columns as pieces: cells and told windows by stretches of time.

What passes goes with its pieces, and what is not touched is not written. Keys are numbers here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import Column, Fields, Ints, column_of, ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.forms import Form
from muntin.kernels.slicing.grain import Records, slices
from muntin.kernels.slicing.image import Plain, Told
from muntin.kernels.slicing.known import Known
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.ordering import ordered
from muntin.snapshot import decode, encode
from muntin.spark.execution.columnar_support import redundant_counts
from muntin.spark.state.idle_keys import GroupStates, counts, sized
from muntin.spark.state.column_codec import (
    Chunks,
    chunk_span,
    columns_in,
    damaged,
    number,
    packed_columns,
    partition_by_time,
    row,
    texts,
)
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType

HEAD = "columns"
CELLS = ("key", "slot", "low", "high", "count", "arrival", "own", "mark")
"""What is kept of cells; none is fresh between steps."""
KNOWN = ("key", "start", "end", "settles", "first", "revision")

Columns = list[Column | Ints]
Shape = list[tuple[str, int, bool]]


class QueryForms(NamedTuple):
    """The window types and the forms of queries."""

    kinds: Mapping[str, WindowType]
    forms: Mapping[str, Form]


class ChunkedTable(NamedTuple):
    """A table in pieces: under which name, of which span, their numbers.

    The shape of the columns that differ says how they are grouped: under which name, how many, and
    whether flags follow.
    """

    name: str
    span: int
    numbers: list[int]
    shape: Shape


class GroupHeader(NamedTuple):
    """What is known of a group besides its tables, of which the first is that of its cells."""

    names: list[str]
    method: str
    since: int
    single: bool  # whether each cell is one event
    asked: list[list[str]]
    tables: list[ChunkedTable]


class StateHeader(NamedTuple):
    """What else is known of a state."""

    clock: Clock
    seen: float
    arrivals: int
    groups: list[GroupHeader]


def head_in(pieces: Chunks) -> StateHeader:
    """Return what is known of a state in pieces besides its tables."""
    clock, seen, arrivals, groups = row(decode(pieces[HEAD]))
    if not isinstance(seen, int | float):
        raise damaged("holds no time")
    moment = Clock(*map(number, row(clock)))
    return StateHeader(moment, seen, number(arrivals), list(map(_grouped, row(groups))))


def headed(head: StateHeader) -> bytes:
    """Return what is known as bytes: names of fields take more room than what is in them."""
    clock = head.clock.watermark, head.clock.reached, head.clock.limit
    groups = [(*one[:-1], [tuple(table) for table in one.tables]) for one in head.groups]
    return encode((clock, head.seen, head.arrivals, groups))


def _grouped(one: object) -> GroupHeader:
    names, method, since, single, asked, tables = row(one)
    queries = [texts(each) for each in row(asked)]
    laid = [_laid(table) for table in row(tables)]
    return GroupHeader(texts(names), str(method), number(since), bool(single), queries, laid)


def _laid(one: object) -> ChunkedTable:
    name, span, numbers, shape = row(one)
    each = (row(part) for part in row(shape))
    parts = [(str(part), number(n), bool(flags)) for part, n, flags in each]
    return ChunkedTable(str(name), number(span), [number(n) for n in row(numbers)], parts)


def pieces_of(state: GroupStates, asked: QueryForms, keys: int, before: Chunks) -> dict[str, bytes]:
    """Return a state as pieces."""
    old = head_in(before).groups if before else []
    spans = {one.name: one.span for group in old for one in group.tables}
    found, groups = dict[str, bytes](), list[GroupHeader]()
    for nth, (names, method, whole) in enumerate(state.groups):
        group, tables = simpler(whole, asked), list[ChunkedTable]()
        for name, columns, time, shape in tables_of(group, str(nth)):
            size = sum(column.nbytes for column in columns)
            span, parts = chunk_span(time, size, spans.get(name, 0)), dict[int, bytes]()
            for nth_part, part in partition_by_time(columns, time, span):
                parts[nth_part] = packed_columns(part)
            found |= {f"{name} {place}": data for place, data in parts.items()}
            tables.append(ChunkedTable(name, span, list(parts), shape))
        found[f"{nth} keys"] = packed_columns([sized(group.birth, keys), group.dropped])
        queries, single = [one.queries for one in group.tracks], isinstance(group.grain, Records)
        groups.append(GroupHeader(names, method, group.since, single, queries, tables))
    found[HEAD] = headed(StateHeader(state.clock, state.seen, state.arrivals, groups))
    return found


def state_in(pieces: Chunks, kinds: Mapping[str, WindowType]) -> GroupStates:
    """Return the state in pieces."""
    head, groups = head_in(pieces), list[tuple[list[str], str, Plain]]()
    for nth, group in enumerate(head.groups):
        grain = Records() if group.single else slices(kinds[names[0]] for names in group.asked)
        cells, parts = _cells(pieces, group.tables[0])
        tracks = [
            Told(names, _known(pieces, table))
            for names, table in zip(group.asked, group.tables[1:], strict=True)
        ]
        birth, dropped = (ints(one) for one in columns_in(pieces[f"{nth} keys"]))
        dropped = sized(dropped, birth.size, 0)
        plain = Plain(group.since, grain, tracks, cells, parts, dropped, birth)
        groups.append((group.names, group.method, plain))
    return GroupStates(groups, head.clock, head.seen, head.arrivals)


def _columns(pieces: Chunks, table: ChunkedTable) -> Columns:
    """Return the columns of a table."""
    each = [columns_in(pieces[f"{table.name} {number}"]) for number in table.numbers]
    return [np.concatenate(same) for same in zip(*each, strict=True)]


def _cells(pieces: Chunks, table: ChunkedTable) -> tuple[Cells, list[tuple[int, Fields]]]:
    """Return cells in their order, and the partials of each part."""
    columns = _columns(pieces, table)
    if not columns:
        return Cells(), []
    order = ordered(ints(columns[0]), ints(columns[1]))
    rest = iter([column[order] for column in columns])
    key, slot, low, high, count, arrival, own, mark = (ints(one) for one in islice(rest, 8))
    cells = Cells(key, slot, low, high, count, np.zeros_like(key), arrival, own, mark)
    return cells, [(int(nth), tuple(map(column_of, islice(rest, n)))) for nth, n, _ in table.shape]


def _known(pieces: Chunks, table: ChunkedTable) -> Known:
    """Return the windows that were told of."""
    columns = iter(_columns(pieces, table))
    numbers = [ints(one) for one in islice(columns, len(KNOWN))]
    if not numbers:
        return Known()
    values = {name: _answer(columns, n, flagged) for name, n, flagged in table.shape}
    key, start, end, settles, first, revision = numbers
    return Known(key, start, end, settles, first, revision, values)


def _answer(columns: Iterator[Column | Ints], n: int, flagged: bool) -> Answer:  # noqa: FBT001
    values = tuple(column_of(one) for one in islice(columns, n))
    return Answer(values, next(columns).astype(np.bool_) if flagged else None)


def simpler(group: Plain, asked: QueryForms) -> Plain:
    """Return a state without what nothing depends on.

    Of some parts, that is how many values there are, but not whether there are any.
    Where all windows are sliding, that is when in its slice an event came. Where none counts
    events, it is how many cells are forgotten, and how many events each holds.
    """
    kinds, names = asked.kinds, [name for one in group.tracks for name in one.queries]
    some = redundant_counts(asked.forms[name] for name in names if name in asked.forms)
    parts = [
        (nth, tuple(np.minimum(one, 1) for one in fields) if nth in some else fields)
        for nth, fields in group.parts
    ]
    group = group._replace(parts=parts)
    if counts(group, kinds):
        return group
    cells = replace(group.cells, count=np.ones_like(group.cells.count))
    group = group._replace(dropped=np.zeros(1, np.int64), cells=cells)
    sliding = all(isinstance(kinds[one.queries[0]], Sliding) for one in group.tracks)
    if isinstance(group.grain, Records) or not sliding:
        return group
    slot, zero = group.cells.slot, np.zeros_like(group.cells.slot)
    tracks = [
        Told(one.queries, replace(one.known, first=np.zeros_like(one.known.first)))
        for one in group.tracks
    ]
    cells = replace(group.cells, low=slot, high=slot, arrival=zero)
    return group._replace(cells=cells, tracks=tracks)


def tables_of(group: Plain, name: str) -> Iterator[tuple[str, Columns, Ints, Shape]]:
    """Yield the tables of a group: cells, and the windows that are told of each type."""
    columns: Columns = [getattr(group.cells, field) for field in CELLS]
    shape: Shape = [(str(nth), len(fields), False) for nth, fields in group.parts]
    columns += [column for _, fields in group.parts for column in fields]
    yield f"{name} cells", columns, group.cells.slot, shape
    for nth, one in enumerate(group.tracks):
        known, values = one.known, one.known.values.items()
        columns = [getattr(known, field) for field in KNOWN]
        shape = [(query, len(a.columns), a.valid is not None) for query, a in values]
        for _, answer in values:
            columns += [*answer.columns, *([] if answer.valid is None else [ints(answer.valid)])]
        yield f"{name} told {nth}", columns, known.end, shape
