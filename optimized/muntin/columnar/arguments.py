"""The arguments that `muntin.columnar.aggregate` and `muntin.spark.aggregate` share.

Both calls read columns by this one grammar and name their result columns alike, so the same
arguments mean the same in both. Windows are in `windows`, aggregates in `aggregate_requests`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from muntin.optimized.common.window_traits import (
    GAP,
    MARK,
    VALUE,
    inherited_traits,
    inputs_of,
    inputs_of_all,
    traits_of,
)
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.window import WindowType

START, END = "start_coordinate", "end_coordinate"
"""The bounds of windows over another measure than time."""
RESULT_COLUMNS = ("window", "window_type", "start", "end", START, END)
"""The result columns that come before keys and values."""


@dataclass(frozen=True)
class InputColumns:
    """The columns that a call reads besides those of its aggregates."""

    time: str
    keys: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    gap: str | None = None
    mark: str | None = None


def parse_input_columns(
    time: object, keys: object, columns: object, gap: object, mark: object
) -> InputColumns:
    """Check the arguments that name columns."""
    return InputColumns(
        column_name(time, "time"),
        column_names(keys, "keys"),
        column_names(columns, "columns"),
        None if gap is None else column_name(gap, "gap"),
        None if mark is None else column_name(mark, "mark"),
    )


def is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    """Whether a value has names for what it holds."""
    return isinstance(value, Mapping)


def is_sequence(value: object) -> TypeGuard[Iterable[object]]:
    """Whether a value is a list or the like; a string is one item, and so is a column of Spark."""
    return isinstance(value, Collection | Iterator) and not isinstance(value, str | bytes)


def column_name(value: object, argument: str) -> str:
    """Refuse anything but the name of one column.

    >>> column_name(["ts"], "time")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: time must be the name of a column, not ['ts']
    """
    if isinstance(value, str):
        return value
    raise InvalidInputError(f"{argument} must be the name of a column, not {value!r}")


def column_names(value: object, argument: str) -> tuple[str, ...]:
    """The names of columns; a string is one name.

    >>> column_names("user", "keys"), column_names(["user", "page"], "keys")
    (('user',), ('user', 'page'))
    """
    if isinstance(value, str):
        return (value,)
    if is_sequence(value):
        return tuple(column_name(name, f"each of {argument}") for name in value)
    raise InvalidInputError(
        f"{argument} must be the name of a column or a list of names, not {value!r}; () is none"
    )


def check_dialect(value: object) -> Dialect:
    """Refuse anything but a dialect."""
    if isinstance(value, Dialect):
        return value
    raise InvalidInputError(
        f"dialect must be a Dialect, such as Dialect(ties='rows'), not {value!r}"
    )


def has_time_bounds(kind: WindowType) -> tuple[bool, bool]:
    """Whether the start, and the end, of windows are times."""
    is_time = kind.measure is TIME
    return is_time and not inherited_traits(kind).starts_at_rank, is_time


def check_result_names(names: Sequence[str], reserved: Sequence[str], *, fold: bool) -> None:
    """Refuse two result columns of one name, which may fold cases, as Spark does."""
    every = [name.lower() if fold else name for name in (*reserved, *names)]
    for name, folded in zip(names, every[len(reserved) :], strict=True):
        if every.count(folded) > 1:
            raise InvalidInputError(
                f"the result would have two columns {name!r}; rename the key, or give the "
                f"aggregate another name (reserved are {', '.join(reserved)})"
            )


def check_frames(
    windows: Mapping[str, WindowType], values: Sequence[str], *, is_single: bool
) -> None:
    """Refuse frames that have no single value column to look at."""
    for name, kind in windows.items():
        if inherited_traits(kind).inputs == frozenset({VALUE}) and not is_single:
            raise InvalidInputError(
                f"window {name!r}: {kind.name} frames look at the value that is aggregated, so "
                f"all aggregates must be of one column, not of {', '.join(values)}"
            )
        if traits_of(kind).inputs == frozenset({VALUE}) and not values:
            raise InvalidInputError(
                f"window {name!r}: {kind.name} frames look at the value that is aggregated, and "
                "'count' alone reads none: name its column, such as ('count', 'price')"
            )


def check_inputs(windows: Mapping[str, WindowType], gap: str | None, mark: str | None) -> None:
    """Refuse gaps and marks that no window looks at, and punctuations that nothing marks.

    A column that nothing reads costs the fast strategies, and a window without its input is never
    emitted.
    """
    inputs = inputs_of_all(windows.values())
    for name, column, reader in ((GAP, gap, "Session"), (MARK, mark, "Punctuation")):
        if column is not None and name not in inputs:
            raise InvalidInputError(
                f"{name}={column!r} does nothing: no window here looks at it, as {reader} does; "
                "leave it out"
            )
    for id_, kind in windows.items():
        if mark is None and inputs_of(kind) == frozenset({MARK}):
            raise InvalidInputError(
                f"window {id_!r}: nothing marks punctuations; say mark='a column of booleans'"
            )
