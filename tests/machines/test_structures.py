"""Every registered structure agrees with TimedWindow and costs no more than it claims."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.structure_machine import structure_machine
from muntin.registry.implementations import STRUCTURES, StructureEntry


@pytest.mark.parametrize("entry", STRUCTURES, ids=lambda entry: entry.name)
def test_structure_runs_in_lockstep_with_the_definition(entry: StructureEntry) -> None:
    machine = structure_machine(entry.build, entry.arrival, worst_case=entry.worst_case)
    run_state_machine_as_test(machine)
