"""What `muntin demo` asks, and of which stream."""

from dataclasses import dataclass
from itertools import accumulate

from muntin.spec.catalogue import named
from muntin.spec.data_driven import Session
from muntin.spec.frames import Threshold
from muntin.spec.periodic import Sliding, count, tumbling
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step

BEHIND = 180
"""How many minutes the watermark trails the latest departure."""

SETTINGS = Settings(allowed_lateness=120)

QUESTIONS = {
    "hours": "the sum of the delays, every hour",
    "peaks": "the worst delay of six hours, every hour",
    "medians": "the median delay of three hours, every hour",
    "order": "the delays of a quarter of an hour, in order",
    "fifties": "the mean delay of every fifty departures",
    "lulls": "how many left between lulls of 20 minutes",
    "rough": "runs of three or more that left 15 minutes late",
}

QUERIES = [
    Query("hours", tumbling(60), named("sum")),
    Query("peaks", Sliding(360, 60), named("max")),
    Query("medians", Sliding(180, 60), named("median")),
    Query("order", tumbling(15), named("collect")),
    Query("fifties", count(50), named("mean")),
    Query("lulls", Session(20), named("count")),
    Query("rough", Threshold(15, min_count=3), named("count")),
]


@dataclass(frozen=True)
class DemoStream:
    """The departures, as micro-batches with watermarks."""

    events: list[Event]
    batch: int

    def steps(self) -> list[Step]:
        """Return the micro-batches: the watermark trails the greatest time so far."""
        batches = [
            tuple(self.events[at : at + self.batch])
            for at in range(0, len(self.events), self.batch)
        ]
        latest = accumulate((max(event.time for event in batch) for batch in batches), max)
        steps = zip(batches, latest, strict=True)
        return [*(Step(batch, time - BEHIND) for batch, time in steps), Step((), END)]

    def out_of_order(self) -> int:
        """Return how many events come after one that is younger."""
        times = [event.time for event in self.events]
        return sum(
            time < latest for time, latest in zip(times, accumulate(times, max), strict=True)
        )
