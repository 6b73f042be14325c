"""The page in docs/: every number in it is from the run that wrote it."""

from collections.abc import Iterator

from rounds.report import Claim, claim_table, head, plot, table
from slicing_rounds.figures import Figure
from slicing_rounds.implementations import BASELINES
from slicing_rounds.measure import SlicingPlan
from slicing_rounds.results import SlicingResults

INTRODUCTION = """\
Operators of the registry over one stream, in the shapes of [Traub20], Figures 13 to 21. An event
comes every millisecond; windows are of 1 to 20 seconds, spread evenly, so that {most} tumbling
queries are {most} concurrent windows; a watermark comes every {usual} events, behind the longest
delay. A step is {usual} events, or one where the title says so. All run in one process and take
turns over the same steps; of each the best of {turns} turns of about {turn:.0f} ms counts,
after it has processed 20 seconds of the stream, or as much as {filling:.1f} s allow. Time is CPU
time of the process, with the garbage collector off. An implementation that takes more than
{longest:.1f} s for a step gets no turns and no more windows. Answers are compared step by step,
so a wrong implementation fails the run.

The baselines are the naive operators: correct by inspection, written to be read, and they compute
windows by definition. So they are slower than the baselines of the paper by more than what Python
costs: a ratio to them is no measure of the technique alone. Compare shapes: what is flat, and
what falls. Not measured are latency and memory (Figures 15, 16), single splits (20) and parallel
runs (22).
"""


def _rate(rate: float) -> str:
    return f"{rate:,.0f}".replace(",", " ") if rate else ""


def by_place(results: SlicingResults, figure: Figure) -> Iterator[str]:
    """Yield the throughput of each implementation, for each place on the axis."""
    lines = results.rates(figure.name)
    places = list(dict.fromkeys(place for line in lines.values() for place in line))
    rows = [
        [name, *(_rate(line.get(place, 0)) for place in places)] for name, line in lines.items()
    ]
    yield from table([f"tuples/s by {figure.along}", *places], rows, 1)


def by_ratio(results: SlicingResults, figure: Figure) -> Iterator[str]:
    """Yield the speed of each other operator relative to the best baseline."""
    lines = results.rates(figure.name)
    places = list(dict.fromkeys(place for line in lines.values() for place in line))
    best = {
        p: max((lines[n].get(p, 0) for n in BASELINES if n in lines), default=0) for p in places
    }
    rows = [
        [name, *(f"{line[p] / best[p]:.3g}" if p in line and best[p] else "" for p in places)]
        for name, line in lines.items()
        if name not in BASELINES
    ]
    yield from table(["times as fast as the best baseline", *places], rows, 1)


def _sections(results: SlicingResults, decided: list[Claim]) -> Iterator[str]:
    yield from claim_table(decided)
    for figure, _ in results.figures:
        yield from (f"## Figure {figure.name}: {figure.title}", "")
        yield from plot(f"slicing-{figure.name}", f"Throughput by {figure.along}")
        yield from by_place(results, figure)
        yield from by_ratio(results, figure)


def page(results: SlicingResults, decided: list[Claim], plan: SlicingPlan) -> str:
    """The page as text."""
    introduction = INTRODUCTION.format(
        most=plan.windows[-1],
        usual=results.rows[0].workload.batch,
        turns=plan.turns,
        turn=plan.turn * 1000,
        filling=plan.filling,
        longest=plan.longest_step,
    )
    lines = [*head("Slicing: benchmarks", "slicing.py"), introduction]
    return "\n".join([*lines, *_sections(results, decided)]).rstrip() + "\n"
