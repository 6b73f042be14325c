"""Implementations with planted faults, for differential runs to find."""

from dataclasses import replace

from muntin.reference.specification import SpecificationOperator
from muntin.spec.query import Output
from muntin.spec.stream import Step


class TieFault(SpecificationOperator):
    """Changes the values of three or more events of a step at one time."""

    def take(self, step: Step, /) -> Output:
        """Process the step with changed values."""
        times = [event.time for event in step.events]
        wrong = tuple(
            replace(event, value=-(10**6)) if times.count(event.time) > 2 else event
            for event in step.events
        )
        return super().take(replace(step, events=wrong))


def nothing(_: object) -> None:
    """Build no operator."""


def breaking(_: object) -> None:
    """Raise an error."""
    raise ZeroDivisionError("by nought")
