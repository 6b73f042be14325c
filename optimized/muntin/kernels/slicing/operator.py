"""The slicing operator over columns: the denotation, batch at a time [Traub20, Tangwongsan19]."""

from collections.abc import Sequence

import numpy as np

from muntin.kernels.slicing.answered import Answered
from muntin.kernels.slicing.arrays import Ints, clock, constant, no_ints
from muntin.kernels.slicing.batch import Batch, Source, key_column, of_events
from muntin.kernels.slicing.columns_in import check_sorted, check_times, of_columns
from muntin.kernels.slicing.dense.group import DenseGroup
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.grain import Records, slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.keys import KeyIds
from muntin.kernels.slicing.known import Told
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.kernels.slicing.opaque import Opaque
from muntin.kernels.slicing.plan import Method, Plan, explained, planned
from muntin.kernels.slicing.supported import refuse
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Output, Query, Settings
from muntin.spec.stream import END, Event, Step, check_order

Place = tuple[object, ...]


class ColumnarOperator(Operator):
    """Many queries over one stream of columns, in one pass."""

    def __init__(self, settings: Settings = DEFAULTS, *, method: Method = "auto") -> None:
        """Start with no query and no event; a method says how cells are kept."""
        self._method: Method = method
        self._sources: dict[Source, None] = {}
        self._plans: dict[str, tuple[Form | Opaque, Plan]] = {}
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
        plan = planned(query, form, self._settings, self._method)
        method = plan.method
        place = (since, alone, method)
        group = self._groups.get(place, self._empty(since, method))
        self._groups[place] = group.asked(query.id, query.window, form)
        self._plans[query.id] = (form, plan)
        self._sources |= dict.fromkeys(form.sources)
        self._queries[query.id], self._place[query.id] = query, place

    def _empty(self, since: int, method: Method) -> Group | DenseGroup:
        if method == "dense":
            return DenseGroup(since, self._settings, {})
        return Group(since, self._settings, Records() if method == "records" else slices([]))

    def explain(self) -> str:
        """Say, for each query, how it is computed, and why so.

        >>> from muntin.spec.catalogue import named
        >>> from muntin.spec.data_driven import Rolling
        >>> operator = ColumnarOperator()
        >>> operator.add(Query("w", Rolling(10), named("median")))
        >>> operator.explain()
        'w: rolling of median: records (median is holistic); everything by sorted runs'
        """
        lines: list[str] = []
        for name, query in self._queries.items():
            form, plan = self._plans[name]
            lines.append(explained(query, form, plan, self._groups[self._place[name]].method))
        return "\n".join(lines)

    def retained(self) -> int:
        """Return how many cells are kept, empty ones too."""
        return sum(len(group) for group in self._groups.values())

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        if name not in self._queries:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        del self._queries[name]
        place = self._place.pop(name)
        del self._plans[name]
        group = self._groups[place].without(name)
        self._groups[place] = group
        if not group.tracks:
            del self._groups[place]
        forms = [form for form, _ in self._plans.values()]
        self._sources = {source: None for form in forms for source in form.sources}

    def take(self, step: Step, /) -> Output:
        """Take in a step, and say what it changes."""
        events = step.events
        if self._settings.in_order:
            check_order([self._seen, *(event.time for event in events)])
        batch = self._batch_of(events)
        batch = batch.keyed(self._keys.of(key_column(events)))
        answered = self._answered(batch, step.watermark)
        return Output(answered.results(), tuple(events[int(i)] for i in answered.late))

    def _batch_of(self, events: Sequence[Event]) -> Batch:
        """Return events as columns; if some are no numbers, say which query can't have them."""
        try:
            return of_events(events, self._arrivals, list(self._sources))
        except UnsupportedError:
            for query in self._queries.values():
                for event in events:
                    query.value([event])
            raise

    def take_columns(
        self,
        times: object,
        values: object = None,
        keys: object = None,
        watermark: float | None = None,
    ) -> Answered:
        """Take in a step of columns: arrays, or named arrays for values.

        >>> from muntin.spec.catalogue import named
        >>> from muntin.spec.periodic import tumbling
        >>> operator = ColumnarOperator()
        >>> operator.add(Query("w", tumbling(10), named("sum")))
        >>> answered = operator.take_columns(np.array([12, 7, 18]), np.array([1, 2, 4]), None, 20)
        >>> [(r.start, r.end, r.value) for r in answered.results()]
        [(0, 10, 2), (10, 20, 5)]
        """
        batch = of_columns(times, values, self._arrivals, list(self._sources))
        check_times(batch)
        if keys is not None:
            batch = batch.keyed(self._keys.of_column(keys, len(batch)))
        elif len(batch):
            batch = batch.keyed(constant(self._keys.number(None), len(batch)))
        if self._settings.in_order:
            check_sorted(self._seen, batch.time)
        return self._answered(batch, watermark)

    def _answered(self, batch: Batch, watermark: float | None) -> Answered:
        """Step, and take effect: unless something fails before."""
        seen = max(self._seen, batch.most) if len(batch) else self._seen
        given = -END if watermark is None else watermark
        in_order = seen if self._settings.in_order else -END
        after = self._clock.advanced(max(given, in_order), self._settings)
        groups, told, late = self._stepped(batch, Moment(self._clock, after))
        answered = Answered(told, late, list(self._queries), self._keys.key)
        self._groups, self._clock, self._seen = groups, after, seen
        self._arrivals += len(batch)
        return answered

    def _stepped(
        self, batch: Batch, moment: Moment
    ) -> tuple[dict[Place, Group | DenseGroup], list[Told], Ints]:
        limit, groups, told = moment.before.limit, dict[Place, Group | DenseGroup](), list[Told]()
        by_window = self._settings.dialect.lateness == "window"
        sees, takes = np.zeros((2, len(batch) if by_window else 0), np.bool_)
        least = batch.least
        for place in sorted(self._groups, key=lambda place: place[2] == "dense"):
            group, mine = self._groups[place], batch
            if by_window or least <= max(group.since, limit - 1):
                seen = batch.time > group.since
                taken = seen.copy()
                taken[seen] = group.takes(batch.picked(seen), limit)
                mine = batch.picked(taken)
                sees, takes = (sees | seen, takes | taken) if by_window else (sees, takes)
            groups[place], lines = group.step(mine, moment)
            told += lines
        late = np.flatnonzero(sees & ~takes) if by_window else no_ints()
        if self._settings.dialect.lateness == "event" and least < limit:
            late = np.flatnonzero(batch.time < limit)
        return {place: groups[place] for place in self._groups}, told, late
