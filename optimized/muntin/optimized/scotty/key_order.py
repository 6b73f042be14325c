"""What is known of every key for ever: its last event, and in which order queries have met it.

Windows of several keys that tie are told in the order in which their query has first seen the
keys (rule 11); a query added later must know what it has missed of a key (rule 13).
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
    """For each cohort, the keys in the order in which it has first accepted an event of them."""

    def __init__(self) -> None:
        """Start with no key."""
        self.latest_events: dict[Hashable, Event] = {}
        self._positions: dict[Cohort, dict[Hashable, int]] = {}
        self._waiting_cohorts: dict[
            Hashable, Sequence[Cohort]
        ] = {}  # of keys that not all have met

    def missed_events(self, query: Query) -> Mapping[Hashable, Event]:
        """Return the last event of each key, where it matters to a query that it has missed it."""
        return {} if query.window.measure in (TIME, COUNT) else dict(self.latest_events)

    def add(self, cohort: Cohort) -> None:
        """Let a cohort rank the keys that it will see."""
        if cohort not in self._positions:
            self._positions[cohort] = {}
            extended = dict[tuple[Cohort, ...], tuple[Cohort, ...]]()  # one for all who wait alike
            for key in self.latest_events:
                cohorts = tuple(self._waiting_cohorts.get(key, ()))
                self._waiting_cohorts[key] = extended.setdefault(cohorts, (*cohorts, cohort))

    def remove(self, cohort: Cohort) -> None:
        """Forget a cohort."""
        del self._positions[cohort]
        for key, cohorts in list(self._waiting_cohorts.items()):
            if cohort in cohorts:
                self._set_waiting(key, [other for other in cohorts if other != cohort])

    def position(self, cohort: Cohort, key: Hashable) -> int:
        """Return the rank of a key."""
        return self._positions[cohort].get(key, 0)

    def record_key(self, event: Event, rejecting: set[str]) -> None:
        """Let those who accept an event rank its key: all who see it but these."""
        key = event.key
        if key in self.latest_events and key not in self._waiting_cohorts:
            return
        cohorts = self._waiting_cohorts.get(key, self._positions)
        self._set_waiting(
            key,
            [cohort for cohort in cohorts if not self._record_acceptance(cohort, event, rejecting)],
        )

    def _set_waiting(self, key: Hashable, cohorts: Sequence[Cohort]) -> None:
        """Remember who has not met a key, if there is anybody."""
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
        """Note an event, in time or late: it may be the last of its key."""
        key = event.key
        if key not in self.latest_events:  # who has not met it by now has not accepted it
            self._set_waiting(
                key,
                [cohort for cohort, positions in self._positions.items() if key not in positions],
            )
        if event.time >= self.latest_events.setdefault(key, event).time:
            self.latest_events[key] = event
