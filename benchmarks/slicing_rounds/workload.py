"""Streams and queries in the shapes of [Traub20], Figures 13 to 21.

Time is in milliseconds, and an event comes every millisecond. Windows are of 1 to 20 seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count as numbers
from random import Random

from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, count, tumbling

SECOND = 1000
SHORTEST, LONGEST = SECOND, 20 * SECOND
SEED = 2020
BATCH = 200
"""Events in a step."""
PAUSES = 5
"""The number of gaps in a minute that end a session."""


@dataclass(frozen=True)
class Workload:
    """A figure's name, a stream, and its queries."""

    figure: str
    windows: int = 20
    shape: str = "queries"  # `windows` tumbling queries, or one sliding query
    share: float = 0.0  # of events that are out of order
    delays: tuple[int, int] = (0, 2 * SECOND)
    measure: str = "time"
    aggregate: str = "sum"
    batch: int = BATCH
    session: bool = False

    @property
    def in_order(self) -> bool:
        """Whether the stream is declared in order."""
        return not self.share

    @property
    def settings(self) -> Settings:
        """The settings of operators: watermarks wait for the longest delay, so nothing is late."""
        return Settings(in_order=self.in_order)

    def queries(self) -> list[Query]:
        """The queries, with lengths spread evenly over the whole range."""
        make = count if self.measure == "count" else tumbling
        steps = max(1, self.windows - 1)
        sizes = [LONGEST - k * (LONGEST - SHORTEST) // steps for k in range(self.windows)]
        kinds = [make(size) for size in sizes]
        if self.shape == "sliding":
            kinds = [Sliding(LONGEST, LONGEST // self.windows)]
        aggregate = named_keeping_nulls(self.aggregate)
        queries = [Query(f"w{index}", kind, aggregate) for index, kind in enumerate(kinds)]
        session = [Query("session", Session(SECOND), aggregate)] if self.session else []
        return [*queries, *session]

    def steps(self) -> Iterator[Step]:
        """Yield endless steps: a batch of events, and a watermark behind the longest delay.

        With one event a step, a watermark comes as often as with the usual batch.
        """
        random, events = Random(SEED), list[Event]()  # noqa: S311 - it need not be secret
        seldom = max(1, BATCH // self.batch)
        time, least = 0, self.delays[1] if self.share else 0
        for number in numbers(1):
            paused = self.session and random.random() < PAUSES / (60 * SECOND)
            time += 1 + 2 * SECOND * paused
            late = random.random() < self.share
            delayed = time - random.randint(*self.delays) if late else time
            events.append(Event(delayed, random.randrange(1, 1000)))
            if number % self.batch == 0:
                due = number // self.batch % seldom == 0
                yield Step(tuple(events), time - least if due else None)
                events = []
