"""Cutty against the denotation where machines seldom go: dialects and lateness."""

import random
from itertools import product
from typing import get_args

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY
from muntin.reference.specification import SpecificationOperator
from muntin.spec.dialect import Dialect
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Session
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, count
from muntin.spec.windows.window import WindowType

KINDS: list[WindowType] = [
    Sliding(4, 2),
    Sliding(3, 5, 1),
    Session(2),
    count(3, 2),
    LastNEvery(2, 3),
    Landmark(2, 4),
    Cumulate(6, 2),
    Punctuation(),
]
DIALECTS = [
    Dialect(session_merge="le"),
    Dialect(session_merge="le", session_end="last"),
    Dialect(edges="right"),
    Dialect(edges="both", closing=1),
    Dialect(closing=-1),
    Dialect(first_window="floor_first"),
]


def trace(rng: random.Random) -> list[Step]:
    """Events in order, and watermarks that run ahead of them."""
    time, steps = 0, list[Step]()
    for letter in range(25):
        time += rng.choice([0, 0, 1, 1, 2, 4])
        ahead = rng.choice([None, None, time + 1, time + 3])
        key = rng.choice([None, "k"])
        event = Event(time, Letter(letter % 3, letter), key, punctuation=rng.random() < 0.2)
        steps.append(Step((event,), ahead))
    return [*steps, Step((), END)]


@pytest.mark.parametrize(("dialect", "mode"), list(product(DIALECTS, get_args(Mode))))
def test_cutty_follows_each_dialect_and_mode(dialect: Dialect, mode: Mode) -> None:
    updates = 0
    for seed, lateness in product(range(3), [0, 2, 9]):
        settings = Settings(lateness, mode, in_order=True, dialect=dialect)
        running = [
            SpecificationOperator(settings),
            InOrderSlicer(CUTTY_LAZY, settings),
            InOrderSlicer(CUTTY_EAGER, settings),
        ]
        for operator in running:
            for number, kind in enumerate(KINDS):
                operator.add(Query(f"q{number}", kind, WORDS))
        for step in trace(random.Random(seed)):  # noqa: S311 - it need not be secret
            expected, *got = [operator.take(step) for operator in running]
            assert not any(response_difference(expected, output) for output in got)
            updates += sum(result.kind != "new" for result in expected.results)
    assert updates > 0 or mode == "final"
