"""The killers of mutants: small scopes of the verifications, quick enough for CI.

Each killer returns if it notices no fault, and raises if it does. A name may have an argument after
a colon: the structure, the operators, the tests or the lemmas to check.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from evidence.checks import ROOT

if TYPE_CHECKING:
    from exhaustive.traces.walk import TraceScope

TWO_TIMES = 2
"""A scope of so few times is small at any length."""


def states(name: str) -> object:
    """Explore a small scope of a structure."""
    from exhaustive.states import structures  # noqa: PLC0415 each killer loads only what it needs
    from exhaustive.states.amortized_cost import AuditedFiba  # noqa: PLC0415 as above
    from exhaustive.states.exploration import Exploration  # noqa: PLC0415 as above
    from exhaustive.states.rings import BlottedFifoRing  # noqa: PLC0415 as above
    from muntin.optimized.btree.btree import BTree  # noqa: PLC0415 as above
    from muntin.optimized.btree.fiba import Fiba  # noqa: PLC0415 as above

    scopes = {
        "fiba": lambda: structures.tree_scope(Fiba, 2, 9, 6),
        "fiba, large": lambda: structures.tree_scope(Fiba, 2, 14, 0),
        "btree": lambda: structures.tree_scope(BTree, 2, 8, 5),
        "coins": lambda: structures.tree_scope(AuditedFiba, 2, 11, 0),
        "ring": lambda: structures.ring_scope(2, 5, 8),
        "fifo ring": lambda: structures.ring_scope(2, 6, 8, BlottedFifoRing),
        "b-int": lambda: structures.b_int_scope(8, 16),
        "flatfat": lambda: structures.registry_scope("flatfat", 8, 8),
    }
    scope = scopes[name]() if name in scopes else structures.registry_scope(name, 8)
    return Exploration(scope).run()


def finger(_: str) -> object:
    """Explore small finger B+-trees, and one higher tree, of words and of bags."""
    from exhaustive.states import finger as explorations  # noqa: PLC0415 each killer loads only what it needs

    return [
        exploration
        for commutative in (False, True)
        for exploration in (
            explorations.RepairExploration(
                explorations.finger_scope(2, commutative=commutative)
            ).run(),
            explorations.TwoCallExploration(
                explorations.finger_scope(7, commutative=commutative)
            ).run_from(range(5)),
        )
    ]


def short_scope(scope: "TraceScope") -> "TraceScope":
    """The part of a scope that is explored for a mutant."""
    if scope.times == TWO_TIMES:
        return scope
    return replace(scope, times=min(3, scope.times), length=min(4, scope.length))


def traces(argument: str) -> object:
    """Run operators, named with commas, on small scopes of at most four actions each.

    If a scope is named, as in `scotty-lazy in keys`, only that scope is explored.
    """
    from exhaustive.traces import operators  # noqa: PLC0415 each killer loads only what it needs
    from exhaustive.traces.walk import TraceWalk  # noqa: PLC0415 as above

    names, _, place = argument.partition(" in ")
    requested, walked = set(names.split(",")), set[str]()
    entries = [entry for entry in operators.IMPLEMENTATIONS if entry.name in requested]
    for case in [operators.SCOPES[place]] if place else operators.SCOPES.values():
        walk = TraceWalk(short_scope(case.scope), entries)
        if walk.names:
            walk.run()
        walked |= set(walk.names)
    assert walked == requested, f"{requested - walked} support no scope"
    return walked


def vectors(name: str) -> object:
    """Replay the transcripts that were worked out by hand on an operator."""
    from muntin.cli.commands.replay_run import runs  # noqa: PLC0415 each killer loads only what it needs
    from muntin.conformance.transcript.model import OperatorTranscript, parse  # noqa: PLC0415 as above

    replayed = list[str]()
    for file in sorted((ROOT / "tests" / "vectors").glob("*/*.json")):
        transcript = parse(file.read_bytes())
        if isinstance(transcript, OperatorTranscript):
            for run in runs(transcript, name, lambda: None):
                assert run.outcome != "error", run.why
                assert run.outcome != "done" or not run.differences(transcript), file.stem
                assert not run.disorder, (file.stem, run.disorder)
                replayed += [file.stem] if run.outcome == "done" else []
    assert replayed, f"{name} supports no transcript"
    return replayed


def steps(_: str) -> object:
    """Make every step of rebalancing for the two smallest arities."""
    from exhaustive.states import rebalance_steps  # noqa: PLC0415 each killer loads only what it needs

    checks = (
        rebalance_steps.check_splits,
        rebalance_steps.check_merges,
        rebalance_steps.check_moves,
    )
    return [check(mu, 3) for mu in (2, 3) for check in checks]


def laws(_: str) -> object:
    """Check every law that a monoid of the catalogue declares."""
    from muntin.spec.algebra.catalogue import named  # noqa: PLC0415 each killer loads only what it needs
    from muntin.spec.algebra.laws import counterexamples  # noqa: PLC0415 as above

    names = ("sum", "count", "min", "max", "mean", "geomean", "median", "first", "last", "range")
    for name in names:
        refutations = list(counterexamples(named(name), (1, 2, 3)))
        assert not refutations, refutations[0]
    return names


def tests(paths: str) -> object:
    """Run tests of the suite, named with commas."""
    import pytest  # noqa: PLC0415 each killer loads only what it needs

    files = [str(ROOT / path) for path in paths.split(",")]
    code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *files])
    assert code != pytest.ExitCode.TESTS_FAILED, paths
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise ImportError(f"{paths} could not be run: {code}")
    return paths


def lemmas(module: str) -> object:
    """Confirm the lemmas of a module."""
    import subprocess  # noqa: PLC0415 each killer loads only what it needs
    import sys  # noqa: PLC0415 as above

    command = [sys.executable, str(ROOT / "proofs" / "confirm.py"), module]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 our own words
    return module


KILLERS: dict[str, Callable[[str], object]] = {
    "states": states,
    "finger": finger,
    "traces": traces,
    "steps": steps,
    "laws": laws,
    "tests": tests,
    "uncompiled": tests,
    "vectors": vectors,
    "lemmas": lemmas,
}


def run(killers: str) -> None:
    """Run killers by their names, separated by semicolons."""
    for killer in killers.split(";"):
        kind, _, argument = killer.partition(":")
        KILLERS[kind](argument)
