"""How many slices and stored tuples an operator holds now."""

from collections.abc import Hashable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from muntin.optimized.scotty.lane import Lane
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.tuple_group import TupleGroup
from muntin.optimized.slicing.slicing import Slicing
from muntin.spec.operator import Operator


class Held(NamedTuple):
    """Slices, and tuples that are stored in them."""

    slices: int
    tuples: int


@runtime_checkable
class Lanes(Protocol):
    """A group of queries that share slices by time."""

    lanes: Mapping[Hashable, Lane]


def held(operator: Operator) -> Held:
    """Count."""
    if isinstance(operator, Slicing):
        return Held(operator.slices(), 0)
    assert isinstance(operator, Scotty)
    tilings = [
        keyed.lane.tiling
        for group in operator.groups
        if isinstance(group, TupleGroup)
        for keyed in group.keyed.values()
    ]
    slices = [
        one
        for group in operator.groups
        if isinstance(group, Lanes)
        for lane in group.lanes.values()
        for one in lane.slices.slices
    ]
    tuples = sum(len(tile.entries) for tiling in tilings for tile in tiling.tiles)
    return Held(
        len(slices) + sum(len(tiling.tiles) for tiling in tilings),
        tuples + sum(len(one.tuples or ()) for one in slices),
    )
