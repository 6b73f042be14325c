"""The footers of Parquet files, read before Spark starts, so that invalid input is rejected early.

Spark reads timestamps of nanoseconds as integers, so the footers say which columns those are. It
hides some files by their names, and rows of hidden files must not count as read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Protocol

from muntin.spec.errors import InvalidInputError


class ColumnDescription(Protocol):
    """The part in use of a column, as the file describes it."""

    path: str
    physical_type: str
    logical_type: object


class ArrowColumns(Protocol):
    """The part in use of the columns, as Arrow describes them."""

    names: Sequence[str]
    types: Sequence[object]


@dataclass(frozen=True)
class ColumnNames:
    """The names of the columns, by their options; without a key, all rows are one stream."""

    time: str
    value: str
    key: str | None = None


@dataclass(frozen=True)
class Footer:
    """The footer of one file."""

    file: Path
    rows: int
    columns: tuple[str, ...]
    nested: frozenset[str]
    """The columns that hold lists or structs."""
    nanoseconds: frozenset[str]
    """The columns of timestamps finer than Spark's."""
    temporal: frozenset[str]
    """The columns of timestamps, dates and times of day."""


def footers(path: Path, columns: ColumnNames) -> list[Footer]:
    """The footers of a file, or of all files of a folder in the order of their names."""
    read = [read_footer(file) for file in files(path)]
    for option, name in vars(columns).items():
        if name is not None:
            _check(path, read, option, name)
    if not any(footer.rows for footer in read):
        raise InvalidInputError(f"there are no rows in {path}: --input needs a file that has some")
    return read


def files(path: Path) -> list[Path]:
    """The file, or all Parquet files of a folder but those that Spark hides."""
    is_folder = path.is_dir()
    paths, root = (sorted(path.rglob("*.parquet")), path) if is_folder else ([path], path.parent)
    existing = [file for file in paths if file.is_file()]
    names = {file: file.relative_to(root).parts for file in existing}
    visible = [file for file in existing if not any(map(is_hidden, names[file]))]
    if visible:
        return visible
    why = f": Spark hides {existing[0].name}, by its name" if existing else ""
    raise InvalidInputError(f"there are no Parquet files at {path}{why}")


def is_hidden(name: str) -> bool:
    """Whether Spark reads no rows from a file or folder of this name.

    >>> [name for name in ("a", "_a", ".a", "_a=1", "a._COPYING_") if is_hidden(name)]
    ['_a', '.a', 'a._COPYING_']
    """
    is_private = name.startswith("_") and "=" not in name
    return is_private or name.startswith(".") or name.endswith("._COPYING_")


def read_footer(file: Path) -> Footer:
    """The footer of a file; another kind of file is an error."""
    try:
        metadata = import_module("pyarrow.parquet").read_metadata(file)
        columns: ArrowColumns = metadata.schema.to_arrow_schema()
    except (OSError, ValueError, NotImplementedError) as error:
        raise InvalidInputError(f"{file} is no Parquet file: {error}") from error
    schema = metadata.schema
    described: list[ColumnDescription] = [schema.column(index) for index in range(len(schema))]
    return Footer(
        file,
        metadata.num_rows,
        tuple(columns.names),
        _columns_that(columns, "is_nested"),
        frozenset(column.path for column in described if _is_nanoseconds(column)),
        _columns_that(columns, "is_timestamp", "is_date", "is_time"),
    )


def _columns_that(columns: ArrowColumns, *predicates: str) -> frozenset[str]:
    """The columns whose type satisfies one of these predicates of `pyarrow.types`."""
    tests = [getattr(import_module("pyarrow.types"), name) for name in predicates]
    pairs = zip(columns.names, columns.types, strict=True)
    return frozenset(name for name, kind in pairs if any(test(kind) for test in tests))


def _is_nanoseconds(column: ColumnDescription) -> bool:
    logical = str(column.logical_type)
    is_timestamp = column.physical_type == "INT64" and logical.startswith("Timestamp")
    return is_timestamp and "nano" in logical


def _check(path: Path, read: Sequence[Footer], option: str, name: str) -> None:
    """Reject a column that no file has, a nested one, or one of times where values belong."""
    for footer in read:
        if name in footer.nested:
            raise InvalidInputError(
                f"the column {name!r} of {footer.file} holds lists or structs: "
                f"--{option} must name a column of single values"
            )
        if option == "value" and name in footer.temporal:
            raise InvalidInputError(
                f"the column {name!r} of {footer.file} holds timestamps, dates or times of day: "
                "--value must name a column of numbers"
            )
    if not any(name in footer.columns for footer in read):
        names = ", ".join(dict.fromkeys(column for footer in read for column in footer.columns))
        message = f"there is no column {name!r} at {path}: --{option} must name one of {names}"
        raise InvalidInputError(message)


def files_identity(path: Path) -> str:
    """A hash that changes with the files: their names, sizes, and modification times."""
    digest = sha256()
    for file in files(path):
        stat = file.stat()
        digest.update(f"{file.resolve()} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
