"""Which traces the operators are walked through, and what comes of them.

By day most traces are of four actions; by night they are longer, up to six.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from exhaustive.profile import PROFILE
from exhaustive.traces import Scope, Walked
from muntin.cli.registry import OPERATORS, OperatorEntry
from muntin.spec.data_driven import Session
from muntin.spec.dialect import Dialect
from muntin.spec.periodic import Sliding, count, tumbling
from muntin.spec.query import Settings

CONTENDERS: list[OperatorEntry] = [entry for entry in OPERATORS if entry.name != "spec"]
BY_WINDOW = Dialect(lateness="window")


@dataclass(frozen=True)
class Exhausted:
    """A scope, what walking through it by day must find, and how long its traces are by night."""

    scope: Scope
    found: Walked
    by_night: int

    @property
    def in_profile(self) -> Scope:
        """The scope, as long as there is time for."""
        return replace(self.scope, length=self.by_night) if PROFILE == "nightly" else self.scope


def day(traces: int, results: int, late: int, *, night: int, scope: Scope) -> Exhausted:
    """Return a scope, with what comes of it by day and its length by night."""
    return Exhausted(scope, Walked(traces, results, late), night)


TWO = (Session(2), tumbling(2))

SCOPES: Mapping[str, Exhausted] = {
    "two tumbling": day(
        7455, 3269, 1975, night=6, scope=Scope((tumbling(2), tumbling(3)), times=5, length=4)
    ),
    "two sliding, late": day(
        1598, 1956, 170, night=5, scope=Scope((Sliding(3, 1), Sliding(4, 2, 1)), 6, 3, Settings(2))
    ),
    "sampling and tumbling": day(
        970, 334, 205, night=5, scope=Scope((Sliding(1, 3), tumbling(2, 1)), 5, 3)
    ),
    "session, late": day(7455, 1709, 1375, night=6, scope=Scope((Session(2),), 5, 4, Settings(1))),
    "two sessions": day(7455, 3312, 1975, night=6, scope=Scope((Session(1), Session(3)), 5, 4)),
    "session and tumbling": day(14735, 6949, 3976, night=6, scope=Scope(TWO, 6, 4)),
    "session and sliding, long": day(
        4981, 4791, 772, night=6, scope=Scope((Session(2), Sliding(3, 1)), 3, 5, Settings(1))
    ),
    "count and tumbling": day(
        7455, 2410, 1975, night=6, scope=Scope((count(2), tumbling(3)), 5, 4)
    ),
    "count, long": day(2160, 477, 609, night=7, scope=Scope((count(2),), 2, 6)),
    "count, late, long": day(2160, 1006, 0, night=7, scope=Scope((count(2),), 2, 6, Settings(2))),
    "sliding count and session, late": day(
        4981, 2386, 283, night=6, scope=Scope((count(3, 1), Session(3)), 3, 5, Settings(2))
    ),
    "by window": day(
        7455,
        4272,
        655,
        night=6,
        scope=Scope((Session(2), tumbling(3)), 5, 4, Settings(1, dialect=BY_WINDOW)),
    ),
    "final": day(3273, 1260, 535, night=6, scope=Scope(TWO, 4, 4, Settings(1, "final"))),
    "discard": day(
        3273,
        3365,
        282,
        night=5,
        scope=Scope((Session(2), Sliding(2, 1)), 4, 4, Settings(2, "discard")),
    ),
    "in order": day(
        7110,
        2489,
        1246,
        night=6,
        scope=Scope((Session(2), Sliding(3, 2), count(2)), 6, 4, Settings(in_order=True)),
    ),
    "in order, periodic": day(
        7110,
        2082,
        1246,
        night=6,
        scope=Scope((tumbling(2), Sliding(3, 2)), 6, 4, Settings(in_order=True)),
    ),
    "batches": day(2535, 1488, 910, night=3, scope=Scope(TWO, 3, 2, Settings(1), batch=2)),
    "keys": day(6640, 3120, 1762, night=5, scope=Scope(TWO, 3, 4, keys=("a", "b"))),
    "changing queries": day(
        2615, 498, 542, night=7, scope=Scope((tumbling(2),), 2, 5, spare=Session(2))
    ),
}
