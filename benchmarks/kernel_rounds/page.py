"""The page and the plot of the kernels: every number in it is from the run that wrote it."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator
from math import log2
from pathlib import Path

from matplotlib.ticker import FuncFormatter

from kernel_rounds.measure import KERNELS, MAIN, READABLE, KernelPlan, KernelRow
from rounds.charts import panels, style, write
from rounds.report import Claim, claim_table, head, plot, table
from structure_rounds.plots import panel, time_label

INTRODUCTION = """\
A round evicts the oldest item, inserts one at out-of-order distance d, and queries, as in [the
benchmark of structures](benchmarks-structures.md); here a call plays {rounds} rounds over
columns. Lifting the columns into partials and lowering the answers is included. Implementations
take turns in one process, and the best of {turns} turns of each counts; time is CPU time.
`kernels` is the sum of integers, exact, on the finger B+-tree; `{readable}` is the readable FiBA,
call by call. Compilation is measured separately. Every answer is compared with the fold of the
window. Compare ratios; the nanoseconds are this machine's.
"""


def _size(size: int) -> str:
    return f"2^{log2(size):.0f}" if size else "0"


def _nanoseconds(ns: float, _: float) -> str:
    return f"{ns:g} ns"


def tables(rows: list[KernelRow]) -> Iterator[str]:
    """Yield the cost of a round, by window and by distance."""
    names, sizes = [*KERNELS, READABLE], sorted({row.size for row in rows})
    in_order = {(r.implementation, r.size): r.ns for r in rows if not r.distance}
    lines = [[name, *(f"{in_order[name, size]:.1f}" for size in sizes)] for name in names]
    yield from table(["ns a round, d = 0", *map(_size, sizes)], lines, 1)
    far = {(r.implementation, r.distance): r.ns for r in rows if r.size == sizes[-1]}
    distances = sorted({distance for _, distance in far})
    lines = [[name, *(f"{far[name, d]:.1f}" for d in distances)] for name in names]
    titles = [f"ns a round, n = {_size(sizes[-1])}", *(f"d = {_size(d)}" for d in distances)]
    yield from table(titles, lines, 1)


def page(
    rows: list[KernelRow], decided: list[Claim], compiling: dict[str, float], plan: KernelPlan
) -> str:
    """The page as text."""
    introduction = INTRODUCTION.format(rounds=plan.rounds, turns=plan.turns, readable=READABLE)
    seconds = [[name, f"{spent:.1f}"] for name, spent in compiling.items()]
    lines = [
        *head("Benchmark of the kernels", "kernels.py"),
        introduction,
        *plot("kernels", "Cost by window and by distance"),
        *claim_table(decided),
        *tables(rows),
        *table(["insert and rounds, first call", "s, compiled or found on disk"], seconds, 1),
    ]
    return "\n".join(lines).rstrip() + "\n"


def save(rows: list[KernelRow], folder: Path) -> None:
    """Draw the costs."""
    widest = max(row.size for row in rows)
    by_size = {n: {r.size: r.ns for r in rows if r[0] == n and not r.distance} for n in NAMES}
    by_distance = {n: {r.distance: r.ns for r in rows if r[:2] == (n, widest)} for n in NAMES}
    with style():
        figure, (first, second, third) = panels(3)
        panel(first, "time a round, in order", by_size)
        first.set_xlabel("window n")
        panel(second, f"time a round, $n = 2^{{{log2(widest):.0f}}}$", by_distance)
        second.set_xlabel("out-of-order distance d")
        main = {MAIN: by_distance[MAIN]}
        panel(third, f"the same, {MAIN} alone", main, straight=True)
        third.set_xlabel("out-of-order distance d")
        for axes in (first, second, third):
            axes.yaxis.set_major_formatter(FuncFormatter(time_label))
        third.yaxis.set_major_formatter(FuncFormatter(_nanoseconds))
        write({"kernels": figure}, folder)


NAMES = [*KERNELS, READABLE]
