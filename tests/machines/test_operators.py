"""Every registered operator answers as the denotation does."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.operator_machine import operator_machine
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import Step
from support.audit import TransferAudit

RUNS = 5
"""Attempts: an operator that refuses most queries may get no other query in one run."""


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_operator_runs_in_lockstep_with_the_denotation(entry: OperatorEntry) -> None:
    audit = TransferAudit(entry.carry) if entry.carry else None
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


class LazilyRestored(SpecificationOperator):
    """A restored state takes effect only at the first call."""

    pending: SpecificationOperator | None = None

    def restore_pending(self) -> None:
        if self.pending:
            self.history, self.pending = self.pending.history, None

    def add(self, query: Query) -> None:
        self.restore_pending()
        super().add(query)

    def remove(self, name: str) -> None:
        self.restore_pending()
        super().remove(name)

    def take(self, events: Step, /) -> Output:
        self.restore_pending()
        return super().take(events)


def transfer_wrongly(old: Operator, new: Operator) -> None:
    """Transfer the operator, but not a state that has not yet taken effect."""
    assert isinstance(old, LazilyRestored)
    assert isinstance(new, LazilyRestored)
    new.pending = old


def test_a_transfer_that_is_wrong_the_second_time_is_detected() -> None:
    machine = operator_machine(LazilyRestored, transfer_wrongly)
    first_failure = settings(phases=[Phase.generate], report_multiple_bugs=False)
    with pytest.raises(AssertionError, match="expected"):
        run_state_machine_as_test(machine, settings=first_failure)
