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
from muntin.differential.report.table import header, lines, summary
from muntin.differential.shrinking import Mismatch
from muntin.differential.streaming import StreamOutcome
from muntin.differential.verdict import verdict
from muntin.drawing.page import LAYOUT

if TYPE_CHECKING:
    from muntin.differential.run import SourceOutcome

LOOK = """\
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
    plan: DiffPlan, found: Sequence["SourceOutcome"], streams: Sequence[StreamOutcome] = ()
) -> str:
    """Return the page."""
    came = verdict(found, streams)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>muntin diff: {came.title}</title>",
            f"<style>\n{LAYOUT}{STYLE}{LOOK}</style></head><body>",
            "<header><h1>muntin diff</h1>",
            f'<p class="{"good" if came.agrees else "bad"}">{escape(str(came))}</p>',
            f"<p>{escape(_asked(plan))}</p></header>",
            *(part for one in found for part in _section(plan, one)),
            *(_streams(streams) if streams else []),
            "</body></html>\n",
        ]
    )


def write(
    folder: Path,
    plan: DiffPlan,
    found: Sequence["SourceOutcome"],
    streams: Sequence[StreamOutcome] = (),
) -> Path:
    """Write the page."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    path.write_text(page(plan, found, streams), "utf-8")
    return path


def _streams(streams: Sequence[StreamOutcome]) -> list[str]:
    """Return what Spark told of streams."""
    told = _list([str(one) for one in streams])
    small = [line for one in streams if one.mismatch for line in _mismatch(one.mismatch)]
    return ["<section><h2>Spark's own windows over a stream</h2>", told, *small, "</section>"]


def _asked(plan: DiffPlan) -> str:
    names = ", ".join(query.id for query in plan.queries())
    return (
        f"Queries: {names}. All rows at once; dialect: {plan.dialect}."
        if plan.whole
        else f"Queries: {names}. Micro-batches of {plan.batch} rows; the watermark trails by "
        f"{plan.delay}, {plan.lateness} of lateness are allowed; dialect: {plan.dialect}."
    )


def _section(plan: DiffPlan, found: "SourceOutcome") -> Iterator[str]:
    yield f"<section><h2>Rows {escape(found.source.name)}</h2>"
    yield f"<p>{escape(summary(plan, found.tally, found.seconds))}.</p>"
    yield _list([f"left out: {count:,} rows: {what}" for what, count in found.source.bad.items()])
    for one in found.mismatches:
        yield from _mismatch(one)
    yield _table(plan, found)
    yield f"<h3>{'Time' if plan.whole else 'CPU time'} a row, in microseconds</h3>"
    yield bars(_times(plan, found))
    for what in COUNTS:
        if drawn := _counters(plan, found, what):
            each = "trace, at most" if what == "slices" else "row"
            yield f"<h3>{what.capitalize()} a {each}, and their bounds</h3>"
            yield bars(drawn)
    rates = [rows / max(seconds, 1e-9) for rows, seconds in found.pace]
    if rates:
        yield "<h3>Rows a second, by chunk</h3>"
        words = f"{len(rates)} chunks, from {min(rates):,.0f} to {max(rates):,.0f} rows a second"
        yield columns(rates, words)
    yield _list([f"{what}: {why}" for what, why in found.tally.refused.items()])
    yield "</section>"


def _list(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in items)}</ul>" if items else ""


def _table(plan: DiffPlan, found: "SourceOutcome") -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header(plan))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in lines(plan, found.tally)
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _times(plan: DiffPlan, found: "SourceOutcome") -> list[Bar]:
    each = [one.name for one in plan.against if one.name != NATIVE or plan.whole]
    rates = {name: found.tally.seconds.get(name, 0.0) * 1e6 for name in each}
    taken = {name: max(1, found.tally.of(name)["taken"]) for name in each}
    return [
        Bar(name, rates[name] / taken[name], f"{rates[name] / taken[name]:.2f}") for name in each
    ]


def _counters(plan: DiffPlan, found: "SourceOutcome", what: str) -> list[Bar]:
    drawn = list[Bar]()
    for one in plan.against:
        counts = Counter(found.tally.of(one.name))
        counts["slices"] = counts["held"]
        of = max(1, counts["traces"] if what == "slices" else counts["taken"])
        if not counts[what]:
            continue
        most = counts[f"most {what}"] / of
        rate = counts[what] / of
        words = f"{rate:.2f}, and {most:.2f} are claimed" if most else f"{rate:.2f}"
        drawn.append(Bar(one.name, rate, words, most or None))
    return drawn


def _mismatch(one: Mismatch) -> Iterator[str]:
    yield f'<h3 class="bad">{escape(one.name)} is wrong on key {escape(one.key)}</h3>'
    yield f"<p>Made small: {one.events} events. {escape(one.what)}</p>"
    points = list(_points(one))
    if points:
        yield line(points)
        yield "<p>The events, by time, with their values.</p>"
    yield f"<pre>{escape(chr(10).join(one.steps()))}</pre>"
    yield f"<p>Again: <code>{escape(one.again(Path(one.file())))}</code></p>"
    yield f"<details><summary>transcript</summary><pre>{escape(json.dumps(one.transcript))}</pre>"
    yield "</details>"


def _points(one: Mismatch) -> Iterator[tuple[float, str]]:
    told = parse(json.dumps(one.transcript))
    for turn in told.turns if isinstance(told, OperatorTranscript) else ():
        for event in turn.step.events:
            yield event.time, f"{event.value} at {event.time}"
