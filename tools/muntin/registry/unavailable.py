"""An operator of which something is not installed: it refuses every query, and says why."""

from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import Step


class UnavailableOperator(Operator):
    """What stands for an operator that can't be had."""

    def __init__(self, why: str) -> None:
        """Say what is missing."""
        self._why = why

    def add(self, query: Query) -> None:
        """Refuse."""
        raise UnsupportedError(f"query {query.id!r}: {self._why}")

    def remove(self, name: str) -> None:
        """Refuse: no query was ever taken."""
        raise InvalidInputError(f"there is no query {name!r} to remove")

    def take(self, _: Step, /) -> Output:
        """Refuse."""
        raise UnsupportedError(self._why)
