"""For every key, forever: its last event, and the order in which queries first accepted it.

Windows of several keys that tie are emitted in the order in which their query first saw the keys
(rule 11); a query added later must know what it has missed of a key (rule 13).
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from muntin.spec.query import Query
from muntin.spec.stream import Event
from muntin.spec.windows.measure import COUNT, TIME


class Cohort(NamedTuple):
    """Queries that accept the same events: those after a time, or by window one query alone."""

    since: float
    name: str | None


class KeyOrder:
    """For each cohort, the position of each key in the order of first acceptance."""

    def __init__(self) -> None:
        """Start with no key."""
        self.latest_events: dict[Hashable, Event] = {}
        self._positions: dict[Cohort, dict[Hashable, int]] = {}
        self._waiting_cohorts: dict[Hashable, Sequence[Cohort]] = {}  # that have not met a key

    def missed_events(self, query: Query) -> Mapping[Hashable, Event]:
        """The last event of each key, if it matters to the query that it has missed it."""
        return {} if query.window.measure in (TIME, COUNT) else dict(self.latest_events)

    def add(self, cohort: Cohort) -> None:
        """Let a cohort number the keys that it will see."""
        if cohort not in self._positions:
            self._positions[cohort] = {}
            extended: dict[tuple[Cohort, ...], tuple[Cohort, ...]] = {}  # shared by like keys
            for key in self.latest_events:
                cohorts = tuple(self._waiting_cohorts.get(key, ()))
                self._waiting_cohorts[key] = extended.setdefault(cohorts, (*cohorts, cohort))

    def remove(self, cohort: Cohort) -> None:
        """Drop a cohort."""
        del self._positions[cohort]
        for key, cohorts in list(self._waiting_cohorts.items()):
            if cohort in cohorts:
                self._set_waiting(key, [other for other in cohorts if other != cohort])

    def position(self, cohort: Cohort, key: Hashable) -> int:
        """The position of a key among those that a cohort has accepted."""
        return self._positions[cohort].get(key, 0)

    def record_key(self, event: Event, rejecting: set[str]) -> None:
        """Number the key of an event for the cohorts that accept it: all but the rejecting ones."""
        key = event.key
        if key in self.latest_events and key not in self._waiting_cohorts:
            return
        cohorts = self._waiting_cohorts.get(key, self._positions)
        waiting = [c for c in cohorts if not self._record_acceptance(c, event, rejecting)]
        self._set_waiting(key, waiting)

    def _set_waiting(self, key: Hashable, cohorts: Sequence[Cohort]) -> None:
        """Record which cohorts have not accepted a key yet, if there are any."""
        if cohorts:
            self._waiting_cohorts[key] = cohorts
        else:
            self._waiting_cohorts.pop(key, None)

    def _record_acceptance(self, cohort: Cohort, event: Event, rejecting: set[str]) -> bool:
        accepts = event.time > cohort.since and cohort.name not in rejecting
        if accepts:
            self._positions[cohort].setdefault(event.key, len(self._positions[cohort]))
        return accepts

    def record_latest_event(self, event: Event) -> None:
        """Record an event, on time or late: it may be the last of its key."""
        key = event.key
        if key not in self.latest_events:  # who has not numbered it has not accepted it
            self._set_waiting(key, [c for c, p in self._positions.items() if key not in p])
        if event.time >= self.latest_events.setdefault(key, event).time:
            self.latest_events[key] = event
