"""How many slices and stored tuples an operator holds now."""

from typing import NamedTuple, Protocol, runtime_checkable

from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.groups.in_order_group import InOrderGroup
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.naive_operator import NaiveOperator
from muntin.spec.operator import Operator


@runtime_checkable
class HoldsCells(Protocol):
    """An operator over columns, which keeps cells."""

    def retained(self) -> int:
        """Return how many cells are kept."""
        ...


class Held(NamedTuple):
    """Slices, and tuples that are stored in them."""

    slices: int
    tuples: int


def held(operator: Operator) -> Held | None:
    """Count; nobody knows of the operators of others."""
    if isinstance(operator, InOrderSlicer):
        return Held(operator.slice_count(), 0)
    if isinstance(operator, Scotty):
        return _of_scotty(operator)
    if isinstance(operator, NaiveOperator):
        events, partials = operator.retained()
        return Held(partials, events)
    return Held(operator.retained(), 0) if isinstance(operator, HoldsCells) else None


def _of_scotty(operator: Scotty) -> Held:
    tuple_lanes = [
        keyed.key_state
        for group in operator.groups
        if isinstance(group, TupleGroup)
        for keyed in group.key_groups.values()
    ]
    of_times = [
        len(one.tuples or ())
        for group in operator.groups
        if isinstance(group, TimeGroup)
        for lane in group.key_states.values()
        for one in lane.slices.slices
    ]
    of_ranks = [
        len(one.tuples or ())
        for group in operator.groups
        if isinstance(group, CountGroup)
        for lane in group.key_states.values()
        for one in lane.slices
    ]
    of_tuples = [len(tile.entries) for lane in tuple_lanes for tile in lane.slices.slices]
    waiting = sum(len(lane.deferred_events) for lane in tuple_lanes)
    each = [*of_times, *of_ranks, *of_tuples]
    ordered = [group.slicer for group in operator.groups if isinstance(group, InOrderGroup)]
    bare = sum(slicing.slice_count() for slicing in ordered)
    return Held(len(each) + bare, sum(each) + waiting)
