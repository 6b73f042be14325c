"""The operator over columns answers as the denotation does, in slices, in records and both mixed.

The sum of distinct powers of two determines which events a window holds, count their number; the
first and the last value, and M4, determine their order. An aggregate that the columnar engine does
not support runs in the fallback operator. Words of letters determine all, but are kept as events.
"""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.machines.operator_machine import OperatorMachine
from muntin.conformance.machines.random_choices import WORDS
from muntin.conformance.machines.strategies import NARROW_BASES
from muntin.kernels.slicing.plan import Method
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.windows.window import WindowType
from support.audit import TransferAudit

NAMES = ["sum", "count", "m4", "sum", "range", "mean", "first", "last", "var_pop"]
EXACT = [named(name) for name in NAMES]
BITS = 61


class NumberMachine(OperatorMachine):
    """Random steps and queries over integers; those over words run in the fallback operator."""

    bases = NARROW_BASES
    method: Method = "auto"

    def __init__(self) -> None:
        super().__init__(
            lambda settings: ColumnarOperator(settings, method=self.method), transfer_state
        )

    def try_add(self, kind: WindowType) -> bool:
        words = self.method == "auto" and self.names % 4 == 3
        self.aggregates = [WORDS if words else EXACT[self.names % len(EXACT)]]
        return super().try_add(kind)

    def value(self, number: int) -> object:
        sign = 1 if number % 2 else -1
        return None if self.letters % 11 == 10 else sign << self.letters % BITS


class EngineMachine(NumberMachine):
    method: Method = "compiled"


class WordMachine(OperatorMachine):
    """Events of letters, kept one by one."""

    bases = NARROW_BASES

    def __init__(self) -> None:
        super().__init__(
            lambda settings: ColumnarOperator(settings, method="records"),
            TransferAudit(transfer_state),
        )


@pytest.mark.parametrize("machine", [NumberMachine, EngineMachine, WordMachine])
def test_columns_run_in_lockstep_with_the_denotation(
    machine: type[OperatorMachine],
) -> None:
    run_state_machine_as_test(machine)
    assert machine.accepted > 0
    assert machine.answered > 0
