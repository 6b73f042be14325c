"""The tables that `muntin demo` prints."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from muntin.cli.demo_stream import QUERIES, QUESTIONS
from muntin.cli.structure_trial import Slid
from muntin.cli.trial import Difference, Run
from muntin.conformance.flights import clock
from muntin.spec.measure import COUNT
from muntin.spec.query import Output, Query, Result

LAST = 3
"""How many windows are shown of each query."""

LONG = 27
"""How many characters of a value are shown."""


def _table(*columns: str, figures: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, no_wrap=True)
    for column in figures:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def last_windows(outputs: Sequence[Output], query: str) -> list[Result]:
    """Return the last windows of a query, as they stand after these outputs.

    >>> row = Result("q", None, 0, 5, value=7, kind="new", revision=0)
    >>> gone = row._replace(kind="retracted")
    >>> len(last_windows([Output((row,))], "q")), len(last_windows([Output((row, gone))], "q"))
    (1, 0)
    """
    standing: dict[tuple[object, ...], Result] = {}
    for result in (one for output in outputs for one in output.results if one.query == query):
        window = (result.key, result.start, result.end)
        standing.pop(window, None)
        if result.kind != "retracted":
            standing[window] = result
    return sorted(standing.values(), key=lambda one: (one.end, one.start, str(one.key)))[-LAST:]


def results(outputs: Sequence[Output]) -> Table:
    """Show the last windows of each query."""
    table = _table("query", "origin", "window", figures=["value", "updates"])
    for query in QUERIES:
        for one in last_windows(outputs, query.id):
            value = Text(_short(one.value))
            table.add_row(query.id, str(one.key), _window(query, one), value, str(one.revision))
    return table


def questions() -> Table:
    """Show what each query asks."""
    table = _table("query", "asks for")
    for query in QUERIES:
        table.add_row(query.id, QUESTIONS[query.id])
    return table


def _short(value: object) -> str:
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONG else text[: LONG - 1] + "…"


def _window(query: Query, result: Result) -> str:
    if query.window.measure is COUNT:
        return f"departures {result.start} to {result.end}"
    start, end = clock(result.start), clock(int(result.end))
    same_day = start.date() == end.date()
    return f"{start:%b %d %H:%M} to {end:{'%H:%M' if same_day else '%b %d %H:%M'}}"


def agreement(runs: Sequence[Run], wrong: Sequence[Difference]) -> Table:
    """Show who agrees with the specification on which query."""
    table = _table("operator", *(query.id for query in QUERIES))
    differing = {(one.operator, one.query) for one in wrong}
    for run in runs:
        cells = [
            Text("DISAGREES", "bold red")
            if (run.name, query.id) in differing
            else Text("refuses", "dim")
            if query.id in run.refusals
            else Text("agrees", "green")
            for query in QUERIES
        ]
        table.add_row(run.name, *cells)
    return table


def refusals(reasons: Mapping[str, Sequence[str]]) -> Table:
    """Show why something was refused, and by whom."""
    table = Table("refused by", "because", box=None, pad_edge=False, header_style="dim")
    for reason, names in reasons.items():
        table.add_row(Text(", ".join(names)), Text(reason))
    return table


def operator_costs(runs: Sequence[Run], events: int) -> Table:
    """Show what each operator spent and held."""
    figures = ["queries", "lifts", "combines", "inverts", "events", "partials"]
    table = _table("operator", figures=figures)
    for run in runs:
        meters, of = run.meters.values(), events * max(1, len(run.meters))
        table.add_row(
            run.name,
            str(len(run.meters)),
            _rate(sum(meter.lifts for meter in meters), of),
            _rate(sum(meter.combines for meter in meters), of),
            _rate(sum(meter.inverts for meter in meters), of),
            _held([one.events for one in run.held]),
            _held([one.partials for one in run.held]),
        )
    return table


def _rate(count: int, of: int) -> str:
    return f"{count / of:.2f}" if count else "0"


def _held(counts: Sequence[int]) -> str:
    """The last count before the stream ends, and the greatest."""
    return f"{counts[-2:][0]:,} ({max(counts):,})" if counts else "all"


def structures(slid: Sequence[Slid], events: int) -> Table:
    """Show what each structure answered, spent and held."""
    aggregates = list(dict.fromkeys(one.aggregate for one in slid))
    figures = ["combines", "inverts", "visits", "items"]
    table = _table("structure", *aggregates, figures=figures)
    for name in dict.fromkeys(one.slide.name for one in slid):
        own = {one.aggregate: one for one in slid if one.slide.name == name}
        meters = [one.slide.meter for one in own.values() if not one.slide.refusal]
        of = events * max(1, len(meters))
        table.add_row(
            name,
            *(_answer(own[aggregate]) for aggregate in aggregates),
            _rate(sum(meter.combines for meter in meters), of),
            _rate(sum(meter.inverts for meter in meters), of),
            _rate(sum(meter.visits for meter in meters), of),
            str(max(one.slide.most for one in own.values())),
        )
    return table


def _answer(one: Slid) -> Text:
    if one.slide.refusal:
        return Text("refuses", "dim")
    return Text("DISAGREES", "bold red") if one.wrong else Text("agrees", "green")
