"""The traces that the operators are run on, and the number of results.

By day most traces have four actions, and three for operators that differ from another one only in
how they store slices or events, and over columns. By night they are longer, most of five actions,
and of the same length for all operators; and Scotty, with a list as its store, runs on all traces
of six actions at six times in some mixes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from exhaustive.profile import PROFILE
from exhaustive.traces.walk import TraceCounts, TraceScope
from muntin.columnar.operator import ColumnarOperator
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.dialect import Dialect
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Sliding, count, tumbling


def _records(settings: Settings) -> Operator:
    """The columnar operator that processes words itself: else Scotty would run them."""
    return ColumnarOperator(settings, method="records")


IMPLEMENTATIONS: list[OperatorEntry] = [
    replace(entry, build=_records) if entry.name == "kernels" else entry
    for entry in OPERATORS
    if entry.name != "spec"
]
BY_WINDOW = Dialect(lateness="window")
UP_TO_THE_LAST = Dialect(session_end="last")


STORE_VARIANTS = ("aggregate-tree", "pairs-plus", "cutty-eager", "scotty-eager", "scotty-fiba")
"""Operators that differ from one before them in the registry only in their store."""
SHORTER_BY_DAY = (*STORE_VARIANTS, "kernels")
"""Operators whose traces have one action less by day; arrays of one event are slow."""


@dataclass(frozen=True)
class OperatorScope:
    """A scope with the expected counts by day, and with longer traces by night."""

    scope: TraceScope
    by_day: TraceCounts
    length_by_night: int
    by_night: TraceCounts

    @property
    def length(self) -> int:
        """The length of traces in this profile."""
        return self.length_by_night if PROFILE == "nightly" else self.scope.length

    @property
    def expected(self) -> TraceCounts:
        """The expected counts in this profile."""
        return self.by_night if PROFILE == "nightly" else self.by_day

    def walks(self) -> Iterator[tuple[TraceScope, list[OperatorEntry], TraceCounts | None]]:
        """Yield each walk of this profile: its scope, its operators and the expected counts."""
        shorter = [entry for entry in IMPLEMENTATIONS if entry.name in SHORTER_BY_DAY]
        others = [entry for entry in IMPLEMENTATIONS if entry.name not in SHORTER_BY_DAY]
        if PROFILE == "nightly":
            yield replace(self.scope, length=self.length), IMPLEMENTATIONS, self.expected
        else:
            yield self.scope, others, self.expected
            yield replace(self.scope, length=self.length - 1), shorter, None


def operator_scope(
    scope: TraceScope,
    by_day: tuple[int, int, int],
    night: int,
    by_night: tuple[int, int, int],
) -> OperatorScope:
    """A scope with its counts by day, its length by night, and its counts by night."""
    return OperatorScope(scope, TraceCounts(*by_day), night, TraceCounts(*by_night))


HALF_TIMES = Measure("halves", lambda event: event.time // 2)
SESSION_AND_TUMBLING = (Session(2), tumbling(2))

SCOPES: Mapping[str, OperatorScope] = {
    "two tumbling": operator_scope(
        TraceScope((tumbling(2), tumbling(3)), times=5, length=3),
        (970, 378, 205),
        5,
        (54071, 24567, 16399),
    ),
    "two sliding, late": operator_scope(
        TraceScope((Sliding(3, 1), Sliding(4, 2, 1)), 6, 3, Settings(2)),
        (1598, 1956, 170),
        4,
        (14735, 20901, 2035),
    ),
    "sampling and tumbling": operator_scope(
        TraceScope((Sliding(1, 3), tumbling(2, 1)), 5, 3, first=-3),
        (970, 319, 205),
        5,
        (54071, 20879, 16399),
    ),
    "session, late": operator_scope(
        TraceScope((Session(2),), 5, 4, Settings(1)), (7455, 1709, 1375), 5, (54071, 12506, 11594)
    ),
    "two sessions": operator_scope(
        TraceScope((Session(1), Session(3)), 5, 4), (7455, 3312, 1975), 5, (54071, 25036, 16399)
    ),
    "session and tumbling": operator_scope(
        TraceScope(SESSION_AND_TUMBLING, 5, 4), (7455, 3297, 1975), 5, (54071, 24201, 16399)
    ),
    "session and sliding, long": operator_scope(
        TraceScope((Session(2), Sliding(3, 1)), 3, 5, Settings(1), first=-2),
        (4981, 4791, 772),
        6,
        (20452, 19272, 3517),
    ),
    "session over edges, late": operator_scope(
        TraceScope((Session(2), tumbling(1)), 3, 4, Settings(2)),
        (1156, 902, 55),
        5,
        (4981, 3965, 283),
    ),
    "gaps of their own, late": operator_scope(
        TraceScope((Session(1), tumbling(1)), 2, 4, Settings(1), gaps=(None, 2)),
        (1484, 1104, 140),
        5,
        (7532, 5526, 844),
    ),
    "count and tumbling": operator_scope(
        TraceScope((count(2), tumbling(3)), 5, 4), (7455, 2410, 1975), 5, (54071, 20337, 16399)
    ),
    "count, long": operator_scope(
        TraceScope((count(2),), 2, 6), (2160, 477, 609), 7, (5600, 1389, 1665)
    ),
    "count, late, long": operator_scope(
        TraceScope((count(2),), 2, 6, Settings(2)), (2160, 1006, 0), 7, (5600, 2826, 0)
    ),
    "sliding count and session, late": operator_scope(
        TraceScope((count(3, 1), Session(3)), 3, 5, Settings(2)),
        (4981, 2386, 283),
        6,
        (20452, 14070, 1318),
    ),
    "by window": operator_scope(
        TraceScope((Session(2), tumbling(3)), 4, 4, Settings(1, dialect=BY_WINDOW)),
        (3273, 1995, 162),
        5,
        (18912, 11839, 984),
    ),
    "sessions without their gap, late": operator_scope(
        TraceScope((Session(2),), 3, 4, Settings(1, dialect=UP_TO_THE_LAST)),
        (1156, 241, 154),
        5,
        (4981, 1011, 772),
    ),
    "final": operator_scope(
        TraceScope(SESSION_AND_TUMBLING, 4, 4, Settings(1, "final")),
        (3273, 1260, 535),
        5,
        (18912, 7773, 3594),
    ),
    "discard": operator_scope(
        TraceScope((Session(2), Sliding(2, 1)), 4, 4, Settings(2, "discard"), first=-2),
        (3273, 3365, 282),
        5,
        (18912, 19977, 1932),
    ),
    "a measure of the user's": operator_scope(
        TraceScope((Sliding(2, 1, measure=HALF_TIMES), tumbling(3)), 5, 3, Settings(1), first=-1),
        (970, 472, 140),
        4,
        (7455, 4685, 1375),
    ),
    "in order": operator_scope(
        TraceScope((Session(2), Sliding(3, 2), count(2)), 5, 4, Settings(in_order=True)),
        (3768, 1386, 660),
        5,
        (15496, 4824, 2728),
    ),
    "in order, periodic": operator_scope(
        TraceScope((tumbling(2), Sliding(3, 2)), 6, 3, Settings(in_order=True)),
        (1218, 483, 203),
        5,
        (34104, 7876, 5978),
    ),
    "batches": operator_scope(
        TraceScope(SESSION_AND_TUMBLING, 3, 2, Settings(1), batch=2),
        (2535, 1488, 910),
        3,
        (113113, 52358, 63518),
    ),
    "keys": operator_scope(
        TraceScope(SESSION_AND_TUMBLING, 3, 4, keys=("a", "b")),
        (6640, 3120, 1762),
        5,
        (50920, 25458, 15730),
    ),
    "changing queries": operator_scope(
        TraceScope((tumbling(2),), 2, 5, spare=Session(2)), (2615, 498, 542), 7, (30987, 5255, 7758)
    ),
}

SCOTTY_ONLY = [entry for entry in IMPLEMENTATIONS if entry.name == "scotty-lazy"]
SCOTTY_SCOPES: Mapping[str, TraceScope] = {
    name: TraceScope(windows, 6, 6 if PROFILE == "nightly" else 2, settings)
    for name, windows, settings in (
        ("two tumbling", (tumbling(2), tumbling(3)), DEFAULTS),
        ("two sliding, late", (Sliding(3, 1), Sliding(4, 2, 1)), Settings(2)),
        ("session and tumbling, late", (Session(2), tumbling(3)), Settings(1)),
        ("two sessions, late", (Session(1), Session(3)), Settings(2)),
        ("count and tumbling", (count(2), tumbling(3)), DEFAULTS),
        ("counts, session, sliding, late", (count(3, 1), Session(2), Sliding(2, 1)), Settings(1)),
    )
}
"""Scopes for Scotty alone: all traces of six actions at six times, by day of two actions."""
