"""An adapter of an operator that processes one event at a time."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from muntin.wire.messages import EngineDescription, Row, WireEvent, WireTrace


class StepAdapter(ABC):
    """Wraps an operator: each call returns the rows that it emits, `result(...)` or `late(...)`.

    An object replays many traces; `start` begins each of them with an operator that is new.
    """

    description: EngineDescription

    @abstractmethod
    def start(self, trace: WireTrace) -> None:
        """Begin a trace; UnsupportedTraceError says that the operator has no such window."""

    @abstractmethod
    def process_event(self, event: WireEvent) -> Iterable[Row]:
        """Process an event."""

    @abstractmethod
    def process_watermark(self, time: float) -> Iterable[Row]:
        """Advance the watermark, to END after the last event; it may repeat or fall."""

    def replay(self, trace: WireTrace) -> Iterator[Row]:
        """Yield the rows of a trace, each with its step."""
        self.start(trace)
        for number, step in enumerate(trace.steps):
            for event in step.events:
                yield from ({**row, "step": number} for row in self.process_event(event))
            if step.watermark is not None:
                rows = self.process_watermark(step.watermark)
                yield from ({**row, "step": number} for row in rows)
