"""The calls on tables, with Arrow tables as results whatever is given."""

from typing import Unpack

from muntin.columnar import table
from muntin.columnar.arrow_columns import ArrowTable
from muntin.columnar.table import CallArguments, RollingArguments


def aggregate(rows: object, **call: Unpack[CallArguments]) -> ArrowTable:
    """A row for each window, in an Arrow table."""
    return table.aggregate(rows, to="arrow", **call)


def rolling(rows: object, **call: Unpack[RollingArguments]) -> ArrowTable:
    """The rows with more columns, in an Arrow table."""
    return table.rolling(rows, to="arrow", **call)
