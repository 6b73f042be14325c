"""The report of a differential run: one HTML page with nothing to load, in the style of `draw`."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.differential.plan import NATIVE, DiffPlan
from muntin.differential.report.charts import STYLE, Bar, bars, columns, line
from muntin.differential.report.table import header, summary, table_rows
from muntin.differential.shrinking import Mismatch
from muntin.differential.tally import outcome_of
from muntin.drawing.page import LAYOUT

if TYPE_CHECKING:
    from muntin.differential.run import SourceOutcome
    from muntin.differential.spark.native_streams import StreamOutcome

PAGE_STYLE = """\
.scroll { overflow-x: auto }
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


def page(
    plan: DiffPlan, sources: Sequence["SourceOutcome"], streams: Sequence["StreamOutcome"] = ()
) -> str:
    """The page as text."""
    outcome = outcome_of(sources, streams)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>muntin diff: {outcome.title}</title>",
            f"<style>\n{LAYOUT}{STYLE}{PAGE_STYLE}</style></head><body>",
            "<header><h1>muntin diff</h1>",
            f'<p class="{"good" if outcome.agrees else "bad"}">{escape(str(outcome))}</p>',
            f"<p>{escape(_plan_text(plan))}</p></header>",
            *(part for source in sources for part in _section(plan, source)),
            *(_streams(streams) if streams else []),
            "</body></html>\n",
        ]
    )


def write(
    folder: Path,
    plan: DiffPlan,
    sources: Sequence["SourceOutcome"],
    streams: Sequence["StreamOutcome"] = (),
) -> Path:
    """Write the page into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    path.write_text(page(plan, sources, streams), "utf-8")
    return path


def _streams(streams: Sequence["StreamOutcome"]) -> list[str]:
    """The section on Spark's own windows over streams."""
    listed = _list([str(outcome) for outcome in streams])
    wrong = [stream.mismatch for stream in streams if stream.mismatch]
    small = [part for mismatch in wrong for part in _mismatch(mismatch)]
    return ["<section><h2>Spark's own windows over a stream</h2>", listed, *small, "</section>"]


def _plan_text(plan: DiffPlan) -> str:
    names = ", ".join(query.id for query in plan.queries())
    return (
        f"Queries: {names}. All rows at once; dialect: {plan.dialect}."
        if plan.whole
        else f"Queries: {names}. Micro-batches of {plan.batch} rows; the watermark trails by "
        f"{plan.delay}, the allowed lateness is {plan.lateness}; dialect: {plan.dialect}."
    )


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
    for what in COUNTS:
        if drawn := _count_bars(plan, outcome, what):
            unit = "trace, at most" if what == "slices" else "row"
            yield f"<h3>{what.capitalize()} a {unit}, and their bounds</h3>"
            yield bars(drawn)
    rates = [rows / max(seconds, 1e-9) for rows, seconds in outcome.pace]
    if rates:
        yield "<h3>Rows a second, by chunk</h3>"
        caption = f"{len(rates)} chunks, from {min(rates):,.0f} to {max(rates):,.0f} rows a second"
        yield columns(rates, caption)
    yield _list([f"{what}: {why}" for what, why in tally.refused.items()])
    yield "</section>"


def _list(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


def _table(plan: DiffPlan, outcome: "SourceOutcome") -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header(plan))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in table_rows(plan, outcome.tally)
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _time_bars(plan: DiffPlan, outcome: "SourceOutcome") -> list[Bar]:
    names = [entry.name for entry in plan.against if entry.name != NATIVE or plan.whole]
    rates = {
        name: outcome.tally.seconds.get(name, 0.0)
        * 1e6
        / max(1, outcome.tally.counter(name)["processed"])
        for name in names
    }
    return [Bar(name, rate, f"{rate:.2f}") for name, rate in rates.items()]


def _count_bars(plan: DiffPlan, outcome: "SourceOutcome", what: str) -> list[Bar]:
    drawn = list[Bar]()
    for implementation in plan.against:
        counts = Counter(outcome.tally.counter(implementation.name))
        counts["slices"] = counts["sum of slices"]
        divisor = max(1, counts["traces"] if what == "slices" else counts["processed"])
        if not counts[what]:
            continue
        bound = counts[f"bound of {what}"] / divisor
        rate = counts[what] / divisor
        caption = f"{rate:.2f}, bound {bound:.2f}" if bound else f"{rate:.2f}"
        drawn.append(Bar(implementation.name, rate, caption, bound or None))
    return drawn


def _mismatch(mismatch: Mismatch) -> Iterator[str]:
    yield f'<h3 class="bad">{escape(mismatch.name)} is wrong on key {escape(mismatch.key)}</h3>'
    yield f"<p>Shrunk to {mismatch.events} events. {escape(mismatch.what)}</p>"
    points = list(_points(mismatch))
    if points:
        yield line(points)
        yield "<p>The events, by time, with their values.</p>"
    yield f"<pre>{escape(chr(10).join(mismatch.steps()))}</pre>"
    command = mismatch.replay_command(Path(mismatch.file_name()))
    yield f"<p>Reproduce: <code>{escape(command)}</code></p>"
    text = escape(json.dumps(mismatch.transcript))
    yield f"<details><summary>transcript</summary><pre>{text}</pre>"
    yield "</details>"


def _points(mismatch: Mismatch) -> Iterator[tuple[float, str]]:
    transcript = parse(json.dumps(mismatch.transcript))
    for turn in transcript.turns if isinstance(transcript, OperatorTranscript) else ():
        for event in turn.step.events:
            yield event.time, f"{event.value} at {event.time}"
