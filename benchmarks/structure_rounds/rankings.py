"""The rankings that the papers report, each with that of this run."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log2

from structure_rounds.break_even import CASES
from structure_rounds.results import CLASSIC, FINGERS, OPERATORS, StructureResults

FIFO = ("two-stacks", "two-stacks-lite", "daba", "daba-lite")


@dataclass(frozen=True)
class Ranking:
    """The report of a paper, the result of this run, and whether the ranking is the same."""

    topic: str
    paper: str
    measured: str
    same: bool
    why: str


def _in_order(results: StructureResults) -> Iterator[Ranking]:
    for operator in OPERATORS:
        size = results.widest(operator)
        cost = {name: results.ns(operator, name, size, 0) for name in ("two-stacks", "daba")}
        finger = results.best(operator, FINGERS, size, 0)
        fiba = results.ns(operator, finger, size, 0)
        printed = {"sum": 0.3, "geomean": 0.3, "bloom": 0.6}[operator]
        off = 1 - cost["daba"] / fiba
        yield Ranking(
            f"throughput in order, {operator}, n = 2^{log2(size):.0f}",
            "Two-Stacks, then DABA, then the best FiBA, "
            f"{'about' if operator == 'bloom' else 'at most'} {printed:.0%} off DABA "
            "(002, Figure 13)",
            f"Two-Stacks {cost['two-stacks']:.0f} ns, DABA {cost['daba']:.0f} ns, {finger} "
            f"{fiba:.0f} ns: {off:.0%} off DABA",
            cost["two-stacks"] < cost["daba"] < fiba and off <= printed + 0.05,
            "the order is that of the paper, the distance is not: walking, splitting and repairing "
            "nodes is interpreted here, step by step, while a queue is a deque of C",
        )


def _fastest(results: StructureResults) -> Iterator[Ranking]:
    size = results.widest("sum")
    order = sorted(FIFO, key=lambda name: results.ns("sum", name, size, 0))
    yield Ranking(
        "the Lite variants, in order, sum",
        "not in these papers",
        ", ".join(f"{name} {results.ns('sum', name, size, 0):.0f} ns" for name in order),
        same=True,
        why="",
    )


def _arity(results: StructureResults) -> Iterator[Ranking]:
    for operator, expected in (("sum", "the larger"), ("bloom", "the smaller")):
        size = results.widest(operator)
        costs = [results.ns(operator, name, size, 0) for name in FINGERS]
        rising = costs == sorted(costs)
        falling = costs == sorted(costs, reverse=True)
        yield Ranking(
            f"min-arity of FiBA, in order, {operator}",
            f"{expected} the better (002, Figure 11)",
            ", ".join(f"{n} {c:.0f} ns" for n, c in zip(FINGERS, costs, strict=True)),
            falling if operator == "sum" else rising,
            "a combine of 2 KB costs less than visiting a node: no operator is expensive enough; "
            "on counted combines, "
            + ", ".join(f"{n} {results.combines_by_distance(n)[0]:.1f}" for n in FINGERS),
        )


def _gain(results: StructureResults) -> Iterator[Ranking]:
    gains: dict[str, float] = {}
    pairs = dict(zip(FINGERS, CLASSIC, strict=True))
    for operator in OPERATORS:
        size = results.widest(operator)
        best = results.best(operator, FINGERS, size, 0)
        classic = results.ns(operator, pairs[best], size, 0)
        gains[operator] = classic / results.ns(operator, best, size, 0)
    counted = [
        results.combines_by_distance(classic)[0] / results.combines_by_distance(finger)[0]
        for finger, classic in pairs.items()
    ]
    yield Ranking(
        "gain of the best FiBA over its classic tree, d = 0",
        "bloom 4.9, sum 3.4, geomean 2.5 times (002, Figure 11, n = 2^22)",
        ", ".join(f"{operator} {gain:.1f}" for operator, gain in gains.items())
        + f" times (n = 2^{log2(results.widest('sum')):.0f}, bloom "
        f"2^{log2(results.widest('bloom')):.0f})",
        gains["bloom"] > gains["sum"] > gains["geomean"],
        "the calls of Python take most of the time, whatever the operator; on counted combines, "
        + ", ".join(f"{n} {gain:.1f}" for n, gain in zip(FINGERS, counted, strict=True)),
    )


def _reactive(results: StructureResults) -> Iterator[Ranking]:
    size = results.widest("bloom")
    names = ("reactive", *CLASSIC, *FINGERS)
    order = sorted(names, key=lambda name: results.ns("bloom", name, size, 0))
    counted = {name: results.combines_by_size(name) for name in names}
    largest = max(counted["reactive"])
    yield Ranking(
        f"the Reactive Aggregator, in order, bloom, n = 2^{log2(size):.0f}",
        "outperforms all B-tree based structures (002, section 5.1.3)",
        ", ".join(f"{name} {results.ns('bloom', name, size, 0) / 1000:.1f} µs" for name in order),
        order[0] == "reactive",
        f"it does more combines than a finger tree: {counted['reactive'][largest]:.0f} a round at "
        f"n = 2^{log2(largest):.0f}, where fiba2 does {counted['fiba2'][largest]:.0f} and btree2 "
        f"{counted['btree2'][largest]:.0f}; it evicts and inserts in two updates of the tree",
    )


def _even(results: StructureResults) -> Iterator[Ranking]:
    printed = {case.name: case.printed[0] for case in CASES if case.printed}
    for name in ("Collect", "ArithmeticMean", "SampleStdDev"):
        once = results.even(name).once
        yield Ranking(
            f"break-even of {name}",
            f"{_window(printed[name])} (001, Table 3)",
            _window(once),
            (once == inf) == (printed[name] == inf) and once <= 2 * printed[name],
            "a tuple is joined by copying in C, whole levels at a time"
            if name == "Collect"
            else "an item costs only "
            f"{results.even(name).per_item / results.even('Sum').per_item:.1f} times what it costs "
            "with Sum: the call of a function costs more than what it computes",
        )
    for name in ("Sum", "Max"):
        built_in = results.even(f"{name} by the built-in {name.lower()}")
        lite = results.even(built_in.aggregate, "two-stacks-lite")
        yield Ranking(
            f"break-even of {name} with the built-in {name.lower()}",
            f"{_window(printed[name])}, re-evaluation being compiled as well (001, Table 3)",
            f"reactive {_window(built_in.once)}, two-stacks-lite {_window(lite.once)}",
            built_in.once <= 2 * printed[name],
            "the built-in folds in C, the structure one interpreted step at a time",
        )


def _window(size: float) -> str:
    return "never" if size == inf else f"at {size:.0f}"


def rankings(results: StructureResults) -> list[Ranking]:
    """All rankings."""
    parts = (_in_order, _fastest, _arity, _gain, _reactive, _even)
    return [ranking for part in parts for ranking in part(results)]
