"""A forged state of columns is refused before a compiled kernel reads where it says."""

from collections.abc import Callable
from gc import get_referents

import numpy as np
import pytest
from numpy.typing import NDArray

from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.slicing.plan import Method
from muntin.kernels.slicing.sound import named_once
from muntin.snapshot import SnapshotError, restore, snapshot
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling

Array = NDArray[np.int64]
Change = Callable[[Array], object]


def build_operator(method: Method) -> ColumnarOperator:
    operator = ColumnarOperator(Settings(30), method=method)
    operator.add(Query("tens", tumbling(10), named("sum")))
    operator.add(Query("most", Sliding(30, 7), named("max")))
    operator.add(Query("near", Session(4), named("count")))
    operator.add(Query("ends", Sliding(30, 7), named("last")))
    return operator


def feed(operator: ColumnarOperator, begin: int) -> ColumnarOperator:
    for at in range(begin, begin + 80, 20):
        times = at + np.arange(30) * 7 % 31
        operator.take_columns(times, times % 5, times % 1, at)
    return operator


def first_instance(whole: object, name: str) -> object:
    """The first instance of a class inside an object."""
    todo = [whole]
    for one in todo:
        if type(one).__name__ == name:
            return one
        if type(one) in (dict, tuple) or type(one).__module__.startswith(
            ("muntin.kernels", "muntin.columnar")
        ):
            todo += get_referents(one)
    raise LookupError(name)


def put(place: int, value: int) -> Change:
    def changed(array: Array) -> Array:
        copy = array.copy()
        copy[place] = value
        return copy

    return changed


def short(array: Array) -> Array:
    return array[:-1].copy()


def instead(value: int) -> Change:
    return lambda _: value


FORGED: list[tuple[Method, str, str, Change, str]] = [
    ("slices", "Clock", "limit", instead(61), "`limit` must not exceed `watermark` 60, found 61"),
    ("slices", "Cells", "key", put(3, 1), "`key` must lie within 0 to 0, found"),
    ("slices", "Cells", "key", put(3, -1), "`key` must lie within 0 to 0, found"),
    ("slices", "Cells", "low", put(3, 50), "`low` must not exceed `high`"),
    ("slices", "Cells", "slot", put(3, 50), "`slot` must not exceed `low`"),
    ("slices", "Cells", "slot", put(3, -50), "`slot` must be sorted within each key"),
    ("slices", "Cells", "count", put(3, 0), "`count` must lie within 1 to .*, found 0 to"),
    ("slices", "Cells", "count", short, "`count` must be .* int64 values in a row, found"),
    ("slices", "Cells", "mark", put(3, 2), "`mark` must lie within 0 to 1, found 0 to 2"),
    ("slices", "Known", "start", put(0, 2**40), "`windows.start` must be before `windows.end`"),
    ("slices", "Known", "key", put(0, 9), "`windows.key` must lie within 0 to .*, found 0 to 9"),
    (
        "slices",
        "Known",
        "revision",
        short,
        "`windows.revision` must be .* int64 values in a row",
    ),
    ("slices", "Group", "dropped", put(0, -1), "`dropped` must lie within 0 to .*, found -1"),
    ("slices", "Group", "birth", put(0, 2**40), "`birth` must lie within -1 to .*, found"),
    ("slices", "Slices", "periods", instead(0), "."),
    ("records", "Cells", "high", put(3, 2**62 + 1), "`high` must lie within"),
]


@pytest.mark.parametrize(
    ("method", "kind", "name", "change", "words"),
    FORGED,
    ids=[f"{nth}-{kind}-{name}" for nth, (_, kind, name, _, _) in enumerate(FORGED)],
)
def test_a_forged_state_is_refused(
    method: Method, kind: str, name: str, change: Change, words: str
) -> None:
    valid = feed(build_operator(method), 0)
    thing = first_instance(valid, kind)
    object.__setattr__(thing, name, change(getattr(thing, name)))
    other = feed(build_operator(method), 1000)
    before = snapshot(other)
    with pytest.raises(SnapshotError, match=f"corrupt snapshot: .*{words}"):
        restore(other, snapshot(valid))
    assert snapshot(other) == before


@pytest.mark.parametrize("method", ["compiled", "slices", "records"])
def test_a_valid_state_is_restored(method: Method) -> None:
    valid, other = feed(build_operator(method), 0), build_operator(method)
    restore(other, snapshot(valid))
    assert snapshot(feed(other, 80)) == snapshot(feed(valid, 80))


def test_each_query_is_in_one_place() -> None:
    queries = dict.fromkeys("abc", None)
    assert named_once([["a", "b"], ["c"]], queries)
    assert not named_once([["a", "b"], ["b"]], queries)
    assert not named_once([["a"], []], queries)
    assert not named_once([["d"]], queries)
