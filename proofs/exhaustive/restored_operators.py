"""An operator that is written and restored after each step, and goes on as what was restored.

It has to be alike in every field that Python can see: types, items, scalars, and which objects are
one. How it is carried over is for the caller to say, who may look at it more closely.
"""

from collections.abc import Callable

from exhaustive.object_state import whole
from muntin.registry.implementations import TransferState
from muntin.snapshot import SnapshotError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Step

Build = Callable[[Settings], Operator]


class Restored(Operator):
    """Any operator, by way of its snapshots."""

    def __init__(self, build: Build, carry: TransferState, settings: Settings) -> None:
        """Start with the empty operator."""
        self.build, self.carry, self.settings = build, carry, settings
        self.queries = dict[str, Query]()
        self.now = build(settings)

    def add(self, query: Query) -> None:
        """Ask a further query."""
        self.now.add(query)
        self.queries[query.id] = query
        self.carry_over()

    def remove(self, name: str) -> None:
        """Ask a query no more."""
        self.now.remove(name)
        del self.queries[name]
        self.carry_over()

    def take(self, step: Step, /) -> Output:
        """Take in a step."""
        output = self.now.take(step)
        self.carry_over()
        return output

    def carry_over(self) -> None:
        """Go on as what is restored, which is alike."""
        new = self.build(self.settings)
        for query in self.queries.values():
            new.add(query)
        try:
            self.carry(self.now, new)
        except SnapshotError as error:
            raise AssertionError("it cannot be restored") from error
        assert whole(new) == whole(self.now), "what is restored is not alike"
        self.now = new
