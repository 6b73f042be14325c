"""How much must be known before edges are: classes of window types, computed on traces [Li05]."""

from collections.abc import Sequence
from itertools import combinations

from muntin.spec.dialect import OURS
from muntin.spec.stream import Accepted, Event
from muntin.spec.windows.measure import Line, lay_out
from muntin.spec.windows.window import Context, WindowType


def context_on(kind: WindowType, traces: Sequence[Sequence[Event]], until: int) -> Context:
    """Return the narrowest class that these traces do not refute (definition W18).

    Context free: the windows of a trace are those that would exist if there were an event at
    every instant, as far as they hold an event. Forward context free: two traces that agree up to
    a coordinate agree on the edges up to there. Forward context aware: neither.

    >>> from muntin.spec.windows.data_driven import Session
    >>> traces = [[Event(1, "a")], [Event(1, "a"), Event(3, "b")], [Event(3, "b")]]
    >>> context_on(Session(3), traces, until=9)
    'FCF'
    """
    dense = laid(kind, [Event(time, 0) for time in range(-until, until)], until)
    lines = [laid(kind, trace, until) for trace in traces]
    if all(inhabited(kind, line, line) == inhabited(kind, dense, line) for line in lines):
        return "CF"
    pairs = [(a, b, upto) for a, b in combinations(lines, 2) for upto in range(-until, until)]
    alike = [(a, b, upto) for a, b, upto in pairs if same(a, b, upto)]
    agree = all(known(kind, a, upto) == known(kind, b, upto) for a, b, upto in alike)
    return "FCF" if agree else "FCA"


def laid(kind: WindowType, trace: Sequence[Event], until: int) -> Line:
    """Lay out a trace."""
    history = [Accepted(event, arrival) for arrival, event in enumerate(trace)]
    return lay_out(history, kind.measure, until, OURS)


def inhabited(kind: WindowType, windows_of: Line, events_of: Line) -> set[tuple[float, ...]]:
    """Return the windows of one line that hold an event of another."""
    holding = [(i, at) for i in kind.intervals(windows_of) for at in events_of.placed]
    return {interval for interval, at in holding if kind.holds(interval, at, OURS)}


def known(kind: WindowType, line: Line, upto: int) -> set[float]:
    """Return the edges up to a coordinate."""
    return {edge for edge in kind.edges(line) if edge <= upto}


def same(a: Line, b: Line, upto: int) -> bool:
    """Whether two lines hold the same events up to a coordinate, in the same order."""
    lines = ([at.accepted.event for at in line.placed if at.coordinate <= upto] for line in (a, b))
    return next(lines) == next(lines)
