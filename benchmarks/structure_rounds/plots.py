"""The plots."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from math import inf, log2
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from rounds.charts import WIDTH, Lines, name_lines, panels, style, write
from structure_rounds.break_even import CASES, CHALLENGERS
from structure_rounds.results import CLASSIC, FINGERS, OPERATORS, StructureResults

COLOURS = {
    "recompute": "#000000",
    "sorted-refold": "#777777",
    "flatfat": "#a6761d",
    "reactive": "#e69f00",
    "b-int": "#b8860b",
    "btree2": "#56b4e9",
    "btree4": "#0072b2",
    "btree8": "#003f66",
    "fiba2": "#e377c2",
    "fiba4": "#cc3399",
    "fiba8": "#7a0055",
    "two-stacks": "#66a61e",
    "two-stacks-lite": "#009e73",
    "daba": "#e07050",
    "daba-lite": "#b30000",
    "subtract-on-evict": "#555555",
    "kernels": "#0044cc",
    "kernels, argmax": "#6688dd",
    "kernels, m4": "#88aaee",
}
BY_WINDOW = (
    "recompute", "sorted-refold", "flatfat", "reactive", "b-int", "btree4", "fiba4",
    "two-stacks-lite", "daba-lite",
)  # fmt: skip
FIFO = (
    "reactive", "b-int", *CLASSIC, *FINGERS, "two-stacks", "two-stacks-lite", "daba", "daba-lite",
    "subtract-on-evict",
)  # fmt: skip
US, MS = 1e3, 1e6


def _power(value: float, _: float) -> str:
    return "0" if value < 1 else f"$2^{{{log2(value):.0f}}}$"


def time_label(value: float, _: float) -> str:
    """A time in nanoseconds as the label of a tick."""
    if not value:
        return "0"
    return f"{value / MS:g} ms" if value >= MS else f"{value / US:g} µs"


def _plain(value: float, _: float) -> str:
    return f"{value:g}"


def panel(axes: Axes, title: str, lines: Lines, *, straight: bool = False) -> None:
    """Draw lines over powers of two, each with its name at its end."""
    axes.set_xscale("symlog", base=2, linthresh=1)
    for name, line in lines.items():
        dash, colour = "--" if name in CLASSIC else "-", COLOURS[name]
        axes.plot(list(line), list(line.values()), dash, color=colour, lw=2, marker="o", ms=4)
    if straight:
        axes.set_ylim(bottom=0)
    else:
        axes.set_yscale("log")
    points = sorted({point for line in lines.values() for point in line})
    axes.set_xticks([point for point in points if not point or log2(point) % 4 == 0])
    axes.xaxis.set_major_formatter(FuncFormatter(_power))
    if not straight:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if _is_narrow(axes) else (1,)))
    axes.minorticks_off()
    axes.set_title(title, loc="left", fontsize=14)
    farthest = max(max(line) for line in lines.values())
    name_lines(axes, lines, COLOURS, farthest * 2.5, straight=straight)


def _is_narrow(axes: Axes) -> bool:
    low, high = axes.get_ylim()
    return high < 1000 * low


def _in_order(results: StructureResults, names: tuple[str, ...]) -> Figure:
    figure, drawn = panels(len(OPERATORS))
    for axes, operator in zip(drawn, OPERATORS, strict=True):
        lines = {name: results.by_size(operator, name) for name in names}
        measured = {name: line for name, line in lines.items() if line}
        panel(axes, f"{operator}: time a round, in order", measured)
        axes.set_xlabel("window n")
        axes.yaxis.set_major_formatter(FuncFormatter(time_label))
    return figure


def by_distance(results: StructureResults) -> Figure:
    """Cost against the out-of-order distance, as Figure 11, and the combines behind it."""
    figure, drawn = panels(len(OPERATORS) + 1)
    for axes, operator in zip(drawn, OPERATORS, strict=False):
        lines = {name: results.by_distance(operator, name) for name in (*FINGERS, *CLASSIC)}
        size = log2(results.widest(operator))
        panel(axes, f"{operator}: time a round, $n = 2^{{{size:.0f}}}$", lines, straight=True)
        axes.set_xlabel("out-of-order distance d")
        axes.yaxis.set_major_formatter(FuncFormatter(time_label))
    counted = {name: results.combines_by_distance(name) for name in (*FINGERS, *CLASSIC)}
    size = log2(results.widest("sum"))
    panel(drawn[-1], f"combines a round, $n = 2^{{{size:.0f}}}$", counted, straight=True)
    drawn[-1].set_xlabel("out-of-order distance d")
    drawn[-1].yaxis.set_major_formatter(FuncFormatter(_plain))
    return figure


def break_even(results: StructureResults) -> Figure:
    """Break-even points, with those of Table 3."""
    figure = Figure(figsize=(WIDTH, 0.55 * len(CASES) + 1.8), layout="constrained")
    axes = figure.add_subplot(1, 1, 1)
    for row, case in enumerate(reversed(CASES)):
        for challenger in CHALLENGERS:
            once = results.even(case.name, challenger).once
            if once < inf:
                axes.plot([once], [row], "o", ms=8, color=COLOURS[challenger])
            elif challenger == CHALLENGERS[0]:
                axes.annotate("never", (1.01, row), xycoords=("axes fraction", "data"), va="center")
        if case.printed and case.printed[0] < inf:
            axes.plot([case.printed[0]], [row], "D", ms=8, mfc="none", mec="#000000")
    for name in CHALLENGERS:
        axes.plot([], [], "o", color=COLOURS[name], label=name)
    axes.plot([], [], "D", mfc="none", mec="#000000", label="Table 3")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.set_yticks(range(len(CASES)), [case.name for case in reversed(CASES)], fontsize=11)
    axes.set_xlabel("window from which on it beats re-evaluation")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def save(results: StructureResults, folder: Path) -> list[str]:
    """Write each plot as SVG and PNG, and return their names."""
    with style():
        figures = {
            "structures-by-window": _in_order(results, BY_WINDOW),
            "structures-fifo": _in_order(results, FIFO),
            "structures-by-distance": by_distance(results),
            "structures-break-even": break_even(results),
        }
        return write(figures, folder)
