"""Windows over an ordered stream: slices that begin where windows do, and hold no tuple.

"In an in-order stream, it is sufficient to start slices when windows start" ([Traub20], section
5.3). So slices and trackers are those of Cutty, in `muntin.optimized.in_order` [Carbone16]; a step
is committed there when it is committed here.
"""

from collections.abc import Hashable, Mapping

from muntin.optimized.in_order import emission
from muntin.optimized.in_order.operator import InOrderSlicer, UncommittedStep
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY
from muntin.optimized.scotty.emission.window_manager import EmittedResult, ResultChange
from muntin.optimized.scotty.groups.base import Batch, LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.window import Interval


class InOrderGroup(SliceGroup):
    """Queries over an ordered stream that share the slices between the starts of their windows."""

    def __init__(self, settings: Settings, build: BuildStore) -> None:
        """Start without queries."""
        super().__init__(settings)
        technique = CUTTY_LAZY if build == LazyStore else CUTTY_EAGER
        self.slicer = InOrderSlicer(technique, settings)
        self._batch: list[Event] = []
        self._uncommitted: list[UncommittedStep] = []  # the step, once its outputs are computed

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Register a query; `missed` are the last events before it, by key."""
        self.queries[query.id], self.since[query.id] = query, since
        self.slicer.register(query, since, missed)

    def remove(self, name: str) -> None:
        """Drop a query, and the state that only it needed."""
        self.slicer.remove(name)
        del self.queries[name], self.since[name]

    def ingest(self, batch: Batch, watermarks: StepWatermarks, votes: LatenessVotes) -> None:
        """Keep the events until `outputs`: all are on time."""
        del watermarks, votes
        self._batch = [accepted.event for accepted in batch]

    def outputs(self, watermarks: StepWatermarks) -> list[QueryOutput]:
        """Take the step on copies, and give the results that it changes."""
        step = self.slicer.prepare(self._batch, _in_order_watermark(watermarks))
        self._uncommitted = [step]
        changes_by_query: dict[tuple[str, Hashable], list[ResultChange]] = {}
        for key, track, (kind, row) in step.results:
            emitted = EmittedResult(row.value, row.revision, row.end)
            change = ResultChange(kind, Interval(row.start, row.end, row.row), emitted)
            changes_by_query.setdefault((track.query.id, key), []).append(change)
        return [QueryOutput(name, key, c) for (name, key), c in changes_by_query.items()]

    def commit(self, outputs: list[QueryOutput], watermarks: StepWatermarks) -> None:
        """Make the step permanent."""
        del outputs
        for step in self._uncommitted:
            self.slicer.commit(step, _in_order_watermark(watermarks))
        self._end_step()

    def restore(self) -> None:
        """Undo what the step has done so far."""
        for step in self._uncommitted:
            self.slicer.roll_back(step)
        self._end_step()

    def _end_step(self) -> None:
        self._batch, self._uncommitted = [], []


def _in_order_watermark(watermarks: StepWatermarks) -> emission.InOrderWatermark:
    return emission.InOrderWatermark(watermarks.now, watermarks.last_finite, watermarks.limit)
