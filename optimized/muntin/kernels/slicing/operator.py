"""The slicing operator over columns: the denotation, batch at a time [Traub20, Tangwongsan19]."""

from collections.abc import Sequence

import numpy as np

from muntin.kernels.slicing.arrays import Flags, clock
from muntin.kernels.slicing.batch import Batch, Source, key_column, of_events
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Records, Slices, slices
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


class ColumnarOperator(Operator):
    """Many queries over one stream of columns, in one pass."""

    def __init__(self, settings: Settings = DEFAULTS, *, slicing: bool = True) -> None:
        """Start with no query and no event; without slicing, every event is kept by itself."""
        self._slicing = slicing
        self._sources: dict[Source, None] = {}
        self._settings = settings
        self._clock = Clock()
        self._seen: float = -END
        self._arrivals = 0
        self._keys = KeyIds()
        self._queries: dict[str, Query] = {}
        self._groups: dict[tuple[object, ...], Group] = {}
        self._place: dict[str, tuple[object, ...]] = {}

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        if query.id in self._queries:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        refuse(query, self._settings)
        since = max(clock(self._seen), self._clock.watermark)
        alone = query.window if self._settings.dialect.lateness == "window" else None
        form = form_of(query.aggregate) or Opaque(query)
        grain = self._grain(query, form)
        place = (since, alone, grain.name)
        group = self._groups.get(place, Group(since, self._settings, grain))
        self._groups[place] = group.asked(query.id, query.window, form)
        self._sources |= dict.fromkeys(form.sources)
        self._queries[query.id], self._place[query.id] = query, place

    def _grain(self, query: Query, form: Form | Opaque) -> Records | Slices:
        """Return slices where no window looks into them."""
        kind, discards = query.window, self._settings.output == "discard"
        sliced = isinstance(kind, Sliding | Cumulate | Landmark | Band | Session)
        if form.holistic or discards or not sliced or kind.measure is not TIME or not self._slicing:
            return Records()
        return slices([])

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
        results = self._results(groups, told)
        self._groups, self._clock, self._seen = groups, after, seen
        self._arrivals += len(events)
        return Output(results, tuple(events[i] for i in np.flatnonzero(late)))

    def _stepped(
        self, batch: Batch, moment: Moment
    ) -> tuple[dict[tuple[object, ...], Group], list[tuple[tuple[object, ...], Told]], Flags]:
        limit = moment.before.limit
        sees, takes = np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.bool_)
        groups, told = dict[tuple[object, ...], Group](), list[tuple[tuple[object, ...], Told]]()
        for place, group in self._groups.items():
            seen = batch.time > group.since
            mine = batch.picked(seen)
            ok = group.takes(mine, limit)
            sees |= seen
            takes[np.flatnonzero(seen)[ok]] = True
            part = mine.picked(ok)
            groups[place], lines = group.step(part, moment)
            told += [(place, one) for one in lines]
        late = {"window": sees & ~takes, "event": batch.time < limit, "never": takes & False}
        return groups, told, late[self._settings.dialect.lateness]

    def _results(
        self,
        groups: dict[tuple[object, ...], Group],
        told: Sequence[tuple[tuple[object, ...], Told]],
    ) -> tuple[Result, ...]:
        """Publish, in the order of rule 11."""
        nth = {name: i for i, name in enumerate(self._queries)}
        lines = [
            (
                (
                    one.kind[i] > 0,
                    one.end[i],
                    one.start[i],
                    nth[name],
                    groups[at].birth[one.key[i]],
                ),
                Result(
                    name,
                    self._keys.key(int(one.key[i])),
                    int(one.start[i]),
                    int(one.end[i]),
                    values[i],
                    KINDS[one.kind[i]],  # type: ignore[arg-type]  # KINDS holds just these
                    int(one.revision[i]),
                ),
            )
            for at, one in told
            for name, values in ((name, answer.objects()) for name, answer in one.values.items())
            for i in range(len(one))
        ]
        return tuple(result for _, result in sorted(lines, key=lambda line: line[0]))
