"""Every registered operator answers as the denotation does."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from audit import Audit
from contenders import OPERATORS
from muntin.cli.registry import OperatorEntry
from muntin.conformance.operator_machine import operator_machine


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_operator_runs_in_lockstep_with_the_denotation(entry: OperatorEntry) -> None:
    audit = Audit(entry.carry)
    machine = operator_machine(entry.build, audit, ordered=entry.ordered)
    run_state_machine_as_test(machine)
    assert machine.accepted > 0
    assert machine.answered > 0
    assert audit.seen["with state"] > 0
