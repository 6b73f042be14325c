"""What there is to see in a trace after each step: windows, their state, why events are late.

All of it is read off the history of the specification (`muntin.spec.denotation`), for pictures and
explanations; no rule is stated here a second time.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from muntin.conformance.transcript.model import OperatorTranscript
from muntin.spec.denotation import (
    History,
    KeyedHistory,
    RegisteredQuery,
    add,
    append_event,
    first_visible_start,
    ingest,
    remove,
    step,
    windows_of,
)
from muntin.spec.query import Output
from muntin.spec.stream import AcceptedEvent, Event, Step
from muntin.spec.windows.window import Interval, Window

WindowState = Literal["open", "complete", "final"]
"""Before the watermark completes a window, after it, and when no event can change it any more."""


@dataclass(frozen=True)
class WindowView:
    """A window that holds an event, as it stands after a step."""

    query: str
    key: Hashable
    interval: Interval
    state: WindowState
    value: object
    arrivals: tuple[int, ...]
    """The numbers of its events in the order of arrival, from 0."""
    is_published: bool
    revision: int


@dataclass(frozen=True)
class LatenessReason:
    """Why an event is late (rule 4): it is before the limit, or its windows are final."""

    event: Event
    watermark: float
    limit: float
    """The watermark less the allowed lateness."""
    windows: tuple[tuple[str, Interval, float], ...] = ()
    """By window: each query, its window that would hold the event, and when that was final."""


@dataclass(frozen=True)
class StepView:
    """One step: what it brought, what was emitted, and how everything stands after it."""

    step: Step
    output: Output
    watermark: float
    limit: float
    windows: tuple[WindowView, ...]
    late: tuple[LatenessReason, ...]
    watermark_before: float
    limit_before: float


def inspect_steps(transcript: OperatorTranscript) -> Iterator[StepView]:
    """Yield a view of each step of a trace, as the specification processes it.

    >>> from muntin.conformance.transcript.model import parse
    >>> trace = parse('''{"muntin": 1, "allowed_lateness": 5, "steps": [
    ...   {"events": [{"t": 12, "v": 1}], "watermark": 15}, {"events": [{"t": 3}]}],
    ...  "queries": [{"id": "w", "window": {"type": "tumbling", "size": 10}, "aggregate": "sum"}]}
    ... ''')
    >>> for view in inspect_steps(trace):
    ...     print([(w.interval[:2], w.state) for w in view.windows], [l.limit for l in view.late])
    [((10, 20), 'open')] []
    [((10, 20), 'open')] [10]
    """
    history = reduce(add, transcript.queries, History(transcript.settings))
    for turn in transcript.turns:
        history = reduce(add, turn.added, reduce(remove, turn.removed, history))
        after, output = step(history, turn.step)
        yield StepView(
            turn.step,
            output,
            after.watermark,
            after.limit,
            tuple(_window_views(after)),
            tuple(_lateness_reasons(history, turn.step)),
            history.watermark,
            history.limit,
        )
        history = after


def _window_views(history: History) -> Iterator[WindowView]:
    for registered in history.queries:
        for key, keyed in registered.keys.items():
            windows = _visible_windows(registered, key, keyed, history)
            for interval in sorted(windows):
                window = windows[interval]
                final = interval in keyed.frozen or window.final_at <= history.limit
                complete = window.is_complete(history.watermark)
                yield WindowView(
                    registered.query.id,
                    key,
                    interval,
                    "open" if not complete else "final" if final else "complete",
                    registered.query.value([accepted.event for accepted in window.content]),
                    window.arrivals,
                    interval in keyed.published,
                    keyed.revisions.get(interval, 0),
                )


def _visible_windows(
    registered: RegisteredQuery, key: Hashable, keyed: KeyedHistory, history: History
) -> dict[Interval, Window]:
    start = first_visible_start(registered.query, registered.since, registered.missed.get(key))
    windows = windows_of(registered.query, keyed.events, history)
    return {w.interval: w for w in windows if w.interval.start > start} | dict(keyed.frozen)


def _lateness_reasons(history: History, received: Step) -> Iterator[LatenessReason]:
    """Ingest the events of a step one by one, and look at those that are called late."""
    late: tuple[Event, ...] = ()
    for event in received.events:
        grown, all_late = ingest((history, late), event)
        if len(all_late) > len(late):
            windows = _refusing_windows(history, AcceptedEvent(event, history.arrivals))
            yield LatenessReason(event, history.watermark, history.limit, tuple(windows))
        history, late = grown, all_late


def _refusing_windows(
    history: History, accepted: AcceptedEvent
) -> Iterator[tuple[str, Interval, float]]:
    if history.settings.dialect.lateness != "window":
        return
    for registered in history.queries:
        if registered.since < accepted.event.time:
            grown = append_event(registered, accepted).keys[accepted.event.key]
            for window in windows_of(registered.query, grown.events, history):
                if accepted.arrival in window.arrivals:
                    final_at = window.final_at + history.settings.allowed_lateness
                    yield registered.query.id, window.interval, final_at
