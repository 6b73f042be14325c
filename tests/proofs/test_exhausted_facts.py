"""The facts of slices between two steps, after every step of every small trace.

The answers are also compared with those of the denotation, as in every walk.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pytest

from exhaustive.profile import PROFILE
from exhaustive.traces.in_order_invariants import (
    TOTAL_COMBINES,
    BoundedInOrderSlicer,
    CheckedInOrderSlicer,
)
from exhaustive.traces.operators import BY_WINDOW, HALF_TIMES, IMPLEMENTATIONS, SCOPES
from exhaustive.traces.restored_operators import RestoredOperator
from exhaustive.traces.scotty_invariants import CheckedScotty, CheckedUnorderedScotty
from exhaustive.traces.trace_counts import trace_count
from exhaustive.traces.walk import TraceScope, TraceWalk
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.technique import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
)
from muntin.optimized.scotty.groups.count_key_state import CountKeyState
from muntin.optimized.scotty.groups.tuple_key_state import TupleKeyState
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.slice import LiftedEvent, Slice
from muntin.optimized.scotty.slices.slice_manager import SliceManager
from muntin.registry.implementations import OperatorEntry
from muntin.spec.operator import Operator
from muntin.spec.query import Settings
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from support.audit import TransferAudit

LENGTH = {"ci": 3, "nightly": 5}[PROFILE]
RESTORED_LENGTH = {"ci": 2, "nightly": 3}[PROFILE]
TIMES = 4

CHECKED_SCOTTY = [
    OperatorEntry("words", CheckedScotty),
    OperatorEntry("bags", CheckedUnorderedScotty),
]
TECHNIQUES = (PANES, PAIRS, PAIRS_PLUS, CUTTY_LAZY, CUTTY_EAGER)
SLICERS = [
    *(
        OperatorEntry(
            f"slicer {number}", partial(CheckedInOrderSlicer, technique), in_order_only=True
        )
        for number, technique in enumerate(TECHNIQUES)
    ),
    OperatorEntry("frugal", partial(BoundedInOrderSlicer, CUTTY_LAZY), in_order_only=True),
]


def shortened_scope(scope: TraceScope, length: int) -> TraceScope:
    """The short traces of a scope, at fewer times."""
    steps = min(length, scope.length) // scope.batch
    return replace(scope, times=min(TIMES, scope.times), length=steps)


def in_order_scope(scope: TraceScope) -> TraceScope:
    """The scope with a stream in order."""
    return replace(scope, settings=replace(scope.settings, in_order=True))


FIXED_QUERY_SCOPES = {
    name: shortened_scope(entry.scope, LENGTH)
    for name, entry in SCOPES.items()
    if entry.scope.spare is None
    and entry.scope.settings.dialect != BY_WINDOW
    and entry.scope.gaps == (None,)
} | {"two counts, late": TraceScope((count(2), count(3, 1)), 2, LENGTH + 2, Settings(2))}
"""Scopes in which all queries see all events."""


@pytest.mark.parametrize("name", FIXED_QUERY_SCOPES)
def test_every_slice_of_scotty_represents_its_events(name: str) -> None:
    walk = TraceWalk(FIXED_QUERY_SCOPES[name], CHECKED_SCOTTY)
    assert walk.names == ["words", "bags"]
    assert walk.run().traces == trace_count(FIXED_QUERY_SCOPES[name])


@pytest.fixture(name="_counted")
def fixture_counted() -> Iterator[None]:
    with TOTAL_COMBINES.counting():
        yield


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("name", FIXED_QUERY_SCOPES)
def test_every_slice_of_a_stream_in_order_represents_its_events(name: str) -> None:
    scope = in_order_scope(FIXED_QUERY_SCOPES[name])
    walk = TraceWalk(scope, SLICERS)
    assert {"slicer 3", "slicer 4", "frugal"} <= {*walk.names}
    assert walk.run().traces == trace_count(scope)


def test_every_technique_takes_part() -> None:
    parts = {
        name
        for scope in FIXED_QUERY_SCOPES.values()
        for name in TraceWalk(in_order_scope(scope), SLICERS).names
    }
    assert parts == {entry.name for entry in SLICERS}


RESTORED_OPERATORS = [
    replace(entry, build=partial(RestoredOperator, entry.build, TransferAudit(entry.carry)))
    for entry in IMPLEMENTATIONS
    if entry.carry and entry.name != "kernels"
]


@pytest.mark.parametrize("name", ["session, late", "count and tumbling", "in order, periodic"])
def test_every_operator_continues_equally_when_restored_after_each_step(name: str) -> None:
    scope = replace(SCOPES[name].scope, times=RESTORED_LENGTH, length=RESTORED_LENGTH)
    walk = TraceWalk(scope, RESTORED_OPERATORS)
    assert len(walk.names) >= 6
    assert walk.run().traces == trace_count(scope)


def test_state_that_is_not_restored_is_noticed() -> None:
    def nothing(old: Operator, new: Operator) -> None:
        del old, new

    with pytest.raises(AssertionError, match="not equal"):
        RestoredOperator(Scotty, nothing, Settings()).step([Event(0, 0)])


def release_nothing(_: SliceManager, before: float) -> None:
    del before


def touch_all(manager: SliceManager, index: int, time: int, limit: float) -> bool:
    del manager, index, time, limit
    return True


def touch_none(manager: SliceManager, index: int, time: int, limit: float) -> bool:
    del limit
    return manager.slices[index].last >= time


def shift_nothing(state: CountKeyState, index: int) -> None:
    del state, index


def count_only(target: Slice, event: Event) -> None:
    del event
    target.size += 1


def insert_last(state: TupleKeyState, lifted: LiftedEvent, *, by_arrival: bool) -> None:
    del by_arrival
    state.slices.insert(lifted, last=True)
    state.has_changes = True


def join_nothing(slices: SliceBuffer[object], begin: int) -> None:
    del slices, begin


def no_arrivals(_: BoundedInOrderSlicer) -> set[int]:
    return set()


Windows = tuple[WindowType, ...]
TIME_WINDOWS: Windows = (Session(2), tumbling(3))
TWO_TUMBLING: Windows = (tumbling(2), tumbling(3))
COUNT_WINDOWS: Windows = (count(2),)
MEASURED_WINDOWS: Windows = (Sliding(2, 1, measure=HALF_TIMES),)


class InjectedFault(NamedTuple):
    """A replacement of a method, the windows to run, and the fact that it breaks."""

    kind: type
    name: str
    replacement: object
    windows: Windows
    fact: str


FAULTS = [
    InjectedFault(SliceManager, "evict", release_nothing, TIME_WINDOWS, "M6"),
    InjectedFault(
        SliceManager, "_touches_left", touch_all, TIME_WINDOWS, "M2 nor over the smallest gap"
    ),
    InjectedFault(
        SliceManager, "_touches_left", touch_all, TWO_TUMBLING, "M2 no slice reaches over"
    ),
    InjectedFault(SliceManager, "_touches_left", touch_none, TIME_WINDOWS, "M2 a separator lies"),
    InjectedFault(Slice, "count_tuple", count_only, TIME_WINDOWS, "M4"),
    InjectedFault(CountKeyState, "_shift", shift_nothing, COUNT_WINDOWS, "R1 no slice has more"),
    InjectedFault(
        TupleKeyState, "insert", insert_last, MEASURED_WINDOWS, "T1 slices have them in order"
    ),
    InjectedFault(SliceBuffer, "_drop_begin", join_nothing, TIME_WINDOWS, "S4"),
    InjectedFault(BoundedInOrderSlicer, "arrivals_in_windows", no_arrivals, TIME_WINDOWS, "C1"),
]


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.name} {fault.fact}")
def test_a_broken_fact_stops_the_walk(
    monkeypatch: pytest.MonkeyPatch, fault: InjectedFault
) -> None:
    monkeypatch.setattr(fault.kind, fault.name, fault.replacement)
    ordered = fault.kind in (SliceBuffer, BoundedInOrderSlicer)
    scope = TraceScope(fault.windows, 4, 3, Settings(0 if ordered else 1, in_order=ordered))
    with pytest.raises(AssertionError, match=fault.fact):
        TraceWalk(scope, SLICERS if ordered else CHECKED_SCOTTY).run()
