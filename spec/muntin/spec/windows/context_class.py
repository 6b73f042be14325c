"""How much must be known before edges are: classes of window types, computed on traces [Li05]."""

from collections.abc import Sequence
from itertools import combinations

from muntin.spec.dialect import OURS
from muntin.spec.stream import Accepted, Event
from muntin.spec.windows.measure import Timeline, build_timeline
from muntin.spec.windows.window import Context, WindowType


def context_class(kind: WindowType, traces: Sequence[Sequence[Event]], until: int) -> Context:
    """Return the narrowest class that these traces do not refute (definition W18).

    Context free: the windows of a trace are those that would exist if there were an event at
    every instant, as far as they hold an event. Forward context free: two traces that agree up to
    a coordinate agree on the edges up to there. Forward context aware: neither.

    >>> from muntin.spec.windows.data_driven import Session
    >>> traces = [[Event(1, "a")], [Event(1, "a"), Event(3, "b")], [Event(3, "b")]]
    >>> context_class(Session(3), traces, until=9)
    'FCF'
    """
    dense = build_timeline_of(kind, [Event(time, 0) for time in range(-until, until)], until)
    lines = [build_timeline_of(kind, trace, until) for trace in traces]
    if all(
        nonempty_windows(kind, line, line) == nonempty_windows(kind, dense, line) for line in lines
    ):
        return "CF"
    pairs = [(a, b, upto) for a, b in combinations(lines, 2) for upto in range(-until, until)]
    alike = [(a, b, upto) for a, b, upto in pairs if equal_prefix(a, b, upto)]
    agree = all(edges_up_to(kind, a, upto) == edges_up_to(kind, b, upto) for a, b, upto in alike)
    return "FCF" if agree else "FCA"


def build_timeline_of(kind: WindowType, trace: Sequence[Event], until: int) -> Timeline:
    """Lay out a trace."""
    history = [Accepted(event, arrival) for arrival, event in enumerate(trace)]
    return build_timeline(history, kind.measure, until, OURS)


def nonempty_windows(
    kind: WindowType, windows_of: Timeline, events_of: Timeline
) -> set[tuple[float, ...]]:
    """Return the windows of one line that hold an event of another."""
    holding = [(i, at) for i in kind.intervals(windows_of) for at in events_of.placed]
    return {interval for interval, at in holding if kind.holds(interval, at, OURS)}


def edges_up_to(kind: WindowType, line: Timeline, upto: int) -> set[float]:
    """Return the edges up to a coordinate."""
    return {edge for edge in kind.edges(line) if edge <= upto}


def equal_prefix(a: Timeline, b: Timeline, upto: int) -> bool:
    """Whether two lines hold the same events up to a coordinate, in the same order."""
    lines = ([at.accepted.event for at in line.placed if at.coordinate <= upto] for line in (a, b))
    return next(lines) == next(lines)
