"""The names that kernel sources import: placeholders, replaced for each monoid.

A kernel source is an ordinary module. `muntin.kernels.compiler.specialization` makes a module of it
in which these names are bound to one monoid and one shape, compiled or not. The types here enforce
that partials are opaque: only load, store and combine accept them.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

A = TypeVar("A")
T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., object])

CAP = 64
"""Entries in a leaf."""
FAN = 16
"""Children of an inner node: at least 4, at most 60, since a mask has one bit for each."""
COMMUTATIVE = False
"""Whether the order of partials does not matter to `combine`."""


class Ints(Protocol):
    """A row of 64-bit integers."""

    def __getitem__(self, at: int, /) -> int: ...  # noqa: D105, RUF100 - as of a list
    def __setitem__(self, at: int, value: int, /) -> None: ...  # noqa: D105, RUF100
    def __len__(self) -> int: ...  # noqa: D105, RUF100


class IntRows(Protocol):
    """Rows of 64-bit integers."""

    def __getitem__(self, at: tuple[int, int], /) -> int: ...  # noqa: D105, RUF100
    def __setitem__(self, at: tuple[int, int], value: int, /) -> None: ...  # noqa: D105, RUF100


class Column(Protocol[A]):
    """A row of partials."""

    def __getitem__(self, at: int, /) -> A: ...  # noqa: D105, RUF100
    def __setitem__(self, at: int, value: A, /) -> None: ...  # noqa: D105, RUF100
    def __len__(self) -> int: ...  # noqa: D105, RUF100


class Rows(Protocol[A]):
    """Rows of partials."""

    def __getitem__(self, at: tuple[int, int], /) -> A: ...  # noqa: D105, RUF100
    def __setitem__(self, at: tuple[int, int], value: A, /) -> None: ...  # noqa: D105, RUF100


def inlined(function: C) -> C:
    """Mark a function to be inlined into its callers."""
    return function


def outlined(function: C) -> C:
    """Mark a function that is rarely called and compiled once."""
    return function


def kernel(function: C) -> C:
    """Mark a function that Python calls."""
    return function


def combine(left: A, right: A) -> A:
    """Combine two partials."""
    raise NotImplementedError(left, right)


def load(rows: Rows[A], row: int, at: int) -> A:
    """Read a partial."""
    return rows[row, at]


def store(rows: Rows[A], row: int, at: int, value: A) -> None:
    """Write a partial."""
    rows[row, at] = value


def load_one(column: Column[A], at: int) -> A:
    """Read a partial of a column."""
    return column[at]


def store_one(column: Column[A], at: int, value: A) -> None:
    """Write a partial of a column."""
    column[at] = value


def unsigned(value: int) -> int:
    """An unsigned index: no test for a negative one is compiled."""
    return value


def signed(value: int) -> int:
    """A signed index again: the two kinds must never meet in one operation."""
    return value


def trailing_zeros(mask: int) -> int:
    """The position of the lowest set bit.

    >>> trailing_zeros(12)
    2
    """
    return (int(mask) & -int(mask)).bit_length() - 1


def int_table(array: T, _width: int, /) -> T:
    """The array, for compiled kernels as a table of this width."""
    return array


def partial_table(array: T, _width: int, /) -> T:
    """The array of partials, for compiled kernels as a table of this width."""
    return array


def fetch(_rows: object, _row: int, /) -> None:
    """Prefetch a row; it changes no value."""


Columns = tuple[Column[float], ...]
"""Columns of numbers, of one length."""


def lift_at(columns: Columns, at: int) -> tuple[float, ...]:
    """Lift one row of columns."""
    raise NotImplementedError(columns, at)


def lower_at(columns: Columns, at: int, value: tuple[float, ...]) -> None:
    """Lower a partial into a row of columns."""
    raise NotImplementedError(columns, at, value)
