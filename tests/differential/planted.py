"""Implementations with planted faults, for differential runs to find."""

from dataclasses import replace

from muntin.reference.specification import SpecificationOperator
from muntin.spec.query import Output
from muntin.spec.stream import Step


class ForgetsTies(SpecificationOperator):
    """Takes a value of 7 for one of 8, if there is another event at its time in the step."""

    def take(self, events: Step, /) -> Output:
        """Take in a step, and get it wrong."""
        times = [event.time for event in events.events]
        wrong = tuple(
            replace(event, value=-(10**6)) if times.count(event.time) > 2 else event
            for event in events.events
        )
        return super().take(replace(events, events=wrong))


def nothing(_: object) -> None:
    """Make no operator."""


def breaking(_: object) -> None:
    """Make nothing, and say why."""
    raise ZeroDivisionError("by nought")
