"""What is true of slices between two steps, after every step of every small trace.

The answers are compared with those of the denotation on the way, as in every walk.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pytest

from exhaustive.combine_counts import traces
from exhaustive.in_order_invariants import TOTALS, FrugalSlicing, RelatedSlicing
from exhaustive.operators import BY_WINDOW, CONTENDERS, HALVES, SCOPES
from exhaustive.profile import PROFILE
from exhaustive.restored_operators import Restored
from exhaustive.scotty_invariants import RelatedInBags, RelatedScotty
from exhaustive.traces import Scope, Walk
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
from support.audit import Audit

LENGTH = {"ci": 3, "nightly": 5}[PROFILE]
CARRIED = {"ci": 2, "nightly": 3}[PROFILE]
TIMES = 4

SCOTTY = [OperatorEntry("words", RelatedScotty), OperatorEntry("bags", RelatedInBags)]
TECHNIQUES = (PANES, PAIRS, PAIRS_PLUS, CUTTY_LAZY, CUTTY_EAGER)
SLICERS = [
    *(
        OperatorEntry(f"slicer {nth}", partial(RelatedSlicing, technique), in_order_only=True)
        for nth, technique in enumerate(TECHNIQUES)
    ),
    OperatorEntry("frugal", partial(FrugalSlicing, CUTTY_LAZY), in_order_only=True),
]


def small(scope: Scope, length: int) -> Scope:
    """Return the traces of a scope that are no longer, at fewer times."""
    steps = min(length, scope.length) // scope.batch
    return replace(scope, times=min(TIMES, scope.times), length=steps)


def in_order(scope: Scope) -> Scope:
    """Return the same with a stream in order."""
    return replace(scope, settings=replace(scope.settings, in_order=True))


LASTING = {
    name: small(one.scope, LENGTH)
    for name, one in SCOPES.items()
    if one.scope.spare is None
    and one.scope.settings.dialect != BY_WINDOW
    and one.scope.gaps == (None,)
} | {"two counts, late": Scope((count(2), count(3, 1)), 2, LENGTH + 2, Settings(2))}
"""Scopes in which all queries see all events."""


@pytest.mark.parametrize("name", LASTING)
def test_every_slice_of_scotty_is_what_the_events_say(name: str) -> None:
    walk = Walk(LASTING[name], SCOTTY)
    assert walk.names == ["words", "bags"]
    assert walk.run().traces == traces(LASTING[name])


@pytest.fixture(name="_counted")
def fixture_counted() -> Iterator[None]:
    with TOTALS.counted():
        yield


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("name", LASTING)
def test_every_slice_of_a_stream_in_order_is_what_the_events_say(name: str) -> None:
    scope = in_order(LASTING[name])
    walk = Walk(scope, SLICERS)
    assert {"slicer 3", "slicer 4", "frugal"} <= {*walk.names}
    assert walk.run().traces == traces(scope)


def test_every_technique_takes_part() -> None:
    parts = {name for scope in LASTING.values() for name in Walk(in_order(scope), SLICERS).names}
    assert parts == {one.name for one in SLICERS}


RESTORED = [
    replace(one, build=partial(Restored, one.build, Audit(one.carry)))
    for one in CONTENDERS
    if one.carry and one.name != "kernels"
]


@pytest.mark.parametrize("name", ["session, late", "count and tumbling", "in order, periodic"])
def test_every_operator_goes_on_alike_when_it_is_restored_after_each_step(name: str) -> None:
    scope = replace(SCOPES[name].scope, times=CARRIED, length=CARRIED)
    walk = Walk(scope, RESTORED)
    assert len(walk.names) >= 6
    assert walk.run().traces == traces(scope)


def test_what_is_not_carried_over_is_noticed() -> None:
    def nothing(old: Operator, new: Operator) -> None:
        del old, new

    with pytest.raises(AssertionError, match="not alike"):
        Restored(Scotty, nothing, Settings()).step([Event(0, 0)])


def release_nothing(_: SliceManager, before: float) -> None:
    del before


def touch_all(manager: SliceManager, nth: int, time: int, told: float) -> bool:
    del manager, nth, time, told
    return True


def touch_none(manager: SliceManager, nth: int, time: int, told: float) -> bool:
    del told
    return manager.slices[nth].last >= time


def shift_nothing(lane: CountKeyState, at: int) -> None:
    del lane, at


def count_only(one: Slice, event: Event) -> None:
    del event
    one.size += 1


def insert_last(lane: TupleKeyState, lifted: LiftedEvent, *, by_arrival: bool) -> None:
    del by_arrival
    lane.slices.insert(lifted, last=True)
    lane.has_changes = True


def join_nothing(slices: SliceBuffer[object], begin: int) -> None:
    del slices, begin


def nothing_held(_: FrugalSlicing) -> set[int]:
    return set()


Windows = tuple[WindowType, ...]
TIMED: Windows = (Session(2), tumbling(3))
TWO_TUMBLING: Windows = (tumbling(2), tumbling(3))
RANKED: Windows = (count(2),)
HALVED: Windows = (Sliding(2, 1, measure=HALVES),)


class Fault(NamedTuple):
    """What takes the place of a method, over which windows, and the fact that it breaks."""

    kind: type
    name: str
    instead: object
    windows: Windows
    fact: str


FAULTS = [
    Fault(SliceManager, "evict", release_nothing, TIMED, "M6"),
    Fault(SliceManager, "_touches_left", touch_all, TIMED, "M2 nor over the smallest gap"),
    Fault(SliceManager, "_touches_left", touch_all, TWO_TUMBLING, "M2 no slice reaches over"),
    Fault(SliceManager, "_touches_left", touch_none, TIMED, "M2 something parts"),
    Fault(Slice, "count_tuple", count_only, TIMED, "M4"),
    Fault(CountKeyState, "_shift", shift_nothing, RANKED, "R1 none has more"),
    Fault(TupleKeyState, "insert", insert_last, HALVED, "T1 slices have them in order"),
    Fault(SliceBuffer, "_release", join_nothing, TIMED, "S4"),
    Fault(FrugalSlicing, "held", nothing_held, TIMED, "C1"),
]


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.name} {fault.fact}")
def test_a_fact_that_is_broken_stops_the_walk(
    monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setattr(fault.kind, fault.name, fault.instead)
    ordered = fault.kind in (SliceBuffer, FrugalSlicing)
    scope = Scope(fault.windows, 4, 3, Settings(0 if ordered else 1, in_order=ordered))
    with pytest.raises(AssertionError, match=fault.fact):
        Walk(scope, SLICERS if ordered else SCOTTY).run()
