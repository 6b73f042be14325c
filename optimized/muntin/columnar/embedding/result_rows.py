"""Rows about windows as columns, with all aggregates of a window side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from muntin.kernels.slicing.arrays import Ints


@dataclass(frozen=True)
class ResultRows:
    """Rows about the windows of one id: which key, the interval, values, kind, revision.

    Values, kinds and revisions are columns, of Arrow or plain. An end of LAST is that of the
    stream. Keys are numbers.
    """

    window: str
    key: Ints
    start: Ints
    end: Ints
    values: Mapping[str, object]
    kind: object
    revision: object
