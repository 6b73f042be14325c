"""Steps of plain arrays: a late row or a null costs its own rows, and no step the short way."""

from random import Random

import numpy as np
import pytest

from muntin.columnar.fast_path import FastPath
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.batch import Values
from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import MuntinError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling

NAMES = ("sum", "count", "min", "last", "mean")
LATENESS = 20


def fast_path_of(operator: ColumnarOperator) -> FastPath | None:
    """The short way, as long as an operator is on it."""
    fast: FastPath | None = vars(operator)["_fast"]
    return fast


def queries() -> list[Query]:
    kinds = (Sliding(40, 10), tumbling(30), Session(5))
    pairs = zip(kinds, (NAMES[:3], NAMES[2:4], NAMES[3:]), strict=True)
    return [Query(f"{kind} {name}", kind, named(name)) for kind, names in pairs for name in names]


def operators(settings: Settings) -> tuple[Scotty, ColumnarOperator]:
    """The readable operator and the columnar one, with the same queries."""
    reference, columnar = Scotty(settings), ColumnarOperator(settings, method="compiled")
    for query in queries():
        reference.add(query)
        columnar.add(query)
    return reference, columnar


def column_of(values: list[int | float | None], random: Random) -> object:
    """A column in one of the forms that have nulls."""
    if None not in values:
        return np.array(values)
    if random.random() < 0.5:
        return values
    valid = np.array([value is not None for value in values])
    return Values(np.array([value or 0 for value in values]), valid)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("keyed", [False, True])
def test_late_rows_and_nulls_stay_on_the_short_way(seed: int, keyed: bool) -> None:  # noqa: FBT001 - of the test
    random = Random(seed)  # noqa: S311 - nothing secret
    settings = Settings(LATENESS, random.choice(["accumulate", "accumulate-retract", "final"]))
    reference, columnar = operators(settings)
    now, left = 0, 0
    for step in range(60):
        n = random.choice([0, 1, 3, 30])
        far = random.random() < 0.3
        times = [now + random.randint(-60 if far else -20, 20) for _ in range(n)]
        floats = step > 30 and random.random() < 0.5
        values: list[int | float | None] = [random.randint(-9, 9) for _ in range(n)]
        if random.random() < 0.3:
            values = [None if random.random() < 0.3 else value for value in values]
        if floats:
            values = [None if value is None else float(value) for value in values]
        keys = [random.randint(0, 5) * 7919 for _ in range(n)] if keyed else [None] * n
        events = [Event(*each) for each in zip(times, values, keys, strict=True)]
        now += random.randint(0, 15)
        expected = reference.take(Step(tuple(events), now))
        fast = fast_path_of(columnar)
        answered = columnar.take_columns(
            np.array(times, np.int64),
            column_of(values, random) if values else np.zeros(0, np.int64),
            np.array(keys, np.int64) if keyed else None,
            now,
        )
        late = tuple(events[int(at)] for at in answered.late)
        output = Output(answered.results(), late)
        assert not response_difference(expected, output), (seed, step)
        left += fast is not None and fast_path_of(columnar) is not fast
        if random.random() < 0.05:
            again = operators(settings)[1]
            transfer_state(columnar, again)
            columnar = again
    assert left == 0
    expected = reference.take(Step((), END))
    results = columnar.take_columns([], [], [] if keyed else None, END).results()
    assert not response_difference(Output(expected.results), Output(results))


def test_rows_that_are_all_late_advance_the_watermark() -> None:
    columnar = ColumnarOperator(Settings(0))
    columnar.add(Query("w", tumbling(10), named("sum")))
    first, late = np.array([1, 12]), np.array([3, 4])
    columnar.take_columns(first, first, None, 11)
    fast = fast_path_of(columnar)
    answered = columnar.take_columns(late, late, None, 20)
    assert answered.late.tolist() == [0, 1]
    assert [(one.start, one.value) for one in answered.results()] == [(10, 12)]
    assert columnar.take_columns(np.array([21]), np.array([5]), None, 30).late.size == 0
    assert fast is fast_path_of(columnar) is not None


@pytest.mark.parametrize("far", [2**62, -(2**62)])
def test_a_far_time_among_late_rows_is_refused_before_anything_changes(far: int) -> None:
    columnar = ColumnarOperator(Settings(0))
    columnar.add(Query("w", tumbling(10), named("sum")))
    columnar.take_columns(np.array([1, 12]), np.array([1, 2]), None, 11)
    with pytest.raises(MuntinError, match="the time of an event"):
        columnar.take_columns(np.array([3, far, 14]), np.array([1, 2, 4]), None, 20)
    answered = columnar.take_columns(np.array([14]), np.array([4]), None, 20)
    assert [one.value for one in answered.results()] == [6]


def test_columns_of_another_size_are_refused_before_anything_changes() -> None:
    columnar = ColumnarOperator(Settings(0))
    columnar.add(Query("w", tumbling(10), named("sum")))
    columnar.take_columns(np.array([1, 12]), np.array([1, 2]), None, 11)
    with pytest.raises(MuntinError, match="shape"):
        columnar.take_columns(np.array([3, 14]), np.array([1, 2, 4]), None, 20)
    answered = columnar.take_columns(np.array([14]), np.array([4]), None, 20)
    assert [one.value for one in answered.results()] == [6]
