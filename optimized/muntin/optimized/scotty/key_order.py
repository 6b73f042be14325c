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
        self.latest: dict[Hashable, Event] = {}
        self._ranks: dict[Cohort, dict[Hashable, int]] = {}
        self._waiting: dict[Hashable, Sequence[Cohort]] = {}  # of keys that not all have met

    def missed(self, query: Query) -> Mapping[Hashable, Event]:
        """Return the last event of each key, where it matters to a query that it has missed it."""
        return {} if query.window.measure in (TIME, COUNT) else dict(self.latest)

    def add(self, cohort: Cohort) -> None:
        """Let a cohort rank the keys that it will see."""
        if cohort not in self._ranks:
            self._ranks[cohort] = {}
            grown = dict[tuple[Cohort, ...], tuple[Cohort, ...]]()  # one for all who wait alike
            for key in self.latest:
                before = tuple(self._waiting.get(key, ()))
                self._waiting[key] = grown.setdefault(before, (*before, cohort))

    def remove(self, cohort: Cohort) -> None:
        """Forget a cohort."""
        del self._ranks[cohort]
        for key, waiting in list(self._waiting.items()):
            if cohort in waiting:
                self._wait(key, [one for one in waiting if one != cohort])

    def of(self, cohort: Cohort, key: Hashable) -> int:
        """Return the rank of a key."""
        return self._ranks[cohort].get(key, 0)

    def record_key(self, event: Event, refusing: set[str]) -> None:
        """Let those who accept an event rank its key: all who see it but these."""
        key = event.key
        if key in self.latest and key not in self._waiting:
            return
        waiting = self._waiting.get(key, self._ranks)
        self._wait(key, [one for one in waiting if not self._met(one, event, refusing)])

    def _wait(self, key: Hashable, waiting: Sequence[Cohort]) -> None:
        """Remember who has not met a key, if there is anybody."""
        if waiting:
            self._waiting[key] = waiting
        else:
            self._waiting.pop(key, None)

    def _met(self, one: Cohort, event: Event, refusing: set[str]) -> bool:
        has_met = event.time > one.since and one.name not in refusing
        if has_met:
            self._ranks[one].setdefault(event.key, len(self._ranks[one]))
        return has_met

    def record_latest_event(self, event: Event) -> None:
        """Note an event, in time or late: it may be the last of its key."""
        key = event.key
        if key not in self.latest:  # who has not met it by now has not accepted it
            self._wait(key, [one for one, ranks in self._ranks.items() if key not in ranks])
        if event.time >= self.latest.setdefault(key, event).time:
            self.latest[key] = event
