"""Every registered operator answers as the denotation does."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from audit import Audit
from contenders import OPERATORS
from muntin.cli.registry import OperatorEntry
from muntin.conformance.operator_machine import operator_machine

RUNS = 5
"""So often may chance try: what refuses most queries may be asked only those in one run."""


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_operator_runs_in_lockstep_with_the_denotation(entry: OperatorEntry) -> None:
    audit = Audit(entry.carry) if entry.carry else None
    machine = operator_machine(entry.build, audit, ordered=entry.ordered, narrow=entry.narrow)
    for _ in range(RUNS):
        run_state_machine_as_test(machine)
        if machine.answered and (audit is None or audit.seen["with state"]):
            break
    assert machine.accepted > 0
    assert machine.answered > 0
    assert audit is None or audit.seen["with state"] > 0
