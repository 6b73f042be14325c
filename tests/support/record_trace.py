"""Random traces of events and queries over records, run by an operator and by the denotation."""

from collections.abc import Sequence
from random import Random

import numpy as np

from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Mode, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Rolling, punctuation, rolling, session, slide_by_tuple
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.window import WindowType
from support.record_invariants import check_records

MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "final", "discard")
AGGREGATES = ("sum", "min", "max", "count", "first", "last", "mean", "m4", "var_pop")


def counted(size: int, slide: int, offset: int = 0) -> Sliding:
    """Windows of a number of events."""
    return Sliding(size, slide, offset, COUNT)


KINDS: tuple[WindowType, ...] = (
    rolling(1), rolling(10), rolling(37), rolling(3, COUNT), rolling(40, COUNT),
    Rolling(4, 3, COUNT), counted(5, 5), counted(7, 2, 3), counted(2, 9), counted(30, 1),
    slide_by_tuple(10, 2), slide_by_tuple(25, 3), slide_by_tuple(5, 7), punctuation(),
)  # fmt: skip
OTHERS: tuple[WindowType, ...] = (tumbling(7), session(5))


class RecordTrace:
    """Steps in one style: how many keys, how far rows are out of order, nulls, floats."""

    def __init__(self, random: Random) -> None:
        """Draw a style."""
        self.random, self.now = random, random.choice([0, -1000, 10**9])
        self.keys, self.spread = random.choice([1, 1, 2, 7, 30]), random.choice([3, 10, 40, 200])
        self.large = random.choice([1, 1, 1, 2**54])

    def event(self, *, nulls: bool) -> Event:
        """One event."""
        random = self.random
        value = random.randrange(-5, 100) * self.large
        time = self.now + random.randrange(-self.spread, self.spread)
        key, mark = 977 * random.randrange(self.keys), random.random() < 0.15
        return Event(time, None if nulls and random.random() < 0.3 else value, key, None, mark)

    def step(self) -> Step:
        """The next step."""
        random = self.random
        self.now += random.choice([0, 3, 20, 20, 500, -30, -100, 10**6])
        nulls = random.random() < 0.2
        events = [self.event(nulls=nulls) for _ in range(random.choice([0, 1, 1, 2, 6, 20, 40]))]
        if random.random() < 0.3:
            events.sort(key=lambda event: event.time)
        now, spread = self.now, self.spread
        watermark = random.choice([None, now - spread // 2, now, now - spread, now + spread])
        return Step(tuple(events), END if random.random() < 0.02 else watermark)


def take_columns(operator: ColumnarOperator, step: Step) -> Output:
    """Take a step as columns; late events by their places."""
    events = step.events
    times, values, keys = (
        np.array(column, np.int64)
        for column in zip(*((e.time, e.value, e.key) for e in events), strict=True)
    )
    marks = np.array([event.punctuation for event in events])
    some = marks if marks.any() else None
    answered = operator.take_columns(times, values, keys, step.watermark, marks=some)
    return Output(answered.results(), tuple(events[int(i)] for i in answered.late))


def is_near(a: Result, b: Result) -> bool:
    """Whether values agree, floats up to the order of additions."""
    if isinstance(a.value, float) and isinstance(b.value, float):
        return abs(a.value - b.value) <= 1e-9 * max(1.0, abs(b.value))
    return a.value == b.value


class RecordPair:
    """An operator, and the denotation beside."""

    def __init__(self, random: Random, settings: Settings, kinds: Sequence[WindowType]) -> None:
        """Ask nothing yet."""
        self.random, self.settings, self.kinds = random, settings, kinds
        self.operator = ColumnarOperator(settings, method="compiled")
        self.denoted = SpecificationOperator(settings)
        self.queries: dict[str, Query] = {}
        self.query_count = 0

    def add(self) -> None:
        """Ask a further query."""
        kind, name = self.random.choice(self.kinds), self.random.choice(AGGREGATES)
        query = Query(f"q{self.query_count}", kind, named(name))
        self.query_count += 1
        self.operator.add(query)
        self.denoted.add(query)
        self.queries[query.id] = query

    def remove(self) -> None:
        """Ask a query no more."""
        name = self.random.choice([*self.queries])
        del self.queries[name]
        self.operator.remove(name)
        self.denoted.remove(name)

    def transfer(self) -> None:
        """Go on from a snapshot."""
        new = ColumnarOperator(self.settings, method="compiled")
        for query in self.queries.values():
            new.add(query)
        transfer_state(self.operator, new)
        self.operator = new

    def take(self, step: Step) -> Output:
        """Take a step, and compare; the output."""
        numbers = [type(event.value) is int for event in step.events]
        plain = bool(numbers) and all(numbers) and self.random.random() < 0.6
        answer = take_columns(self.operator, step) if plain else self.operator.take(step)
        expected = self.denoted.take(step)
        assert response_difference(expected, answer, is_near) == "", (step, self.queries)
        self.check()
        return expected

    def check(self) -> None:
        """Hold the state to its invariants."""
        for group in self.operator.groups.values():
            if isinstance(group, EngineGroup) and group.engine:
                check_records(group.engine)
