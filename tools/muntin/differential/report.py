"""The report of a differential run: a table, and one HTML page with nothing to load.

The page is in the style of `draw`. Its charts fit any width, and their text stays readable.
"""

import json
import platform
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.differential.plan import NATIVE, DiffPlan
from muntin.differential.shrinking import Mismatch
from muntin.differential.tally import COMPILING, Tally, outcome_of
from muntin.drawing.page import document
from muntin.drawing.trace_picture import trace_svg

if TYPE_CHECKING:
    from muntin.differential.run import SourceOutcome
    from muntin.differential.spark.native_streams import StreamOutcome

HEADER = (
    "implementation",
    "rows compared",
    "windows",
    "mismatches",
    "lifts a row",
    "combines a row",
    "slices a trace",
    "tuples a trace",
    "over bounds",
    "CPU µs a row",
)
"""Counts have their bounds after them, as `count / bound`, where one is claimed."""


DATAFRAME_HEADER = (*HEADER[:4], "seconds", "rows a second")
"""Engines on whole DataFrames count no calls; a mismatch is a key."""

STYLE = """\
:root { --bar:#2764ae; --bound:#d1480e; --good:#227343; --bad:#b3261e; --faint:#eceef1 }
@media (prefers-color-scheme: dark) { :root { --bar:#5b9be6; --bound:#ff9457; --good:#5cc689;
  --bad:#ff8a80; --faint:#232b34 } }
.bars { display: grid; grid-template-columns: max-content 1fr max-content; gap: .35rem .7rem;
  align-items: center; margin: .6rem 0 }
.bars b { font-weight: normal; overflow-wrap: anywhere }
.bars div { position: relative; background: var(--faint); height: 1.5rem }
.bars div i { position: absolute; inset: 0 auto 0 0; background: var(--bar); opacity: .55;
  border: 0; width: auto; height: auto; margin: 0 }
.bars div u { position: absolute; top: 0; bottom: 0; border-left: 3px solid var(--bound) }
.columns { display: flex; align-items: flex-end; height: 8rem; gap: 2px; margin: .6rem 0 0;
  border-bottom: 1px solid var(--rule) }
.columns i { flex: 1; background: var(--bar); border: 0; width: auto; margin: 0; min-width: 1px }
@media (max-width: 34rem) { .bars { grid-template-columns: 1fr max-content; gap: .15rem .7rem }
  .bars b { grid-column: 1 / -1 } }
.scroll { overflow-x: auto; background: linear-gradient(90deg, transparent 70%, var(--faint)) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0 }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: var(--page) }
th { color: var(--quiet); font-weight: normal }
h3 { font-size: 1rem; margin: 1rem 0 0 }
.good { color: var(--good) } .bad { color: var(--bad) }
code, pre { font: .9rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { overflow-wrap: anywhere }
pre { overflow-x: auto; background: var(--faint); padding: .5rem }
li { display: list-item } ul { display: block; padding-left: 1.2rem }
"""
COUNTS = ("lifts", "combines", "slices")
MAX_DRAWN = 60
"""The most events of a trace that is drawn."""


class Bar(NamedTuple):
    """A length with a name and a caption, and its bound if one is claimed."""

    name: str
    length: float
    caption: str
    bound: float | None = None


def page(
    plan: DiffPlan,
    sources: Sequence["SourceOutcome"],
    streams: Sequence["StreamOutcome"] = (),
    origin: Sequence[str] = (),
) -> str:
    """The page as text; its origin is the command, the versions and the date."""
    outcome = outcome_of(sources, streams)
    return document(
        f"muntin diff: {outcome.title}",
        STYLE,
        "<header><h1>muntin diff</h1>",
        f'<p class="{"good" if outcome.agrees else "bad"}">{escape(str(outcome))}</p>',
        f"<p>{escape(_plan_text(plan))}</p>",
        *(f"<p><code>{escape(line)}</code></p>" for line in origin),
        "</header>",
        *(part for source in sources for part in _section(plan, source)),
        *(_streams(streams) if streams else []),
    )


def _streams(streams: Sequence["StreamOutcome"]) -> list[str]:
    listed = _list([*map(str, streams)])
    small = [part for stream in streams if stream.mismatch for part in _mismatch(stream.mismatch)]
    return ["<section><h2>Spark's own windows over a stream</h2>", listed, *small, "</section>"]


def _plan_text(plan: DiffPlan) -> str:
    names = ", ".join(query.id for query in plan.queries())
    batches = f"Micro-batches of {plan.batch} rows; the watermark trails by {plan.delay}"
    batches += f", the allowed lateness is {plan.lateness}"
    rows = "All rows at once" if plan.whole else batches
    return f"Queries: {names}. {rows}; dialect: {plan.dialect}."


def _section(plan: DiffPlan, outcome: "SourceOutcome") -> Iterator[str]:
    source, tally = outcome.source, outcome.tally
    yield f"<section><h2>Rows {escape(source.name)}</h2>"
    yield f"<p>{escape(summary(plan, tally, outcome.seconds))}.</p>"
    yield _list([f"left out: {count:,} rows: {reason}" for reason, count in source.bad.items()])
    for mismatch in outcome.mismatches:
        yield from _mismatch(mismatch)
    yield _table(plan, outcome)
    yield f"<h3>{'Time' if plan.whole else 'CPU time'} a row, in microseconds</h3>"
    yield bars(_time_bars(plan, outcome))
    yield _list(compiling(tally))
    for what in COUNTS:
        if drawn := _count_bars(plan, outcome, what):
            unit = "trace, at most" if what == "slices" else "row"
            yield f"<h3>{what.capitalize()} a {unit}, and their bounds</h3>"
            yield bars(drawn)
    rates = [rows / max(seconds, 1e-9) for rows, seconds in outcome.pace]
    if len(rates) > 1:
        yield "<h3>Rows a second, by chunk</h3>"
        caption = f"{len(rates)} chunks, from {min(rates):,.0f} to {max(rates):,.0f} rows a second"
        yield columns(rates, caption)
    yield _list([f"{what}: {why}" for what, why in tally.refused.items()])
    yield "</section>"


def compiling(tally: Tally) -> list[str]:
    """How long implementations compiled, which no time a row includes.

    >>> compiling(Tally(seconds={"compiling kernels": 2.51, "compiling spec": 0.0}))
    ['kernels: 2.5 s of compiling, in no time above']
    """
    return [
        f"{name.removeprefix(COMPILING)}: {seconds:.1f} s of compiling, in no time above"
        for name, seconds in tally.seconds.items()
        if name.startswith(COMPILING) and seconds
    ]


def origin() -> list[str]:
    """The command line, the versions and the date of this run."""
    words = shlex.join(["muntin", *sys.argv[1:]])
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    today = datetime.now(tz=UTC).date().isoformat()
    return [words, f"muntin {version('muntin')}, {python}, {today}"]


def _list(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


def _table(plan: DiffPlan, outcome: "SourceOutcome") -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "".join(row(cells, "td") for cells in table_rows(plan, outcome.tally))
    return f'<div class="scroll"><table>{row(header(plan), "th")}{body}</table></div>'


def _time_bars(plan: DiffPlan, outcome: "SourceOutcome") -> list[Bar]:
    names, drawn = [entry.name for entry in plan.against], list[Bar]()
    for name in names if plan.whole else (name for name in names if name != NATIVE):
        rows = max(1, outcome.tally.counter(name)["processed"])
        micros = outcome.tally.seconds.get(name, 0.0) * 1e6 / rows
        drawn.append(Bar(name, micros, f"{micros:.2f}"))
    return drawn


def _count_bars(plan: DiffPlan, outcome: "SourceOutcome", what: str) -> list[Bar]:
    drawn = list[Bar]()
    for implementation in plan.against:
        counts = Counter(outcome.tally.counter(implementation.name))
        counts["slices"] = counts["sum of slices"]
        divisor = max(1, counts["traces"] if what == "slices" else counts["processed"])
        rate, bound = counts[what] / divisor, counts[f"bound of {what}"] / divisor
        caption = f"{rate:.2f}, bound {bound:.2f}" if bound else f"{rate:.2f}"
        if rate:
            drawn.append(Bar(implementation.name, rate, caption, bound or None))
    return drawn


def _mismatch(mismatch: Mismatch) -> Iterator[str]:
    yield f'<h3 class="bad">{escape(mismatch.name)} is wrong on key {escape(mismatch.key)}</h3>'
    yield f"<p>Shrunk to {mismatch.events} events. {escape(mismatch.what)}</p>"
    if picture := _picture(mismatch):
        yield f"<figure>{picture}</figure>\n<p>The trace, and what the specification emits.</p>"
    yield f"<pre>{escape(chr(10).join(mismatch.steps()))}</pre>"
    command = mismatch.replay_command(Path(mismatch.file_name()))
    yield f"<p>Reproduce: <code>{escape(command)}</code></p>"
    text = escape(json.dumps(mismatch.transcript))
    yield f"<details><summary>transcript</summary><pre>{text}</pre>\n</details>"


def _picture(mismatch: Mismatch) -> str:
    """The trace as a picture; none, if it is for a structure or too long to be drawn."""
    transcript = parse(json.dumps(mismatch.transcript))
    if isinstance(transcript, OperatorTranscript) and mismatch.events <= MAX_DRAWN:
        return trace_svg(transcript, f"the trace on which {mismatch.name} is wrong")
    return ""


def bars(items: Sequence[Bar]) -> str:
    """Horizontal bars to one scale; a bound is a line across.

    >>> bars([Bar("a", 1, "one"), Bar("b", 2, "two", 4)]).count("<i ")
    2
    """
    longest = max((max(bar.length, bar.bound or 0) for bar in items), default=0) or 1
    return f'<div class="bars">{"".join(_bar(bar, longest) for bar in items)}</div>'


def _bar(bar: Bar, longest: float) -> str:
    left = f"min(calc(100% - 3px),{(bar.bound or 0) / longest:.2%})"
    bound = "" if bar.bound is None else f'<u style="left:{left}" title="bound"></u>'
    length = f'<i style="width:{bar.length / longest:.2%}"></i>'
    caption = f"<span>{escape(bar.caption)}</span>"
    return f"<b>{escape(bar.name)}</b><div>{length}{bound}</div>{caption}"


def columns(values: Sequence[float], caption: str) -> str:
    """A column for each value, in order, above a caption."""
    highest = max(values, default=0) or 1
    sizes = ((value, f"height:{value / highest:.1%}") for value in values)
    drawn = [f'<i style="{height}" title="{value:,.0f}"></i>' for value, height in sizes]
    return f'<div class="columns">{"".join(drawn)}</div><p>{escape(caption)}</p>'


def header(plan: DiffPlan) -> tuple[str, ...]:
    """The names of the columns."""
    return DATAFRAME_HEADER if plan.whole else HEADER


def table_rows(plan: DiffPlan, tally: Tally) -> list[tuple[str, ...]]:
    """A row of cells for each implementation."""
    return [_cells(entry.name, tally, whole=plan.whole) for entry in plan.against]


def _cells(name: str, tally: Tally, *, whole: bool) -> tuple[str, ...]:
    counts, seconds = tally.counter(name), tally.seconds.get(name, 0.0)
    processed, traces = counts["processed"], counts["traces"]
    share = f"{counts['rows'] / max(1, tally.counter()['rows']):.1%}"
    first = name, share, f"{counts['windows']:,}", f"{counts['mismatches']:,}"
    if whole:
        return *first, f"{seconds:,.0f}", f"{processed / max(seconds, 1e-9):,.0f}"
    is_bounded = any(what.startswith("bound of ") for what in counts)
    is_timed = name != NATIVE and processed
    return (
        *first,
        _rate(counts, "lifts", processed),
        _rate(counts, "combines", processed),
        _rate(counts | Counter(slices=counts["sum of slices"]), "slices", traces),
        _rate(counts, "tuples", traces),
        f"{counts['over bound']:,}" if is_bounded else "",
        f"{seconds / processed * 1e6:.1f}" if is_timed else "",
    )


def _rate(counts: Counter[str], what: str, divisor: int) -> str:
    if not counts[what] or not divisor:
        return ""
    bound = counts[f"bound of {what}"]
    suffix = f" / {bound / divisor:.2f}" if bound else ""
    return f"{counts[what] / divisor:.2f}{suffix}"


def table_lines(header: Sequence[str], body: Sequence[Sequence[str]]) -> Iterator[str]:
    r"""Yield the lines of a table in text; the first column is to the left.

    >>> print(*table_lines(("a", "b"), [("xyz", "1")]), sep="\n")
    a    b
    xyz  1
    """
    rows = [header, *body]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        yield "  ".join(cells).rstrip()


def summary(plan: DiffPlan, tally: Tally, seconds: float) -> str:
    """The size and the speed of the run, in a sentence."""
    total = tally.counter()
    rate = total["rows"] / max(seconds, 1e-9)
    return (
        f"{total['rows']:,} rows of {total['traces']:,} traces, {total['late']:,} late, "
        f"{total['windows']:,} windows of {len(plan.queries())} queries, in {seconds:.0f} s "
        f"({rate:,.0f} rows a second)"
    )
