"""Random traces for an engine: one query, few events close together, watermarks near them.

A watermark may fall, and times may lie beyond 32 bits, where engines have gone wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args

from muntin.conformance.machines.random_choices import BASES, NAMED_WINDOWS, RandomSource
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.wire.messages import EngineDescription

MAX_EVENTS = 8
SPANS = (6, 12, 25, 42)
"""The widths of the interval in which the times of a trace lie."""
LATENESS = (0, 0, 1, 3, 8)
OFFSET = 4
"""The greatest offset."""


@dataclass
class EngineTraceBuilder:
    """The state while a trace is drawn: the times near which the next ones lie."""

    choose: RandomSource
    description: EngineDescription
    aggregate: str
    low: int
    span: int
    last: int | None = None
    greatest: int | None = None
    watermark: int | None = None
    events: int = 0
    steps: list[Step] = field(default_factory=list[Step])

    def event(self) -> Event:
        """Draw an event: every third near the last one, every fourth with a key."""
        time = self.low + self.choose.integer(0, self.span)
        if self.last is not None and self.choose.integer(1, 3) == 1:
            time = self.last + self.choose.integer(-7, 7)
        limits = self.description
        self.last = min(max(time, limits.min_time), limits.max_time)
        self.greatest = self.last if self.greatest is None else max(self.greatest, self.last)
        key = "k" if limits.keys and self.choose.integer(1, 4) == 1 else None
        value = self.events if self.aggregate == "collect" else 2**self.events
        self.events += 1
        return Event(self.last, value, key)

    def next_watermark(self) -> int | None:
        """Draw a watermark near the greatest time, and sometimes one that falls."""
        makes_own = self.description.clock == "greatest"
        if makes_own or self.greatest is None or self.choose.integer(1, 2) == 1:
            return None
        near = self.choose.choice((self.greatest, self.greatest - 2, self.greatest + 3))
        if self.watermark is not None and self.choose.integer(1, 4) == 1:
            near = self.watermark - 4
        drawn = near + self.choose.integer(-3, 6)
        self.watermark = drawn if self.watermark is None else max(self.watermark, drawn)
        return drawn

    def run(self, events: int) -> tuple[Step, ...]:
        """Draw the steps; those of a batch are all events, and the end."""
        if self.description.clock == "none":
            return Step(tuple(self.event() for _ in range(events))), Step((), END)
        sizes = (0, 1, 1, 1, 2) if self.description.batches else (0, 1, 1, 1)
        while self.events < events:
            size = min(self.choose.choice(sizes), events - self.events)
            self.steps.append(Step(tuple(self.event() for _ in range(size))))
            self.steps[-1] = Step(self.steps[-1].events, self.next_watermark())
        return *self.steps, Step((), END)


def engine_trace(
    choose: RandomSource,
    description: EngineDescription,
    windows: Sequence[str],
    dialect: Dialect = OURS,
) -> OperatorTranscript:
    """Draw a trace of a query that an engine says it takes.

    >>> from muntin.conformance.machines.random_choices import SeededSource
    >>> batch = EngineDescription("polars", "2", ["tumbling"])
    >>> [len(turn.step.events) for turn in engine_trace(SeededSource(1), batch, ["tumbling"]).turns]
    [5, 0]
    """
    offset = choose.integer(-OFFSET, OFFSET) if description.offsets else 0
    window = NAMED_WINDOWS[choose.choice(windows)](choose, offset)
    aggregate = "collect" if "collect" in description.aggregates else description.aggregates[0]
    lateness = choose.choice(LATENESS) if description.lateness else 0
    modes: tuple[Mode, ...] = get_args(Mode)
    outputs: list[Mode] = [mode for mode in modes if mode in description.outputs]
    settings = Settings(lateness, choose.choice(outputs), dialect=dialect)
    span = choose.choice(SPANS)
    base = choose.choice(bases(description))
    low = base - 12 + choose.integer(0, max(SPANS) - span)
    builder = EngineTraceBuilder(choose, description, aggregate, low, span)
    steps = builder.run(choose.integer(1, MAX_EVENTS))
    turns = tuple(TranscriptStep(step) for step in steps)
    return OperatorTranscript((Query("q", window, named(aggregate)),), settings, turns)


def bases(description: EngineDescription) -> list[int]:
    """Where the times of a trace may lie: most often near zero, and near it on both sides."""
    room = 2 * max(SPANS)
    within = [
        base for base in BASES if description.min_time + room <= base <= description.max_time - room
    ]
    return [*within, *(base for base in within if base == 0)] or [description.min_time + room]
