"""What `muntin demo` runs and prints."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from muntin.cli import demo_tables, registry
from muntin.cli.demo_stream import BEHIND, QUERIES, SETTINGS, DemoStream
from muntin.cli.lookup import ALL
from muntin.cli.progress import Ticker
from muntin.cli.registry import OperatorEntry, StructureEntry
from muntin.cli.structure_trial import Slid, as_it_landed, as_it_left, slide, specified
from muntin.cli.trial import Difference, Run, Tick, differences, run
from muntin.conformance.flights import clock
from muntin.reference.denoted import Denoted
from muntin.spec.catalogue import named

E = TypeVar("E", OperatorEntry, StructureEntry)

AGGREGATES = ("sum", "max", "collect")
SPAN = 360
"""How many minutes the windows of the structures reach back."""


def report(stream: DemoStream, names: set[str]) -> int:
    """Run everything, print everything, and return 1 if anything disagrees."""
    console = Console()
    operators = [entry for entry in picked(registry.OPERATORS, names) if entry.build is not Denoted]
    structures = picked(registry.STRUCTURES, names)
    total = (len(operators) + 1) * len(stream.steps()) + len(structures) * len(AGGREGATES)
    with Ticker("replaying", total) as progress:
        runs = try_operators(stream, operators, progress.tick)
        slid = try_structures(stream, structures, progress.tick)
    wrong = [one for run in runs[1:] for one in differences(run, runs[0].outputs).values()]
    tell(console, stream, runs)
    show(console, stream, runs, wrong, slid)
    return complain(console, wrong, slid)


def picked(entries: Sequence[E], names: set[str]) -> list[E]:
    """Return the entries that were asked for."""
    return [entry for entry in entries if names & {entry.name, ALL}]


def try_operators(stream: DemoStream, operators: Sequence[OperatorEntry], tick: Tick) -> list[Run]:
    """Run the specification, then each operator."""
    entries = [OperatorEntry("spec", Denoted), *operators]
    return [run(entry, QUERIES, SETTINGS, stream.steps(), tick) for entry in entries]


def try_structures(
    stream: DemoStream, structures: Sequence[StructureEntry], tick: Tick
) -> list[Slid]:
    """Run each structure with each aggregate, in the order of arrival that it takes."""
    found: list[Slid] = []
    for name in AGGREGATES:
        for arrange in (as_it_landed, as_it_left):
            calls = arrange(stream.events, SPAN)
            right = specified(calls, named(name))
            for entry in structures:
                if (entry.arrival == "any order") == (arrange is as_it_landed):
                    done = slide(entry, named(name), calls, tick)
                    found.append(Slid(name, done, done.first_difference(right)))
    return found


def tell(console: Console, stream: DemoStream, runs: Sequence[Run]) -> None:
    """Say what was done."""
    events, late = stream.events, sum(len(output.late) for output in runs[0].outputs)
    first, last = (end(event.time for event in events) for end in (min, max))
    say(
        console,
        f"{len(events):,} departures from New York, {clock(first):%b %d %H:%M} to "
        f"{clock(last):%b %d %H:%M} {clock(last):%Y}, told of when they landed. "
        f"{stream.out_of_order() / len(events):.1%} are out of order: a later departure had "
        f"landed before. They come {stream.batch} at a time. The watermark trails the latest "
        f"departure by {BEHIND} minutes, {SETTINGS.allowed_lateness} minutes of lateness are "
        f"allowed, and {late} came later than that. Values are delays in minutes; each origin is "
        "a key of its own; windows are on New York's clock, without summer time.",
    )


def say(console: Console, text: str) -> None:
    """Print a paragraph."""
    console.print(f"{text}\n", highlight=False)


def lay_out(console: Console, title: str, table: Table) -> None:
    """Print a table under its title."""
    console.print(Text(title, "bold"))
    console.print(table, "")


def show(
    console: Console,
    stream: DemoStream,
    runs: Sequence[Run],
    wrong: Sequence[Difference],
    slid: Sequence[Slid],
) -> None:
    """Print the tables."""
    events = len(stream.events)
    lay_out(console, "Queries", demo_tables.questions())
    results = demo_tables.results(runs[0].outputs[:-1])
    lay_out(console, "The last windows that were complete before the stream ended", results)
    lay_out(console, "Do they answer as specified?", demo_tables.agreement(runs, wrong))
    if reasons := refused(runs, slid):
        lay_out(console, "Who refuses, and why", demo_tables.refusals(reasons))
    spent = demo_tables.operator_costs(runs, events)
    lay_out(console, "What the operators spend a departure and query, and hold at the end", spent)
    say(
        console,
        "Held are events and partial aggregates, over all queries and keys, before the stream "
        "ended (and at most). The specification forgets nothing.",
    )
    if slid:
        answered = demo_tables.structures(slid, events)
        lay_out(
            console, "What the structures answer, spend a departure, and hold at most", answered
        )
        say(
            console,
            f"They hold one window over the last {SPAN} minutes, of all origins together, which is "
            "queried at each departure. Those that need order get the departures in order.",
        )


def refused(runs: Sequence[Run], slid: Sequence[Slid]) -> Mapping[str, list[str]]:
    """Return who gave which reason for a refusal."""
    given = [(reason, run.name) for run in runs for reason in run.refusals.values()]
    given += [
        (one.slide.refusal, f"{one.slide.name} ({one.aggregate})")
        for one in slid
        if one.slide.refusal
    ]
    return {
        reason: list(dict.fromkeys(name for why, name in given if why == reason))
        for reason, _ in given
    }


def complain(console: Console, wrong: Sequence[Difference], slid: Sequence[Slid]) -> int:
    """Print the first difference of each that disagrees, if any does."""
    astray = [one for one in slid if one.wrong and one.slide.refusal is None]
    for differs in wrong:
        title = f"{differs.operator}, {differs.query}, step {differs.step}"
        console.print(Text(title, "bold red"))
        console.print(Text(f"  specified: {differs.wanted}\n  answered:  {differs.got}"))
    for one in astray:
        console.print(Text(f"{one.slide.name}, {one.aggregate}, {one.wrong}", "bold red"))
    if not wrong and not astray:
        console.print(Text("Everything agrees with the specification.", "bold green"))
    return int(bool(wrong or astray))
