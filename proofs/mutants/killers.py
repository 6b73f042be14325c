"""What has to notice a mutant: small scopes of the verifications, quick enough for CI.

Each killer returns if all is well and raises if it is not. A name may have an argument after a
colon: which structure's states, which operator's traces, which tests, which lemmas.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from evidence.checks import ROOT

if TYPE_CHECKING:
    from exhaustive.traces.walk import TraceScope

TWO_TIMES = 2
"""A scope of no more times is small however long it is."""


def states(name: str) -> object:
    """Explore a small scope of a structure."""
    from exhaustive.states import structures as of  # noqa: PLC0415 each killer loads what it needs alone
    from exhaustive.states.amortized_cost import AuditedFiba  # noqa: PLC0415 as above
    from exhaustive.states.exploration import Exploration  # noqa: PLC0415 as above
    from exhaustive.states.rings import BlottedFifoRing  # noqa: PLC0415 as above
    from muntin.optimized.btree.btree import BTree  # noqa: PLC0415 as above
    from muntin.optimized.btree.fiba import Fiba  # noqa: PLC0415 as above

    scopes = {
        "fiba": lambda: of.tree_scope(Fiba, 2, 9, 6),
        "fiba, large": lambda: of.tree_scope(Fiba, 2, 14, 0),
        "btree": lambda: of.tree_scope(BTree, 2, 8, 5),
        "coins": lambda: of.tree_scope(AuditedFiba, 2, 11, 0),
        "ring": lambda: of.ring_scope(2, 5, 8),
        "fifo ring": lambda: of.ring_scope(2, 6, 8, BlottedFifoRing),
        "b-int": lambda: of.b_int_scope(8, 16),
        "flatfat": lambda: of.registry_scope("flatfat", 8, 8),
    }
    scope = scopes[name]() if name in scopes else of.registry_scope(name, 8)
    return Exploration(scope).run()


def finger(_: str) -> object:
    """Explore small finger B+-trees, and one that is higher."""
    from exhaustive.states import finger as of  # noqa: PLC0415 each killer loads what it needs alone

    return of.RepairExploration(of.finger_scope(2)).run(), of.TwoCallExploration(
        of.finger_scope(7)
    ).run_from(range(5))


def short_scope(scope: "TraceScope") -> "TraceScope":
    """The part of a scope that is walked for a mutant."""
    if scope.times == TWO_TIMES:
        return scope
    return replace(scope, times=min(3, scope.times), length=min(4, scope.length))


def traces(argument: str) -> object:
    """Walk operators, named with commas, through small scopes of at most four actions each.

    If a scope is named, as in `scotty-lazy in keys`, it is the only one.
    """
    from exhaustive.traces import operators as of  # noqa: PLC0415 each killer loads what it needs alone
    from exhaustive.traces.walk import TraceWalk  # noqa: PLC0415 as above

    names, _, place = argument.partition(" in ")
    asked, walked = set(names.split(",")), set[str]()
    entries = [entry for entry in of.IMPLEMENTATIONS if entry.name in asked]
    for one in [of.SCOPES[place]] if place else of.SCOPES.values():
        walk = TraceWalk(short_scope(one.scope), entries)
        if walk.names:
            walk.run()
        walked |= set(walk.names)
    assert walked == asked, f"{asked - walked} have taken no trace"
    return walked


def vectors(name: str) -> object:
    """Replay the transcripts that were worked out by hand on an operator."""
    from muntin.cli.commands.replay_run import runs  # noqa: PLC0415 each killer loads what it needs alone
    from muntin.conformance.transcript.model import OperatorTranscript, parse  # noqa: PLC0415 as above

    done = list[str]()
    for file in sorted((ROOT / "tests" / "vectors").glob("*/*.json")):
        transcript = parse(file.read_bytes())
        if isinstance(transcript, OperatorTranscript):
            for run in runs(transcript, name, lambda: None):
                assert run.outcome != "error", run.why
                assert run.outcome != "done" or not run.differences(transcript), file.stem
                done += [file.stem] if run.outcome == "done" else []
    assert done, f"{name} takes no transcript"
    return done


def steps(_: str) -> object:
    """Make every step of rebalancing for the two smallest arities."""
    from exhaustive.states import rebalance_steps as of  # noqa: PLC0415 each killer loads what it needs alone

    return [
        step(mu, 3) for mu in (2, 3) for step in (of.check_splits, of.check_merges, of.check_moves)
    ]


def laws(_: str) -> object:
    """Check every law that a monoid of the catalogue declares."""
    from muntin.spec.algebra.catalogue import named  # noqa: PLC0415 each killer loads what it needs alone
    from muntin.spec.algebra.laws import counterexamples  # noqa: PLC0415 as above

    names = ("sum", "count", "min", "max", "mean", "geomean", "median", "first", "last", "range")
    for name in names:
        found = list(counterexamples(named(name), (1, 2, 3)))
        assert not found, found[0]
    return names


def tests(paths: str) -> object:
    """Run tests of the suite, named with commas."""
    import pytest  # noqa: PLC0415 each killer loads what it needs alone

    files = [str(ROOT / path) for path in paths.split(",")]
    code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *files])
    assert code != pytest.ExitCode.TESTS_FAILED, paths
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise ImportError(f"{paths} could not be run: {code}")
    return paths


def lemmas(module: str) -> object:
    """Confirm the lemmas of a module."""
    import subprocess  # noqa: PLC0415 each killer loads what it needs alone
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
    """Run killers by their names, which semicolons part."""
    for killer in killers.split(";"):
        kind, _, argument = killer.partition(":")
        KILLERS[kind](argument)
