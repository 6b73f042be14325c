"""Names of constants: new and removed modules are noticed, and rebound names."""

import sys
from types import ModuleType

import pytest

from muntin.snapshot.named_constants import constant_name
from muntin.snapshot.state_classes import Constant
from muntin.spec.windows.measure import COUNT, TIME, Measure


def test_a_constant_is_named_by_the_module_that_defines_it() -> None:
    assert constant_name(TIME) == ("muntin.spec.windows.measure", "TIME")
    assert constant_name(COUNT) == ("muntin.spec.windows.measure", "COUNT")
    assert constant_name(Measure("time")) is None
    assert constant_name("TIME") is None


@pytest.mark.parametrize("made", [Measure("late"), Constant()], ids=["given", "made once"])
def test_a_later_module_is_scanned_for_constants(
    monkeypatch: pytest.MonkeyPatch, made: object
) -> None:
    assert constant_name(made) is None
    module = ModuleType("muntin.spec.later")
    setattr(module, "LATER", made)  # noqa: B010 - modules have no such attribute for checkers
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert constant_name(made) == (module.__name__, "LATER")
    setattr(module, "LATER", Measure("another"))  # noqa: B010 - as above
    assert constant_name(made) is None


def test_a_constant_bound_after_a_scan_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert constant_name(Measure("none")) is None  # a scan of all modules
    made = Constant()
    monkeypatch.setattr(sys.modules["muntin.spec.windows.measure"], "MADE", made, raising=False)
    assert constant_name(made) == ("muntin.spec.windows.measure", "MADE")
