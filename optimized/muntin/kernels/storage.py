"""Where kernels keep what they hold: lists for values of any kind, arrays for numbers."""

from collections.abc import Sequence
from typing import Generic, Protocol

from muntin.kernels.binding import A, Column, IntRows, Ints, Rows
from muntin.kernels.tree.records import Tree
from muntin.spec.errors import integer


class Storage(Protocol[A]):
    """Makes rows and columns, and larger ones of them."""

    def time(self, value: int) -> int:
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

    def at(self, column: Column[A], at: int) -> A:
        """Return one partial of a column."""
        ...

    def plain(self, tree: Tree[A]) -> Tree[A]:
        """Return the same tree in lists: to look at, not to change."""
        ...

    def int_rows(self, old: IntRows | None, size: int, width: int) -> IntRows:
        """Return so many rows, the first of which are those that there are."""
        ...

    def rows(self, old: Rows[A] | None, size: int, width: int) -> Rows[A]:
        """Return so many rows, the first of which are those that there are."""
        ...


class Table(Generic[A]):
    """Rows in lists."""

    def __init__(self, lists: list[list[A]]) -> None:
        """Take these rows."""
        self._lists = lists

    def extend(self, filling: A, size: int, width: int) -> None:
        """Make more rows, until there are so many."""
        self._lists += [[filling] * width for _ in range(size - len(self._lists))]

    def __getitem__(self, at: tuple[int, int], /) -> A:
        """Read."""
        return self._lists[at[0]][at[1]]

    def __setitem__(self, at: tuple[int, int], value: A, /) -> None:
        """Write."""
        self._lists[at[0]][at[1]] = value


class Lists(Generic[A]):
    """Storage for values of any kind."""

    def __init__(self, identity: A) -> None:
        """Fill rows with this."""
        self._identity = identity
        self._of_ints, self._of_values = list[Table[int]](), list[Table[A]]()

    def time(self, value: int) -> int:
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

    def at(self, column: Column[A], at: int) -> A:
        """Return one partial of a column."""
        return column[at]

    def plain(self, tree: Tree[A]) -> Tree[A]:
        """Return the tree, which is in lists."""
        return tree

    def int_rows(self, old: IntRows | None, size: int, width: int) -> IntRows:
        """Return so many rows, the first of which are those that there are."""
        return _extended(self._of_ints, old, 0, (size, width))

    def rows(self, old: Rows[A] | None, size: int, width: int) -> Rows[A]:
        """Return so many rows, the first of which are those that there are."""
        return _extended(self._of_values, old, self._identity, (size, width))


def _extended(made: list[Table[A]], old: object, filling: A, shape: tuple[int, int]) -> Table[A]:
    table = next((one for one in made if one is old), Table[A]([]))
    if table is not old:
        made.append(table)
    table.extend(filling, *shape)
    return table
