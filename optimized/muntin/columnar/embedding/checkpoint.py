"""The state of a columnar operator as chunks: slices and emitted windows, split by time.

Chunks of past windows are deleted with them, and a stretch of time that has no new rows has the
same bytes again, so that it need not be written. Keys are numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from muntin.columnar.embedding.column_codec import (
    as_integer,
    as_row,
    as_texts,
    damaged_chunk,
    decode_columns,
    encode_columns,
)
from muntin.columnar.embedding.operator_state import OperatorState, counts_events, resized
from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import Column, Fields, Ints, column_of, ints
from muntin.kernels.slicing.cells import Cells, ordered
from muntin.kernels.slicing.forms import Form
from muntin.kernels.slicing.grain import Records, slices
from muntin.kernels.slicing.image import Plain, TrackerState
from muntin.kernels.slicing.known import Known
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.parts import Count
from muntin.snapshot import decode, encode
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType

HEADER_CHUNK = "columns"
SLICE_FIELDS = ("key", "slot", "low", "high", "count", "arrival", "own", "mark")
"""The columns of slices that are stored: between steps no slice has pending rows."""
EMITTED_FIELDS = ("key", "start", "end", "final_at", "first", "revision")
MAX_CHUNKS = 8
"""A table is split into at most about this many chunks, or a few times as many."""
MIN_CHUNK_BYTES = 2**17
"""A table below this size, before compression, is one chunk."""

Chunks = Mapping[str, bytes]
"""Parts of a state by name."""
Columns = list[Column | Ints]
ColumnGroups = list[tuple[str, int, bool]]
"""Name and number of columns of each aggregate, and whether a column of flags follows."""


class QueryForms(NamedTuple):
    """The window type and the columnar aggregate of each query."""

    kinds: Mapping[str, WindowType]
    forms: Mapping[str, Form]


class ChunkedTable(NamedTuple):
    """A table in chunks: its name, the span of time of a chunk, the chunk numbers, its columns."""

    name: str
    span: int
    numbers: list[int]
    column_groups: ColumnGroups


class GroupHeader(NamedTuple):
    """A group of queries besides its tables; the first table is that of its slices."""

    names: list[str]
    method: str
    since: int
    single: bool  # whether each slice is one event
    queries: list[list[str]]
    tables: list[ChunkedTable]


class OperatorHeader(NamedTuple):
    """The state of an operator besides its tables."""

    clock: Clock
    seen: float
    arrivals: int
    groups: list[GroupHeader]


def decode_header(chunks: Chunks) -> OperatorHeader:
    """The header in the chunks of an operator."""
    clock, seen, arrivals, groups = as_row(decode(chunks[HEADER_CHUNK]))
    if not isinstance(seen, int | float):
        raise damaged_chunk(f"holds {seen!r}, where a time should be")
    watermarks = Clock(*map(as_integer, as_row(clock)))
    headers = list(map(_group_header, as_row(groups)))
    return OperatorHeader(watermarks, seen, as_integer(arrivals), headers)


def encode_header(header: OperatorHeader) -> bytes:
    """Encode tuples without field names, which would take more room than the values."""
    clock = header.clock.watermark, header.clock.reached, header.clock.limit
    groups = [(*group[:-1], [tuple(table) for table in group.tables]) for group in header.groups]
    return encode((clock, header.seen, header.arrivals, groups))


def _group_header(item: object) -> GroupHeader:
    names, method, since, single, queries, tables = as_row(item)
    return GroupHeader(
        as_texts(names),
        str(method),
        as_integer(since),
        bool(single),
        [as_texts(ids) for ids in as_row(queries)],
        [_chunked_table(table) for table in as_row(tables)],
    )


def _chunked_table(item: object) -> ChunkedTable:
    name, span, numbers, groups = as_row(item)
    fields = (as_row(group) for group in as_row(groups))
    column_groups = [(str(part), as_integer(n), bool(flags)) for part, n, flags in fields]
    chunk_numbers = [as_integer(number) for number in as_row(numbers)]
    return ChunkedTable(str(name), as_integer(span), chunk_numbers, column_groups)


def encode_operator_state(
    state: OperatorState, queries: QueryForms, n_keys: int, before: Chunks
) -> dict[str, bytes]:
    """The chunks of a state, split at the same times as those before where possible."""
    headers = decode_header(before).groups if before else []
    spans = {table.name: table.span for group in headers for table in group.tables}
    chunks, groups = dict[str, bytes](), list[GroupHeader]()
    for index, (names, method, full_group) in enumerate(state.groups):
        group, tables = without_unused_fields(full_group, queries), list[ChunkedTable]()
        for name, columns, time, column_groups in tables_of(group, str(index)):
            size = sum(column.nbytes for column in columns)
            span, parts = chunk_span(time, size, spans.get(name, 0)), dict[int, bytes]()
            for number, part in partition_by_time(columns, time, span):
                parts[number] = encode_columns(part)
            chunks |= {f"{name} {number}": data for number, data in parts.items()}
            tables.append(ChunkedTable(name, span, list(parts), column_groups))
        chunks[f"{index} keys"] = encode_columns([resized(group.birth, n_keys), group.dropped])
        ids, single = [track.queries for track in group.tracks], isinstance(group.grain, Records)
        groups.append(GroupHeader(names, method, group.since, single, ids, tables))
    header = OperatorHeader(state.clock, state.seen, state.arrivals, groups)
    chunks[HEADER_CHUNK] = encode_header(header)
    return chunks


def decode_operator_state(chunks: Chunks, kinds: Mapping[str, WindowType]) -> OperatorState:
    """The state that `encode_operator_state` encoded."""
    header, groups = decode_header(chunks), list[tuple[list[str], str, Plain]]()
    for index, group in enumerate(header.groups):
        grain = Records() if group.single else slices(kinds[ids[0]] for ids in group.queries)
        cells, parts = _slices(chunks, group.tables[0])
        tracks = [
            TrackerState(ids, _emitted_windows(chunks, table))
            for ids, table in zip(group.queries, group.tables[1:], strict=True)
        ]
        arrival, dropped = (ints(column) for column in decode_columns(chunks[f"{index} keys"]))
        dropped = resized(dropped, arrival.size, 0)
        plain = Plain(group.since, grain, tracks, cells, parts, dropped, arrival)
        groups.append((group.names, group.method, plain))
    return OperatorState(groups, header.clock, header.seen, header.arrivals)


def _columns(chunks: Chunks, table: ChunkedTable) -> Columns:
    """The columns of a table, its chunks one after the other."""
    parts = [decode_columns(chunks[f"{table.name} {number}"]) for number in table.numbers]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _slices(chunks: Chunks, table: ChunkedTable) -> tuple[Cells, list[tuple[int, Fields]]]:
    """Slices in their order, and the columns of each part."""
    columns = _columns(chunks, table)
    if not columns:
        return Cells(), []
    order = ordered(ints(columns[0]), ints(columns[1]))
    rest = iter([column[order] for column in columns])
    key, slot, low, high, count, arrival, own, mark = (ints(column) for column in islice(rest, 8))
    cells = Cells(key, slot, low, high, count, np.zeros_like(key), arrival, own, mark)
    return cells, [
        (int(part), tuple(map(column_of, islice(rest, n)))) for part, n, _ in table.column_groups
    ]


def _emitted_windows(chunks: Chunks, table: ChunkedTable) -> Known:
    """Windows that were emitted and may still change."""
    columns = iter(_columns(chunks, table))
    fields = [ints(column) for column in islice(columns, len(EMITTED_FIELDS))]
    if not fields:
        return Known()
    values = {query: _answer(columns, n, flags) for query, n, flags in table.column_groups}
    key, start, end, final_at, first, revision = fields
    return Known(key, start, end, final_at, first, revision, values)


def _answer(columns: Iterator[Column | Ints], n: int, has_flags: bool) -> Answer:  # noqa: FBT001 - as stored
    values = tuple(column_of(column) for column in islice(columns, n))
    return Answer(values, next(columns).astype(np.bool_) if has_flags else None)


def without_unused_fields(group: Plain, queries: QueryForms) -> Plain:
    """A state with constants where no result depends on the value: constants take no room.

    A part with redundant counts keeps whether there are values, not how many. Where no window
    counts events, counts of events and of evicted slices are constant. Where all windows are
    sliding, the times of events within a slice are.
    """
    kinds, ids = queries.kinds, [query for track in group.tracks for query in track.queries]
    redundant = redundant_counts(queries.forms[query] for query in ids if query in queries.forms)
    parts = [
        (i, tuple(np.minimum(field, 1) for field in fields) if i in redundant else fields)
        for i, fields in group.parts
    ]
    group = group._replace(parts=parts)
    if counts_events(group, kinds):
        return group
    cells = replace(group.cells, count=np.ones_like(group.cells.count))
    group = group._replace(dropped=np.zeros(1, np.int64), cells=cells)
    all_sliding = all(isinstance(kinds[track.queries[0]], Sliding) for track in group.tracks)
    if isinstance(group.grain, Records) or not all_sliding:
        return group
    slot, zero = group.cells.slot, np.zeros_like(group.cells.slot)
    tracks = [
        TrackerState(track.queries, replace(track.known, first=np.zeros_like(track.known.first)))
        for track in group.tracks
    ]
    cells = replace(group.cells, low=slot, high=slot, arrival=zero)
    return group._replace(cells=cells, tracks=tracks)


def redundant_counts(forms: Iterable[Form]) -> set[int]:
    """The parts of forms that count values where no form needs their number.

    >>> from muntin.kernels.slicing.forms import form
    >>> sums, means = form("sum"), form("mean")
    >>> redundant_counts([sums]), redundant_counts([sums, means])
    ({1}, set())
    """
    every = list(forms)
    counting = {part for form in every if form.counted for part in form.parts}
    parts = dict.fromkeys(part for form in every for part in form.parts)
    return {n for n, part in enumerate(parts) if isinstance(part, Count) and part not in counting}


def tables_of(group: Plain, name: str) -> Iterator[tuple[str, Columns, Ints, ColumnGroups]]:
    """The tables of a group: its slices, and the emitted windows of each type.

    Each has a name, columns, the time by which it is split, and how its columns are grouped.
    """
    columns: Columns = [getattr(group.cells, field) for field in SLICE_FIELDS]
    column_groups: ColumnGroups = [(str(i), len(fields), False) for i, fields in group.parts]
    columns += [column for _, fields in group.parts for column in fields]
    yield f"{name} slices", columns, group.cells.slot, column_groups
    for i, track in enumerate(group.tracks):
        windows, values = track.known, track.known.values.items()
        columns = [getattr(windows, field) for field in EMITTED_FIELDS]
        column_groups = [(query, len(a.columns), a.valid is not None) for query, a in values]
        for _, answer in values:
            columns += [*answer.columns, *([] if answer.valid is None else [ints(answer.valid)])]
        yield f"{name} emitted {i}", columns, windows.end, column_groups


def partition_by_time(
    columns: Sequence[Column | Ints], time: Ints, span: int
) -> Iterator[tuple[int, Columns]]:
    """Split a table, whose first column is the key, into spans of time.

    Rows of a span are in order of time and key, so these columns ascend.
    """
    if not time.size:
        return
    number = time // span if span else np.zeros_like(time)
    order = ordered(time - int(time.min()), ints(columns[0]))
    begins = np.flatnonzero(np.diff(number[order], prepend=number[order[:1]] - 1))
    for rows in np.split(order, begins[1:]):
        if rows.size:
            yield int(number[rows[0]]), [column[rows] for column in columns]


def chunk_span(time: Ints, size: int, before: int) -> int:
    """The span of time of a chunk, a power of two: chunks are neither small nor many.

    The span before is kept while it serves: another one would write every chunk again. A span of
    0 makes one chunk.
    """
    if size < MIN_CHUNK_BYTES or not time.size:
        return 0
    extent = int(time.max()) - int(time.min()) + 1
    n_chunks = max(1, min(MAX_CHUNKS, size // MIN_CHUNK_BYTES))
    if before and extent <= 4 * n_chunks * before and n_chunks * before <= 4 * extent + 4 * before:
        return before
    return 1 << min(62, (extent // n_chunks).bit_length())
