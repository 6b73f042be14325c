"""What must hold, and the page and the plot: every number is from the run that has written them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from matplotlib.axes import Axes

from rounds.charts import panels, style, write
from rounds.claim import Claim
from rounds.markdown import head, plot, table, verdict_table
from spark_rounds.lanes import NATIVE, OURS, WINDOWS, Plan, Row

INTRODUCTION = """\
Windows of so many seconds, a new one every second, over {rows:,} rows of {keys} keys, two rows a
millisecond and a fifth of them late; `native` is `groupBy(window(...))`, on fewer rows where
windows are many. Contenders take turns on local[2], each keeps the best of {turns}; their answers
are held against each other. Rates are million rows a second. Compare ratios: the rates are this
machine's, on which others were at work. The stream is one of {streamed:,} rows in four
micro-batches; its operator is the readable one, in plain Python, for now.
"""
LEAST = {1: 1, 20: 6, 100: 50, 1000: 500}
SESSIONS = 0


def rates(rows: list[Row]) -> Mapping[tuple[str, str, str, int], float]:
    """Return the rates by what was measured."""
    return {row[:4]: row.rate for row in rows}


def claims(rows: list[Row]) -> Iterator[Claim]:
    """Hold the ratios against what issue 7 wants of them."""
    by = rates(rows)
    for name in ("sum", "max"):
        for windows, least in LEAST.items():
            mine, theirs = by["batch", OURS, name, windows], by["batch", NATIVE, name, windows]
            figures = f"{mine:.3g} to {theirs:.3g} M rows/s, {mine / theirs:.1f} times"
            sentence = f"batch, {name}, {windows} overlapping: at least {least} times native"
            yield Claim(mine >= least * theirs, sentence, figures)
        flat = [by["batch", OURS, name, windows] for windows in (20, 100, 1000)]
        figures = " ".join(f"{rate:.3g}" for rate in flat)
        sentence = f"batch, {name}: flat within 2 times from 20 to 1000"
        yield Claim(max(flat) <= 2 * min(flat), sentence, figures)
    mine, theirs = by["batch", OURS, "sum", SESSIONS], by["batch", NATIVE, "sum", SESSIONS]
    figures = f"{mine:.3g} to {theirs:.3g} M rows/s"
    yield Claim(mine >= theirs, "batch, sessions: at least session_window", figures)
    mine, theirs = by["streaming", OURS, "sum", 20], by["streaming", NATIVE, "sum", 20]
    figures = f"{mine:.3g} to {theirs:.3g} M rows/s"
    yield Claim(mine >= 1.5 * theirs, "streaming, 20 overlapping: at least 1.5 times", figures)


def tables(rows: list[Row]) -> Iterator[str]:
    """Yield the rates."""
    lines = [
        [row.world, row.aggregate, str(row.windows or "sessions"), row.contender, f"{row.rate:.3g}"]
        for row in rows
    ]
    yield from table(["", "aggregate", "overlapping", "", "M rows/s"], lines, 4)


def page(rows: list[Row], found: list[Claim], plan: Plan) -> str:
    """Return the page."""
    introduction = INTRODUCTION.format(
        rows=plan.rows, keys=plan.keys, turns=plan.turns, streamed=plan.streamed
    )
    lines = [
        *head("Benchmark of windows on Spark", "spark.py"),
        introduction,
        *plot("spark", "Rows a second by the number of overlapping windows"),
        *verdict_table(found),
        *tables(rows),
    ]
    return "\n".join(lines).rstrip() + "\n"


def save(rows: list[Row], folder: Path) -> None:
    """Draw the rates of batch."""
    by = rates(rows)
    with style():
        figure, axes = panels(2)
        for axis, name in zip(axes, ("sum", "max"), strict=True):
            _panel(axis, name, by)
        write({"spark": figure}, folder)


def _panel(axis: Axes, name: str, by: Mapping[tuple[str, str, str, int], float]) -> None:
    for lane in (OURS, NATIVE):
        line = [by["batch", lane, name, windows] for windows in WINDOWS]
        axis.loglog(WINDOWS, line, marker="o", label=lane)  # pyright: ignore[reportUnknownMemberType]  # no types
    axis.set_title(f"M rows/s, {name}")  # pyright: ignore[reportUnknownMemberType]  # the same
    axis.set_xlabel("overlapping windows")  # pyright: ignore[reportUnknownMemberType]  # the same
    axis.legend()  # pyright: ignore[reportUnknownMemberType]  # the same
