"""What aggregates read from the logs of rows: ranks, the values in order, or each value once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.extremes import MOST
from muntin.columnar.engine.partials.kernels import ValueType
from muntin.columnar.engine.partials.values import logs as g
from muntin.columnar.engine.partials.values.value_codes import decoded
from muntin.kernels.slicing.arrays import Column, Fields, column_of
from muntin.kernels.slicing.batch import objects
from muntin.kernels.slicing.choice import Distinct, Rank, rank_at
from muntin.kernels.slicing.parts import Part

if TYPE_CHECKING:
    from muntin.columnar.engine.partials.part_table import KeptPart


class LogRows(Protocol):
    """What was read of the lists of some rows."""

    def fields(self) -> Fields:
        """The columns of the part that read."""
        ...


@dataclass(frozen=True)
class WordFormat:
    """What the words of a log mean."""

    value_type: ValueType
    is_ordered: bool
    values: Mapping[int, object]

    def column(self, words: Ints) -> Column:
        """The values of some words."""
        if self.value_type in ("code", "rank"):
            return column_of(decoded(words, self.values))
        if self.value_type == "float":
            bits = words if self.is_ordered else words ^ (words >> 63 & MOST)
            return column_of(np.ascontiguousarray(bits).view(np.float64))
        return column_of(words)

    def words(self, values: list[object], encode: Callable[[list[object]], Ints]) -> Ints:
        """The words of some values."""
        if self.value_type in ("code", "rank"):
            return encode(values)
        if self.value_type == "float":
            bits = np.array(values, np.float64).view(np.int64)
            return bits if self.is_ordered else float_ranks(bits)
        return np.array(values, np.int64)


def float_ranks(bits: Ints) -> Ints:
    """The ranks of floats, given by their bits, as `extremes.rank_of` has them."""
    values = bits.view(np.float64)
    plain: Ints = np.where(np.isnan(values), np.array(np.nan).view(np.int64), bits)
    plain = np.where(values == 0, 0, plain)
    return plain ^ (plain >> 63 & MOST)


def word_format(kept: "KeptPart") -> WordFormat:
    """What the words of the log of a part mean now."""
    ordered = bool(kept.log and kept.log.is_ordered)
    values = kept.codes[0].values if kept.codes and kept.codes[0] else {}
    return WordFormat(kept.types[0], ordered, values)


@dataclass(frozen=True)
class RankRows:
    """The two values at a rank, and how many there are in all."""

    format: WordFormat
    low: Ints
    high: Ints
    n: Ints

    def fields(self) -> Fields:
        """The columns of a `Rank`."""
        low, high = self.format.column(self.low), self.format.column(self.high)
        for column in (low, high):
            if column.dtype == np.object_:
                column[self.n == 0] = 0
        return low, high, column_of(self.n)


@dataclass(frozen=True)
class ListRows:
    """Lists of words one after the other, and where each ends."""

    format: WordFormat
    values: Ints
    ends: Ints

    def fields(self) -> Fields:
        """One column of tuples."""
        items: list[object] = self.format.column(self.values).tolist()
        bounds = pairwise([0, *self.ends.tolist()])
        return (column_of(objects([tuple(items[a:b]) for a, b in bounds])),)


def log_rows(kept: "KeptPart", part: Part, heads: Ints, counts: Ints) -> LogRows:
    """What a part reads of the lists of rows."""
    log, meaning = kept.log, word_format(kept)
    if log is None:
        raise AssertionError
    if isinstance(part, Rank):
        targets = rank_at(column_of(counts), part.share)[1]
        return RankRows(meaning, *log.select(heads, counts, targets), counts)
    items, row = log.items_of(heads, counts)
    values = log.column(g.AT_VALUES, items)
    if isinstance(part, Distinct):
        order = np.lexsort((values, row))
        values, row = values[order], row[order]
        first = np.ones(row.size, np.bool_)
        first[1:] = (np.diff(row) != 0) | (np.diff(values) != 0)
        values, row = values[first], row[first]
    else:
        numbers, times = log.column(g.AT_NUMBERS, items), log.column(g.AT_TIMES, items)
        values = values[np.lexsort((numbers, times, row))]
    return ListRows(meaning, values, np.cumsum(np.bincount(row, minlength=heads.size)))
