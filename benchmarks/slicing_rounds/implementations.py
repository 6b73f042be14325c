"""The measured operators of the registry: those that slice, and those that do not."""

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
class MeasuredOperator:
    """An operator by its name."""

    name: str
    build: Callable[[Settings], Operator]

    def build_for(self, workload: Workload) -> Operator | None:
        """An operator with all queries of the workload, or None if it refuses one."""
        operator = self.build(workload.settings)
        try:
            for query in workload.queries():
                operator.add(query)
        except UnsupportedError:
            return None
        return operator


def measured_operators() -> list[MeasuredOperator]:
    """All measured operators."""
    builds = {entry.name: entry.build for entry in OPERATORS}
    return [MeasuredOperator(name, builds[name]) for name in (*GENERAL, *IN_ORDER, *BASELINES)]
