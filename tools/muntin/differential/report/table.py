"""What a differential run found, as the rows of a table: for people, in text or in HTML."""

from collections import Counter
from collections.abc import Iterator, Sequence

from muntin.differential.plan import NATIVE, DiffPlan
from muntin.differential.tally import Tally

HEADER = (
    "implementation",
    "rows judged",
    "windows",
    "mismatches",
    "lifts a row",
    "combines a row",
    "slices a trace",
    "tuples a trace",
    "beyond bounds",
    "CPU µs a row",
)
"""Counts stand beside their bounds, as `count / bound`, where there is a claim."""


WHOLE_HEADER = (*HEADER[:4], "seconds", "rows a second")
"""Where all rows are answered at once nobody counts; and a mismatch is a key."""


def header(plan: DiffPlan) -> tuple[str, ...]:
    """Return the names of the columns."""
    return WHOLE_HEADER if plan.whole else HEADER


def lines(plan: DiffPlan, tally: Tally) -> list[tuple[str, ...]]:
    """Return a line for each contender."""
    line = _whole_line if plan.whole else _line
    return [line(one.name, tally) for one in plan.against]


def _whole_line(name: str, tally: Tally) -> tuple[str, ...]:
    counts, seconds = tally.of(name), tally.seconds.get(name, 0.0)
    return (
        name,
        f"{counts['rows'] / max(1, tally.of()['rows']):.1%}",
        f"{counts['windows']:,}",
        f"{counts['mismatches']:,}",
        f"{seconds:,.0f}",
        f"{counts['taken'] / max(seconds, 1e-9):,.0f}",
    )


def _line(name: str, tally: Tally) -> tuple[str, ...]:
    counts, rows = tally.of(name), tally.of()["rows"]
    taken, traces = counts["taken"], counts["traces"]
    native = name == NATIVE
    return (
        name,
        f"{counts['rows'] / max(1, rows):.1%}",
        f"{counts['windows']:,}",
        f"{counts['mismatches']:,}",
        _beside(counts, "lifts", taken),
        _beside(counts, "combines", taken),
        _beside(counts | Counter(slices=counts["held"]), "slices", traces),
        _beside(counts, "tuples", traces),
        f"{counts['over']:,}" if any(what.startswith("most ") for what in counts) else "",
        "" if native or not taken else f"{tally.seconds.get(name, 0.0) / taken * 1e6:.1f}",
    )


def _beside(counts: Counter[str], what: str, of: int) -> str:
    """Return a rate, beside what is claimed of it."""
    if not counts[what] or not of:
        return ""
    bound = f" / {counts[f'most {what}'] / of:.2f}" if counts[f"most {what}"] else ""
    return f"{counts[what] / of:.2f}{bound}"


def text(header: Sequence[str], body: Sequence[Sequence[str]]) -> Iterator[str]:
    r"""Yield the lines of a table in text; the first column is to the left.

    >>> print(*text(("a", "b"), [("xyz", "1")]), sep="\n")
    a    b
    xyz  1
    """
    rows = [header, *body]
    widths = [max(len(row[at]) for row in rows) for at in range(len(header))]
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        yield "  ".join(cells).rstrip()


def summary(plan: DiffPlan, tally: Tally, seconds: float) -> str:
    """Say in a sentence what was run."""
    run = tally.of()
    rate = run["rows"] / max(seconds, 1e-9)
    return (
        f"{run['rows']:,} rows of {run['traces']:,} traces, {run['late']:,} late, "
        f"{run['windows']:,} windows of {len(plan.queries())} queries, in {seconds:.0f} s "
        f"({rate:,.0f} rows a second)"
    )
