"""What came for a bucket: payloads, each of rows, and of slices if there are few."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import Flags, Ints
from muntin.kernels.slicing.grain import sliced
from muntin.kernels.slicing.store import Store
from muntin.spark.batch.slice_encoding import decode_slices, events
from muntin.spark.batch.slice_plan import LOW, SlicePlan
from muntin.spark.execution.arrow import Table, column, names_of, pa, table
from muntin.spark.streaming.integer_narrowing import decode_narrow
from muntin.spark.streaming.pre_aggregation import COUNT
from muntin.spark.streaming.shuffle_payload import HEAD, read


class SlicesAndRows(NamedTuple):
    """Slices, and rows that are in none of them."""

    slices: Table | None
    rows: Table | None

    @property
    def tables(self) -> list[Table]:
        """Those that there are."""
        return [one for one in self if one is not None]


class Payload:
    """What a task sent at once."""

    def __init__(self, data: bytes, names: Sequence[str]) -> None:
        """Say which columns rows have."""
        *origin, size = HEAD.unpack_from(data)
        self.origin, self._names = tuple(origin), names
        self._data, self._begin = data, HEAD.size + size
        self.slices = table([decode_narrow(one) for one in read(data, HEAD.size)]) if size else None

    def rows(self, among: Flags | None = None) -> Table:
        """Return all rows, or those of some slices."""
        (narrow,) = read(self._data, self._begin)
        wide = decode_narrow(narrow)
        if self.slices is None:
            return wide
        count = np.asarray(column(self.slices, COUNT), np.int64)
        of = np.repeat(np.arange(count.size), count)
        places = np.arange(of.size) if among is None else np.flatnonzero(among[of])
        keys, columns = set(names_of(self.slices)), dict[str, object]()
        for name in self._names:
            known = name in keys
            columns[name] = (
                column(self.slices, name).take(of[places])
                if known
                else column(wide, name).take(places)
            )
        found: Table = pa.RecordBatch.from_pydict(columns)
        return found

    def split(self, limit: float) -> SlicesAndRows:
        """Return the slices that do not begin before a time, and the rows of others."""
        if self.slices is None:
            return SlicesAndRows(None, self.rows())
        early = np.asarray(column(self.slices, LOW), np.int64) < limit
        if not early.any():
            return SlicesAndRows(self.slices, None)
        some = getattr(self.slices, "filter")(pa.array(~early))  # noqa: B009 - Arrow is not typed
        return SlicesAndRows(some if some.num_rows else None, self.rows(early))


def read_payloads(payloads: Iterable[bytes], names: Sequence[str]) -> list[Payload]:
    """Return payloads in the order of arrival."""
    return sorted((Payload(one, names) for one in payloads), key=lambda one: one.origin)


def all_rows(came: Sequence[Payload]) -> Table | None:
    """Return all rows; None if there are none."""
    return table([one.rows() for one in came]) if came else None


def merge_slices(
    slicing: SlicePlan, came: Sequence[SlicesAndRows], numbers: Sequence[Ints]
) -> Store:
    """Return pieces as slices; the keys of each of their tables have these numbers."""
    stores, number, arrival = list[Store](), iter(numbers), 0
    for piece in came:
        if piece.slices is not None:
            count = np.asarray(column(piece.slices, COUNT), np.int64)
            made = decode_slices(slicing, piece.slices, next(number), count)
            order = made.cells.arrival + arrival
            stores.append(replace(made, cells=replace(made.cells, arrival=order)))
            arrival = int(order.max()) + 1
        if piece.rows is not None:
            batch = events(slicing, piece.rows, next(number), arrival)
            stores.append(sliced(batch, slicing.slice_edges.runs(batch), slicing.parts))
            arrival += piece.rows.num_rows
    return reduce(Store.followed, stores).ordered().condensed()
