"""An operator that is saved and restored after each step, and continues as the restored one.

Both must be equal in every field that Python can see: types, items, scalars, and the identity of
shared objects. The caller gives the function that transfers the state, and may check more.
"""

from collections.abc import Callable

from exhaustive.object_state import object_form
from muntin.registry.implementations import TransferState
from muntin.snapshot import SnapshotError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Step

Build = Callable[[Settings], Operator]


class RestoredOperator(Operator):
    """Any operator, restored from its own snapshot after each step."""

    def __init__(self, build: Build, transfer: TransferState, settings: Settings) -> None:
        """Start with the empty operator."""
        self.build, self.transfer, self.settings = build, transfer, settings
        self.queries = dict[str, Query]()
        self.current = build(settings)

    def add(self, query: Query) -> None:
        """Add a query."""
        self.current.add(query)
        self.queries[query.id] = query
        self.restore()

    def remove(self, name: str) -> None:
        """Remove a query."""
        self.current.remove(name)
        del self.queries[name]
        self.restore()

    def take(self, step: Step, /) -> Output:
        """Process a step."""
        output = self.current.take(step)
        self.restore()
        return output

    def restore(self) -> None:
        """Continue as a restored operator, which must be equal."""
        new = self.build(self.settings)
        for query in self.queries.values():
            new.add(query)
        try:
            self.transfer(self.current, new)
        except SnapshotError as error:
            raise AssertionError("its snapshot cannot be restored") from error
        assert object_form(new) == object_form(self.current), "the restored operator is not equal"
        self.current = new
