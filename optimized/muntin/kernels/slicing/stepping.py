"""One step of many groups: those that change in place come last, when nothing else can fail."""

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import TypeAlias

import numpy as np

from muntin.columnar.engine.kernel_language import COMPILED
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.sharded_group import ShardedGroup
from muntin.kernels.slicing.arrays import Flags, Ints, no_ints
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.known import ToldLines
from muntin.kernels.slicing.moment import Moment
from muntin.spec.windows.window import WindowType

Place: TypeAlias = tuple[int, WindowType | None, str]
"""Since when, for which window type if lateness is by window, and how cells are kept."""
AnyGroup: TypeAlias = Group | EngineGroup | ShardedGroup
quiet = nullcontext if COMPILED else partial(np.errstate, invalid="ignore", over="ignore")
"""Kernels that are compiled never warn of what is not finite, so those that are not shall not."""


class Stepping:
    """The groups after a step, what is told, and by window who sees and who takes each event."""

    def __init__(self, batch: Batch, moment: Moment, lateness: str) -> None:
        """Start with no group."""
        self.groups: dict[Place, AnyGroup] = {}
        self.told = list[ToldLines]()
        self._batch, self._moment, self._lateness = batch, moment, lateness
        self._by_window = lateness == "window"
        self._sees, self._takes = np.zeros((2, len(batch) if self._by_window else 0), np.bool_)

    def take(self, groups: Mapping[Place, AnyGroup]) -> None:
        """Let groups take in what they see and is not late."""
        limit, batch = self._moment.before.limit, self._batch
        least = batch.least
        for place, group in groups.items():
            mine, seen = batch, np.zeros(0, np.bool_)
            taken = seen
            if self._by_window or least <= max(group.since, limit - 1):
                seen = batch.time > group.since
                taken = seen.copy()
                taken[seen] = group.takes(batch.picked(seen), limit)
                mine = batch.picked(taken)
            with quiet():
                self.groups[place], lines = group.step(mine, self._moment)
            if self._by_window:
                if isinstance(group, EngineGroup) and group.refused is not None:
                    taken[taken] = ~group.refused
                self.judge(seen, taken)
            self.told += lines

    def judge(self, sees: Flags, takes: Flags) -> None:
        """Count the verdict of some queries."""
        if self._by_window:
            self._sees, self._takes = self._sees | sees, self._takes | takes

    def late(self) -> Ints:
        """Return the places of what came too late (rule 4)."""
        if self._by_window:
            return np.flatnonzero(self._sees & ~self._takes)
        limit, batch = self._moment.before.limit, self._batch
        if self._lateness != "event" or batch.least >= limit:
            return no_ints()
        return np.flatnonzero(batch.time < limit)
