"""A forged state of columns is refused before a compiled kernel reads where it says."""

from collections.abc import Callable
from gc import get_referents

import numpy as np
import pytest
from numpy.typing import NDArray

from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.plan import Method
from muntin.kernels.slicing.sound import named_once
from muntin.snapshot import SnapshotError, restore, snapshot
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling

Array = NDArray[np.int64]
Change = Callable[[Array], object]


def built(method: Method) -> ColumnarOperator:
    operator = ColumnarOperator(Settings(30), method=method)
    operator.add(Query("tens", tumbling(10), named("sum")))
    operator.add(Query("most", Sliding(30, 7), named("max")))
    operator.add(Query("near", Session(4), named("count")))
    operator.add(Query("ends", Sliding(30, 7), named("last")))
    return operator


def fed(operator: ColumnarOperator, begin: int) -> ColumnarOperator:
    for at in range(begin, begin + 80, 20):
        times = at + np.arange(30) * 7 % 31
        operator.take_columns(times, times % 5, times % 1, at)
    return operator


def found(whole: object, name: str) -> object:
    """Return the first object of a class that another one holds."""
    todo = [whole]
    for one in todo:
        if type(one).__name__ == name:
            return one
        if type(one) in (dict, tuple) or type(one).__module__.startswith("muntin.kernels"):
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


def cut(array: Array) -> Array:
    return array[:9].copy()


def cut_all(array: Array) -> Array:
    return array[:0].copy()


def as_float(array: Array) -> object:
    return array.astype(np.float64)


def instead(value: int) -> Change:
    return lambda _: value


FORGED: list[tuple[Method, str, str, Change, str]] = [
    ("dense", "Timeline", "edges", cut, "an edge more"),
    ("dense", "Timeline", "edges", as_float, "edges are times"),
    ("dense", "Timeline", "edges", put(3, 2**61), "edges rise"),
    ("dense", "Timeline", "edges", put(3, -(2**62)), "edges are times"),
    ("dense", "Timeline", "edges", put(3, -146), "those of the queries"),
    ("dense", "Timeline", "edges", put(-1, 7), "before time does"),
    ("dense", "Timeline", "table", put(60, 99), "the table tells slices"),
    ("dense", "Timeline", "table", cut, "the table has room"),
    ("dense", "Timeline", "table", as_float, "the table has room"),
    ("dense", "Timeline", "origin", instead(-149), "the table begins"),
    ("dense", "Timeline", "shift", instead(1), "the shift is that"),
    ("dense", "Timeline", "unit", instead(2), "the unit is that"),
    ("dense", "Timeline", "periods", put(0, 0), "the periods are those"),
    ("dense", "Timeline", "n", instead(10**5), "an edge more"),
    ("dense", "Timeline", "n", instead(-1), "a number"),
    ("dense", "DenseSlices", "size", instead(2**20), "a row of each slice"),
    ("dense", "DenseSlices", "size", instead(100), "room for slices"),
    ("dense", "DenseSlices", "counts", short, "a row of each slice"),
    ("dense", "DenseSlices", "counts", put(-1, 1), "slices that are there"),
    ("dense", "DenseSlices", "told", short, "a row of each slice"),
    ("dense", "DenseSlices", "sums", short, "a row of each slice"),
    ("dense", "DenseSlices", "sums", put(90, -1), "adds up"),
    ("dense", "DenseSlices", "fresh", short, "a row of each slice"),
    ("dense", "DenseSlices", "low", short, "low is a row"),
    ("dense", "DenseSlices", "high", short, "high is a row"),
    ("dense", "DenseSlices", "timed", instead(0), "times are kept"),
    ("dense", "DenseSlices", "sealed", instead(2**20), "what is sealed"),
    ("dense", "Prefixes", "copies", short, "has its table"),
    ("dense", "Prefixes", "folds", short, "has its table"),
    ("dense", "Prefixes", "size", instead(64), "has its table"),
    ("dense", "Greatest", "folds", as_float, "has its table"),
    ("dense", "Joined", "copies", short, "has its table"),
    ("dense", "Joined", "folds", cut, "has its table"),
    ("dense", "DenseGroup", "birth", cut_all, "slices are of a key"),
    ("dense", "DenseGroup", "_key", instead(5), "slices are of a key"),
    ("dense", "DenseGroup", "since", instead(2**63), "younger than a time"),
    ("dense", "Clock", "limit", instead(61), "lateness is no gain"),
    ("slices", "Cells", "key", put(3, 1), "cells are of keys"),
    ("slices", "Cells", "key", put(3, -1), "cells are of keys"),
    ("slices", "Cells", "low", put(3, 50), "before it begins"),
    ("slices", "Cells", "slot", put(3, 50), "before its slice"),
    ("slices", "Cells", "slot", put(3, -50), "in order"),
    ("slices", "Cells", "count", put(3, 0), "holds an event"),
    ("slices", "Cells", "count", short, "known of each cell"),
    ("slices", "Cells", "mark", put(3, 2), "a mark is there or not"),
    ("slices", "Known", "start", put(0, 2**40), "end after they begin"),
    ("slices", "Known", "key", put(0, 9), "windows are of keys"),
    ("slices", "Known", "revision", short, "revision of each window"),
    ("slices", "Group", "dropped", put(0, -1), "what it dropped"),
    ("slices", "Group", "birth", put(0, 2**40), "that of a key"),
    ("slices", "Slices", "periods", instead(0), "."),
    ("records", "Cells", "high", put(3, 2**62 + 1), "they lie in time"),
]


@pytest.mark.parametrize(
    ("method", "kind", "name", "change", "words"),
    FORGED,
    ids=[f"{nth}-{kind}-{name}" for nth, (_, kind, name, _, _) in enumerate(FORGED)],
)
def test_a_forged_state_is_refused(
    method: Method, kind: str, name: str, change: Change, words: str
) -> None:
    true = fed(built(method), 0)
    thing = found(true, kind)
    object.__setattr__(thing, name, change(getattr(thing, name)))
    other = fed(built(method), 1000)
    before = snapshot(other)
    with pytest.raises(SnapshotError, match=f"the snapshot is damaged.*{words}"):
        restore(other, snapshot(true))
    assert snapshot(other) == before


@pytest.mark.parametrize("method", ["dense", "slices", "records"])
def test_a_true_state_is_taken(method: Method) -> None:
    true, other = fed(built(method), 0), built(method)
    restore(other, snapshot(true))
    assert snapshot(fed(other, 80)) == snapshot(fed(true, 80))


def test_each_query_is_in_one_place() -> None:
    queries = dict.fromkeys("abc", None)
    assert named_once([["a", "b"], ["c"]], queries)
    assert not named_once([["a", "b"], ["b"]], queries)
    assert not named_once([["a"], []], queries)
    assert not named_once([["d"]], queries)
