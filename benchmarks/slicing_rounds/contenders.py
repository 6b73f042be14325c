"""Who takes part: the operators of the registry that slice, and those that do not."""

from collections.abc import Callable
from dataclasses import dataclass

from muntin.registry.implementations import OPERATORS
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Settings
from slicing_rounds.workload import Workload

BUCKETS = ("tuple-buckets", "aggregate-buckets")
BASELINES = ("tuple-buffer", *BUCKETS, "aggregate-tree")
GENERAL = ("scotty-lazy", "scotty-eager", "scotty-fiba")
IN_ORDER = ("pairs", "cutty-lazy", "cutty-eager")
READABLE = "scotty-lazy"
"""The path that claims are about: general slicing with the store that costs least a tuple."""


@dataclass(frozen=True)
class Contender:
    """An operator by its name."""

    name: str
    build: Callable[[Settings], Operator]

    def asked(self, workload: Workload) -> Operator | None:
        """Return an operator that is asked all queries, or None if it refuses one."""
        operator = self.build(workload.settings)
        try:
            for query in workload.queries():
                operator.add(query)
        except UnsupportedError:
            return None
        return operator


def contenders() -> list[Contender]:
    """Return all of them."""
    builds = {one.name: one.build for one in OPERATORS}
    return [Contender(name, builds[name]) for name in (*GENERAL, *IN_ORDER, *BASELINES)]
