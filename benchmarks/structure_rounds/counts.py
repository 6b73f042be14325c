"""Combines and visits a round: what time would be if the operator, or memory, took all of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from muntin.spec.cost import Meter
from structure_rounds.contenders import FLIPPING, Contender
from structure_rounds.measure import Plan
from structure_rounds.operators import SUM
from structure_rounds.workload import Feed, play

MOST_WORK = 2**20
LARGEST = 2**16
WIDE = 2**17
"""The window in which distances are varied: the largest distance must fit in it."""

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


def count(contender: Contender, size: int, distance: int, most: int = 2**12) -> Count:
    """Count many rounds, whole windows of them where cost comes in waves."""
    meter, feed = Meter(), Feed(SUM, size, distance)
    window = contender.build(meter.watch(SUM.monoid), meter)
    window.bulk_insert(list(feed.pairs()))
    rounds = max(8, min(most, MOST_WORK // size))
    rounds = 2 * size if contender.name in FLIPPING else rounds
    play(window, feed.rounds(rounds))
    meter.combines = meter.inverts = meter.visits = 0
    play(window, feed.rounds(rounds))
    combines = (meter.combines + meter.inverts) / rounds
    return Count(size, distance, contender.name, combines, meter.visits / rounds)


def counts(entered: list[Contender], plan: Plan) -> Iterator[Count]:
    """Yield the counts of all windows in order, and of all distances in a wide one."""
    counted = [contender for contender in entered if contender.name not in UNCOUNTED]
    sizes = [size for size in plan.sizes if size <= min(LARGEST, plan.widest)]
    wide = min(WIDE, plan.widest)
    for contender in counted:
        for size in sizes:
            if contender.serves(0, SUM.monoid):
                yield count(contender, size, 0, plan.counted_rounds)
        for distance in plan.distances:
            if (
                contender.serves(1, SUM.monoid)
                and distance < wide
                and contender.name != "recompute"
            ):
                yield count(contender, wide, distance, plan.counted_rounds)
