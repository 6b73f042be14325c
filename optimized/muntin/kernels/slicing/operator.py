"""The slicing operator over columns: the denotation, batch at a time [Traub20, Tangwongsan19]."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from muntin.kernels.jit import COMPILED
from muntin.kernels.slicing.arrays import Flags, clock
from muntin.kernels.slicing.batch import Batch, Source, key_column, of_events
from muntin.kernels.slicing.dense.group import DenseGroup
from muntin.kernels.slicing.dense.tables import DENSE_PARTS
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Records, slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.keys import KeyIds
from muntin.kernels.slicing.known import KINDS, Told
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.kernels.slicing.opaque import Opaque
from muntin.kernels.slicing.supported import refuse
from muntin.spec.data_driven import Session
from muntin.spec.errors import InvalidInputError
from muntin.spec.measure import TIME
from muntin.spec.operator import Operator
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, Step, check_order

Method = Literal["auto", "dense", "slices", "records"]
"""How cells are kept: in slices without holes, in slices, or each event by itself."""

Place = tuple[object, ...]


class ColumnarOperator(Operator):
    """Many queries over one stream of columns, in one pass."""

    def __init__(self, settings: Settings = DEFAULTS, *, method: Method = "auto") -> None:
        """Start with no query and no event; a method says how cells are kept."""
        self._method: Method = method
        self._sources: dict[Source, None] = {}
        self._settings = settings
        self._clock = Clock()
        self._seen: float = -END
        self._arrivals = 0
        self._keys = KeyIds()
        self._queries: dict[str, Query] = {}
        self._groups: dict[Place, Group | DenseGroup] = {}
        self._place: dict[str, Place] = {}

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        if query.id in self._queries:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        refuse(query, self._settings)
        since = max(clock(self._seen), self._clock.watermark)
        alone = query.window if self._settings.dialect.lateness == "window" else None
        form = form_of(query.aggregate) or Opaque(query)
        method = self._kept_by(query, form)
        place = (since, alone, method)
        group = self._groups.get(place, self._empty(since, method))
        self._groups[place] = group.asked(query.id, query.window, form)
        self._sources |= dict.fromkeys(form.sources)
        self._queries[query.id], self._place[query.id] = query, place

    def _kept_by(self, query: Query, form: Form | Opaque) -> Method:
        """Return slices where no window looks into them, dense ones where there is one key."""
        kind, settings, method = query.window, self._settings, self._method
        sliced = isinstance(kind, Sliding | Cumulate | Landmark | Band | Session)
        looks = form.holistic or settings.output == "discard" or kind.measure is not TIME
        if looks or not sliced or method == "records":
            return "records"
        single = all(isinstance(part, DENSE_PARTS) for part in form.parts)
        by_event = settings.dialect.lateness == "event"
        fast = method == "dense" or (method == "auto" and COMPILED)
        edges = isinstance(kind, Sliding | Session)
        return "dense" if fast and single and by_event and edges else "slices"

    def _empty(self, since: int, method: Method) -> Group | DenseGroup:
        if method == "dense":
            return DenseGroup(since, self._settings, {})
        return Group(since, self._settings, Records() if method == "records" else slices([]))

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        if name not in self._queries:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        del self._queries[name]
        place = self._place.pop(name)
        group = self._groups[place].without(name)
        self._groups[place] = group
        if not group.tracks:
            del self._groups[place]

    def take(self, step: Step, /) -> Output:
        """Take in a step, and say what it changes."""
        events = step.events
        if self._settings.in_order:
            check_order([self._seen, *(event.time for event in events)])
        batch = of_events(events, self._arrivals, list(self._sources))
        seen = max([self._seen, *(event.time for event in events)])
        given = -END if step.watermark is None else step.watermark
        after = self._clock.advanced(
            max(given, seen if self._settings.in_order else -END), self._settings
        )
        batch = batch.keyed(self._keys.of(key_column(events)))
        groups, told, late = self._stepped(batch, Moment(self._clock, after))
        results = self._results(told)
        self._groups, self._clock, self._seen = groups, after, seen
        self._arrivals += len(events)
        return Output(results, tuple(events[i] for i in np.flatnonzero(late)))

    def _stepped(
        self, batch: Batch, moment: Moment
    ) -> tuple[dict[Place, Group | DenseGroup], list[Told], Flags]:
        limit = moment.before.limit
        sees, takes = np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.bool_)
        groups, told = (
            dict[Place, Group | DenseGroup](),
            list[Told](),
        )
        for place in sorted(self._groups, key=lambda place: place[2] == "dense"):
            group = self._groups[place]
            seen = batch.time > group.since
            mine = batch.picked(seen)
            ok = group.takes(mine, limit)
            sees |= seen
            takes[np.flatnonzero(seen)[ok]] = True
            part = mine.picked(ok)
            groups[place], lines = group.step(part, moment)
            told += lines
        late = {"window": sees & ~takes, "event": batch.time < limit, "never": takes & False}
        return groups, told, late[self._settings.dialect.lateness]

    def _results(self, told: Sequence[Told]) -> tuple[Result, ...]:
        """Publish, in the order of rule 11."""
        nth = {name: i for i, name in enumerate(self._queries)}
        lines = [
            (
                (one.kind[i] > 0, one.end[i], one.start[i], nth[name], one.birth[i]),
                Result(
                    name,
                    self._keys.key(int(one.key[i])),
                    int(one.start[i]),
                    int(one.end[i]),
                    value,
                    KINDS[one.kind[i]],  # type: ignore[arg-type]  # KINDS holds just these
                    int(one.revision[i]),
                ),
            )
            for block in told
            for name, one in block.each()
            for i, value in enumerate(one.values[""].objects())
        ]
        return tuple(result for _, result in sorted(lines, key=lambda line: line[0]))
