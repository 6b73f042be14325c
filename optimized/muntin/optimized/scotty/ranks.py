"""What is known of every key for ever: its last event, and in which order queries have met it.

Windows of several keys that tie are told in the order in which their query has first seen the
keys (rule 11); a query added later must know what it has missed of a key (rule 13).
"""

from collections.abc import Hashable
from typing import NamedTuple

from muntin.spec.stream import Event


class Cohort(NamedTuple):
    """Queries that accept the same events: those after a time, or by window one query alone."""

    since: float
    name: str | None


class Ranks:
    """For each cohort, the keys in the order in which it has first accepted an event of them."""

    def __init__(self) -> None:
        """Start with no key."""
        self.latest: dict[Hashable, Event] = {}
        self._ranks: dict[Cohort, dict[Hashable, int]] = {}
        self._waiting: dict[Hashable, list[Cohort]] = {}

    def add(self, cohort: Cohort) -> None:
        """Let a cohort rank the keys that it will see."""
        if cohort not in self._ranks:
            self._ranks[cohort] = {}
            for waiting in self._waiting.values():
                waiting.append(cohort)

    def remove(self, cohort: Cohort) -> None:
        """Forget a cohort."""
        del self._ranks[cohort]
        for waiting in self._waiting.values():
            if cohort in waiting:
                waiting.remove(cohort)

    def of(self, cohort: Cohort, key: Hashable) -> int:
        """Return the rank of a key."""
        return self._ranks[cohort].get(key, 0)

    def meet(self, event: Event, refusing: set[str]) -> None:
        """Let those who accept an event rank its key: all who see it but these."""
        key = event.key
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = list(self._ranks)
        if waiting:
            self._waiting[key] = [one for one in waiting if not self._met(one, event, refusing)]

    def _met(self, one: Cohort, event: Event, refusing: set[str]) -> bool:
        met = event.time > one.since and one.name not in refusing
        if met:
            self._ranks[one][event.key] = len(self._ranks[one])
        return met

    def see(self, event: Event) -> None:
        """Note an event, in time or late: it may be the last of its key."""
        if event.time >= self.latest.setdefault(event.key, event).time:
            self.latest[event.key] = event
