"""Theorems for Z3: a statement without bounds about a model, and controls that must fail.

A theorem that holds because its hypotheses contradict each other, or because the model cannot
distinguish right from wrong, means nothing. So each must have an instance, and controls: false
variants, often what a paper prints or what is easily written by mistake; Z3 must refute them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from z3 import And, BoolRef, Not, Solver, is_and, sat, unsat

MILLISECONDS = 60_000
"""The limit of one query to Z3."""
PROVED = "proved"
NONE = {"no", "unknown"}


class Statement(NamedTuple):
    """The hypotheses (`given`) imply the conclusion (`then`)."""

    given: BoolRef
    then: BoolRef

    def counterexample(self) -> str:
        """A counterexample to some part of the conclusion; `no` if there is none; or `unknown`."""
        parts = self.then.children() if is_and(self.then) else [self.then]
        results = {instance(And(self.given, Not(part))) for part in parts}
        counterexamples = results - NONE
        if counterexamples:
            return max(counterexamples)
        return "unknown" if "unknown" in results else "no"


class Theorem(NamedTuple):
    """A statement, and its false variants by what is wrong with them."""

    given: BoolRef
    then: BoolRef
    controls: Mapping[str, Statement]

    def outcome(self) -> str:
        """`proved`, or the reason why not."""
        if (result := Statement(self.given, self.then).counterexample()) != "no":
            return f"refuted by {result}"
        if (result := instance(self.given)) in NONE:
            return f"no values are known to meet the hypotheses: {result}"
        if not self.controls:
            return "there is no control: add a false variant"
        results = {name: control.counterexample() for name, control in self.controls.items()}
        standing = [name for name, result in results.items() if result in NONE]
        return f"controls are not refuted: {standing}" if standing else PROVED


def instance(formula: BoolRef) -> str:
    """An instance of a formula, `no` if there is none, or `unknown`."""
    solver = Solver()
    solver.set("timeout", MILLISECONDS)
    solver.add(formula)
    answer = solver.check()
    if answer == unsat:
        return "no"
    return str(solver.model()) if answer == sat else "unknown"
