"""Queries that see the same events: their windows and forms, and the engine that serves them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import Engine, Rows
from muntin.columnar.engine.plan import periods_of, query_row
from muntin.columnar.engine.sources import SourceColumns
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.known import Told
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.parts import Part
from muntin.spec.query import Query, Settings
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Cumulate, Sliding
from muntin.spec.windows.window import WindowType

ENGINE_TYPES = (Sliding, Cumulate)
ENGINE_OUTPUTS = ("accumulate", "accumulate-retract", "final")


def engine_refusal(query: Query, form: Form | Opaque, settings: Settings) -> str | None:
    """Why the engine does not serve a query, if it does not."""
    kind = query.window
    if type(kind) not in ENGINE_TYPES or kind.measure is not TIME:
        return f"{kind.name} windows look at single events"
    if isinstance(form, Opaque) or form.holistic or form.ordered:
        return f"{query.aggregate.name} looks at single events"
    if settings.output not in ENGINE_OUTPUTS:
        return "to discard is to tell events apart"
    if settings.dialect.lateness != "event":
        return "lateness is by window"
    return None


@dataclass(frozen=True)
class EngineQuery:
    """A query: its place among the windows of the engine, and how its values are made."""

    window: int
    form: Form


@dataclass
class EngineGroup:
    """Queries that were added at one time, and their engine, which is made for the first rows."""

    since: int
    settings: Settings
    kinds: dict[WindowType, int] = field(default_factory=dict[WindowType, int])
    queries: dict[str, EngineQuery] = field(default_factory=dict[str, EngineQuery])
    engine: Engine | None = None
    sources: SourceColumns | None = None

    def add(self, query: Query, form: Form) -> None:
        """Add a query, before the first rows."""
        window = self.kinds.setdefault(query.window, len(self.kinds))
        self.queries[query.id] = EngineQuery(window, form)

    def remove(self, name: str) -> None:
        """Remove a query; windows that no query needs are no longer emitted."""
        window = self.queries.pop(name).window
        if all(query.window != window for query in self.queries.values()):
            kind = next(kind for kind, number in self.kinds.items() if number == window)
            if self.engine:
                self.engine.remove_query(window)
                del self.kinds[kind]
            else:
                del self.kinds[kind]
                self._renumber()

    def _renumber(self) -> None:
        numbers = {old: new for new, old in enumerate(self.kinds.values())}
        self.kinds = {kind: numbers[old] for kind, old in self.kinds.items()}
        self.queries = {
            name: EngineQuery(numbers[query.window], query.form)
            for name, query in self.queries.items()
        }

    @property
    def parts(self) -> dict[Part, None]:
        """The parts that the queries need, in a fixed order."""
        return {part: None for query in self.queries.values() for part in query.form.parts}

    def start(self, clock: Clock) -> tuple[Engine, SourceColumns]:
        """The engine, made now if rows come for the first time."""
        if self.engine is None or self.sources is None:
            rows = [row for kind in self.kinds if (row := query_row(kind)) is not None]
            settings = self.settings
            self.engine = Engine(
                rows, periods_of([*self.kinds]), settings.output, settings.allowed_lateness,
                self.since, clock,
            )  # fmt: skip
            self.sources = SourceColumns(self.engine, self.parts)
        return self.engine, self.sources

    def step(self, batch: Batch, keys: int, before: Clock, after: Clock) -> Rows | None:
        """Take in the rows of a batch whose keys are numbered, and advance the watermark."""
        if self.engine is None and not len(batch):
            return None
        engine, sources = self.start(before)
        engine.bind_columns({d.TIMES: batch.time, d.KEY_ID: batch.key})
        engine.scalars[d.KEYING] = d.NUMBERED
        engine.scalars[d.KEY_COUNT] = max(keys, 1)
        sources.bind(batch.columns, batch.time)
        engine.step(len(batch), after.watermark)
        return engine.take()


class EngineRows:
    """The rows of a step of one group, by query; finished when somebody reads them."""

    def __init__(self, group: EngineGroup, rows: Rows) -> None:
        """Keep the rows, and the queries of now."""
        self._queries, self._rows, self._sources = {**group.queries}, rows, group.sources

    def __len__(self) -> int:
        """How many windows there are."""
        return len(self._rows)

    def each(self) -> Iterator[tuple[str, Told]]:
        """The rows of each query."""
        rows = self._rows
        if self._sources is None or not len(rows):
            return
        folded = self._sources.folded(rows)
        order = np.argsort(rows.query, kind="stable")
        windows = [query.window for query in self._queries.values()]
        bounds = np.searchsorted(rows.query[order], [windows, [one + 1 for one in windows]])
        for (name, query), first, last in zip(self._queries.items(), *bounds.tolist(), strict=True):
            at = order[first:last]
            if not at.size:
                continue
            picked = {
                part: tuple(column[at] for column in folded[part]) for part in query.form.parts
            }
            key = rows.key[at]
            yield name, Told(
                rows.kind[at], key, rows.start[at], rows.end[at], rows.revision[at], key,
                {"": query.form.finish(picked)},
            )  # fmt: skip
