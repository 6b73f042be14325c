"""Combines and visits a round: the limit of the time for an expensive operator, or slow memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from muntin.spec.cost import Meter
from structure_rounds.implementations import BASELINE, FLIPPING, MeasuredStructure
from structure_rounds.measure import StructurePlan
from structure_rounds.operators import SUM
from structure_rounds.workload import Feed, play

MOST_WORK = 2**20
LARGEST = 2**16

UNCOUNTED = ("spec", "flatfat", "sorted-refold")
"""A definition has no cost, and what is linear in the window is shown by `recompute`."""


@dataclass(frozen=True)
class Count:
    """The cost of a round; a subtraction counts as a combine."""

    size: int
    distance: int
    implementation: str
    combines: float
    visits: float


def sweep(
    implementation: MeasuredStructure, size: int, distances: Iterable[int], most: int = 2**12
) -> Iterator[Count]:
    """Count many rounds at each distance, whole windows of them where cost comes in waves."""
    falling = sorted(distances, reverse=True)
    meter, feed = Meter(), Feed(SUM, size, falling[0])
    window = implementation.build(meter.watch(SUM.monoid), meter)
    window.bulk_insert(list(feed.pairs()))
    rounds = max(8, min(most, MOST_WORK // size)) if implementation.name == BASELINE else most
    rounds = 2 * size if implementation.name in FLIPPING else rounds
    for distance in falling:
        feed.reduce_distance(distance)
        play(window, feed.rounds(rounds))
        meter.combines = meter.inverts = meter.visits = 0
        play(window, feed.rounds(rounds))
        combines = (meter.combines + meter.inverts) / rounds
        yield Count(size, distance, implementation.name, combines, meter.visits / rounds)


def counts(implementations: list[MeasuredStructure], plan: StructurePlan) -> Iterator[Count]:
    """Yield the counts of all windows in order, and of all distances in the widest."""
    counted = [
        implementation for implementation in implementations if implementation.name not in UNCOUNTED
    ]
    sizes = [size for size in plan.sizes if size <= min(LARGEST, plan.widest)]
    for implementation in counted:
        for size in sizes:
            if implementation.supports(0, SUM.monoid):
                yield from sweep(implementation, size, [0], plan.counted_rounds)
        if implementation.supports(1, SUM.monoid) and implementation.name != BASELINE:
            distances = [d for d in plan.distances if d < plan.widest]
            wide = sweep(implementation, plan.widest, distances, plan.counted_rounds)
            yield from (count for count in wide if count.distance or plan.widest not in sizes)
