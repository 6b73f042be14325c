"""The page and the plot: every number in them is from the run that wrote them."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from column_windows.claims import Report
from column_windows.measure import LoadFigures
from column_windows.tables import MINE
from column_windows.workload import Load, power
from rounds.charts import name_lines, panels, style, write
from rounds.report import Claim, claim_table, head, plot, table

CORNERS = 15
COLOURS = {"1": "#606060", "10": "#c04000", "100": "#7a5195", "2,000": "#00688b", "10^5": "#0044cc"}
PLOTTED = 5
INTRODUCTION = """\
`{engine}` over streams of two rows a millisecond: integer sums over tumbling
windows of 1 to 20 seconds, spread evenly, and a session of one second where the row says so. One
row in five arrives up to two seconds late (*heavy*: one in two up to 20 seconds; *one very late*:
one in 2,000 by a minute; *pauses*: four seconds without a row after each 2,000), all within the
allowed lateness. A step is a batch; the watermark after it is two seconds behind the latest row.
Keys are integers drawn evenly; *Zipf* keys are skewed (exponent 1.2), *text* keys are strings.

Before the clock starts, the longest window is full. Rates are of CPU time, results counted; each
is the best of up to {turns} turns of {seconds} seconds, engines in turns. The windows and sums of
each kind of load were compared with plain arrays{counts}.
Loads with more than {results} results a row, or too many in a step for the memory, are left out.
*The loop* is compiled: it takes the same batches, adds each value into one slice, or into the row
that the key has in it, and does nothing else. Compare ratios; the rates are this machine's.
"""


def rate(one: LoadFigures) -> str:
    """Millions of rows a second, and how many times the other engine that is.

    >>> one = LoadFigures(Load(), 2.5e6, 1e6, 1e9, 0.0)
    >>> rate(one), rate(one._replace(rate=5e8, other=None))
    ('2.50 (2.50x)', '500')
    """
    text = number(one.rate / 1e6)
    return text if one.gain is None else f"{text} ({number(one.gain)}x)"


def number(value: float) -> str:
    """A number of three digits.

    >>> number(0.01234), number(1.234), number(12.34), number(1234.5)
    ('0.0123', '1.23', '12.3', '1,234')
    """
    for least, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3)):
        if value >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.4f}"


def corners(figures: Sequence[LoadFigures]) -> Iterator[str]:
    """Yield the loads that are the worst, beside the loop and beside the other engine."""

    def cost(one: LoadFigures) -> float:
        return one.cost / (1 + one.results)

    def lines(some: Iterable[LoadFigures]) -> Iterator[list[str]]:
        for one in some:
            nanoseconds = 1e9 / one.rate
            yield [
                one.load.name,
                *(rate(one), f"{nanoseconds:,.1f}", number(one.results)),
                *(f"{nanoseconds / (1 + one.results):,.1f}", f"{cost(one):,.0f}"),
            ]

    columns = ["", "M rows/s", "ns a row", "results a row", "ns a row or result", "times the loop"]
    yield from ("The dearest rows and results, beside the loop:", "")
    yield from table(columns, lines(sorted(figures, key=cost, reverse=True)[:CORNERS]), 1)
    gains = {one: one.gain for one in figures if one.gain is not None}
    if gains:
        yield from ("The smallest gains on the other engine:", "")
        yield from table(columns, lines(sorted(gains, key=gains.__getitem__)[:CORNERS]), 1)


def grid_tables(figures: Sequence[LoadFigures]) -> Iterator[str]:
    """Yield a table of rates for each session and batch: windows by keys."""
    even = {one.load: one for one in figures if one.load == _plain(one.load)}
    keys = sorted({load.keys for load in even})
    for session, batch in sorted({(load.session, load.batch) for load in even}):
        kind = "with a session" if session else "without a session"
        yield from (f"Batches of {power(batch)}, {kind}, M rows/s by keys:", "")
        rows = sorted({x.windows for x in even if (x.session, x.batch) == (session, batch)})
        cells = [[even.get(Load(n, session, batch, k)) for k in keys] for n in rows]
        lines = [
            [f"{n:,} window{'s' if n > 1 else ''}", *(rate(one) if one else "-" for one in line)]
            for n, line in zip(rows, cells, strict=True)
        ]
        limits = [[one.limit for one in column if one] for column in zip(*cells, strict=True)]
        lines.append(["the loop", *(number(max(x) / 1e6) if x else "-" for x in limits)])
        yield from table(["", *(power(k) for k in keys)], lines, 1)


def _plain(load: Load) -> Load:
    return Load(load.windows, load.session, load.batch, load.keys)


def special_table(figures: Sequence[LoadFigures]) -> Iterator[str]:
    """Yield the loads with other disorder, keys and values, beside the same load without it."""
    by_load = {one.load: one for one in figures}
    special = [one for one in figures if one.load != _plain(one.load)]
    rows = [
        [
            one.load.name,
            rate(one),
            number(one.results),
            number(one.rate / base.rate) if (base := by_load.get(_plain(one.load))) else "-",
        ]
        for one in special
    ]
    yield from table(["", "M rows/s", "results a row", "of the plain stream"], rows, 1)


def step_tables(report: Report) -> Iterator[str]:
    """Yield first answers, steps of one row, calls, memory."""
    rows = [[one.kind, f"{one.cold:.2f}", f"{one.warm:.2f}"] for one in report.answers]
    yield from ("Seconds of CPU to the first answer, imports included, a process each:", "")
    yield from table(["", "cold", "warm"], rows, 1)
    single = [one for one in report.figures if one.load.batch == 1]
    rows = [[one.load.name, f"{1e9 / one.rate:,.0f}", number(one.results)] for one in single]
    yield from ("Nanoseconds of a step of one row:", "")
    yield from table(["", "ns", "results a row"], rows, 1)
    rows = [[one.load.name, f"{one.python}", f"{one.native}"] for one in report.calls]
    yield from ("Calls of a step, the most of several steps:", "")
    yield from table(["", "functions of Python", "functions of C"], rows, 1)
    rows = [
        [
            one.load.name,
            *(f"{one.peak / 2**20:,.1f}", f"{one.live / 2**20:,.1f}"),
            *(f"{one.cells:,}", f"{one.live / one.cells:,.0f}"),
        ]
        for one in report.footprints
    ]
    yield from ("Memory, a process each: what a run needs at most beyond the stream,", "")
    yield from (
        "what the state holds after it, and the pairs of key and slice that windows need:",
        "",
    )
    yield from table(["", "peak, MB", "live, MB", "cells", "bytes a cell"], rows, 1)


def tables_of_tables(report: Report) -> Iterator[str]:
    """Yield the rates of table engines."""
    names = [name for name in report.tables[0].rates if name != MINE] if report.tables else []
    rows = [
        [
            one.load.name,
            number(one.rates[MINE] / 1e6),
            *(
                f"{number(one.rates[n] / 1e6)} ({number(one.rates[MINE] / one.rates[n])}x)"
                for n in names
            ),
        ]
        for one in report.tables
    ]
    yield from table(["", MINE, *(f"{name} ({MINE} is)" for name in names)], rows, 1)


def sections(report: Report) -> Iterator[str]:
    """Yield all tables, the bad corners first."""
    yield from ("## Bad corners", "", *corners(report.figures))
    if report.answers:
        yield from ("## First answers, single rows, calls and memory", "", *step_tables(report))
    if report.tables:
        yield from ("## Whole tables", "")
        yield from ("The same windows over a table in order, one thread, M rows/s:", "")
        yield from tables_of_tables(report)
    yield from ("## The grid", "", *grid_tables(report.figures))
    yield from ("## Other streams", "", *special_table(report.figures))


def page(report: Report, decided: Sequence[Claim], introduction: str) -> str:
    """The page as text."""
    lines = [
        *head("Windows over columns: benchmark", "columns.py"),
        introduction,
        *plot("columns", "Throughput of five windows by keys and batch"),
        *claim_table(decided),
        *sections(report),
    ]
    return "\n".join(lines).rstrip() + "\n"


def save(figures: Sequence[LoadFigures], folder: Path) -> list[str]:
    """Draw the rates of five windows by keys, a line for each batch."""
    plain = [one for one in figures if one.load == _plain(one.load)]
    with style():
        figure, axes = panels(2)
        for axis, session in zip(axes, (False, True), strict=True):
            some = [x for x in plain if (x.load.session, x.load.windows) == (session, PLOTTED)]
            lines: dict[str, dict[int, float]] = {}
            for one in some:
                lines.setdefault(power(one.load.batch), {})[one.load.keys] = one.rate / 1e6
            kind = " and a session" if session else ""
            axis.set(xscale="log", yscale="log", ylabel="million rows a second")
            axis.set_xlabel(f"keys; {PLOTTED} windows{kind}, by batch")
            for name, line in lines.items():
                axis.plot(list(line), list(line.values()), color=COLOURS[name], marker="o")
            axis.set_xlim(0.8, 2e6)
            if lines:
                name_lines(axis, lines, COLOURS, 3e6, straight=False)
        return write({"columns": figure}, folder)
