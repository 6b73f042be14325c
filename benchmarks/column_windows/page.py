"""The page and the plot: every number in them is from the run that has written them."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator, Sequence
from pathlib import Path

from column_windows.claims import share
from column_windows.measure import Machine, Plan, Row
from rounds.charts import panels, style, write
from rounds.claim import Claim
from rounds.markdown import head, plot, table, verdict_table

INTRODUCTION = """\
`ColumnarOperator` at streams of two events a millisecond: a time and a value of 64 bits each, with
windows of 1 to 20 seconds, spread evenly, and their sums, unless it says otherwise. Late is an
event that comes up to two seconds after its time; as much lateness is allowed. A step is a batch of
100 000 events, unless it says otherwise, and a watermark two seconds behind the latest event. Rates
are of CPU time on one core, after the first batch, the best of {turns} turns, which all take in the
same process. The answers are columns for each step; they are computed, and not yet sorted by query.
Before, each operator is held against the sum of all values, which the windows of each query hold
once. Compare ratios; the rates are this machine's.
"""


def tables(rows: Sequence[Row], machine: Machine) -> Iterator[str]:
    """Yield the rates."""
    lines = [
        [row.load.name, f"{row.rate:.1f}", f"{1000 / row.rate:.1f}", f"{row.load.batch}"]
        for row in rows
    ]
    lines.append(["two columns, read and added up", f"{machine.reading:.1f}", "", ""])
    yield from table(["", "M events/s", "ns an event", "batch"], lines, 1)


def page(rows: Sequence[Row], machine: Machine, found: Sequence[Claim], plan: Plan) -> str:
    """Return the page."""
    lines = [
        *head("Windows over columns: benchmark", "columns.py"),
        INTRODUCTION.format(turns=plan.turns),
        *plot("columns", "Throughput of the operator over columns"),
        *verdict_table(found),
        *("## The limit", "", share(rows, machine), ""),
        *("## Rates", ""),
        *tables(rows, machine),
    ]
    return "\n".join(lines).rstrip() + "\n"


def save(rows: Sequence[Row], machine: Machine, folder: Path) -> list[str]:
    """Draw the rates below each other, with what memory allows."""
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
