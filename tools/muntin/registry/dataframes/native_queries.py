"""The queries that Spark's own windows serve, as plain values."""

from typing import NamedTuple

from muntin.optimized.scotty.opaque_windows import BUILTIN_WINDOWS
from muntin.spec.query import Query
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Sliding

AGGREGATES = {"sum": "sum", "count": "count", "min": "min", "max": "max", "mean": "avg"}
"""Our names of aggregates, and those of the functions of Spark that mean the same."""


class NativeQuery(NamedTuple):
    """A query as `window()` or `session_window` takes it, in microseconds."""

    id: str
    function: str
    size: int
    slide: int = 0  # of a session: none
    offset: int = 0


def translated(query: Query) -> NativeQuery | str:
    """Return the query for Spark, or say why it has none.

    >>> from muntin.spec.algebra.catalogue import named
    >>> translated(Query("q", Sliding(60, 15), named("mean")))
    NativeQuery(id='q', function='avg', size=60, slide=15, offset=0)
    >>> translated(Query("q", Session(20), named("median")))
    'Spark has no median as exact as ours'
    """
    kind, function = query.window, AGGREGATES.get(query.aggregate.name)
    if kind.measure is not TIME or not isinstance(kind, Sliding | Session):
        return f"Spark has no {kind.name} windows by {kind.measure.name}"
    if type(kind) not in BUILTIN_WINDOWS:
        return f"Spark does not know what {type(kind).__name__} makes of {kind.name} windows"
    if function is None:
        return f"Spark has no {query.aggregate.name} as exact as ours"
    if isinstance(kind, Session):
        return NativeQuery(query.id, function, kind.gap)
    if kind.slide > kind.size:
        return "Spark refuses windows with gaps between them (a slide greater than the size)"
    return NativeQuery(query.id, function, kind.size, kind.slide, kind.offset % kind.slide)
