"""Every theorem in proofs/smt is proved and its controls refuted; models are those of the code."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from z3 import And, BoolVal, Int, IntVal, simplify, substitute

from evidence.theorem import PROVED, Statement, Theorem
from muntin.optimized.btree.amortization import reserve
from muntin.optimized.flatfat.flatfat import touched_nodes
from prove import FOLDER, load_module, main, theorems
from smt import ledger

MODULES = sorted(FOLDER.glob("*.py"))
THEOREMS = [theorem for path in MODULES for theorem in theorems(path)]
FALSE, TRUE = BoolVal(False), BoolVal(True)  # noqa: FBT003 - Z3 wants them so
X = Int("x")


@pytest.mark.parametrize("theorem", [make for _, make in THEOREMS], ids=[n for n, _ in THEOREMS])
def test_a_theorem_is_proved_and_its_controls_are_refuted(theorem: Callable[[], Theorem]) -> None:
    assert theorem().outcome() == PROVED


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_each_module_describes_its_model(path: Path) -> None:
    assert "\nModel: " in (load_module(path).__doc__ or "")


@pytest.mark.parametrize(
    ("theorem", "outcome"),
    [
        (Theorem(X > 0, X > 1, {"c": Statement(X > 0, X > 2)}), "refuted by [x = 1]"),
        (Theorem(X > 0, And(X >= 1, X > 1), {}), "refuted by [x = 1]"),
        (Theorem(And(X > 0, X < 0), X > 5, {}), "no values are known to meet the hypotheses: no"),
        (Theorem(X > 0, X >= 1, {}), "there is no control: add a false variant"),
        (
            Theorem(X > 0, X >= 1, {"c": Statement(X > 1, X >= 1)}),
            "controls are not refuted: ['c']",
        ),
        (Theorem(X > 0, X >= 1, {"c": Statement(X > 0, X > 1)}), PROVED),
    ],
)
def test_a_faulty_theorem_is_refuted(theorem: Theorem, outcome: str) -> None:
    assert theorem.outcome() == outcome


def test_an_undecided_theorem_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evidence.theorem.MILLISECONDS", 1)
    x, y, z = Int("x"), Int("y"), Int("z")
    fermat = Theorem(And(x > 1, y > 1, z > 1), x * x * x + y * y * y != z * z * z, {})
    assert fermat.outcome() == "refuted by unknown"


def test_proving_no_theorem_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_module"]) == 1
    assert capsys.readouterr().out == "0 of 0 theorems proved\n"


def test_the_command_prints_the_proved_theorems(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ring"]) == 0
    assert "ring.moves_cost_at_most_what_calls_have_saved: proved, 2 con" in capsys.readouterr().out


def arities() -> Iterator[tuple[int, int, bool]]:
    for mu in range(2, 9):
        for arity in range(1, 3 * mu):
            yield mu, arity, False
            yield mu, arity, True


@pytest.mark.parametrize(("mu", "arity", "is_root"), list(arities()))
def test_the_coins_of_the_model_are_those_of_the_code(mu: int, arity: int, is_root: bool) -> None:  # noqa: FBT001 - a case
    formula = ledger.coins(IntVal(arity), TRUE if is_root else FALSE)
    value = simplify(substitute(formula, (ledger.MU, IntVal(mu))))
    assert str(value) == str(reserve(arity, mu, is_root=is_root))


@pytest.mark.parametrize("half", [1 << level for level in range(10)])
def test_the_work_of_the_model_is_that_of_the_code(half: int) -> None:
    assert touched_nodes(1, 1) == 0
    for writes in range(1, 2 * half + 1):
        inner = touched_nodes(half, min(writes, half))
        assert touched_nodes(2 * half, writes) == min(writes, half) + inner
