"""What the footers of Parquet files tell, before Spark is started: what is no input is refused.

Spark takes times of nanoseconds for integers, so it has to be known here which columns are those.
And it hides files by their names, which must not be counted as read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Protocol

from muntin.spec.errors import InvalidInputError


class Named(Protocol):
    """What is used here of a column, as the file describes it."""

    path: str
    physical_type: str
    logical_type: object


class Shape(Protocol):
    """What is used here of the columns, as Arrow describes them."""

    names: Sequence[str]
    types: Sequence[object]


@dataclass(frozen=True)
class Columns:
    """The names of the columns; without a key, all rows are one stream."""

    time: str
    value: str
    key: str | None = None

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield what is asked for, and the column that has it."""
        yield "time", self.time
        yield "value", self.value
        if self.key is not None:
            yield "key", self.key


@dataclass(frozen=True)
class Footer:
    """What is told of one file."""

    file: Path
    rows: int
    columns: tuple[str, ...]
    nested: frozenset[str]
    """The columns that hold lists or other things with parts."""
    nanoseconds: frozenset[str]
    """The columns of timestamps finer than Spark's."""
    moments: frozenset[str]
    """The columns of timestamps, dates and times of day: all that lies in time."""


def footers(path: Path, columns: Columns) -> list[Footer]:
    """Return what is told of a file, or of all files of a folder in the order of their names."""
    found = [footer(file) for file in files(path)]
    for what, name in columns.named():
        _check(path, found, what, name)
    if not any(one.rows for one in found):
        raise InvalidInputError(f"there are no rows in {path}: give --input a file that has some")
    return found


def files(path: Path) -> list[Path]:
    """Return the file, or all Parquet files of a folder but those that Spark hides."""
    folder = path.is_dir()
    inside = sorted(path.rglob("*.parquet")) if folder else [path]
    there = [one for one in inside if one.is_file()]
    found = [one for one in there if not any(map(hidden, _named(one, path if folder else None)))]
    if found:
        return found
    why = f": Spark hides {there[0].name}, by its name" if there else ""
    raise InvalidInputError(f"there are no Parquet files at {path}{why}")


def _named(file: Path, folder: Path | None) -> Sequence[str]:
    """Return the name of a file, and of all folders between it and the one that is given."""
    return file.relative_to(folder).parts if folder else [file.name]


def hidden(name: str) -> bool:
    """Whether Spark takes no rows from what has such a name.

    >>> [name for name in ("a", "_a", ".a", "_a=1", "a._COPYING_") if hidden(name)]
    ['_a', '.a', 'a._COPYING_']
    """
    begun = name.startswith("_") and "=" not in name
    return begun or name.startswith(".") or name.endswith("._COPYING_")


def footer(file: Path) -> Footer:
    """Return what is told of a file, or say that it is no Parquet file."""
    try:
        told = import_module("pyarrow.parquet").read_metadata(file)
        shape: Shape = told.schema.to_arrow_schema()
    except (OSError, ValueError, NotImplementedError) as error:
        raise InvalidInputError(f"{file} is no Parquet file: {error}") from error
    described: list[Named] = [told.schema.column(nth) for nth in range(len(told.schema))]
    return Footer(
        file,
        told.num_rows,
        tuple(shape.names),
        _of(shape, "is_nested"),
        frozenset(one.path for one in described if _finer(one)),
        _of(shape, "is_timestamp", "is_date", "is_time"),
    )


def _of(shape: Shape, *kinds: str) -> frozenset[str]:
    """Return the columns of some kinds, by the names of the questions that Arrow answers."""
    asked = [getattr(import_module("pyarrow.types"), kind) for kind in kinds]
    pairs = zip(shape.names, shape.types, strict=True)
    return frozenset(name for name, kind in pairs if any(one(kind) for one in asked))


def _finer(column: Named) -> bool:
    words = str(column.logical_type)
    return column.physical_type == "INT64" and words.startswith("Timestamp") and "nano" in words


def _check(path: Path, found: Sequence[Footer], what: str, name: str) -> None:
    """Refuse a column that no file has, or that holds things with parts, or times for values."""
    for one in found:
        if name in one.nested:
            raise InvalidInputError(
                f"the column {name!r} of {one.file} holds lists or other things with parts: "
                f"--{what} must name a column of single values"
            )
        if what == "value" and name in one.moments:
            raise InvalidInputError(
                f"the column {name!r} of {one.file} holds timestamps, dates or times of day: "
                "--value must name a column of numbers"
            )
    if not any(name in one.columns for one in found):
        known = ", ".join(dict.fromkeys(column for one in found for column in one.columns))
        raise InvalidInputError(
            f"there is no column {name!r} at {path}: --{what} must name one of {known}"
        )


def identity(path: Path) -> str:
    """Return what changes with the files: their names, sizes, and when they were written."""
    known = sha256()
    for file in files(path):
        stat = file.stat()
        known.update(f"{file.resolve()} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return known.hexdigest()
