"""Which traces the operators are walked through, and how many these are.

`wide` scopes have all times from 0 to 5; `long` ones fewer times and more steps. By night each
takes the six steps, or what of them the night has time for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from exhaustive.profile import PROFILE
from exhaustive.traces import Scope, Walk, Walked
from muntin.cli.registry import OPERATORS, OperatorEntry
from muntin.spec.data_driven import Session
from muntin.spec.dialect import Dialect
from muntin.spec.periodic import Sliding, count, tumbling
from muntin.spec.query import Settings

CONTENDERS: list[OperatorEntry] = [entry for entry in OPERATORS if entry.name != "spec"]
BY_WINDOW = Dialect(lateness="window")


@dataclass(frozen=True)
class Exhausted:
    """A scope, how long its traces are by night, and what walking through it must find."""

    scope: Scope
    found: Walked
    by_night: int
    found_by_night: Walked

    def walk(self) -> Walk:
        """Get ready to walk through the scope of this profile."""
        night = replace(self.scope, length=self.by_night)
        return Walk(night if PROFILE == "nightly" else self.scope, CONTENDERS)

    @property
    def expected(self) -> Walked:
        """What the walk must find."""
        return self.found_by_night if PROFILE == "nightly" else self.found


UNKNOWN = Walked(0, 0, 0)

SCOPES: Mapping[str, Exhausted] = {
    "two tumbling": Exhausted(Scope((tumbling(2), tumbling(3)), 5, 4), UNKNOWN, 6, UNKNOWN),
    "two sliding, late": Exhausted(
        Scope((Sliding(3, 1), Sliding(4, 2, 1)), 6, 3, Settings(2)), UNKNOWN, 5, UNKNOWN
    ),
    "sampling and tumbling": Exhausted(
        Scope((Sliding(1, 3), tumbling(2, 1)), 5, 3), UNKNOWN, 5, UNKNOWN
    ),
    "session, late": Exhausted(Scope((Session(2),), 6, 4, Settings(1)), UNKNOWN, 6, UNKNOWN),
    "two sessions": Exhausted(Scope((Session(1), Session(3)), 5, 4), UNKNOWN, 6, UNKNOWN),
    "session and tumbling": Exhausted(Scope((Session(2), tumbling(2)), 6, 4), UNKNOWN, 6, UNKNOWN),
    "session and sliding, long": Exhausted(
        Scope((Session(2), Sliding(3, 1)), 3, 5, Settings(1)), UNKNOWN, 6, UNKNOWN
    ),
    "count and tumbling": Exhausted(Scope((count(2), tumbling(3)), 5, 4), UNKNOWN, 6, UNKNOWN),
    "sliding count and session, late": Exhausted(
        Scope((count(3, 1), Session(3)), 3, 5, Settings(2)), UNKNOWN, 6, UNKNOWN
    ),
    "by window": Exhausted(
        Scope((Session(2), tumbling(3)), 5, 4, Settings(1, dialect=BY_WINDOW)), UNKNOWN, 6, UNKNOWN
    ),
    "final": Exhausted(
        Scope((Session(2), tumbling(2)), 4, 4, Settings(1, "final")), UNKNOWN, 6, UNKNOWN
    ),
    "discard": Exhausted(
        Scope((Session(2), Sliding(2, 1)), 4, 4, Settings(2, "discard")), UNKNOWN, 5, UNKNOWN
    ),
    "in order": Exhausted(
        Scope((Session(2), Sliding(3, 2), count(2)), 6, 4, Settings(in_order=True)),
        UNKNOWN,
        6,
        UNKNOWN,
    ),
    "in order, periodic": Exhausted(
        Scope((tumbling(2), Sliding(3, 2)), 6, 4, Settings(in_order=True)), UNKNOWN, 6, UNKNOWN
    ),
    "batches": Exhausted(
        Scope((Session(2), tumbling(2)), 3, 2, Settings(1), batch=2), UNKNOWN, 3, UNKNOWN
    ),
    "keys": Exhausted(
        Scope((Session(2), tumbling(2)), 3, 4, keys=("a", "b")), UNKNOWN, 5, UNKNOWN
    ),
    "changing queries": Exhausted(
        Scope((Session(2),), 4, 4, spare=tumbling(2)), UNKNOWN, 5, UNKNOWN
    ),
}
