"""Batch without a cluster: what the workers do, compared with the denotation on small tables."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from muntin.columnar.arguments import InputColumns
from muntin.spark.batch.arrow_slices import ROWS, PendingSlices, final_aggregation_task
from muntin.spark.batch.slice_plan import SlicePlan, sliceable_windows
from muntin.spark.batch.strategy import evaluation_task
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, keys, picked, table
from muntin.spark.execution.evaluation import columnar_windows
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Punctuation, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import Landmark, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.tables import (
    FRAMES,
    HOLISTIC,
    MERGED,
    OF_ONE,
    Line,
    Row,
    bands,
    cumulates,
    in_batch,
    in_full,
    kinds,
    plan_of,
    rows,
    same,
    slidings,
    table_of,
)
from spark_support.user_aggregates import OWN

SLICED = st.one_of(
    slidings(),
    st.builds(Session, st.integers(1, 9)),
    cumulates(),
    st.builds(Landmark, st.integers(-25, 30), st.integers(1, 9)),
    bands(),
)


def shuffle(plan: AggregationPlan, batches: Sequence[ArrowBatch]) -> list[ArrowBatch]:
    """Sort rows by key, as the shuffle of Spark does; here in batches of five rows."""
    rows_of_keys = table(batches)
    order = np.argsort(keys(rows_of_keys, plan.keys).number, kind="stable")
    names = getattr(rows_of_keys, "column_names")  # noqa: B009 - Arrow is not typed
    return [picked(rows_of_keys, names, order[at : at + 5]) for at in range(0, order.size, 5)]


def by_slices(
    plan: AggregationPlan, parts: Sequence[Sequence[Row]], order: Sequence[int]
) -> list[Line]:
    """The result of a worker for each part, whose slices are combined in a given order."""
    passed = list[list[ArrowBatch]]()
    for nth, part in enumerate(parts):
        slices = PendingSlices(SlicePlan(plan), nth * ROWS)
        for at in range(0, len(part), 4):
            slices.add(table_of(part[at : at + 4]))
        passed.append(list(slices.flush()))
    shuffled = [batch for nth in order for batch in passed[nth]]
    return in_full(plan, final_aggregation_task(plan)(shuffle(plan, shuffled)))


def by_records(plan: AggregationPlan, given_rows: Sequence[Row]) -> list[Line]:
    """The result of a worker that evaluates rows."""
    return in_full(plan, evaluation_task(plan)(shuffle(plan, [table_of(given_rows)])))


@given(
    st.lists(SLICED, min_size=1, max_size=4, unique=True), st.lists(rows(9), max_size=3), st.data()
)
def test_windows_of_slices_are_those_of_the_denotation(
    windows: list[WindowType], parts: list[list[Row]], data: st.DataObject
) -> None:
    assume(parts)
    plan = plan_of({f"w{nth}": one for nth, one in enumerate(windows)}, MERGED)
    assert sliceable_windows(plan) == set(plan.kinds())
    order = data.draw(st.permutations(range(len(parts))))
    answer = by_slices(plan, parts, order)
    assert same(answer, in_batch(plan, [row for part in parts for row in part]))


UNORDERED = ("rows", "n", "sum", "real", "low", "high", "spread", "std", "range")
"""Aggregates that do not depend on the order of rows."""


@given(
    st.lists(st.builds(Session, st.integers(1, 9)), min_size=1, max_size=3, unique=True),
    st.lists(rows(9), min_size=1, max_size=3),
    st.data(),
)
def test_sessions_alone_are_made_of_runs(
    windows: list[WindowType], parts: list[list[Row]], data: st.DataObject
) -> None:
    aggregates = {name: MERGED[name] for name in UNORDERED}
    plan = plan_of({f"w{nth}": one for nth, one in enumerate(windows)}, aggregates)
    assert SlicePlan(plan).layout.gap
    assert not SlicePlan(plan_of({"w": windows[0]}, MERGED)).layout.gap
    answer = by_slices(plan, parts, data.draw(st.permutations(range(len(parts)))))
    assert same(answer, in_batch(plan, [row for part in parts for row in part]))


@given(st.lists(kinds(), min_size=1, max_size=3), rows())
def test_windows_of_records_are_those_of_the_denotation(
    windows: list[WindowType], given_rows: list[Row]
) -> None:
    framed = any(isinstance(one, FRAMES) for one in windows)
    named = {f"w{nth}": one for nth, one in enumerate(windows)}
    plan = plan_of(named, OF_ONE if framed else {**MERGED, **HOLISTIC})
    assert same(by_records(plan, given_rows), in_batch(plan, given_rows))


@given(st.lists(SLICED, min_size=1, max_size=3), rows())
def test_compiled_aggregates_are_computed_over_columns(
    windows: list[WindowType], given_rows: list[Row]
) -> None:
    plan = plan_of({f"w{nth}": one for nth, one in enumerate(windows)}, OWN)
    assert columnar_windows(plan) == set(plan.kinds())
    assert not sliceable_windows(plan)
    assert same(by_records(plan, given_rows), in_batch(plan, given_rows))


@given(st.lists(SLICED, min_size=1, max_size=3), st.lists(rows(9), min_size=1, max_size=3))
def test_commutative_compiled_aggregates_are_sent_as_slices(
    windows: list[WindowType], parts: list[list[Row]]
) -> None:
    own = {name: OWN[name] for name in ("weighed", "rows")}
    plan = plan_of({f"w{nth}": one for nth, one in enumerate(windows)}, own)
    assert sliceable_windows(plan) == set(plan.kinds())
    answer = by_slices(plan, parts, range(len(parts)))
    assert same(answer, in_batch(plan, [row for part in parts for row in part]))


@given(rows())
def test_gaps_and_marks_of_the_rows_themselves(given_rows: list[Row]) -> None:
    reads = InputColumns("t", ("k",), gap="g", mark="p")
    plan = plan_of({"s": Session(3), "p": Punctuation()}, HOLISTIC, Settings(), reads)
    assert not sliceable_windows(plan)
    assert same(by_records(plan, given_rows), in_batch(plan, given_rows))


@pytest.mark.parametrize(
    ("window", "fast"),
    [(tumbling(3), True), (Session(3), True), (count(3), False), (Punctuation(), False)],
)
def test_slices_are_made_where_they_can_be(window: WindowType, *, fast: bool) -> None:
    assert bool(sliceable_windows(plan_of({"w": window}, MERGED))) is fast
    assert not sliceable_windows(plan_of({"w": window}, HOLISTIC))


@pytest.mark.parametrize("frame", [Delta(1), State(), Threshold(2)])
def test_frames_look_at_the_value(frame: WindowType) -> None:
    given_rows: list[Row] = [
        ("a", 0, t, v, None, None, None, False) for t, v in enumerate([1, 1, 4, 4, None, 2])
    ]
    plan = plan_of({"f": frame}, OF_ONE)
    answer = by_records(plan, given_rows)
    assert answer
    assert same(answer, in_batch(plan, given_rows))
