"""The size of an operator's state: its slices and stored tuples."""

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
class CellStore(Protocol):
    """An operator over columns, whose state is cells."""

    def retained(self) -> int:
        """The number of cells."""
        ...


class StateSize(NamedTuple):
    """The number of slices, and of tuples that are stored."""

    slices: int
    tuples: int


def state_size(operator: Operator) -> StateSize | None:
    """The size of the state, or None for an operator of the user's own."""
    if isinstance(operator, InOrderSlicer):
        return StateSize(operator.slice_count(), 0)
    if isinstance(operator, Scotty):
        return _scotty_size(operator)
    if isinstance(operator, NaiveOperator):
        events, partials = operator.retained()
        return StateSize(partials, events)
    return StateSize(operator.retained(), 0) if isinstance(operator, CellStore) else None


def _scotty_size(operator: Scotty) -> StateSize:
    tuple_lanes = [
        keyed.key_state
        for group in operator.groups
        if isinstance(group, TupleGroup)
        for keyed in group.key_groups.values()
    ]
    time_slices = [
        len(piece.tuples or ())
        for group in operator.groups
        if isinstance(group, TimeGroup)
        for lane in group.key_states.values()
        for piece in lane.slices.slices
    ]
    count_slices = [
        len(piece.tuples or ())
        for group in operator.groups
        if isinstance(group, CountGroup)
        for lane in group.key_states.values()
        for piece in lane.slices
    ]
    tuple_tiles = [len(tile.entries) for lane in tuple_lanes for tile in lane.slices.slices]
    pending = sum(len(lane.deferred_events) for lane in tuple_lanes)
    tuples = [*time_slices, *count_slices, *tuple_tiles]
    ordered = [group.slicer for group in operator.groups if isinstance(group, InOrderGroup)]
    in_order_slices = sum(slicing.slice_count() for slicing in ordered)
    return StateSize(len(tuples) + in_order_slices, sum(tuples) + pending)
