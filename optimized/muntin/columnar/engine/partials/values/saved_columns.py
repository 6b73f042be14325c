"""Columns of partials as a snapshot has them: values in the place of codes and of lists."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.partials.conversion import Encode, values_of
from muntin.columnar.engine.partials.kernels import VALUE_COLUMNS
from muntin.columnar.engine.partials.values import logs as g
from muntin.columnar.engine.partials.values.log_readers import word_format
from muntin.kernels.slicing.arrays import Ints, column_of
from muntin.kernels.slicing.batch import objects
from muntin.kernels.slicing.over import is_row

if TYPE_CHECKING:
    from muntin.columnar.engine.partials.part_table import KeptPart

Columns = Sequence[AnyArray]


def saved_columns(kept: "KeptPart", columns: Columns) -> list[AnyArray]:
    """What a snapshot has of some rows of a part."""
    if kept.log:
        return [_saved_lists(kept, *map(_ints, columns))]
    if not any(kept.codes):
        return [*columns]
    tables = [codes.values if codes else None for codes in kept.codes]
    return [*values_of(kept.part, [*map(column_of, columns)], tables)]


def _saved_lists(kept: "KeptPart", heads: Ints, counts: Ints) -> AnyArray:
    """A tuple for each row: of values, or of pairs of times and values in the order of arrival."""
    log = kept.log
    if log is None:
        raise AssertionError
    items, row = log.items_of(heads, counts)
    if log.is_ordered:
        order = np.lexsort((log.column(g.AT_NUMBERS, items), log.column(g.AT_TIMES, items), row))
    else:  # how a list without an order lies depends on what was read
        order = np.lexsort((log.column(g.AT_VALUES, items), row))
    items = items[order]
    values: list[object] = word_format(kept).column(log.column(g.AT_VALUES, items)).tolist()
    if log.is_ordered:
        values = [*zip(log.column(g.AT_TIMES, items).tolist(), values, strict=True)]
    ends = np.cumsum(np.bincount(row, minlength=heads.size)).tolist()
    lists = [values[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    if any(kept.codes) and not log.is_ordered:  # numbers of values differ from one log to another
        lists = [sorted(each, key=repr) for each in lists]
    return objects([tuple(each) for each in lists])


def restored_columns(
    kept: "KeptPart", columns: Columns, encoders: Sequence[Encode | None]
) -> list[AnyArray]:
    """The columns of rows of a part, of what a snapshot has; ValueError if it is none."""
    if kept.log:
        (lists,) = columns
        return _restored_lists(kept, lists, encoders[0])
    places = VALUE_COLUMNS.get(type(kept.part), ())
    coded = {place: each for place, each in zip(places, encoders, strict=False) if each}
    restored = list[AnyArray]()
    for k, (column, identity) in enumerate(zip(columns, kept.kernels.identity, strict=True)):
        encode = coded.get(k)
        if encode is None:
            restored.append(column)
            continue
        some = np.array([value is not None for value in column.tolist()], np.bool_)
        codes = np.full(column.size, identity[0], np.int64)
        codes[some] = encode(column[some].tolist())
        restored.append(codes)
    return restored


def _restored_lists(kept: "KeptPart", column: AnyArray, encode: Encode | None) -> list[AnyArray]:
    log, rows = kept.log, list[list[object]]()
    if log is None:
        raise AssertionError
    for row in column.tolist():
        if not is_row(row):
            raise ValueError(row)
        rows.append([*row])
    items, times = [*chain.from_iterable(rows)], None
    if log.is_ordered:
        pairs = [_pair(item) for item in items]
        times = np.array([time for time, _ in pairs], np.int64)
        items = [value for _, value in pairs]
    words = word_format(kept).words(items, encode or _no_codes)
    sizes = np.array([len(row) for row in rows], np.int64)
    return [log.put_lists(words, sizes, times), sizes]


def _pair(item: object) -> tuple[object, object]:
    if not is_row(item):
        raise ValueError(item)
    time, value = item
    return time, value


def _no_codes(items: list[object]) -> Ints:
    raise ValueError(items)


def _ints(column: AnyArray) -> Ints:
    return np.asarray(column, np.int64)
