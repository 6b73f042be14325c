"""Where kernels keep what they hold: lists for values of any kind, arrays for numbers."""

from collections.abc import Sequence
from typing import Generic, Protocol

from muntin.kernels.compiler.kernel_api import A, Column, IntRows, Ints, Rows
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.spec.errors import integer


class Storage(Protocol[A]):
    """Makes rows and columns, and larger ones of them."""

    def to_time(self, value: int) -> int:
        """Return a time if it can be kept, or say why it cannot."""
        ...

    def ints(self, values: Sequence[int]) -> Ints:
        """Return a row of integers."""
        ...

    def column(self, values: Sequence[A]) -> Column[A]:
        """Return a column of partials."""
        ...

    def empty(self, size: int) -> Column[A]:
        """Return a column to write to."""
        ...

    def partial_at(self, column: Column[A], at: int) -> A:
        """Return one partial of a column."""
        ...

    def to_lists(self, tree: TreeArrays[A]) -> TreeArrays[A]:
        """Return the same tree in lists: to look at, not to change."""
        ...

    def int_rows(self, old: IntRows | None, had: int, size: int, width: int) -> IntRows:
        """Return so many rows, the first of which are those that there are, if any."""
        ...

    def rows(self, old: Rows[A] | None, had: int, size: int, width: int) -> Rows[A]:
        """Return so many rows, the first of which are those that there are, if any."""
        ...


class ListTable(Generic[A]):
    """Rows in lists."""

    def __init__(self, lists: list[list[A]]) -> None:
        """Take these rows."""
        self._lists = lists

    def __getitem__(self, at: tuple[int, int], /) -> A:
        """Read."""
        return self._lists[at[0]][at[1]]

    def __setitem__(self, at: tuple[int, int], value: A, /) -> None:
        """Write."""
        self._lists[at[0]][at[1]] = value


class ListStorage(Generic[A]):
    """Storage for values of any kind."""

    def __init__(self, identity: A) -> None:
        """Fill rows with this."""
        self._identity = identity

    def to_time(self, value: int) -> int:
        """Return any integer."""
        return integer(value, "the time")

    def ints(self, values: Sequence[int]) -> Ints:
        """Return a row of integers."""
        return list(values)

    def column(self, values: Sequence[A]) -> Column[A]:
        """Return a column of partials."""
        return list(values)

    def empty(self, size: int) -> Column[A]:
        """Return a column to write to."""
        return [self._identity] * size

    def partial_at(self, column: Column[A], at: int) -> A:
        """Return one partial of a column."""
        return column[at]

    def to_lists(self, tree: TreeArrays[A]) -> TreeArrays[A]:
        """Return the tree, which is in lists."""
        return tree

    def int_rows(self, old: IntRows | None, had: int, size: int, width: int) -> IntRows:
        """Return so many rows, the first of which are those that there are, if any."""
        kept = (
            [[old[row, at] for at in range(width)] for row in range(had)] if old is not None else []
        )
        return ListTable(kept + [[0] * width for _ in range(size - len(kept))])

    def rows(self, old: Rows[A] | None, had: int, size: int, width: int) -> Rows[A]:
        """Return so many rows, the first of which are those that there are, if any."""
        kept = (
            [[old[row, at] for at in range(width)] for row in range(had)] if old is not None else []
        )
        return ListTable(kept + [[self._identity] * width for _ in range(size - len(kept))])
