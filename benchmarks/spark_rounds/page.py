"""Claims, page and plot: every number is from the run that measured it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from rounds.charts import panels, style, write
from rounds.report import Claim, claim_table, head, plot, table
from spark_rounds.measure import (
    BUCKETS,
    MIXED,
    NATIVE,
    OURS,
    OWN,
    PARTITIONS,
    WINDOWS,
    SparkPlan,
    SparkRow,
)

INTRODUCTION = """\
Batch: windows of 1 to 1000 seconds, a new one every second, over {rows:,} rows of {keys} keys,
two rows a millisecond and a fifth of them late; `native` is `groupBy(window(...))`, on fewer rows
where windows are many, and of an aggregate of one's own it is a sum. Streams: {batches}
micro-batches of {streamed:,} rows, each of 20 seconds, read from Parquet; the rate is that of the
median micro-batch but the first. Ours has `buckets={buckets}`; both have {partitions} shuffle
partitions. State is the bytes of keys and values that the last micro-batch writes, and the bytes
of all files of state that lie in the checkpoint at the end, which Spark compresses. Ours is
compressed already, so the second figure is the stricter one, and the claim is about it.

Both take turns on local[2], and the best of {turns} turns of each counts; their answers are
compared with each other. Rates are million rows a second. Compare ratios: the rates are this
machine's.
"""
LEAST = {1: 1, 20: 6, 100: 50, 1000: 500}
STREAMS = {"100 keys 20": 1.5, "100 keys 100": 4, "10000 keys 20": 5}
SMALLER = 5
Measurements = Mapping[tuple[str, str], SparkRow]


def claims(rows: Sequence[SparkRow]) -> Iterator[Claim]:
    """Yield the claims on batch and streaming, as far as their cells were measured."""
    by = {(row.name, row.implementation): row for row in rows}
    for name in ("sum", "max"):
        for windows, least in LEAST.items():
            cell = f"batch {name} {windows}"
            sentence = f"batch, {name}, {windows} overlapping: at least {least} times native"
            yield from ratio(by, sentence, (cell, OURS), (cell, NATIVE), least)
        cells = [(f"batch {name} {windows}", OURS) for windows in (20, 100, 1000)]
        flat = [by[key].rate for key in cells if key in by]
        if len(flat) == len(cells):
            figures = " ".join(f"{rate:.3g}" for rate in flat)
            sentence = f"batch, {name}: flat within 2 times from 20 to 1000"
            yield Claim(max(flat) <= 2 * min(flat), sentence, figures)
    sentence = "batch, an aggregate of one's own, 100 overlapping: at least 5 times native sum"
    yield from ratio(by, sentence, (f"batch {OWN} 100", OURS), (f"batch {OWN} 100", NATIVE), 5)
    cell = "batch sessions"
    sentence = "batch, sessions: at least session_window"
    yield from ratio(by, sentence, (cell, OURS), (cell, NATIVE), 1)
    yield from streams(by)


def streams(by: Measurements) -> Iterator[Claim]:
    """Yield the claims on streams."""
    for name, least in STREAMS.items():
        cell = f"stream {name}"
        sentence = f"streaming, {name} overlapping: at least {least} times native"
        yield from ratio(by, sentence, (cell, OURS), (cell, NATIVE), least)
        if (cell, OURS) in by and (cell, NATIVE) in by:
            sentence = (
                f"streaming, {name} overlapping: state at least {SMALLER} times smaller on disk"
            )
            yield smaller(by[cell, OURS], by[cell, NATIVE], sentence)
    sentence = "streaming, 24 windows of mixed type cost at most 2 times one"
    yield from ratio(by, sentence, (f"stream {MIXED}", OURS), ("stream one", OURS), 0.5)


def smaller(mine: SparkRow, theirs: SparkRow, sentence: str) -> Claim:
    """Claim that state is smaller on disk; the figures have the bytes before compression too."""
    each = {"on disk": (mine.disk, theirs.disk), "before": (mine.state, theirs.state)}
    figures = [f"{place} {a:,} to {b:,} bytes, {b / a:.1f} times" for place, (a, b) in each.items()]
    return Claim(mine.disk * SMALLER <= theirs.disk, sentence, "; ".join(figures))


def ratio(
    by: Measurements, sentence: str, mine: tuple[str, str], theirs: tuple[str, str], least: float
) -> Iterator[Claim]:
    """Claim a least ratio of two rates, if both were measured."""
    if mine in by and theirs in by:
        a, b = by[mine].rate, by[theirs].rate
        yield Claim(a >= least * b, sentence, f"{a:.3g} to {b:.3g} M rows/s, {a / b:.2f} times")


def tables(rows: Sequence[SparkRow]) -> Iterator[str]:
    """Yield the rates."""
    lines = [
        [
            row.name,
            row.implementation,
            f"{row.rate:.3g}",
            *(f"{size:,}" if size else "" for size in (row.state, row.disk)),
        ]
        for row in rows
    ]
    yield from table(["", "", "M rows/s", "bytes of state", "on disk"], lines, 2)


def page(rows: Sequence[SparkRow], decided: list[Claim], plan: SparkPlan) -> str:
    """The page as text."""
    lines = [
        *head("Benchmark of windows on Spark", "spark.py"),
        INTRODUCTION.format(**vars(plan), buckets=BUCKETS, partitions=PARTITIONS),
        *plot("spark", "Rows a second by the number of overlapping windows"),
        *claim_table(decided),
        "",
        "## Measurements",
        "",
        *tables(rows),
    ]
    return "\n".join(lines).rstrip() + "\n"


def save(rows: Sequence[SparkRow], folder: Path) -> None:
    """Draw the rates of batch."""
    by = {(row.name, row.implementation): row for row in rows}
    with style():
        figure, axes = panels(2)
        for axis, name in zip(axes, ("sum", "max"), strict=True):
            _panel(axis, name, by)
        write({"spark": figure}, folder)


def _panel(axis: Axes, name: str, by: Measurements) -> None:
    for lane in (OURS, NATIVE):
        known = [w for w in WINDOWS if (f"batch {name} {w}", lane) in by]
        line = [by[f"batch {name} {w}", lane].rate for w in known]
        axis.loglog(known, line, marker="o", label=lane)  # pyright: ignore[reportUnknownMemberType]  # no types
    axis.set_title(f"M rows/s, {name}")  # pyright: ignore[reportUnknownMemberType]  # the same
    axis.set_xlabel("overlapping windows")  # pyright: ignore[reportUnknownMemberType]  # the same
    axis.legend()  # pyright: ignore[reportUnknownMemberType]  # the same
