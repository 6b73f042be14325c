"""Queries that see the same events: their windows and forms, and the engine that serves them."""

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine.partials.sources import SourceColumns
from muntin.columnar.engine.plan import periods_of, query_row
from muntin.columnar.engine.release import renumber_keys
from muntin.columnar.engine.results import SessionRows, WindowRows
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.kernels.slicing.arrays import Flags
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.known import Told
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.kernels.slicing.parts import Part, Squares, Sum
from muntin.kernels.slicing.track import Track
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.window import WindowType

ENGINE_OUTPUTS = ("accumulate", "accumulate-retract", "final")


class EngineGroup:
    """A group that changes in place: a step either takes effect, or raises before."""

    method = "compiled"

    def __init__(
        self, since: int, settings: Settings, tracks: Mapping[WindowType, Track] | None = None
    ) -> None:
        """Start with no event."""
        self.since, self.settings = since, settings
        self.tracks: dict[WindowType, Track] = dict(tracks or {})
        self.engine: ColumnarEngine | None = None
        self.sources: SourceColumns | None = None
        self.windows: dict[WindowType, int] = {}
        self.stores: dict[WindowType, int] = {}
        self.listed_keys = 0

    def asked(self, name: str, kind: WindowType, values: Form | Opaque) -> "EngineGroup":
        """The group with one query more; it has seen no event."""
        track = self.tracks.get(kind, Track(kind))
        tracks = {**self.tracks, kind: Track(kind, {**track.queries, name: values})}
        return EngineGroup(self.since, self.settings, tracks)

    def without(self, name: str) -> "EngineGroup":
        """The group with one query less; windows that no query needs are no longer emitted."""
        # results of earlier steps may still be read, with the queries of then
        self.tracks, self.windows, self.stores = {**self.tracks}, {**self.windows}, {**self.stores}
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
            elif self.engine:
                del self.stores[kind]
        if self.sources:
            self.sources.retain(self.parts)
        return self

    def __len__(self) -> int:
        """The number of rows of the state that hold events."""
        return self.engine.live if self.engine else 0

    def takes(self, batch: Batch, limit: int) -> Flags:
        """Which events take part."""
        return np.asarray(batch.time >= limit)

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
    def live_stores(self) -> list[SessionStore]:
        """The sessions that queries need."""
        return (
            [self.engine.stores[number] for number in self.stores.values()] if self.engine else []
        )

    def start(self, clock: Clock) -> tuple[ColumnarEngine, SourceColumns]:
        """The engine, made now if rows come for the first time."""
        if self.engine is None or self.sources is None:
            known = [kind for kind in self.tracks if not isinstance(kind, Session)]
            self.windows = {kind: number for number, kind in enumerate(known)}
            rows = [row for number, kind in enumerate(known) if (row := query_row(kind, number))]
            settings = self.settings
            self.engine = ColumnarEngine(
                rows, periods_of(known), settings.output, settings.allowed_lateness, self.since
            )
            self.engine.set_clock(clock.watermark, clock.limit)
            self.sources = SourceColumns(self.engine, self.parts)
            self.sources.arithmetic = {
                source
                for form in self.forms.values()
                for part in form.parts
                for source in part.sources
                if form.name == "range" or isinstance(part, Sum | Squares)
            }
            for kind in self.tracks:
                if isinstance(kind, Session):
                    self.stores[kind] = len(self.stores)
                    store = SessionStore(self.engine.directory, kind.gap, self.since)
                    self.engine.add_store(store)
        return self.engine, self.sources

    def step(self, batch: Batch, moment: Moment) -> tuple["EngineGroup", list["EngineRows"]]:
        """Take in the rows of a batch, whose keys are numbered, and advance the watermark."""
        if self.engine is None and not len(batch):
            return self, []
        engine, sources = self.start(moment.before)
        keys = np.ascontiguousarray(batch.key)
        n_keys = int(keys.max(initial=0)) + 1
        engine.bind_batch(np.ascontiguousarray(batch.time), keys, n_keys, batch.own)
        sources.bind(batch.columns, batch.time)
        engine.step(len(batch), moment.after.watermark)
        engine.unbind()
        rows = EngineRows(self)
        return self, [rows] if len(rows) else []


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
        self._group = group.windows, group.stores, group.tracks

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
            if not at.size:
                continue
            columns = (kind[at], rows.key[at], rows.start[at], rows.end[at], rows.revision[at])
            for name, form in tracks[window].queries.items():
                if isinstance(form, Form):
                    picked = {
                        part: tuple(column[at] for column in fields(part)) for part in form.parts
                    }
                    yield name, Told(*columns, columns[1], {"": form.finish(picked)})
