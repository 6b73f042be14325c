"""The payloads of a bucket: their rows, and their slices where tasks sent some.

Task after the shuffle.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from muntin.columnar.embedding import Flags, Ints, PartialSlices
from muntin.spark.batch.slice_plan import LOW, SlicePlan
from muntin.spark.execution.arrow import ArrowBatch, column, from_ipc_bytes, pa, record_batch, table
from muntin.spark.streaming.shuffle_payload import COUNT_COLUMN, PAYLOAD_HEADER, decode_narrow


class SlicesAndRows(NamedTuple):
    """Slices, and rows that are in none of them."""

    slices: ArrowBatch | None
    rows: ArrowBatch | None

    @property
    def tables(self) -> list[ArrowBatch]:
        """Those of the two that there are."""
        return [part for part in self if part is not None]


class Payload:
    """What one task sent to a bucket at once; rows are decoded when they are read."""

    def __init__(self, data: bytes, names: Sequence[str]) -> None:
        """Decode the slices; `names` are the columns that rows have, in their order."""
        *origin, size = PAYLOAD_HEADER.unpack_from(data)
        self.origin, self._names = tuple(origin), names
        self._data, self._begin = data, PAYLOAD_HEADER.size + size
        self.slices: ArrowBatch | None = None
        if size:
            batches = from_ipc_bytes(data, PAYLOAD_HEADER.size)
            self.slices = table([decode_narrow(batch) for batch in batches])

    def rows(self, in_slices: Flags | None = None) -> ArrowBatch:
        """All rows, or those of the flagged slices."""
        (narrow,) = from_ipc_bytes(self._data, self._begin)
        batch = decode_narrow(narrow)
        if self.slices is None:
            return batch
        count = np.asarray(column(self.slices, COUNT_COLUMN), np.int64)
        row_slice = np.repeat(np.arange(count.size), count)
        in_slices = np.ones(count.size, np.bool_) if in_slices is None else in_slices
        places = np.flatnonzero(in_slices[row_slice])
        slice_columns, columns = set(self.slices.column_names), dict[str, object]()
        for name in self._names:
            columns[name] = (
                column(self.slices, name).take(row_slice[places])
                if name in slice_columns
                else column(batch, name).take(places)
            )
        return record_batch(columns)

    def split_at(self, limit: float) -> SlicesAndRows:
        """The slices without rows before this time, and the rows of the others."""
        if self.slices is None:
            return SlicesAndRows(None, self.rows())
        is_before = np.asarray(column(self.slices, LOW), np.int64) < limit
        if not is_before.any():
            return SlicesAndRows(self.slices, None)
        rest = getattr(self.slices, "filter")(pa.array(~is_before))  # noqa: B009 - Arrow is not typed
        return SlicesAndRows(rest if rest.num_rows else None, self.rows(is_before))


def read_payloads(payloads: Iterable[bytes], names: Sequence[str]) -> list[Payload]:
    """Payloads in order of arrival."""
    return sorted((Payload(data, names) for data in payloads), key=lambda payload: payload.origin)


def all_rows(payloads: Sequence[Payload]) -> ArrowBatch | None:
    """The rows of all payloads; None if there are none."""
    return table([payload.rows() for payload in payloads]) if payloads else None


def merge_slices(
    slice_plan: SlicePlan, pieces: Sequence[SlicesAndRows], key_numbers: Sequence[Ints]
) -> PartialSlices:
    """Slices of all pieces, rows combined too; each table of a piece has its numbers of keys."""
    each, numbers, arrival = list[PartialSlices](), iter(key_numbers), 0
    for piece in pieces:
        if piece.slices is not None:
            count = np.asarray(column(piece.slices, COUNT_COLUMN), np.int64)
            sent = slice_plan.decode(piece.slices, next(numbers), count).delayed(arrival)
            each.append(sent)
            arrival = int(sent.order.max()) + 1
        if piece.rows is not None:
            each.append(slice_plan.sorted_rows(piece.rows, next(numbers), arrival).slices())
            arrival += piece.rows.num_rows
    return slice_plan.layout.collect(each)
