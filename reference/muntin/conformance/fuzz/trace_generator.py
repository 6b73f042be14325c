"""Random traces, concrete from the start: the same choices, the same trace.

Values are letters, which distinguish all words and bags of events; or numbers, pairs or texts, for
the aggregates of the catalogue. All are exact, so that outputs can be compared for equality.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from muntin.conformance.machines import random_choices as choices
from muntin.conformance.machines.random_choices import BASES, WORDS, Letter, RandomSource
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType

MAX_TURNS = 14
SIZES = (0, 1, 1, 1, 2, 4)
"""How many events a step may have."""
DISORDER_PERIOD = 8
"""One event in this many breaks the order of a stream that is declared in order."""


@dataclass(frozen=True)
class ValueKind:
    """A kind of values, and the aggregates that accept them."""

    value: Callable[[int, int], object]  # from a number from -2 to 4, and one used once
    aggregates: tuple[AnyAggregate, ...]
    numbers: bool = True


def _value_kind(values: Sequence[object], names: str, *, numbers: bool = True) -> ValueKind:
    aggregates = tuple(named(name) for name in names.split())
    return ValueKind(lambda number, _: values[number + 2], aggregates, numbers)


HALF = Fraction(1, 2)
ANY = "count first last collect distinct min max maxcount mincount"
NUMERIC = f"{ANY} sum mean median percentile(25) range m4 std_sample std_pop var_sample var_pop"
FREE = ValueKind(Letter, (WORDS,))
VALUE_KINDS = (
    FREE,
    FREE,
    FREE,
    _value_kind((-2, -1, 0, HALF, 1, Fraction(7, 3), None), NUMERIC),
    _value_kind((0, 1, HALF, 2, 3, 3, None), f"sum {NUMERIC} geomean geomean"),
    _value_kind(
        [(0, "a"), (0, "b"), (1, "c"), (1, "a"), (2, "b"), (2, "c"), None],
        "argmax argmin collect",
        numbers=False,
    ),
    _value_kind(["a", "b", "b", "c", "d", "e", None], f"concat {ANY}", numbers=False),
)


@dataclass
class _TraceBuilder:
    """The state while a trace is made: what its edge cases depend on."""

    choose: RandomSource
    settings: Settings
    base: int
    value_kind: ValueKind
    watermark: float = -END
    last: float = -END
    events: int = 0
    query_ids: list[str] = field(default_factory=list[str])
    names: int = 0

    def _at(self, corner: choices.EdgeCaseTimes) -> int:
        limit = self.watermark - self.settings.allowed_lateness
        return corner.at(self.base, self.watermark, limit, self.last)

    def query(self, *, plain: bool) -> Query:
        kind = self._window(plain=plain)
        self.query_ids.append(f"q{self.names}")
        self.names += 1
        return Query(self.query_ids[-1], kind, self.choose.choice(self.value_kind.aggregates))

    def _window(self, *, plain: bool) -> WindowType:
        if plain:
            return choices.periodic(self.choose, self.base)
        kind = choices.window_type(self.choose, self.base)
        needs_numbers = isinstance(kind, choices.NEED_NUMBERS) and not self.value_kind.numbers
        return self._window(plain=False) if needs_numbers else kind

    def event(self) -> Event:
        draft = choices.draft(self.choose)
        time = self._at(draft.corner)
        if (
            self.settings.in_order
            and time < self.last
            and self.choose.integer(1, DISORDER_PERIOD) > 1
        ):
            time = int(self.last) + draft.number % 3
        self.events += 1
        value = self.value_kind.value(draft.number, self.events)
        self.last = max(self.last, time)
        return Event(time, value, draft.key, draft.gap, draft.punctuation)

    def step(self) -> Step:
        events = [self.event() for _ in range(self.choose.choice(SIZES))]
        if self.settings.in_order:
            events.sort(key=lambda event: event.time)
            self.watermark = max(self.watermark, self.last)
        watermark = self._next_watermark()
        self.watermark = max(self.watermark, -END if watermark is None else watermark)
        return Step(tuple(events), watermark)

    def _next_watermark(self) -> float | None:
        """Choose a watermark, seldom the end, after which every event is late."""
        die = self.choose.integer(1, 50)
        if die > 20:  # noqa: PLR2004 - 60 %
            return None
        return END if die == 1 else self._at(choices.corner(self.choose))

    def turn(self, *, plain: bool) -> TranscriptStep:
        die = self.choose.integer(1, 16)
        removed = list[str]()
        if die == 1 and self.query_ids:
            removed = [self.query_ids.pop(self.choose.integer(0, len(self.query_ids) - 1))]
        added = (self.query(plain=plain),) if die == 2 else ()  # noqa: PLR2004 - 1 in 16
        return TranscriptStep(self.step(), added, tuple(removed))


def random_trace(choose: RandomSource, *, plain: bool = False) -> OperatorTranscript:
    """Any trace; if plain, one in order with windows that every operator supports.

    >>> from muntin.conformance.machines.random_choices import SeededSource
    >>> random_trace(SeededSource(7)) == random_trace(SeededSource(7))
    True
    """
    chosen = choices.settings(choose, ordered=plain)
    run = _TraceBuilder(choose, chosen, choose.choice(BASES), choose.choice(VALUE_KINDS))
    queries = tuple(run.query(plain=plain) for _ in range(choose.integer(1, 3)))
    turns = [run.turn(plain=plain) for _ in range(choose.integer(1, MAX_TURNS))]
    return OperatorTranscript(queries, chosen, (*turns, TranscriptStep(Step((), END))))
