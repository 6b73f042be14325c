"""FiBA in flat arrays agrees with TimedWindow, for any smallest arity, as it is and compiled."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from fingerprints import FINGERPRINTS, LINES
from muntin.conformance.structure_machine import structure_machine
from muntin.kernels.engine import Engine, numeric, opaque
from muntin.kernels.flat_fiba import FlatFiba, shape_of
from muntin.kernels.modules import FLAT
from muntin.spec.cost import Meter
from muntin.spec.monoid import Monoid, Word


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
def test_tree_runs_in_lockstep_with_the_definition(min_arity: int) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> FlatFiba[Word]:
        return FlatFiba(monoid, meter, opaque(monoid, shape_of(min_arity), FLAT))

    run_state_machine_as_test(structure_machine(build, worst_case=False))


def test_compiled_tree_runs_in_lockstep_with_the_definition() -> None:
    engine: Engine[Word] = numeric(FINGERPRINTS, shape_of(2), FLAT)  # type: ignore[assignment] # integers

    def build(monoid: Monoid[Word], meter: Meter) -> FlatFiba[Word]:
        return FlatFiba(monoid, meter, engine)

    machine = structure_machine(build, worst_case=False, alphabet=LINES)
    run_state_machine_as_test(machine)
