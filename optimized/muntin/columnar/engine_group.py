"""Queries that see the same events: their windows and forms, and the engine that serves them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.layout import live_rows
from muntin.columnar.engine.partials.sources import SourceColumns
from muntin.columnar.engine.plan import Reach, edges_of, ended_too_late, query_row, record_row
from muntin.columnar.engine.records.compaction import remove_record_query
from muntin.columnar.engine.records.layout import RECORD_NUMBERS
from muntin.columnar.engine.records.store import RecordStore
from muntin.columnar.engine.release import live_keys, renumber_keys
from muntin.columnar.engine.results import SessionRows, WindowRows
from muntin.columnar.engine.sessions.layout import IGNORED
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.kernels.slicing.arrays import FIRST, LAST, Flags
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.choice import Rank
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.known import Told
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.kernels.slicing.parts import Part, Squares, Sum
from muntin.kernels.slicing.track import Track
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.window import WindowType


class EngineGroup:
    """A group that changes in place: a step either takes effect, or raises before."""

    method = "compiled"

    def __init__(
        self, since: int, settings: Settings, tracks: Mapping[WindowType, Track] | None = None
    ) -> None:
        """Start with no event."""
        self.since, self.settings = since, settings
        self.reports_at_end = settings.dialect.lateness == "never" and settings.output == "final"
        """Whether nothing is final before the end of the stream, and nothing after it."""
        self.refused: Flags | None = None
        self.tracks: dict[WindowType, Track] = dict(tracks or {})
        self.engine: ColumnarEngine | None = None
        self.sources: SourceColumns | None = None
        self.windows: dict[WindowType, int] = {}
        self.stores: dict[WindowType, int] = {}
        self.records: dict[WindowType, int] = {}
        self.listed_keys = 0

    def with_query(self, name: str, kind: WindowType, values: Form | Opaque) -> "EngineGroup":
        """The group with one query more; it has seen no event."""
        track = self.tracks.get(kind, Track(kind))
        tracks = {**self.tracks, kind: Track(kind, {**track.queries, name: values})}
        return EngineGroup(self.since, self.settings, tracks)

    def without(self, name: str) -> "EngineGroup":
        """The group with one query less; windows that no query needs are no longer emitted."""
        # results of earlier steps may still be read, with the queries of then
        self.tracks, self.windows, self.stores = {**self.tracks}, {**self.windows}, {**self.stores}
        self.records = {**self.records}
        for kind, track in [*self.tracks.items()]:
            if name not in track.queries:
                continue
            rest = track.without(name)
            if rest.queries:
                self.tracks[kind] = rest
                continue
            del self.tracks[kind]
            if self.engine and kind in self.windows:
                self.engine.remove_query(self.windows.pop(kind))
            elif self.engine and self.engine.records and kind in self.records:
                number = self.records.pop(kind) - RECORD_NUMBERS
                remove_record_query(self.engine.records, number)
            elif self.engine:
                number = self.stores.pop(kind)
                self.engine.remove_store(number)
                later = {one: n - (n > number) for one, n in self.stores.items()}
                self.stores = later
        if self.sources:
            self.sources.retain(self.parts)
        return self

    def __len__(self) -> int:
        """The number of rows of the state that hold events."""
        return self.engine.live if self.engine else 0

    def takes(self, batch: Batch, limit: int) -> Flags:
        """Which events take part; of those behind the limit sessions decide themselves."""
        accepted = np.asarray(batch.time >= limit)
        if self.settings.dialect.lateness != "window" or accepted.all():
            return accepted
        if any(isinstance(kind, Session) for kind in self.tracks):
            return np.ones(len(batch), np.bool_)
        reach = Reach(np.array(self._rows([*self.tracks]), np.int64))
        accepted[~accepted] = reach.accepts(batch.time[~accepted], limit)
        return accepted

    def _rows(self, kinds: Sequence[WindowType]) -> list[list[int]]:
        each = [query_row(kind, n, self.settings, self.since) for n, kind in enumerate(kinds)]
        return [row for row in each if row]

    def live_keys(self, keys: int) -> Flags:
        """Which numbers of keys are in use."""
        return live_keys(self.engine, keys) if self.engine else np.zeros(keys, np.bool_)

    def renumber_keys(self, kept: "np.typing.NDArray[np.int64]") -> None:
        """Number the keys anew that have these numbers."""
        if self.engine:
            self.engine.scalars[d.KEYING] = d.NUMBERED
            renumber_keys(self.engine, kept)
        self.listed_keys = 0

    @property
    def forms(self) -> dict[str, Form]:
        """The form of each query."""
        return {
            name: form
            for track in self.tracks.values()
            for name, form in track.queries.items()
            if isinstance(form, Form)
        }

    @property
    def parts(self) -> list[Part]:
        """The parts that the queries need."""
        return [*{part: None for form in self.forms.values() for part in form.parts}]

    @property
    def stored_parts(self) -> list[Part]:
        """What the engine keeps for them."""
        return [*dict.fromkeys(part.stored for part in self.parts)]

    @property
    def live_stores(self) -> list[SessionStore]:
        """The sessions that queries need."""
        return (
            [self.engine.stores[number] for number in self.stores.values()] if self.engine else []
        )

    def start(self, clock: Clock) -> tuple[ColumnarEngine, SourceColumns]:
        """The engine, made now if rows come for the first time."""
        if self.engine is None or self.sources is None:
            single = [kind for kind in self.tracks if record_row(kind)]
            known = [
                kind for kind in self.tracks if not isinstance(kind, Session) and kind not in single
            ]
            self.windows = {kind: number for number, kind in enumerate(known)}
            settings, dialect = self.settings, self.settings.dialect
            if self.reports_at_end:
                at_once = replace(dialect, late_update="immediate")
                settings = replace(settings, output="accumulate", dialect=at_once)
            self.engine = ColumnarEngine(self._rows(known), edges_of(known, dialect), settings)
            self.engine.set_clock(self._given(clock), clock.reached, clock.limit)
            self.sources = SourceColumns(self.engine, self.parts)
            self.sources.arithmetic = {
                source
                for form in self.forms.values()
                for part in form.parts
                for source in part.sources
                if form.name == "range" or isinstance(part, Sum | Squares | Rank)
            }
            for kind in self.tracks:
                if isinstance(kind, Session):
                    self.stores[kind] = len(self.stores)
                    store = SessionStore(
                        self.engine.directory, kind.gap, self.since,
                        adjoining=dialect.session_merge == "le",
                        closing=dialect.closing_of(kind.name),
                    )  # fmt: skip
                    self.engine.add_store(store)
            if single:
                rows = [row for n, kind in enumerate(single) if (row := record_row(kind, n))]
                self.records = {kind: RECORD_NUMBERS + n for n, kind in enumerate(single)}
                self.engine.add_records(RecordStore(self.engine.directory, rows, self.since))
        return self.engine, self.sources

    def _given(self, clock: Clock) -> int:
        return FIRST if self.reports_at_end and clock.watermark < LAST else clock.watermark

    def step(self, batch: Batch, moment: Moment) -> tuple["EngineGroup", list["EngineRows"]]:
        """Take in the rows of a batch, whose keys are numbered, and advance the watermark."""
        self.prepare(batch, moment)
        return self, self.commit(len(batch), moment)

    def prepare(self, batch: Batch, moment: Moment) -> None:
        """Give the engine the rows of a batch, unless it refuses them."""
        if self.engine is None and not len(batch):
            return
        engine, sources = self.start(moment.before)
        keys = np.ascontiguousarray(batch.key)
        n_keys = int(keys.max(initial=0)) + 1
        engine.bind_batch(np.ascontiguousarray(batch.time), keys, n_keys, batch.own, batch.mark)
        sources.bind(batch.columns, batch.time)

    def commit(self, n: int, moment: Moment) -> list["EngineRows"]:
        """Take in the rows that the engine has been given, and advance the watermark."""
        engine = self.engine
        if engine is None:
            return []
        watermark = self._given(moment.after)
        engine.scalars[d.REACHED] = moment.after.reached
        engine.step(n, watermark)
        engine.unbind()
        self.refused = None
        if self.settings.dialect.lateness == "window" and engine.stores:
            self.refused = engine.directory.arrays[d.PLACED][:n] == IGNORED
        rows = EngineRows(self)
        if watermark == LAST and engine.reach.landmarks:
            rows.shorten(engine, moment.after.reached)
        return [rows] if len(rows) else []


class EngineRows:
    """The rows of a step of one group, by query; finished when they are read."""

    def __init__(self, group: EngineGroup) -> None:
        """Keep the rows of the last step, and the queries of now."""
        engine = group.engine
        if engine is None:
            raise AssertionError
        self._rows = engine.take()
        some = engine.scalars[d.OUT] > engine.scalars[d.SESSION_FROM]
        self._sessions = engine.take_sessions() if some else None
        self._group = group.windows, {**group.stores, **group.records}, group.tracks
        self._excess: Flags | None = None

    def shorten(self, engine: ColumnarEngine, reached: int) -> None:
        """At the end of the stream, leave out windows that begin where a key has no events."""
        if engine.timetable is None:
            raise AssertionError
        live, rows = live_rows(engine), self._rows
        last = np.full(int(engine.scalars[d.KEY_COUNT]), FIRST)
        np.maximum.at(last, live.key, engine.timetable.edges[live.slice])
        number, end = rows.query, rows.end
        self._excess = ended_too_late(engine.reach.rows, number, end, last[rows.key], reached)

    def __len__(self) -> int:
        """How many windows there are."""
        return len(self._rows) + (len(self._sessions) if self._sessions else 0)

    def each(self) -> Iterator[tuple[str, Told]]:
        """The rows of each query."""
        windows, stores, _ = self._group
        yield from self._of(self._rows, self._rows.query, windows)
        if self._sessions:
            yield from self._of(self._sessions, self._sessions.store, stores)

    def _of(
        self, rows: WindowRows | SessionRows, number: Ints, numbers: Mapping[WindowType, int]
    ) -> Iterator[tuple[str, Told]]:
        if not len(rows):
            return
        kind, tracks, fields = rows.kind, self._group[2], cache(rows.fields)
        order = np.argsort(number, kind="stable")
        sorted_numbers = number[order]
        for window, each in numbers.items():
            first, last = np.searchsorted(sorted_numbers, [each, each + 1]).tolist()
            at = order[first:last]
            if rows is self._rows and self._excess is not None:
                at = at[~self._excess[at]]
            if not at.size:
                continue
            columns = (kind[at], rows.key[at], rows.start[at], rows.end[at], rows.revision[at])
            for name, form in tracks[window].queries.items():
                if isinstance(form, Form):
                    picked = {
                        part: tuple(column[at] for column in fields(part)) for part in form.parts
                    }
                    yield name, Told(*columns, columns[1], {"": form.finish(picked)})
