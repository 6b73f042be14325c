"""Random traces of sessions, run by the denotation and by the columnar engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.partials.kernels import kernels_for
from muntin.columnar.engine.partials.part_table import KeptPart
from muntin.columnar.engine.plan import edges_of, query_row
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.kernels.slicing.parts import Sum
from muntin.spec import denotation
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import session
from muntin.spec.windows.window import WindowType

KINDS = ("retracted", "new", "updated")
TOTAL = Sum(None)
Line = tuple[str, object, float, float, object, str, int]


def lines_of(results: Sequence[Result]) -> list[Line]:
    """What the denotation emits in a step, in no order."""
    return sorted((r.query, r.key, r.start, r.end, r.value, r.kind, r.revision) for r in results)


class SessionEngine:
    """The columnar engine, driven by steps of events; a key is its own number."""

    def __init__(
        self, settings: Settings, gaps: Sequence[int], kinds: Sequence[WindowType] = ()
    ) -> None:
        """Start with windows, then a store for each gap."""
        rows = [row for number, kind in enumerate(kinds) if (row := query_row(kind, number))]
        self.engine = ColumnarEngine(rows, edges_of(kinds), settings)
        self.engine.scalars[d.KEYING] = d.NUMBERED
        self.source = self.engine.add_source(np.dtype(np.int64))
        kernels = kernels_for(TOTAL, "int")
        assert kernels is not None
        self.engine.add_part(KeptPart(TOTAL, kernels, self.source))
        self.windows, self.adjoining = len(rows), settings.dialect.session_merge == "le"
        for gap in gaps:
            self.add_store(gap)

    def add_store(self, gap: int, since: int = -d.FAR) -> None:
        """Keep the sessions of a gap, of the events after a time."""
        directory = self.engine.directory
        self.engine.add_store(SessionStore(directory, gap, since, adjoining=self.adjoining))

    def step(self, received: Step) -> list[Line]:
        """The lines of a step, in no order; late events are left out, as the border does."""
        engine, scalars = self.engine, self.engine.scalars
        events = [e for e in received.events if e.time >= scalars[d.LIMIT]]
        keys = np.array([int(str(e.key)) for e in events], np.int64)
        scalars[d.KEY_COUNT] = max([int(scalars[d.KEY_COUNT]), *(keys + 1).tolist()])
        engine.make_batch_room(len(events))
        engine.directory.put(d.KEY_ID, keys)
        engine.bind(d.TIMES, np.array([e.time for e in events], np.int64))
        engine.bind(self.source, np.array([int(str(e.value)) for e in events], np.int64))
        engine.directory.put(d.GAPS, np.array([e.gap or 0 for e in events], np.int64))
        scalars[d.OWN_GAPS] = any(e.gap for e in events)
        given = -d.FAR if received.watermark is None else received.watermark
        engine.step(len(events), d.FAR if given == END else int(given))
        return self.lines()

    def lines(self) -> list[Line]:
        """The results of the last step."""
        rows, windows = self.engine.take_sessions(), self.engine.take()
        sessions = zip(
            (rows.store + self.windows).tolist(), rows.key.tolist(), rows.start.tolist(),
            rows.end.tolist(), rows.parts[TOTAL][0].tolist(), rows.kind.tolist(),
            rows.revision.tolist(), strict=True,
        )  # fmt: skip
        periodic = zip(
            windows.query.tolist(), windows.key.tolist(), windows.start.tolist(),
            windows.end.tolist(), windows.parts[TOTAL][0].tolist(),
            np.where(windows.revision > 0, d.UPDATED, d.NEW).tolist(), windows.revision.tolist(),
            strict=True,
        )  # fmt: skip
        both: list[tuple[int, ...]] = [*sessions, *periodic]
        return sorted((str(q), k, a, b, v, KINDS[kind], n) for q, k, a, b, v, kind, n in both)


@dataclass
class Trace:
    """What a random trace is drawn from."""

    random: Random
    keys: int
    spread: int
    own_gaps: bool
    now: int = 0

    def step(self) -> Step:
        """Some events around the present, and perhaps a watermark."""
        random, spread = self.random, self.spread
        self.now += random.choice([0, 3, 20, 20, spread, 500, -30, -100])
        n = random.choice([0, 1, 1, 2, 6, 20, 20, 150 if random.random() < 0.1 else 9])
        gaps = [None, 1, 3, 15, 60, 300] if self.own_gaps else [None]
        events = tuple(
            Event(
                self.now + random.randrange(-spread, spread),
                random.randrange(-5, 100),
                random.randrange(self.keys),
                gap=random.choice(gaps),
            )
            for _ in range(n)
        )
        near = self.now + random.choice([-spread, -spread // 2, 0, spread])
        return Step(
            events, random.choice([None, near, near, END if random.random() < 0.03 else near])
        )


def denoted_steps(
    queries: Sequence[Query], steps: Sequence[Step], settings: Settings
) -> list[list[Line]]:
    """What the denotation emits."""
    return [lines_of(output.results) for output in denotation.denote(queries, steps, settings)]


def session_queries(gaps: Sequence[int], kinds: Sequence[WindowType] = ()) -> list[Query]:
    """A query for each window type and each gap."""
    return [
        Query(str(i), kind, named("sum")) for i, kind in enumerate([*kinds, *map(session, gaps)])
    ]
