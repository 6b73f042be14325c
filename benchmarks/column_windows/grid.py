"""The grid of loads, and which of them are left out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from column_windows.workload import Load

MOST_RESULTS_A_ROW, MOST_RESULTS_A_STEP = 100, 2_500_000
"""Beyond these it is the memory for results that is measured."""


@dataclass(frozen=True)
class Plan:
    """The axes of the grid, and how long each engine is measured in a cell."""

    windows: tuple[int, ...] = (1, 5, 20, 100, 1000)
    batches: tuple[int, ...] = (1, 10, 100, 2000, 100_000)
    keys: tuple[int, ...] = (1, 10, 1000, 100_000, 1_000_000)
    seconds: float = 0.2
    turns: int = 3
    rows: int = 1_000_000
    table_rows: int = 400_000
    checked_rows: int = 60_000


QUICK = Plan((1, 5), (1, 2000), (1, 1000), 0.02, 1, 100_000, 20_000, 20_000)


def grid(plan: Plan) -> list[Load]:
    """Each combination of windows, session, batch and keys, and some with another stream."""
    full = product(plan.keys, plan.batches, (False, True), plan.windows)
    loads = [Load(windows, session, batch, keys) for keys, batch, session, windows in full]
    return [load for load in (*loads, *special(plan)) if is_measured(load)]


def special(plan: Plan) -> Iterator[Load]:
    """Yield loads with other disorder, keys and values, of five windows and perhaps a session."""
    some = [
        Load(5, session, batch, keys)
        for keys in plan.keys
        for batch in plan.batches
        for session in (False, True)
        if keys not in {10, 1_000_000} and batch not in {1, 10}
    ]
    single = [load for load in some if load.keys == 1]
    yield from (replace(load, windows=1, disorder="in order") for load in single)
    yield from (replace(load, disorder="pauses") for load in single)
    for disorder in ("in order", "heavy", "one very late"):
        yield from (replace(load, disorder=disorder) for load in some)
    for distribution in ("Zipf", "text"):
        yield from (replace(load, distribution=distribution) for load in some if load.keys > 1)
    for load in some:
        if not load.session:
            yield replace(load, floats=True)
            yield replace(load, aggregate="max")


def is_measured(load: Load) -> bool:
    """Whether the results of a load are few enough."""
    ratio = load.results_a_row
    return ratio <= MOST_RESULTS_A_ROW and ratio * load.batch <= MOST_RESULTS_A_STEP


def selection(loads: list[Load], text: str) -> list[Load]:
    """The loads whose names contain each part of a text, which commas separate.

    >>> [load.batch for load in selection([Load(1), Load(5)], "5 windows, 1 key")]
    [2000]
    """
    parts = [part.strip() for part in text.split(",")]
    return [load for load in loads if all(f"{part}," in f"{load.name}," for part in parts)]
