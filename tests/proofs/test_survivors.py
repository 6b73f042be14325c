"""The faults that `make mutants` generates, and its report of those that survive."""

import ast
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from evidence.checks import ROOT
from mutants import survivors
from mutants.generated import GeneratedFault, faults
from mutants.mutant import MutantError

SOURCE = """
@cached(1)
def f(a: int = 0) -> bool:
    "States 1 < 2."
    self._meter.visits += 1
    self.n += 1
    if a in x and not g(a, 1):
        raise ValueError(1 + 1)
    return a < 1 or min(a, 2) == 2


def invariants(a):
    return 1 < 2
"""
FILE = "optimized/muntin/optimized/btree/rebalance.py"


def test_faults_are_in_code_that_is_executed() -> None:
    changed = [fault.new for fault in faults(SOURCE)]
    assert changed == [
        "def f(a: int = (1)) -> bool:",
        "self.n -= 1",
        "pass",
        "self.n += (2)",
        "if (a in x or not g(a, 1)):",
        "if (a not in x) and not g(a, 1):",
        "if a in x and (g(a, 1)):",
        "if a in x and not (g(1, a)):",
        "if a in x and not g(a, (2)):",
        "return (a < 1 and min(a, 2) == 2)",
        "return (a <= 1) or min(a, 2) == 2",
        "return a < (2) or min(a, 2) == 2",
        "return a < 1 or (min(a, 2) != 2)",
        "return a < 1 or (max(a, 2)) == 2",
        "return a < 1 or min(a, (3)) == 2",
        "return a < 1 or min(a, 2) == (3)",
    ]


def test_a_fault_is_one_change_of_the_source() -> None:
    source = (ROOT / FILE).read_text()
    for fault in faults(source):
        assert ast.dump(ast.parse(fault.source)) != ast.dump(ast.parse(source))
        changed = zip(source.splitlines(), fault.source.splitlines(), strict=False)
        assert next(n for n, (a, b) in enumerate(changed, 1) if a != b) == fault.line


def test_equivalent_faults_are_generated_and_left_out() -> None:
    generated = {
        (file, fault.old, fault.new)
        for file, _, _ in survivors.equivalent_faults()
        for fault in faults((ROOT / file).read_text())
    }
    assert set(survivors.equivalent_faults()) - generated == set()
    sampled = {(file, fault.old, fault.new) for file, fault in survivors.sampled_faults("", 0)}
    assert set(survivors.equivalent_faults()) & sampled == set()


def test_every_file_has_killers() -> None:
    files = {file for file, _ in survivors.sampled_faults("", 0)}
    assert FILE in files
    assert min(len(survivors.killers(file)) for file in files) >= 1
    assert survivors.killers(FILE)[0] in ("steps", "states:fiba", "states:btree")


def survey(
    monkeypatch: pytest.MonkeyPatch, run_killer: Callable[..., str]
) -> list[survivors.Outcome]:
    def nowhere(folder: Path) -> Path:
        return folder

    monkeypatch.setattr(survivors, "run_killer", run_killer)
    monkeypatch.setattr(survivors, "copy_code", nowhere)
    return survivors.survey(Namespace(only=FILE, seed=1, minutes=1.0, workers=2))


def test_a_fault_that_no_killer_notices_survives(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = survey(monkeypatch, lambda *_: "")
    assert {outcome.killer for outcome in outcomes} == {""}
    assert f"survivor: {FILE}" in capsys.readouterr().err
    lines = survivors.report(outcomes).splitlines()
    assert f"| all | {len(outcomes)} | {len(outcomes)} |" in lines
    assert len(lines) == 2 + 1 + 1 + 1 + 2 + len(outcomes)


def notice(*_: object) -> str:
    return "AssertionError"


def killer_raising(error: Exception) -> Callable[..., str]:
    def raise_error(*_: object) -> str:
        raise error

    return raise_error


@pytest.mark.parametrize(
    ("run_killer", "killer"),
    [
        (notice, survivors.killers(FILE)[0]),
        (killer_raising(MutantError()), "loading"),
        (killer_raising(TimeoutExpired("", 1)), f"{survivors.killers(FILE)[0]}, stuck"),
    ],
)
def test_a_fault_that_a_killer_notices_does_not_survive(
    monkeypatch: pytest.MonkeyPatch, run_killer: Callable[..., str], killer: str
) -> None:
    outcomes = survey(monkeypatch, run_killer)
    assert {outcome.killer for outcome in outcomes} == {killer}
    assert survivors.report(outcomes).splitlines()[3] == f"| all | {len(outcomes)} | 0 |"


def test_the_seed_decides_the_order() -> None:
    def order(seed: int) -> list[GeneratedFault]:
        return [fault for _, fault in survivors.sampled_faults(FILE, seed)]

    assert order(1) == order(1) != order(2)
    assert set(order(1)) == set(order(2))
