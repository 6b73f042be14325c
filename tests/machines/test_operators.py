"""Every registered operator answers as the denotation does."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.operator_machine import operator_machine
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OperatorEntry
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import Step
from support.audit import Audit
from support.contenders import OPERATORS

RUNS = 5
"""So often may chance try: what refuses most queries may be asked only those in one run."""


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_operator_runs_in_lockstep_with_the_denotation(entry: OperatorEntry) -> None:
    audit = Audit(entry.carry) if entry.carry else None
    machine = operator_machine(
        entry.build, audit, ordered=entry.in_order_only, narrow=entry.int64_times
    )
    for _ in range(RUNS):
        run_state_machine_as_test(machine)
        if machine.answered and (audit is None or audit.seen["with state"]):
            break
    assert machine.accepted > 0
    assert machine.answered > 0
    assert audit is None or audit.seen["with state"] > 0


class Thawing(SpecificationOperator):
    """What was restored lies in wait until it is asked of."""

    behind: SpecificationOperator | None = None

    def thaw(self) -> None:
        if self.behind:
            self.history, self.behind = self.behind.history, None

    def add(self, query: Query) -> None:
        self.thaw()
        super().add(query)

    def remove(self, name: str) -> None:
        self.thaw()
        super().remove(name)

    def take(self, events: Step, /) -> Output:
        self.thaw()
        return super().take(events)


def forgetful(old: Operator, new: Operator) -> None:
    """Carry over what is known, and not what lies in wait."""
    assert isinstance(old, Thawing)
    assert isinstance(new, Thawing)
    new.behind = old


def test_a_carry_that_is_wrong_the_second_time_is_found() -> None:
    machine = operator_machine(Thawing, forgetful)
    soon = settings(phases=[Phase.generate], report_multiple_bugs=False)
    with pytest.raises(AssertionError, match="want"):
        run_state_machine_as_test(machine, settings=soon)
