"""The table of a differential run, as rows of cells: for people, in text or in HTML."""

from collections import Counter
from collections.abc import Iterator, Sequence

from muntin.differential.plan import NATIVE, DiffPlan
from muntin.differential.tally import Tally

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
