"""What lasts as long as the stream does, and is bounded all the same: old slices become one."""

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.plan import Method
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Band, Landmark, Sliding
from support.disorder import stream, time_batches


@pytest.mark.parametrize("method", ["compiled", "slices"])
@pytest.mark.parametrize("keys", [1, 3])
def test_a_session_that_never_ends_stays_bounded(method: Method, keys: int) -> None:
    operator = ColumnarOperator(Settings(30), method=method)
    for name in ("sum", "m4", "var_pop"):
        operator.add(Query(name, Session(8), named(name)))
        operator.add(Query(f"short {name}", Session(3), named(name)))
    operator.add(Query("w", Sliding(100, 10), named("sum")))
    times, most = stream(60_000, 20), 0
    for batch in time_batches(times, 1000):
        operator.take_columns(batch, batch % 7, batch % keys, int(batch.max()) - 20)
        most = max(most, operator.retained())
    assert 0 < most <= 500 * keys
    results = operator.take_columns([], [], None, END).results()
    values = {(r.query, r.key): r.value for r in results}
    for key in range(keys):
        mine = np.sort(times[times % keys == key])
        assert values["sum", key] == int((mine % 7).sum())
        assert values["m4", key] == (0, 6, mine[0] % 7, mine[-1] % 7)


@pytest.mark.parametrize("keys", [1, 3])
def test_windows_as_long_as_the_stream_stay_bounded(keys: int) -> None:
    scotty, columnar = Scotty(Settings(30)), ColumnarOperator(Settings(30), method="slices")
    for one in (scotty, columnar):
        one.add(Query("landmark", Landmark(5, 40), named("sum")))
        one.add(Query("another", Landmark(900, 70), named("m4")))
        one.add(Query("band", Band(20, 2500), named("sum")))
        one.add(Query("empty", Band(10**6, 2 * 10**6), named("sum")))
        one.add(Query("w", Sliding(90, 30), named("max")))
        one.add(Query("s", Session(4), named("sum")))
    most = 0
    for batch in time_batches(stream(3000, 20), 50):
        keyed, watermark = batch % keys, int(batch.max()) - 20
        rows = zip(batch.tolist(), (batch % 7).tolist(), keyed.tolist(), strict=True)
        expected = scotty.take(Step(tuple(Event(*row) for row in rows), watermark)).results
        results = columnar.take_columns(batch, batch % 7, keyed, watermark).results()
        assert not response_difference(Output(expected), Output(results))
        most = max(most, columnar.retained())
    assert 0 < most <= 100 * keys
    results = columnar.take_columns([], [], None, END).results()
    assert not response_difference(scotty.take(Step((), END)), Output(results))


def test_gaps_that_no_session_asks_for_are_no_reason_to_keep_slices() -> None:
    operator, most = ColumnarOperator(Settings(30), method="slices"), 0
    operator.add(Query("landmark", Landmark(5, 40), named("sum")))
    for batch in time_batches(stream(3000, 20), 50):
        operator.take_columns(batch, batch, None, int(batch.max()) - 20, gaps=batch % 3 + 1)
        most = max(most, operator.retained())
    assert 0 < most <= 10
