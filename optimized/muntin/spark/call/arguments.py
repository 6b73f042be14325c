"""The arguments of the call, each held to what it must be: said at once, with what was given."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeGuard

from pyspark.sql import DataFrame, Observation

from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError


def is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    """Whether a value has names for what it holds."""
    return isinstance(value, Mapping)


def is_several(value: object) -> TypeGuard[Iterable[object]]:
    """Whether a value is a list or the like; a string is one thing, and so is a column of Spark."""
    return isinstance(value, Collection | Iterator) and not isinstance(value, str | bytes)


def column(value: object, what: str) -> str:
    """Return the name of a column.

    >>> column(["ts"], "time")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: time must be the name of a column, not ['ts']
    """
    if isinstance(value, str):
        return value
    raise InvalidInputError(f"{what} must be the name of a column, not {value!r}")


def perhaps(value: object, what: str) -> str | None:
    """Return the name of a column that need not be said."""
    return None if value is None else column(value, what)


def columns(value: object, what: str) -> tuple[str, ...]:
    """Return the names of columns; a string is one name.

    >>> columns("user", "keys"), columns(["user", "page"], "keys")
    (('user',), ('user', 'page'))
    """
    if isinstance(value, str):
        return (value,)
    if is_several(value):
        return tuple(column(one, f"each of {what}") for one in value)
    raise InvalidInputError(
        f"{what} must be the name of a column or a list of names, not {value!r}; () is none"
    )


def labelled(value: object) -> dict[str, object]:
    """Return what is asked under each name."""
    example = "{'total': ('sum', 'price')}"
    if not is_mapping(value):
        raise InvalidInputError(
            f"aggregates must be a dict from names to what is asked, such as {example}, "
            f"not {value!r}"
        )
    if not value:
        raise InvalidInputError(f"say at least one aggregate, such as {example}")
    found = {name: one for name, one in value.items() if isinstance(name, str)}
    for name in value:
        if name not in found:
            raise InvalidInputError(f"the name of an aggregate must be a string, not {name!r}")
    return found


def frame(value: object) -> DataFrame:
    """Return the rows."""
    if isinstance(value, DataFrame):
        return value
    raise InvalidInputError(f"the rows must be a DataFrame of Spark, not {value!r}")


def dialect(value: object) -> Dialect:
    """Return the dialect."""
    if isinstance(value, Dialect):
        return value
    raise InvalidInputError(
        f"dialect must be a Dialect, such as Dialect(ties='rows'), not {value!r}"
    )


def metrics(value: object) -> None:
    """Refuse what Spark can't observe by; Spark Connect has an Observation of its own."""
    known = isinstance(value, str) or type(value).__name__ == Observation.__name__
    if not known or not value:
        raise InvalidInputError(f"metrics must be a name or an Observation, not {value!r}")
