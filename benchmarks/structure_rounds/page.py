"""The page in docs/: every number in it is from the run that wrote it."""

from collections.abc import Iterator
from math import inf, log2

from rounds.report import Claim, claim_table, head, plot, table
from structure_rounds.break_even import CASES, CHALLENGERS, FARTHEST
from structure_rounds.implementations import BASELINE
from structure_rounds.measure import StructurePlan
from structure_rounds.rankings import rankings
from structure_rounds.results import OPERATORS, StructureResults

INTRODUCTION = """\
A round evicts the oldest item, inserts one at out-of-order distance d, and queries. Rounds run in
one process, and implementations take turns; of each the best of {turns} turns of
about {turn:.0f} ms counts after a warm-up turn, or of 2 turns if one takes more than
{long:.1f} s. Cost that comes in waves (Two-Stacks, DABA) is measured over whole windows. Time is
CPU time of the process, with the garbage collector off; the time of the loop itself is included.
*Cold* is the first round after the window was filled. An implementation whose round takes more than
{longest:.0f} ms gets no larger window. Every answer is compared with the fold of the window, so a
wrong implementation fails the run.

`recompute` and all others are the entries of the registry; `fiba4` and `btree4` are its `fiba`
and `btree`, which are measured with other minimum arities too; `sorted-refold` folds a
`SortedDict` of sortedcontainers. FIFO structures are measured with the queue of times that the
registry gives them. `spec` is the definition itself. `flatfat` moves all newer items by a leaf
when one is evicted.

The operators are those of [Tangwongsan19], section 5.1: `sum`; `geomean`, a count and a sum of
logarithms; `bloom`, the union of bitsets of 2^14 bits, for windows up to 2^{bloom:.0f} (memory).
The time tends to the counted combines as the operator gets more expensive. Compare ratios; the
nanoseconds are this machine's.
"""


def _number(ns: float) -> str:
    return "" if ns == inf else f"{ns:,.0f}".replace(",", " ")


def _size(size: int) -> str:
    return f"2^{log2(size):.0f}" if size else "0"


def by_window(results: StructureResults, operator: str) -> Iterator[str]:
    """Yield the costs in order, for each window."""
    sizes = results.sizes(operator)
    largest = {row.implementation: row for row in results.rows if row.operator == operator}
    names = sorted(largest, key=lambda name: (-largest[name].size, _last(results, operator, name)))
    rows = [
        [name, *(_number(results.ns(operator, name, size, 0)) for size in sizes)] for name in names
    ]
    yield from table(["ns a round", *map(_size, sizes)], rows, 1)


def _last(results: StructureResults, operator: str, name: str) -> float:
    return results.by_size(operator, name).get(results.widest(operator), inf)


def ratios(results: StructureResults, operator: str) -> Iterator[str]:
    """Yield the speed of each relative to re-evaluation, in order."""
    base = results.by_size(operator, BASELINE)
    names = dict.fromkeys(row.implementation for row in results.rows if row.operator == operator)
    rows = [
        [name, *(f"{base[n] / line[n]:.3g}" if n in line else "" for n in base)]
        for name in names
        if (line := results.by_size(operator, name))
    ]
    yield from table([f"times as fast as {BASELINE}", *map(_size, base)], rows, 1)


def by_distance(results: StructureResults, operator: str) -> Iterator[str]:
    """Yield the costs in the largest window, for each distance."""
    names = dict.fromkeys(row.implementation for row in results.rows if row.operator == operator)
    lines = {name: results.by_distance(operator, name) for name in names}
    kept = {name: line for name, line in lines.items() if len(line) > 1}
    distances = sorted({d for line in kept.values() for d in line})
    rows = [[name, *(_number(line.get(d, inf)) for d in distances)] for name, line in kept.items()]
    columns = [f"ns a round, n = {_size(results.widest(operator))}", *map(_distance, distances)]
    yield from table(columns, rows, 1)


def _distance(distance: int) -> str:
    return f"d = {_size(distance)}"


def cold(results: StructureResults) -> Iterator[str]:
    """Yield the first round and the best, in order, in the largest window."""
    rows = [
        [row.implementation, _number(row.cold_ns), _number(row.ns)]
        for row in results.rows
        if (row.operator, row.size, row.distance) == ("sum", results.widest("sum"), 0)
    ]
    yield from table(["sum, d = 0, largest window", "cold, ns", "warm, ns"], rows, 1)


def counted(results: StructureResults) -> Iterator[str]:
    """Yield combines and visits a round."""
    wide = max((count.size for count in results.counts if count.distance), default=0)
    distances = sorted({count.distance for count in results.counts})
    sizes = sorted({count.size for count in results.counts if not count.distance})
    names = dict.fromkeys(count.implementation for count in results.counts)
    rows = [
        [name, *(f"{line[n]:.1f}" if n in line else "" for n in sizes)]
        for name in names
        if (line := results.combines_by_size(name))
    ]
    yield from table(["combines a round, in order", *map(_size, sizes)], rows, 1)
    lines = {name: results.combines_by_distance(name) for name in names}
    rows = [
        [name, *(f"{line[d]:.1f}" if d in line else "" for d in distances)]
        for name, line in lines.items()
        if len(line) > 1
    ]
    columns = [f"combines a round, n = {_size(wide)}", *map(_distance, distances)]
    yield from table(columns, rows, 1)


def _even(window: float) -> str:
    return "never" if window == inf else f"{window:.0f}"


def break_even(results: StructureResults) -> Iterator[str]:
    """Yield Table 3 with our measurements."""
    rows = [
        [
            case.name,
            *(_even(point) for point in case.printed or ()),
            *([""] * (0 if case.printed else 2)),
            _even(results.even(case.name).ten_times),
            *(_even(results.even(case.name, name).once) for name in CHALLENGERS),
        ]
        for case in CASES
    ]
    columns = ["faster than re-evaluation from", "Table 3", "Table 3, 10x", "reactive, 10x"]
    yield from table([*columns, *CHALLENGERS], rows, 1)
    yield from (f"Never: not up to a window of {_size(FARTHEST)}.", "")


def _sections(results: StructureResults, decided: list[Claim]) -> Iterator[str]:
    yield from claim_table(decided)
    yield from ("## Where Python changes a ranking of the papers", "")
    changed = [r for r in rankings(results) if not r.same]
    rows = [[r.topic, r.paper, r.measured, r.why] for r in changed]
    yield from table(["", "the paper", "here", "why"], rows)
    yield from ("Where it does not:", "")
    rows = [[r.topic, r.paper, r.measured] for r in rankings(results) if r.same]
    yield from table(["", "the paper", "here"], rows)
    yield from ("## In order", "")
    yield from plot("structures-by-window", "Time a round against the window, in order")
    yield from plot("structures-fifo", "Time a round against the window, structures only")
    for operator in OPERATORS:
        yield from (f"### {operator}", "")
        yield from by_window(results, operator)
        yield from ratios(results, operator)
    yield from cold(results)
    yield from ("## Out of order", "")
    yield from plot("structures-by-distance", "Time and combines against the distance")
    for operator in OPERATORS:
        yield from (f"### {operator}, by distance", "")
        yield from by_distance(results, operator)
    yield from ("## Counted combines", "")
    yield from counted(results)
    yield from ("## Break-even with re-evaluation", "")
    yield from plot("structures-break-even", "Break-even windows beside Table 3")
    yield from break_even(results)
    yield from ("## Where implementations stopped", "")
    rows = [[s.implementation, s.operator, _size(s.size), s.reason] for s in results.stops]
    yield from table(["implementation", "operator", "largest window", "because"], rows)


def page(results: StructureResults, decided: list[Claim], plan: StructurePlan) -> str:
    """The page as text."""
    introduction = INTRODUCTION.format(
        turns=plan.turns,
        turn=plan.turn / 1e6,
        long=plan.long_turn / 1e9,
        longest=plan.longest_round / 1e6,
        bloom=log2(results.widest("bloom")),
    )
    lines = [*head("Structures: benchmarks", "structures.py"), introduction]
    return "\n".join([*lines, *_sections(results, decided)]).rstrip() + "\n"
