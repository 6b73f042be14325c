"""The kinds of tables that a call reads and returns.

Any object with the Arrow stream interface is read, and so is a dict of arrays. A result is of the
kind of table that was given; of a kind that is not known here it is an Arrow table. Of pandas,
Polars and DuckDB only those are imported that the caller has, so none is a dependency.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Literal, Protocol, TypeAlias, TypeVar

from muntin.columnar import arrow
from muntin.columnar.arguments import is_mapping
from muntin.columnar.arrow_columns import ArrowColumn, ArrowTable, NumpyColumn
from muntin.spec.errors import InvalidInputError, UnsupportedError

TableFormat = Literal["arrow", "pandas", "polars", "duckdb", "dict"]
"""The kinds of tables that a call can return."""
FORMATS: tuple[TableFormat, ...] = ("arrow", "pandas", "polars", "duckdb", "dict")
FRAME_CLASSES: Mapping[TableFormat, str] = {
    "pandas": "DataFrame",
    "polars": "DataFrame",
    "duckdb": "DuckDBPyRelation",
}
"""The class of tables of each library."""


class FrameProtocol(Protocol):
    """A table of pandas, Polars or DuckDB: it has columns, and it streams to Arrow."""

    @property
    def columns(self) -> object: ...  # noqa: D102 - as all three have it

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...  # noqa: D105, RUF100 - of Arrow


class StreamProtocol(Protocol):
    """A table of any library that streams to Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...  # noqa: D105, RUF100 - of Arrow


Frame = TypeVar("Frame", bound=FrameProtocol)
NumpyTable: TypeAlias = dict[str, NumpyColumn]
"""A table as a dict of arrays."""


def table_format(table: object) -> TableFormat:
    """The kind of a table.

    >>> table_format({"ts": [1, 2]})
    'dict'
    """
    if is_mapping(table):
        return "dict"
    for name, frame in FRAME_CLASSES.items():
        module = sys.modules.get(name)
        if module is not None and isinstance(table, getattr(module, frame)):
            return name
    return "arrow"


def check_format(to: object, table: object) -> TableFormat:
    """The kind of table that a call returns: that of the table that it was given, or another."""
    if to is None:
        return table_format(table)
    for name in FORMATS:
        if to == name:
            if name in FRAME_CLASSES:
                _library(name)
            return name
    raise InvalidInputError(f"to must be one of {', '.join(FORMATS)}, not {to!r}")


def _library(name: str) -> object:
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        raise UnsupportedError(f"to={name!r} needs {name}: pip install {name}") from missing


def result_table(result: ArrowTable, to: TableFormat, given: object) -> object:
    """A result as a table of some kind; a relation of DuckDB is of the connection of the given."""
    if to == "dict":
        return {name: arrow.numpy_values(result.column(name)) for name in result.column_names}
    if to == "pandas":
        series = {name: arrow.pandas_series(result.column(name)) for name in result.column_names}
        return getattr(_library(to), "DataFrame")(series)  # noqa: B009 - it is not typed
    if to == "polars":
        return getattr(_library(to), "from_arrow")(result)  # noqa: B009 - the same
    if to == "duckdb":
        return _relation(result, given)
    return result


def _relation(result: ArrowTable, given: object) -> object:
    """A relation over a result, on the connection of the relation that was given."""
    if table_format(given) != "duckdb":
        return getattr(_library("duckdb"), "from_arrow")(result)  # noqa: B009 - it is not typed
    muntin_result = result  # noqa: F841 # pyright: ignore[reportUnusedVariable] - DuckDB looks for it where it is called
    return getattr(given, "query")("muntin", "select * from muntin_result")  # noqa: B009 - it is not typed


def extended_table(
    given: object, read: ArrowTable, more: Mapping[str, ArrowColumn], to: TableFormat
) -> object:
    """A table with more columns; one of pandas keeps its index, and a dict what it holds."""
    kept = table_format(given) == to
    if kept and to == "pandas":
        series = {name: arrow.pandas_series(column) for name, column in more.items()}
        index = getattr(given, "index")  # noqa: B009 - it is not typed
        indexed = {name: getattr(one, "set_axis")(index) for name, one in series.items()}  # noqa: B009 - the same
        return getattr(given, "assign")(**indexed)  # noqa: B009 - the same
    if kept and is_mapping(given):
        arrays = {name: arrow.numpy_values(column) for name, column in more.items()}
        return dict[object, object](given) | arrays
    for name, column in more.items():
        read = read.append_column(name, column)
    return result_table(read, to, given)
