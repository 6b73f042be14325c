"""The slicing operator compared with Polars and DuckDB: `python benchmarks/compare.py`.

All run on one thread and count CPU time. It prints rates, and PASS or FAIL for each claim on ratios
in one run; the exit status is 1 if any fails.
"""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from time import process_time

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np

from column_windows.measure import rate
from column_windows.peers import (
    SumQuery,
    are_equal,
    duckdb,
    in_one_call,
    polars,
    polars_unsorted,
)
from column_windows.workload import Load, lengths, stream
from rounds.charts import name_lines, panels, style, write
from rounds.clock import say
from rounds.options import parse_options
from rounds.report import Claim, claim_lines, claim_table, head, plot, table

STREAM, ORDER, CALL = "muntin, a stream 20 % late", "muntin, a stream in order", "muntin, one call"
COLOURS = {
    STREAM: "#00688b",
    ORDER: "#00a0c0",
    CALL: "#7a5195",
    "polars": "#c04000",
    "polars, 20 % late": "#802000",
    "polars, panes by hand": "#e08040",
    "duckdb": "#606060",
    "duckdb, panes by hand": "#a0a0a0",
}
INTRODUCTION = """\
The sum of {events:,} floats over 1 to {most} tumbling windows at once, of 1 to 20 seconds, two
events a millisecond. Polars (`group_by_dynamic`, with times marked as sorted) and DuckDB
(`group by`) have the whole table, in order. So has `aggregate`, in one call. The operator gets
the same events as a stream, in batches of {batch:,} with a watermark behind each, with lateness
allowed, in order or with 20 % of the events late by up to two seconds: work that the others do
not do.
`group_by_dynamic` needs a sorted table: without one, in the row *20 % late*, Polars groups by the
start of the window. *Panes by hand* is what a user can write who knows that all lengths are whole
seconds: sum each second first, then the seconds. It is the same idea as slices, for one workload;
it does not support sessions, other offsets or late events.

All run on one thread. Each rate is the best of {turns}, by CPU time. Their answers are compared.
{versions}
"""


@dataclass(frozen=True)
class CompareRun:
    """The size of the run."""

    load: Load = field(default_factory=lambda: Load(events=4_000_000, batch=100_000))
    windows: tuple[int, ...] = (1, 2, 5, 10, 20)
    turns: int = 5


Rates = dict[str, dict[int, float]]


def best(query: SumQuery, load: Load, turns: int) -> float:
    """Millions of events a second, in the best turn."""
    seconds: list[float] = []
    for _ in range(turns):
        start = process_time()
        query(lengths(load.windows))
        seconds.append(process_time() - start)
    return load.events / min(seconds) / 1e6


def measure_all(run: CompareRun) -> Rates:
    """The rates of each implementation, by the number of windows."""
    at = stream(run.load.events, 0.0, 0).times
    late = stream(run.load.events, 0.2, 0).times
    values = np.random.default_rng(0).random(run.load.events)
    tables: Mapping[str, SumQuery] = {
        CALL: in_one_call(at, values),
        "polars": polars(at, values, panes=False),
        "polars, 20 % late": polars_unsorted(late, values),
        "polars, panes by hand": polars(at, values, panes=True),
        "duckdb": duckdb(at, values, panes=False),
        "duckdb, panes by hand": duckdb(at, values, panes=True),
    }
    every = lengths(run.windows[-1])
    expected = {True: tables["polars, 20 % late"](every), False: tables[CALL](every)}
    for name, query in tables.items():
        if not are_equal(query(every), expected[name == "polars, 20 % late"]):
            raise AssertionError(f"{name} gives other results")
    rates: Rates = {name: {} for name in (STREAM, ORDER, *tables)}
    for windows in run.windows:
        say(f"{windows} windows")
        load = replace(run.load, windows=windows)
        for name, share in ((STREAM, 0.2), (ORDER, 0.0)):
            rates[name][windows] = rate(replace(load, late=share), run.turns)
        for name, query in tables.items():
            rates[name][windows] = best(query, load, run.turns)
    return rates


def claims(rates: Rates, most: int) -> Iterator[Claim]:
    """Yield the claims: streams with late events, and one window."""
    for peer in ("polars", "duckdb"):
        ours, theirs = rates[STREAM][most], rates[peer][most]
        figures = f"{ours:.0f} of {theirs:.1f} M/s, {ours / theirs:.1f} times"
        yield Claim(ours >= 5 * theirs, f"{most} windows: at least 5 times {peer}", figures)
    pairs = (
        (ORDER, "polars"),
        (STREAM, "polars, 20 % late"),
        (ORDER, "duckdb"),
        (STREAM, "duckdb"),
    )
    for mine, peer in pairs:
        ours, theirs = rates[mine][1], rates[peer][1]
        figures = f"{ours:.0f} of {theirs:.0f} M/s"
        yield Claim(ours >= theirs, f"one window, {mine}: not slower than {peer}", figures)
    for peer in ("polars", "duckdb"):
        ours, theirs = rates[STREAM][most], rates[f"{peer}, panes by hand"][most]
        sentence = f"{most} windows: not slower than {peer} with panes by hand"
        yield Claim(ours >= theirs, sentence, f"{ours:.0f} of {theirs:.0f} M/s")


def lines(rates: Rates) -> Iterator[str]:
    """Yield the table of rates."""
    places = [f"{windows}" for windows in next(iter(rates.values()))]
    rows = [[name, *(f"{one:,.1f}" for one in line.values())] for name, line in rates.items()]
    yield from table(["M events/s by windows", *places], rows, 1)


def page(run: CompareRun, rates: Rates, decided: list[Claim]) -> str:
    """The page."""
    each = [f"{name} {import_module(name).__version__}" for name in ("polars", "duckdb", "numba")]
    introduction = INTRODUCTION.format(
        events=run.load.events,
        most=run.windows[-1],
        batch=run.load.batch,
        turns=run.turns,
        versions=f"Versions: {', '.join(each)}.",
    )
    parts = [*head("Columns and table engines", "compare.py"), introduction, *claim_table(decided)]
    picture = plot("compare", "Events a second by windows at once")
    return "\n".join([*parts, "## Rates", "", *picture, *lines(rates)]).rstrip() + "\n"


def save(rates: Rates, folder: Path) -> None:
    """Draw the rates."""
    with style():
        figure, (axes,) = panels(1)
        axes.set(yscale="log", xlabel="windows at once", ylabel="million events a second")
        for name, line in rates.items():
            axes.plot(list(line), list(line.values()), color=COLOURS[name], marker="o")
        axes.set_xlim(0, 20.5)
        name_lines(axes, rates, COLOURS, 21, straight=False)
        write({"compare": figure}, folder)


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its charts."""
    options = parse_options(arguments, "Compare slicing over columns with tables.", "few events")
    small = CompareRun(Load(events=400_000, batch=50_000), (1, 20), 2)
    run: CompareRun = small if options.quick else CompareRun()
    out = options.out
    rates = measure_all(run)
    decided = list(claims(rates, run.windows[-1]))
    report: Callable[[str], object] = sys.stdout.write
    report("\n".join([*lines(rates), *claim_lines(decided), ""]))
    if out:
        save(rates, out / "images")
        (out / "benchmarks-compare.md").write_text(page(run, rates, decided))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
