"""Checks of a restored state: every length, order and index that compiled kernels rely on.

A checksum detects damage, but not a forged state. Kernels read wherever an index points, so each is
checked before they run. A failed check names the array, the expected and the found value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import DTypeLike, NDArray

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import FIRST, LAST, LONGEST, Fields, Ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.choice import Everything
from muntin.kernels.slicing.forms import Events
from muntin.kernels.slicing.grain import Records, Slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.known import Known
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.parts import Part
from muntin.snapshot.errors import corrupt_snapshot

Facts = Iterable[tuple[str, object]]
"""Requirements with whether each holds; one may rely on those before it: the first failure ends."""
NUMBERS: set[np.dtype[np.generic]] = {*map(np.dtype, (np.int64, np.float64, np.object_))}


def ensure(facts: Facts) -> None:
    """Refuse a state that fails a check, and name the first one that fails."""
    for requirement, holds in facts:
        if not holds:
            raise corrupt_snapshot(requirement)


def is_row(
    array: NDArray[np.generic], dtype: DTypeLike = np.int64, size: int | None = None
) -> bool:
    """Whether an array is one contiguous row of a type, and of a size if one is given."""
    return (
        array.ndim == 1
        and array.dtype == np.dtype(dtype)
        and array.flags.c_contiguous
        and size in {None, array.size}
    )


def row_of(
    name: str, array: NDArray[np.generic], dtype: DTypeLike = np.int64, size: int | None = None
) -> tuple[str, bool]:
    """The requirement that an array is one row of a type and size."""
    expected = f"{'' if size is None else f'{size} '}{np.dtype(dtype)} values in a row"
    found = f"{array.dtype} of shape {array.shape}"
    return f"`{name}` must be {expected}, found {found}", is_row(array, dtype, size)


def values_within(name: str, numbers: Ints, first: int, last: int) -> tuple[str, bool]:
    """The requirement that all numbers lie between two, both included."""
    found = f"{numbers.min()} to {numbers.max()}" if numbers.size else "none"
    holds = bool(((numbers >= first) & (numbers <= last)).all())
    return f"`{name}` must lie within {first} to {last}, found {found}", holds


def whole(number: object, first: int, last: int) -> bool:
    """Whether something is an integer between two, both included."""
    return type(number) is int and first <= number <= last


def integer_within(name: str, number: object, first: int, last: int) -> tuple[str, bool]:
    """The requirement that a value is an integer between two, both included."""
    return (
        f"`{name}` must be an integer within {first} to {last}, found {number!r:.80}",
        whole(number, first, last),
    )


def of_clock(clock: Clock) -> Facts:
    """Checks of the watermark state."""
    for name in ("watermark", "reached", "limit"):
        yield integer_within(name, getattr(clock, name), FIRST, LAST)
    yield (
        f"`limit` must not exceed `watermark` {clock.watermark}, found {clock.limit}",
        clock.limit <= clock.watermark,
    )


def of_birth(birth: Ints, keys: int) -> Facts:
    """Checks of the arrival order of keys."""
    yield row_of("birth", birth)
    yield values_within("birth", birth, -1, max(keys, birth.size) - 1)


def of_group(group: Group, keys: int) -> Facts:
    """Checks of slices, partials and published windows of a group."""
    cells, store = group.store.cells, group.store
    yield integer_within("since", group.since, FIRST, LAST)
    yield f"`grain` must cut time at valid edges, found {group.grain!r:.80}", _cuts(group.grain)
    yield from _of_cells(cells, keys)
    missing = [f"{part}" for part in group.parts if part not in store.parts]
    yield (
        f"`parts` must have all partials of the queries, missing {', '.join(missing)}",
        not len(cells) or store.parts.keys() >= {*group.parts},
    )
    for part, columns in store.parts.items():
        found = ", ".join(f"{column.dtype} of shape {column.shape}" for column in columns)
        yield (
            f"`{part}` must have a partial for each of {len(cells)} slices, found {found}",
            _kept(part, columns, len(cells)),
        )
    yield from of_birth(group.birth, keys)
    dropped = group.dropped
    yield row_of("dropped", dropped)
    yield values_within("dropped", dropped, 0, LAST)
    yield (
        f"`dropped` must count at most {group.birth.size} keys, found {dropped.size}",
        dropped.size <= group.birth.size,
    )
    yield (
        f"`dropped` must count every key of a slice, found {dropped.size} keys",
        not len(cells) or int(cells.key.max()) < dropped.size,
    )
    for track in group.tracks.values():
        yield from of_known(track.known, keys)


def _cuts(grain: Records | Slices) -> bool:
    if isinstance(grain, Records):
        return True
    periods = all(
        whole(period, 1, LONGEST) and whole(phase, 0, period - 1) for period, phase in grain.periods
    )
    return periods and all(whole(edge, FIRST, LAST) for edge in grain.single)


def _of_cells(cells: Cells, keys: int) -> Facts:
    n = len(cells)
    for field in fields(cells):
        yield row_of(field.name, getattr(cells, field.name), size=n)
    yield values_within("key", cells.key, 0, keys - 1)
    yield values_within("low", cells.low, FIRST, LAST)
    yield values_within("high", cells.high, FIRST, LAST)
    yield "`low` must not exceed `high` in any slice", (cells.low <= cells.high).all()
    yield "`slot` must not exceed `low` in any slice", (cells.slot <= cells.low).all()
    yield values_within("count", cells.count, 1, LAST)
    for name in ("fresh", "arrival", "own"):
        yield values_within(name, getattr(cells, name), 0, LAST)
    yield values_within("mark", cells.mark, 0, 1)
    same = np.diff(cells.key) == 0
    yield "`key` must be sorted", (np.diff(cells.key) >= 0).all()
    for name, column in (("slot", cells.slot), ("low", cells.low)):
        yield f"`{name}` must be sorted within each key", (column[1:] >= column[:-1])[same].all()


def _kept(part: Part, columns: Fields, n: int) -> bool:
    kinds = _kinds(part, columns)
    return len(columns) == len(kinds) and all(
        column.shape == (n,) and column.dtype in kind
        for column, kind in zip(columns, kinds, strict=True)
    )


def _kinds(part: Part, columns: Fields) -> Sequence[set[np.dtype[np.generic]]]:
    """The types that the columns of a part may have."""
    if isinstance(part, Events | Everything):
        return [NUMBERS] * (1 + isinstance(part, Everything))
    identity = part.identity(columns)
    return [{column.dtype} if column.dtype.fields else NUMBERS for column in identity]


def of_known(known: Known, keys: int) -> Facts:
    """Checks of published windows."""
    n = len(known)
    for name in ("key", "start", "end", "final_at", "first", "revision"):
        yield row_of(f"windows.{name}", getattr(known, name), size=n)
    yield values_within("windows.key", known.key, 0, keys - 1)
    yield values_within("windows.start", known.start, FIRST, LAST)
    yield values_within("windows.end", known.end, FIRST, LAST)
    yield "`windows.start` must be before `windows.end`", (known.start < known.end).all()
    yield values_within("windows.revision", known.revision, 0, LAST)
    for name, answer in known.values.items():
        yield f"`windows.{name}` must have a value for each of {n} windows", _answers(answer, n)


def _answers(answer: Answer, n: int) -> bool:
    valid = answer.valid is None or is_row(answer.valid, np.bool_, n)
    return valid and all(column.shape == (n,) for column in answer.columns)


def named_once(groups: Sequence[Sequence[str]], queries: Mapping[str, object]) -> bool:
    """Whether each named query exists and is in one group only."""
    names = [name for group in groups for name in group]
    return all(groups) and len(names) == len({*names}) and {*names} <= queries.keys()
