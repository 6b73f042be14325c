"""Theorems for Z3: a statement without bounds about a model, and controls that have to fail.

A theorem that holds because its hypotheses contradict each other, or because the model cannot tell
right from wrong, says nothing. So each has to have an instance, and beside each stand variants
that are false, often what was printed or is easily written by mistake; Z3 has to refute them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from z3 import And, BoolRef, Not, Solver, is_and, sat, unsat

MILLISECONDS = 60_000
"""What one question to Z3 may take."""
PROVED = "proved"
NONE = {"no", "unknown"}


class Statement(NamedTuple):
    """Whatever meets the hypotheses meets the conclusion."""

    given: BoolRef
    then: BoolRef

    def counterexample(self) -> str:
        """Return `no`, or a counterexample, or `unknown`; each part of the conclusion by itself."""
        parts = self.then.children() if is_and(self.then) else [self.then]
        found = {instance(And(self.given, Not(part))) for part in parts}
        return max(found - NONE) if found - NONE else "unknown" if "unknown" in found else "no"


class Theorem(NamedTuple):
    """A statement, and false variants of it by what is wrong with them."""

    given: BoolRef
    then: BoolRef
    controls: Mapping[str, Statement]

    def outcome(self) -> str:
        """Return `proved`, or what is wrong."""
        if (found := Statement(self.given, self.then).counterexample()) != "no":
            return f"refuted by {found}"
        if (found := instance(self.given)) in NONE:
            return f"nothing is known to meet the hypotheses: {found}"
        if not self.controls:
            return "there is no control"
        kept = {name: control.counterexample() for name, control in self.controls.items()}
        wrong = [name for name, found in kept.items() if found in NONE]
        return f"controls are not refuted: {wrong}" if wrong else PROVED


def instance(formula: BoolRef) -> str:
    """An instance of a formula, `no` if there is none, or `unknown`."""
    solver = Solver()
    solver.set("timeout", MILLISECONDS)
    solver.add(formula)
    answer = solver.check()
    if answer == unsat:
        return "no"
    return str(solver.model()) if answer == sat else "unknown"
