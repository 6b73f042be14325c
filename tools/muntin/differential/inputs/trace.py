"""The rows of one key as a trace: micro-batches, and a watermark that trails the latest row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.differential.plan import DiffPlan
from muntin.spec.stream import END, Event, Step

Number = int | float | None


@dataclass(frozen=True)
class KeyTrace:
    """The times and values of a key in the order of arrival; its number decides who gets it."""

    key: str
    number: int
    times: Sequence[int]
    values: Sequence[Number]

    def turns(self, plan: DiffPlan) -> Iterator[TranscriptStep]:
        """Yield the micro-batches, and a last step that ends the stream."""
        for events, watermark in batches(self.times, self.values, plan):
            yield TranscriptStep(Step(events, watermark))
        yield TranscriptStep(Step((), END))

    def transcript(self, plan: DiffPlan) -> OperatorTranscript:
        """The trace with the plan's queries and settings."""
        return OperatorTranscript(plan.queries(), plan.settings(), tuple(self.turns(plan)))


def batches(
    times: Sequence[int], values: Sequence[Number], plan: DiffPlan
) -> Iterator[tuple[tuple[Event, ...], int]]:
    """Yield each batch of events with the watermark after it."""
    events, latest = [*map(Event, times, values)], [*accumulate(times, max)]
    for first in range(0, len(events), plan.batch):
        batch = events[first : first + plan.batch]
        yield tuple(batch), latest[first + len(batch) - 1] - plan.delay


def on_time(times: Sequence[int], plan: DiffPlan) -> list[bool]:
    """Whether each row is accepted (rule 4), by the watermark before its batch.

    >>> on_time([100, 5, 99], DiffPlan(batch=1, delay=10, lateness=5))
    [True, False, True]
    """
    accepted, limit = list[bool](), -END
    for events, watermark in batches(times, times, plan):
        accepted += [event.time >= limit for event in events]
        limit = watermark - plan.lateness
    return accepted
