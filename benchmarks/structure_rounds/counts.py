"""Combines and visits a round: what time would be if the operator, or memory, took all of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from muntin.spec.cost import Meter
from structure_rounds.contenders import BASELINE, FLIPPING, Contender
from structure_rounds.measure import Plan
from structure_rounds.operators import SUM
from structure_rounds.workload import Feed, play

MOST_WORK = 2**20
LARGEST = 2**16

UNCOUNTED = ("spec", "flatfat", "sorted-refold")
"""A definition has no cost, and what is linear in the window is told by `recompute`."""


@dataclass(frozen=True)
class Count:
    """What a round costs; taking off an inverse counts as a combine."""

    size: int
    distance: int
    contender: str
    combines: float
    visits: float


def sweep(
    contender: Contender, size: int, distances: Iterable[int], most: int = 2**12
) -> Iterator[Count]:
    """Count many rounds at each distance, whole windows of them where cost comes in waves."""
    falling = sorted(distances, reverse=True)
    meter, feed = Meter(), Feed(SUM, size, falling[0])
    window = contender.build(meter.watch(SUM.monoid), meter)
    window.bulk_insert(list(feed.pairs()))
    rounds = max(8, min(most, MOST_WORK // size)) if contender.name == BASELINE else most
    rounds = 2 * size if contender.name in FLIPPING else rounds
    for distance in falling:
        feed.come_nearer(distance)
        play(window, feed.rounds(rounds))
        meter.combines = meter.inverts = meter.visits = 0
        play(window, feed.rounds(rounds))
        combines = (meter.combines + meter.inverts) / rounds
        yield Count(size, distance, contender.name, combines, meter.visits / rounds)


def counts(entered: list[Contender], plan: Plan) -> Iterator[Count]:
    """Yield the counts of all windows in order, and of all distances in the widest."""
    counted = [contender for contender in entered if contender.name not in UNCOUNTED]
    sizes = [size for size in plan.sizes if size <= min(LARGEST, plan.widest)]
    for contender in counted:
        for size in sizes:
            if contender.serves(0, SUM.monoid):
                yield from sweep(contender, size, [0], plan.counted_rounds)
        if contender.serves(1, SUM.monoid) and contender.name != BASELINE:
            distances = [d for d in plan.distances if d < plan.widest]
            wide = sweep(contender, plan.widest, distances, plan.counted_rounds)
            yield from (count for count in wide if count.distance or plan.widest not in sizes)
