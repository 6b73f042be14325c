"""The slicing operator over columns: the denotation, batch at a time [Traub20, Tangwongsan19].

Queries that have no form over columns run beside it, on the generic operator.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import numpy as np

from muntin.columnar.engine.plan import SINGLE_ROWS, record_row
from muntin.columnar.engine.release import LEAST_KEYS
from muntin.columnar.engine_group import EngineGroup, EngineRows
from muntin.columnar.fast_path import FastPath, StreamState
from muntin.columnar.sharded_group import ShardedGroup
from muntin.columnar.threads import thread_count
from muntin.kernels.slicing.answered import Answered
from muntin.kernels.slicing.arrays import FIRST, LAST, clock, constant, no_ints
from muntin.kernels.slicing.batch import Batch, Source, of_events
from muntin.kernels.slicing.columns_in import Edges, check_sorted, check_times, of_columns
from muntin.kernels.slicing.condensed import check_numbered, condensed
from muntin.kernels.slicing.forms import Form, Opaque, form_of
from muntin.kernels.slicing.generic import Generic, as_step
from muntin.kernels.slicing.grain import Records, slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.keys import KeyIds
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.kernels.slicing.plan import METHODS, Method, Plan, explained, planned
from muntin.kernels.slicing.stepping import AnyGroup, Place, Stepping
from muntin.kernels.slicing.store import Store
from muntin.snapshot import Persistent
from muntin.snapshot.state_classes import CustomState
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step, check_order
from muntin.spec.windows.data_driven import Session

if TYPE_CHECKING:
    from muntin.optimized.scotty.operator import Scotty


IN_PLACE = (EngineGroup, ShardedGroup)
"""Groups that change in place."""


class ColumnarOperator(Persistent, CustomState):
    """Many queries over one stream of columns, in one pass."""

    configuration = ("method",)
    failures_change_nothing = True

    def __init__(
        self,
        settings: Settings = DEFAULTS,
        *,
        method: Method = "auto",
        threads: int | None = None,
    ) -> None:
        """Start with no query and no event.

        A method says how cells are kept. Of compiled queries keys are split over threads: else
        MUNTIN_THREADS says over how many, or there is one.
        """
        self._threads = thread_count(threads)
        if method not in METHODS:
            raise InvalidInputError(f"the method {method!r} is none of {', '.join(METHODS)}")
        self._method: Method = method
        self._sources: dict[Source, None] = {}
        self._plans: dict[str, tuple[Form | Opaque, Plan]] = {}
        self._settings = settings
        self._clock = Clock()
        self._seen: float = -END
        self._arrivals = 0
        self.keys, self._key_limit = KeyIds(), LEAST_KEYS
        self._queries: dict[str, Query] = {}
        self.groups: dict[Place, AnyGroup] = {}
        self._place: dict[str, Place] = {}
        self._generic = Generic(settings)
        self._fast: FastPath | None = None
        self._nothing = Answered([], no_ints(), [], self.keys.key, self.keys.number)

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        self._leave_fast_path()
        if query.id in self._queries:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        since = max(clock(self._seen), self._clock.watermark)
        form, plan = self._planned(query)
        if plan.method == "generic":
            query = self._generic.add(query, since, self._clock, self._seen)
        else:
            place = self._place_of(query, since, plan.method)
            group = self.groups.get(place, self._empty(since, plan.method))
            self.groups[place] = group.with_query(query.id, query.window, form)
            self._place[query.id] = place
            self._sources |= dict.fromkeys(form.sources)
        self._queries[query.id], self._plans[query.id] = query, (form, plan)

    def _planned(self, query: Query) -> tuple[Form | Opaque, Plan]:
        """The form of a query for the engine, if that serves it, else its form over columns."""
        several = self._settings.output != "discard" and record_row(query.window) is None
        form: Form | Opaque = form_of(query.aggregate, in_engine=several) or Opaque(query)
        plan = planned(query, form, self._settings, self._method)
        if plan.method != "compiled":
            form = form_of(query.aggregate) or Opaque(query)
            plan = planned(query, form, self._settings, self._method)
        return form, plan

    def _place_of(self, query: Query, since: int, method: str) -> Place:
        """Where a query is served: rows that are kept singly have an engine of their own."""
        by_window = self._settings.dialect.lateness == "window"
        single = record_row(query.window) is not None
        shared = method == "compiled" and not (single or isinstance(query.window, Session))
        if single and method == "compiled" and not by_window:
            return since, SINGLE_ROWS, method
        return since, query.window if by_window and not shared else None, method

    def _empty(self, since: int, method: Method) -> AnyGroup:
        if method == "compiled":
            by_event = self._settings.dialect.lateness == "event"
            count = self._threads if by_event else 1
            engines = [EngineGroup(since, self._settings) for _ in range(count)]
            return ShardedGroup(engines, self._threads) if len(engines) > 1 else engines[0]
        return Group(since, self._settings, Records() if method == "records" else slices([]))

    @property
    def generic(self) -> "Scotty | None":
        """The operator of the queries that have no form over columns, if there are any."""
        return self._generic.operator

    def explain(self) -> str:
        """Say, for each query, how it is computed, and why so.

        >>> from muntin.spec.algebra.catalogue import named
        >>> from muntin.spec.windows.data_driven import LastNEvery, Rolling
        >>> operator = ColumnarOperator()
        >>> operator.add(Query("w", Rolling(10), named("median")))
        >>> operator.add(Query("v", LastNEvery(3, 10), named("sum")))
        >>> print(operator.explain())
        w: rolling of median: records (median is holistic); everything by sorted runs
        v: last_n_every of sum: generic (last_n_every windows have no form over columns)
        """
        lines: list[str] = []
        for name, query in self._queries.items():
            form, plan = self._plans[name]
            now = self.groups[self._place[name]].method if name in self._place else plan.method
            lines.append(explained(query, form, plan, now))
        return "\n".join(lines)

    def retained(self) -> int:
        """Return how many cells are kept, empty ones too."""
        return sum(len(group) for group in self.groups.values())

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        self._leave_fast_path()
        if name not in self._queries:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        del self._queries[name], self._plans[name]
        if name not in self._place:
            self._generic.remove(name)
            return
        place = self._place.pop(name)
        group = self.groups[place].without(name)
        self.groups[place] = group
        if not group.tracks:
            del self.groups[place]
        forms = [self._plans[name][0] for name in self._place]
        self._sources = {source: None for form in forms for source in form.sources}

    def take(self, step: Step, /) -> Output:
        """Take in a step, and say what it changes."""
        self._leave_fast_path()
        events = step.events
        if self._settings.in_order:
            check_order([self._seen, *(event.time for event in events)])
        batch = self._batch_of(events)
        self._release_keys()
        with self._keys_kept():
            batch = batch.keyed(self.keys.of([event.key for event in events]))
            answered = self._answered(batch, step.watermark, lambda: step)
        self._generic.note(events)
        return Output(answered.results(), tuple(events[int(i)] for i in answered.late))

    def _batch_of(self, events: Sequence[Event]) -> Batch:
        """Return events as columns; if some are no numbers, say which query can't have them."""
        try:
            return of_events(events, self._arrivals, list(self._sources), self._number_sources())
        except UnsupportedError:
            for query in self._queries.values():
                for event in events:
                    query.value([event])
            raise

    def take_columns(  # noqa: PLR0913 - the columns that an event has, and most are seldom said
        self,
        times: object,
        values: object = None,
        keys: object = None,
        watermark: float | None = None,
        *,
        gaps: object = None,
        marks: object = None,
    ) -> Answered:
        """Take in a step of columns: arrays, or named arrays for values.

        `gaps` are what rows bring to sessions, or None; `marks` say which are punctuations.

        >>> import numpy as np
        >>> from muntin.spec.algebra.catalogue import named
        >>> from muntin.spec.windows.periodic import tumbling
        >>> operator = ColumnarOperator()
        >>> operator.add(Query("w", tumbling(10), named("sum")))
        >>> answered = operator.take_columns(np.array([12, 7, 18]), np.array([1, 2, 4]), None, 20)
        >>> [(r.start, r.end, r.value) for r in answered.results()]
        [(0, 10, 2), (10, 20, 5)]
        """
        if self._fast and gaps is None and marks is None:
            answered = self._take_fast(times, values, keys, watermark)
            if answered is not None:
                return answered
        self._leave_fast_path()
        batch = self._batch_of_columns(times, values, Edges(gaps, marks), watermark)
        self._release_keys()
        with self._keys_kept():
            if keys is not None:
                batch = batch.keyed(self.keys.of_column(keys, len(batch)))
            elif len(batch):
                batch = batch.keyed(constant(self.keys.number(None), len(batch)))
            answered = self._answered(batch, watermark, lambda: self._as_step(batch, watermark))
        self._generic.unknown |= len(batch) > 0
        self._enter_fast_path(keyed=keys is not None)
        return answered

    def _batch_of_columns(
        self, times: object, values: object, edges: Edges, watermark: float | None
    ) -> Batch:
        """The columns of a step, checked."""
        _ = Step(watermark=watermark)  # which refuses what is none
        sources, numbers = list(self._sources), self._number_sources()
        batch = of_columns(times, values, edges, self._arrivals, sources, numbers)
        check_times(batch)
        if self._settings.in_order:
            check_sorted(self._seen, batch.time)
        return batch

    def _number_sources(self) -> set[Source]:
        """The columns that must be of numbers: those that not only engines read."""
        return {
            source
            for name, place in self._place.items()
            if not isinstance(self.groups[place], EngineGroup)
            for source in self._plans[name][0].sources
        }

    def _take_fast(
        self, times: object, values: object, keys: object, watermark: float | None
    ) -> Answered | None:
        """Take in a step of plain arrays; None if nothing was taken."""
        fast = self._fast
        if watermark is None:
            given = FIRST
        elif type(watermark) is int and FIRST < watermark < LAST:
            given = watermark
        else:
            return None
        if fast is None or not fast.step(times, values, keys, given):
            return None
        if fast.is_silent and not fast.late.size:
            return self._nothing
        nothing, rows = self._nothing, [] if fast.is_silent else [EngineRows(fast.group)]
        keys = fast.keys.item if fast.keyed else self.keys.key  # later ones differ
        return Answered(rows, fast.late, nothing.queries, keys, nothing.number)

    def _enter_fast_path(self, *, keyed: bool) -> None:
        """Find out whether plain arrays of the types that came can be taken by the engine alone."""
        groups = [*self.groups.values()]
        if len(groups) != 1 or self._generic.operator or self._settings.in_order:
            return
        group = groups[0]
        if not isinstance(group, EngineGroup) or group.since != FIRST or group.engine is None:
            return
        sources, keys, dialect = group.sources, self.keys, self._settings.dialect
        by_session = dialect.lateness == "window" and group.engine.stores
        if dialect.lateness == "never" or by_session:
            return  # what is late, or due, differs
        if sources is None or (not keys.all_integers if keyed else len(keys) > 1):
            return
        if keyed:
            known = group.listed_keys
            group.engine.list_keys(keys.integers_from(known), known)
        stream = StreamState(self._clock, self._seen, self._arrivals)
        self._fast = FastPath(group, group.engine, sources, stream, keyed=keyed)
        self._nothing = Answered([], no_ints(), [*self._queries], keys.key, keys.number)

    def _leave_fast_path(self) -> None:
        """Know what the engine alone has taken in."""
        fast, self._fast = self._fast, None
        if fast is None:
            return
        self._clock, self._seen, self._arrivals = fast.state
        if fast.keyed:
            if fast.is_renumbered:
                self.keys = KeyIds()
            fast.group.listed_keys = fast.keys.size
            self.keys.of_column(fast.keys[len(self.keys) :], fast.keys.size - len(self.keys))

    def take_slices(self, slices: Store) -> Answered:
        """Take in slices of events, none of which is late; keys are numbers, new ones the next."""
        groups = {at: one for at, one in self.groups.items() if isinstance(one, Group)}
        others = self._generic.operator, self._settings.in_order, len(groups) < len(self.groups)
        batch = condensed(slices, {} if any(others) else groups, self._clock, self._arrivals)
        with self._keys_kept():
            check_numbered(slices, self.keys.of_column(slices.cells.key, len(slices.cells)))
            return self._answered(batch, None, Step)

    def _release_keys(self) -> None:
        """Let keys go that no engine needs, once they are most of those that have numbers."""
        n = len(self.keys)
        if n <= self._key_limit:
            return
        groups = [one for one in self.groups.values() if isinstance(one, IN_PLACE)]
        if len(groups) == len(self.groups):
            live = sum((group.live_keys(n) for group in groups), np.zeros(n, np.bool_))
            kept = np.flatnonzero(live)
            if 2 * kept.size < n:
                self.keys = self.keys.picked(kept)
                for group in groups:
                    group.renumber_keys(kept)
        self._key_limit = max(LEAST_KEYS, 2 * len(self.keys))

    @contextmanager
    def _keys_kept(self) -> Generator[None]:
        """Forget the keys of a step that fails."""
        n = len(self.keys)
        try:
            yield
        except BaseException:
            self.keys = self.keys.first(n)
            raise

    def _as_step(self, batch: Batch, watermark: float | None) -> Step:
        return as_step(batch, [self.keys.key(key) for key in batch.key.tolist()], watermark)

    def _answered(
        self, batch: Batch, watermark: float | None, step: Callable[[], Step]
    ) -> Answered:
        """Step, and take effect: unless something fails before."""
        try:
            return self._stepped(batch, watermark, step)
        except InvalidInputError as cause:
            if "quer" in str(cause):
                raise
            names = ", ".join(map(repr, self._queries))
            noun = "query" if len(self._queries) == 1 else "queries"
            raise InvalidInputError(f"{noun} {names}: {cause}") from cause
        except OverflowError as cause:
            raise UnsupportedError(
                f"queries {', '.join(map(repr, self._queries))}: over columns an integer beyond "
                f"all floats has no place among floats ({cause}); convert either"
            ) from cause

    def _stepped(self, batch: Batch, watermark: float | None, step: Callable[[], Step]) -> Answered:
        seen = max(self._seen, batch.most) if len(batch) else self._seen
        given = -END if watermark is None else watermark
        in_order = seen if self._settings.in_order else -END
        after = self._clock.advanced(max(given, in_order), self._settings)
        moment = Moment(self._clock, after)
        stepping = Stepping(batch, moment, self._settings.dialect.lateness)
        engines = {at: one for at, one in self.groups.items() if isinstance(one, IN_PLACE)}
        stepping.take({at: one for at, one in self.groups.items() if at not in engines})
        results: Sequence[Result] = ()
        if self._generic.operator:
            results, sees, refused = self._generic.take(step())
            stepping.judge(sees, sees & ~refused)
        stepping.take(engines)
        told, late = stepping.told, stepping.late()
        answered = Answered(told, late, [*self._queries], self.keys.key, self.keys.number, results)
        self.groups = {place: stepping.groups[place] for place in self.groups}
        self._clock, self._seen = after, seen
        self._arrivals += len(batch)
        return answered

    def __deepcopy__(self, _: dict[int, object]) -> Self:
        """An operator that continues from the same state, in memory of its own."""
        twin = type(self)(self._settings, method=self._method)
        for query in self._queries.values():
            twin.add(query)
        twin.restore(self.snapshot())
        return twin

    def state(self) -> dict[str, object]:
        """Return what a snapshot holds, and what it refers to; its classes are imported then."""
        self._leave_fast_path()
        from muntin.kernels.slicing.image import Image, image_of, keys_of  # noqa: PLC0415 - as said

        held = dict[Place, list[str]]()
        for name, place in self._place.items():
            held.setdefault(place, []).append(name)
        groups = [(held[at], at[2], image_of(group)) for at, group in self.groups.items()]
        clock = (self._clock, self._seen, self._arrivals)
        image = Image(
            self._settings, self._queries, groups, self._generic, *clock, keys_of(self.keys)
        )
        return {"image": image, "method": self._method}

    def resume(self, fields: Mapping[str, object]) -> None:
        """Go on from what a snapshot held."""
        from muntin.kernels.slicing.image import Asked, image_in, numbered, of_image  # noqa: PLC0415 - as above
        from muntin.kernels.slicing.sound import ensure  # noqa: PLC0415 - as above

        image = image_in(fields)
        ensure(of_image(image))
        forms = {n: form for n, (form, _) in self._plans.items()}
        asked = Asked(self._settings, image.queries, forms, len(image.keys), image.clock)
        groups, places = dict[Place, AnyGroup](), dict[str, Place]()
        for names, method, state in image.groups:
            group = asked.group(state)
            place = self._place_of(image.queries[names[0]], group.since, method)
            if isinstance(group, ShardedGroup):
                group.threads = self._threads
            groups[place] = group
            places |= dict.fromkeys(names, place)
        keys = numbered(image.keys)
        sources = {source: None for name in places for source in asked.forms[name].sources}
        self._plans = {name: self._plans[name] for name in image.queries}
        self._queries, self.groups, self._place = image.queries, groups, places
        self._generic, self.keys, self._sources = image.generic, keys, sources
        self._clock, self._seen, self._arrivals = image.clock, image.seen, image.arrivals
