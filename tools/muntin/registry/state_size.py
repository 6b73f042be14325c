"""The size of an operator's state: its slices and stored tuples."""

from collections.abc import Hashable, Iterator
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
    sizes, in_order_slices, pending = list[int](), 0, 0
    for group in operator.groups:
        if isinstance(group, InOrderGroup):
            in_order_slices += group.slicer.slice_count()
        elif isinstance(group, TimeGroup):
            managers = [lane.slices for lane in group.key_states.values()]
            sizes += [len(piece.tuples or ()) for lane in managers for piece in lane.slices]
        elif isinstance(group, CountGroup):
            lanes = group.key_states.values()
            sizes += [len(piece.tuples or ()) for lane in lanes for piece in lane.slices]
        elif isinstance(group, TupleGroup):
            keyed = [key_group.key_state for key_group in group.key_groups.values()]
            sizes += [len(tile.entries) for lane in keyed for tile in lane.slices.slices]
            pending += sum(len(lane.deferred_events) for lane in keyed)
    return StateSize(len(sizes) + in_order_slices, sum(sizes) + pending)


class SliceSpan(NamedTuple):
    """A slice as it is kept: its key, the times of its first and last event, how many it has."""

    key: Hashable
    first: int
    last: int
    size: int


def slice_spans(operator: Operator) -> Iterator[SliceSpan]:
    """The slices over time that an operator keeps; none if its slices are not out of order."""
    groups = operator.groups if isinstance(operator, Scotty) else []
    for group in groups:
        if isinstance(group, TimeGroup):
            for key, state in group.key_states.items():
                for piece in state.slices.slices:
                    yield SliceSpan(key, piece.first, piece.last, piece.size)
        elif isinstance(group, TupleGroup):
            for key, key_group in group.key_groups.items():
                for tile in key_group.key_state.slices.slices:
                    times = [entry.accepted.event.time for entry in tile.entries]
                    yield SliceSpan(key, times[0], times[-1], len(times))
