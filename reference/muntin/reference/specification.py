"""The denotation of operators, as something that can be called: a World that changes."""

from muntin.spec.denotation import History, add, remove, step
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Output, Query, Settings
from muntin.spec.stream import Step


class SpecificationOperator(Operator):
    """Every answer is that of the definition. Nothing is ever forgotten."""

    def __init__(self, settings: Settings = DEFAULTS) -> None:
        """Start with no query and no event."""
        self.world = History(settings)

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        self.world = add(self.world, query)

    def remove(self, name: str) -> None:
        """Ask a query no more."""
        self.world = remove(self.world, name)

    def take(self, events: Step, /) -> Output:
        """Take in a step, and say what it changes."""
        self.world, output = step(self.world, events)
        return output
