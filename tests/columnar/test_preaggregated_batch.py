"""Slices as input of a columnar operator, instead of events."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.grain import sliced, slices
from muntin.kernels.slicing.image import Image
from muntin.kernels.slicing.parts import Count, Sum
from muntin.kernels.slicing.store import Store
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import DEFAULTS, Query, Result, Settings
from muntin.spec.windows.data_driven import Rolling
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import WindowType

TIMES = np.array([3, 12, 4, 17, 5])
KEYS = np.array([0, 0, 1, 1, 0])
TENS = tumbling(10)
VALUES = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
Ints = np.ndarray[tuple[int], np.dtype[np.int64]]


def made(times: Ints = TIMES, keys: Ints = KEYS) -> Store:
    """Slices of some events."""
    none = np.zeros_like(times)
    columns: dict[Source, Values] = {None: Values(VALUES)}
    batch = Batch(times, keys, none, none, columns, lambda: objects([]), 0)
    return sliced(batch, slices([tumbling(10)]).runs(batch), [Sum(None), Count(None)])


def with_query(
    settings: Settings = DEFAULTS, kind: WindowType = TENS, method: str = "slices"
) -> ColumnarOperator:
    """An operator with one query."""
    operator = ColumnarOperator(settings, method="slices" if method == "slices" else "auto")
    operator.add(Query("w", kind, named("sum")))
    return operator


def test_slices_are_answered_as_their_events_are() -> None:
    by_slices, by_events = with_query(), with_query()
    by_slices.take_slices(made())
    by_events.take_columns(TIMES, VALUES, KEYS)
    none = np.zeros(0, np.int64)
    output, expected = (
        one.take_columns(none, none * 1.0, none, 20).results() for one in (by_slices, by_events)
    )
    assert output == expected
    assert [line.value for line in output] == [17.0, 4.0, 2.0, 8.0]


def test_what_comes_after_slices_is_answered_as_after_their_events() -> None:
    by_slices, by_events = with_query(), with_query()
    times, keys = np.array([3, 12, 4, 17, 19]), np.array([1, 0, 1, 0, 0])
    by_slices.take_slices(made(times, keys))
    by_events.take_columns(times, VALUES, keys)
    output = list[Sequence[Result]]()
    for one in (by_slices, by_events):
        one.add(Query("later", tumbling(2), named("sum")))  # it sees events younger than 19
        times_now, keys_now = np.array([18, 21, 13]), np.array([0, 1, 1])
        more = one.take_columns(times_now, np.array([32.0, 64.0, 128.0]), keys_now, 30)
        output.append(more.results())
    assert output[0] == output[1]
    lines = [(line.query, line.key, line.start, line.value) for line in output[0]]
    of_w = [("w", 1, 0, 5.0), ("w", 1, 10, 128.0), ("w", 0, 10, 58.0), ("w", 1, 20, 64.0)]
    assert [line for line in lines if line[0] == "w"] == of_w
    assert [line for line in lines if line[0] != "w"] == [("later", 1, 20, 64.0)]


def test_no_later_event_gets_a_number_that_one_had() -> None:
    operator, store = with_query(), made(np.array([3, 4, 5, 12, 17]), np.zeros_like(KEYS))
    operator.take_slices(store)
    image = operator.state()["image"]
    assert isinstance(image, Image)
    assert image.arrivals > store.cells.arrival.max() > len(store.cells)


@pytest.mark.parametrize(
    "operator",
    [
        ColumnarOperator(),
        with_query(Settings(in_order=True)),
        with_query(Settings(dialect=Dialect(lateness="window"))),
        with_query(kind=Rolling(5)),
        with_query(method="compiled"),
    ],
)
def test_other_operators_accept_no_slices(operator: ColumnarOperator) -> None:
    with pytest.raises(UnsupportedError, match="slices are taken in by queries that share slices"):
        operator.take_slices(made())


def test_slices_that_may_hold_late_events_are_refused() -> None:
    operator = with_query()
    none = np.zeros(0, np.int64)
    operator.take_columns(none, none * 1.0, none, 4)
    with pytest.raises(UnsupportedError, match="a slice begins at 3, and what is before 4 is late"):
        operator.take_slices(made())


def test_keys_have_to_be_numbered_as_they_come() -> None:
    store, operator = made(), with_query()
    odd = replace(store, cells=replace(store.cells, key=store.cells.key + 1))
    with pytest.raises(InvalidInputError, match="must be numbers from 0"):
        operator.take_slices(odd)
    operator.take_slices(store)
