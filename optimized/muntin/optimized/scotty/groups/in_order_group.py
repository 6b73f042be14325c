"""Windows over an ordered stream: slices that begin where windows do, and hold no tuple.

"In an in-order stream, it is sufficient to start slices when windows start" ([Traub20], section
5.3). So slices and tracks are those of Cutty, in `muntin.optimized.in_order` [Carbone16]; a step
counts there when it counts here.
"""

from collections.abc import Hashable, Mapping, Sequence

from muntin.optimized.in_order import emission as report
from muntin.optimized.in_order.operator import InOrderSlicer, UncommittedStep
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY
from muntin.optimized.scotty.emission.window_manager import EmittedResult, ResultChange
from muntin.optimized.scotty.groups.base import LatenessVotes, QueryOutput, SliceGroup
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent, Event
from muntin.spec.windows.window import Interval


class InOrderGroup(SliceGroup):
    """Queries over a stream in order that share the slices between the begins of their windows."""

    def __init__(self, settings: Settings, build: BuildStore) -> None:
        """Start without queries."""
        super().__init__(settings)
        technique = CUTTY_LAZY if build == LazyStore else CUTTY_EAGER
        self.slicing = InOrderSlicer(technique, settings)
        self._batch: list[Event] = []
        self._begun: list[UncommittedStep] = []  # the step, once it is reported

    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Let a further query share the slices; it has missed these last events of their keys."""
        self.queries[query.id], self.since[query.id] = query, since
        self.slicing.register(query, since, missed)

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        self.slicing.remove(name)
        del self.queries[name], self.since[name]

    def ingest(
        self, batch: Sequence[AcceptedEvent], moment: StepWatermarks, ballot: LatenessVotes
    ) -> None:
        """Keep the events until the end of the step: all are in time."""
        del moment, ballot
        self._batch = [accepted.event for accepted in batch]

    def outputs(self, moment: StepWatermarks) -> list[QueryOutput]:
        """Return what is to be said at the end of a step."""
        underway = self.slicing.begin(self._batch, _of(moment))
        self._begun = [underway]
        found: dict[tuple[str, Hashable], list[ResultChange]] = {}
        for key, track, (kind, told) in underway.lines:
            said = EmittedResult(told.value, told.revision, told.end)
            change = ResultChange(kind, Interval(told.start, told.end, told.row), said)
            found.setdefault((track.query.id, key), []).append(change)
        return [QueryOutput(name, key, changes) for (name, key), changes in found.items()]

    def commit(self, reports: list[QueryOutput], moment: StepWatermarks) -> None:
        """Take the step for done."""
        del reports
        for underway in self._begun:
            self.slicing.commit(underway, _of(moment))
            self.slicing.clear_key_order()  # the operator knows the order of keys
        self._end()

    def restore(self) -> None:
        """Undo what the step has done so far."""
        for underway in self._begun:
            self.slicing.undo(underway)
        self._end()

    def _end(self) -> None:
        self._batch, self._begun = [], []


def _of(moment: StepWatermarks) -> report.InOrderWatermark:
    return report.InOrderWatermark(moment.now, moment.reached, moment.limit)
