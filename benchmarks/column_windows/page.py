"""The page and the plot: every number in them is from the run that wrote them."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator, Sequence
from pathlib import Path

from column_windows.claims import share
from column_windows.measure import ColumnPlan, ColumnRow, Machine
from rounds.charts import panels, style, write
from rounds.report import Claim, claim_table, head, plot, table

INTRODUCTION = """\
`ColumnarOperator` over streams of two events a millisecond: a time and a value of 64 bits each,
and windows of 1 to 20 seconds, spread evenly, and their sums, unless the row says otherwise. A
late event arrives up to two seconds after its time; the same lateness is allowed. A step is a
batch of 100 000 events, unless the row says otherwise, and a watermark two seconds behind the
latest event. Rates are of CPU time on one core, after the first batch, the best of {turns} turns
in the same process. The results are columns for each step, not yet sorted by query. Each operator
is first checked: the windows of each query must have the sum of all values. Compare ratios; the
rates are this machine's.
"""


def tables(rows: Sequence[ColumnRow], machine: Machine) -> Iterator[str]:
    """Yield the rates."""
    lines = [
        [row.load.name, f"{row.rate:.1f}", f"{1000 / row.rate:.1f}", f"{row.load.batch}"]
        for row in rows
    ]
    lines.append(["two columns, read and added up", f"{machine.reading:.1f}", "", ""])
    yield from table(["", "M events/s", "ns an event", "batch"], lines, 1)


def page(
    rows: Sequence[ColumnRow], machine: Machine, claims: Sequence[Claim], plan: ColumnPlan
) -> str:
    """The page as text."""
    lines = [
        *head("Windows over columns: benchmark", "columns.py"),
        INTRODUCTION.format(turns=plan.turns),
        *plot("columns", "Throughput of the operator over columns"),
        *claim_table(claims),
        *("## The limit", "", share(rows, machine), ""),
        *("## Rates", ""),
        *tables(rows, machine),
    ]
    return "\n".join(lines).rstrip() + "\n"


def save(rows: Sequence[ColumnRow], machine: Machine, folder: Path) -> list[str]:
    """Draw the rates below each other, with the limit of memory."""
    with style():
        figure, (axes,) = panels(1)
        names = [row.load.name for row in rows][::-1]
        axes.barh(names, [row.rate for row in rows][::-1], color="#0044cc")
        axes.axvline(machine.reading, color="#cc3399")
        axes.annotate("read and added up", (machine.reading, -0.4), color="#cc3399", ha="right")
        axes.set_xscale("log")
        axes.set_xlabel("million events a second")
        axes.grid(visible=False, axis="y")
        return write({"columns": figure}, folder)
