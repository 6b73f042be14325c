"""Sessions in discard mode: the part not emitted yet, from slices alone."""

import random
from typing import Literal

import pytest

from muntin.conformance.machines.random_choices import BAGS, WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import LazyStore, fiba_store, flatfat_store
from muntin.reference.specification import SpecificationOperator
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Landmark, Sliding, tumbling
from muntin.spec.windows.window import WindowType

LATENESS: list[Literal["event", "window", "never"]] = ["event", "window", "never"]
TRACES = 60
OTHERS: list[WindowType] = [tumbling(5), Sliding(7, 3), Landmark(3, 6)]


class Trace:
    """A random run of sessions with several gaps, added and removed, against the specification."""

    def __init__(self, rng: random.Random, lateness: Literal["event", "window", "never"]) -> None:
        """Draw the settings."""
        dialect = Dialect(
            session_merge=rng.choice(["lt", "lt", "le"]),
            session_end=rng.choice(["gap", "last"]),
            closing=rng.choice([0, 0, 1, -1]),
            lateness=lateness,
            late_update=rng.choice(["immediate", "next_watermark", "next_watermark", "none"]),
        )
        settings = Settings(rng.choice([0, 3, 8, 30]), "discard", dialect=dialect)
        self.scotty = Scotty(settings, rng.choice([LazyStore, flatfat_store, fiba_store]))
        self.both = self.scotty, SpecificationOperator(settings)
        self.aggregate, self.own_gaps = rng.choice([BAGS, WORDS]), rng.random() < 0.4
        self.rng, self.names, self.events, self.query_count = rng, list[str](), 0, 0
        self.now, self.disorder = 0, rng.choice([6, 15, 30])
        self.reached, self.held = -END, dialect.late_update == "next_watermark"

    def add_query(self) -> None:
        """Add a query."""
        rng = self.rng
        window = Session(rng.randint(1, 12)) if rng.random() < 0.85 else rng.choice(OTHERS)
        self.names.append(f"q{self.query_count}")
        self.query_count += 1
        for operator in self.both:
            operator.add(Query(self.names[-1], window, self.aggregate))

    def remove_query(self) -> None:
        """Remove a query."""
        name = self.names.pop(self.rng.randrange(len(self.names)))
        for operator in self.both:
            operator.remove(name)

    def event(self) -> Event:
        """An event, perhaps late, perhaps with an own gap."""
        rng = self.rng
        self.now, self.events = self.now + rng.randint(0, 5), self.events + 1
        time = self.now - rng.randint(-6, self.disorder)
        gap = rng.randint(1, 20) if self.own_gaps and rng.random() < 0.3 else None
        return Event(time, Letter(0, self.events), rng.choice([None, None, "k"]), gap)

    def step(self) -> None:
        """Take a step, and compare."""
        rng = self.rng
        events = tuple(self.event() for _ in range(rng.choice([0, 1, 1, 2, 5])))
        watermark = self.now - rng.randint(-4, self.disorder) if rng.random() < 0.5 else None
        got, expected = (operator.take(Step(events, watermark)) for operator in self.both)
        assert not response_difference(expected, got)
        rises = watermark is not None and watermark > self.reached
        self.reached = max(self.reached, -END if watermark is None else watermark)
        if rises or not self.held:
            self.check_slices()

    def check_slices(self) -> None:
        """Check that gaps separate all slices if all queries are sessions."""
        for group in self.scotty.groups:
            assert isinstance(group, TimeGroup)
            if all(isinstance(query.window, Session) for query in group.queries.values()):
                assert all(
                    None not in key_state.slices.separators()
                    for key_state in group.key_states.values()
                )


@pytest.mark.parametrize("lateness", LATENESS)
def test_sessions_in_discard_mode_are_those_of_the_denotation(
    lateness: Literal["event", "window", "never"],
) -> None:
    for seed in range(TRACES):
        rng = random.Random(seed)  # noqa: S311 - it need not be secret
        trace = Trace(rng, lateness)
        for _ in range(rng.randint(1, 3)):
            trace.add_query()
        for _ in range(rng.randint(3, 25)):
            action = rng.random()
            if action < 0.05:
                trace.add_query()
            elif action < 0.1 and len(trace.names) > 1:
                trace.remove_query()
            else:
                trace.step()


@pytest.mark.parametrize("held", [False, True])
def test_sessions_in_discard_mode_share_slices_and_store_no_tuple(
    held: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Slices are merged again once late tuples are emitted, even after a query was removed."""
    dialect = Dialect(late_update="next_watermark" if held else "immediate")
    operator = Scotty(Settings(1000, "discard", dialect=dialect))
    for name, window in {"near": Session(4), "far": Session(30), "edges": tumbling(50)}.items():
        operator.add(Query(name, window, BAGS))
    (group,) = operator.groups
    assert isinstance(group, TimeGroup)
    times = [start + more for more in (0, 3, 6) for start in range(0, 300, 20)]
    for index, time in enumerate(times):
        operator.step([Event(time, Letter(0, index), gap=300 if index == 16 else None)], 7 * index)
        assert not any(slice_.tuples for slice_ in group.key_states[None].slices.slices)
    operator.step([Event(283, Letter(0, 99))])
    operator.remove("edges")
    operator.step([], 400)
    assert None not in group.key_states[None].slices.separators()
