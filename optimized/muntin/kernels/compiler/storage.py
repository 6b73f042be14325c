"""Storage of kernels: lists for values of any type, arrays for numbers."""

from collections.abc import Sequence
from typing import Generic, Protocol

from muntin.kernels.compiler.kernel_api import A, Column, IntRows, Ints, Rows
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.spec.errors import integer


class Storage(Protocol[A]):
    """Makes rows and columns, and extends them."""

    def to_time(self, value: int) -> int: ...  # noqa: D102 - as the classes say
    def ints(self, values: Sequence[int]) -> Ints: ...  # noqa: D102 - the same
    def column(self, values: Sequence[A]) -> Column[A]: ...  # noqa: D102 - the same
    def empty(self, size: int) -> Column[A]: ...  # noqa: D102 - the same
    def partial_at(self, column: Column[A], index: int) -> A: ...  # noqa: D102 - the same
    def to_lists(self, tree: TreeArrays[A]) -> TreeArrays[A]: ...  # noqa: D102 - the same
    def int_rows(self, old: IntRows | None, old_size: int, size: int, width: int) -> IntRows: ...  # noqa: D102
    def rows(self, old: Rows[A] | None, old_size: int, size: int, width: int) -> Rows[A]: ...  # noqa: D102


class ListTable(Generic[A]):
    """Rows of cells in lists, indexed as a two-dimensional array."""

    def __init__(self, lists: list[list[A]]) -> None:
        """Hold these rows."""
        self._lists = lists

    def __getitem__(self, cell: tuple[int, int], /) -> A:
        """Read a cell."""
        return self._lists[cell[0]][cell[1]]

    def __setitem__(self, cell: tuple[int, int], value: A, /) -> None:
        """Write a cell."""
        self._lists[cell[0]][cell[1]] = value


class ListStorage(Generic[A]):
    """Storage in lists for values of any type."""

    def __init__(self, identity: A) -> None:
        """Fill new rows with this value."""
        self._identity = identity

    def to_time(self, value: int) -> int:
        """The time, which may be any integer."""
        return integer(value, "the time")

    def ints(self, values: Sequence[int]) -> Ints:
        """A row of integers."""
        return list(values)

    def column(self, values: Sequence[A]) -> Column[A]:
        """A column of partials."""
        return list(values)

    def empty(self, size: int) -> Column[A]:
        """A column to write to."""
        return [self._identity] * size

    def partial_at(self, column: Column[A], index: int) -> A:
        """The partial at an index of a column."""
        return column[index]

    def to_lists(self, tree: TreeArrays[A]) -> TreeArrays[A]:
        """The tree itself, which is in lists already."""
        return tree

    def int_rows(self, old: IntRows | None, old_size: int, size: int, width: int) -> IntRows:
        """Rows that begin with the old ones, if there are any."""
        return _extended_table(old, old_size, size, [0] * width)

    def rows(self, old: Rows[A] | None, old_size: int, size: int, width: int) -> Rows[A]:
        """Rows that begin with the old ones, if there are any."""
        return _extended_table(old, old_size, size, [self._identity] * width)


def _extended_table(old: Rows[A] | None, old_size: int, size: int, row: list[A]) -> ListTable[A]:
    cells = range(len(row))
    kept = [[old[k, cell] for cell in cells] for k in range(old_size)] if old is not None else []
    return ListTable(kept + [list(row) for _ in range(size - len(kept))])
