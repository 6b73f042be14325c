"""The operator over columns of numbers answers as the denotation does, in slices and in records.

The sum of distinct powers of two tells which events a window holds, count how many; the first and
the last value, and M4, tell their order.
"""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.operator_machine import OperatorMachine
from muntin.conformance.strategies import NARROW_BASES
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.plan import Method
from muntin.spec.catalogue import named
from muntin.spec.window import WindowType

EXACT = ["sum", "count", "m4", "sum", "range", "mean", "first", "last", "var_pop"]
BITS = 61


class NumberMachine(OperatorMachine):
    """Random steps and queries over integers."""

    bases = NARROW_BASES
    method: Method = "slices"

    def __init__(self) -> None:
        super().__init__(lambda settings: ColumnarOperator(settings, method=self.method))

    def ask(self, kind: WindowType) -> bool:
        self.aggregates = [named(EXACT[self.names % len(EXACT)])]
        return super().ask(kind)

    def value(self, number: int) -> object:
        sign = 1 if number % 2 else -1
        return None if self.letters % 11 == 10 else sign << self.letters % BITS


class RecordMachine(NumberMachine):
    method: Method = "records"


class DenseMachine(NumberMachine):
    method: Method = "dense"


@pytest.mark.parametrize("machine", [NumberMachine, RecordMachine, DenseMachine])
def test_columns_of_numbers_run_in_lockstep_with_the_denotation(
    machine: type[NumberMachine],
) -> None:
    run_state_machine_as_test(machine)
    assert machine.accepted > 0
    assert machine.answered > 0
