"""An operator that is written and restored after each step, and goes on as what was restored.

It has to be alike in every field that Python can see: types, items, scalars, and which objects are
one. How it is carried over is for the caller to say, who may look at it more closely.
"""

from collections.abc import Callable

from exhaustive.object_state import object_form
from muntin.registry.implementations import Carry
from muntin.snapshot import SnapshotError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Step

Build = Callable[[Settings], Operator]


class RestoredOperator(Operator):
    """Any operator, by way of its snapshots."""

    def __init__(self, build: Build, carry: Carry, settings: Settings) -> None:
        """Start with the empty operator."""
        self.build, self.transfer, self.settings = build, carry, settings
        self.queries = dict[str, Query]()
        self.current = build(settings)

    def add(self, query: Query) -> None:
        """Ask a further query."""
        self.current.add(query)
        self.queries[query.id] = query
        self.restore()

    def remove(self, name: str) -> None:
        """Ask a query no more."""
        self.current.remove(name)
        del self.queries[name]
        self.restore()

    def take(self, step: Step, /) -> Output:
        """Take in a step."""
        output = self.current.take(step)
        self.restore()
        return output

    def restore(self) -> None:
        """Go on as what is restored, which is alike."""
        new = self.build(self.settings)
        for query in self.queries.values():
            new.add(query)
        try:
            self.transfer(self.current, new)
        except SnapshotError as error:
            raise AssertionError("it cannot be restored") from error
        assert object_form(new) == object_form(self.current), "what is restored is not alike"
        self.current = new
