"""What a Scotty cannot take over from columns is refused, by name, and nothing has changed."""

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from muntin.conformance.choices import DOUBLED
from muntin.kernels.jit import COMPILED
from muntin.kernels.slicing.custom import summarised
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.plan import Method
from muntin.kernels.summary import Summary
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.denoted import Denoted
from muntin.reference.naive import Naive
from muntin.reference.tuple_buffer import TupleBuffer
from muntin.snapshot import SnapshotError, carry, register_state, restore, snapshot
from muntin.spec.catalogue import named
from muntin.spec.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.periodic import count, tumbling
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step

LATE = Settings(allowed_lateness=5)
TENS = Query("tens", tumbling(10), named("sum"))
NEAR = Query("near", Session(4), named("last"))
THREE = Query("three", LastNEvery(3, 10), named("max"))


def asked(operator: Operator, *queries: Query) -> Operator:
    for query in queries or (TENS, NEAR, THREE):
        operator.add(query)
    return operator


def columns(*queries: Query, method: Method = "auto") -> ColumnarOperator:
    """Return columns in the middle of a stream."""
    operator = ColumnarOperator(LATE, method=method)
    asked(operator, *queries)
    operator.take_columns([1, 2, 12, 14], [5, 7, 1, 2], ["a", "b", "a", "b"], 13)
    return operator


def refused(scotty: Operator, data: bytes, words: str) -> None:
    before = snapshot(scotty)
    with pytest.raises(SnapshotError, match=words):
        restore(scotty, data)
    assert snapshot(scotty) == before


@pytest.mark.parametrize("kind", [Rolling(10), Punctuation(), count(3)])
def test_what_looks_at_single_events_is_refused(kind: Rolling | Punctuation) -> None:
    query = Query("events", kind, named("sum"))
    words = f"query 'events' cannot be taken over from columns: {kind.name} windows over columns"
    data = columns(TENS, query).snapshot()
    refused(asked(Scotty(LATE), TENS, query), data, f"{words} look .*; remove it there before")
    without = columns(TENS, query)
    without.remove("events")
    restore(asked(Scotty(LATE), TENS), without.snapshot())
    generic = columns(TENS, query, method="generic")
    restore(asked(Scotty(LATE), TENS, query), generic.snapshot())


OTHERS: list[tuple[Operator, str]] = [
    (asked(Scotty(Settings(6))), "settings: .*lateness=5, .* in .*lateness=6, .* here"),
    (asked(Scotty(LATE), TENS, NEAR), "query 'three': LastNEvery.* in the snapshot, none here"),
    (asked(Scotty(LATE), replace(TENS, window=tumbling(9)), NEAR, THREE), "query 'tens': .*=10"),
    (asked(Scotty(LATE), replace(TENS, aggregate=named("max")), NEAR, THREE), ".* sum .* max here"),
    (asked(Naive(TupleBuffer, LATE)), "operator: muntin.kernels.*ColumnarOperator .*Naive here$"),
]


@pytest.mark.parametrize(("other", "words"), OTHERS)
def test_an_operator_that_is_not_alike_is_refused(other: Operator, words: str) -> None:
    refused(other, columns().snapshot(), f"this snapshot is of another operator; {words}")


def test_columns_do_not_go_on_from_a_scotty() -> None:
    refused(columns(), snapshot(asked(Scotty(LATE))), "another operator; operator: .*Scotty in")


@register_state
class Stricter(ColumnarOperator):
    """Columns of somebody else, who makes them in a way of his own, and may mean more by them."""

    def __init__(self) -> None:
        """Start late."""
        super().__init__(LATE)


def test_an_operator_that_derives_from_columns_is_another_one() -> None:
    data = snapshot(asked(Stricter(), TENS))
    refused(asked(Scotty(LATE), TENS), data, "another operator; operator: .*Stricter in .*Scotty h")


def test_a_used_scotty_is_set_back() -> None:
    used, new, columnar = asked(Scotty(LATE)), asked(Scotty(LATE)), columns()
    used.take(Step((Event(3, 9, "c"),), 30))
    for scotty in (used, new):
        carry(columnar, scotty)
    step = Step((Event(11, 3, "c"), Event(9, 1, "a")), 40)
    assert used.take(step) == new.take(step) == columnar.take(step)


def test_a_key_that_is_nan_is_refused() -> None:
    columnar = ColumnarOperator(LATE)
    asked(columnar, TENS)
    columnar.take_columns([1], [1], [math.nan])
    refused(asked(Scotty(LATE), TENS), columnar.snapshot(), "a key is NaN")


def last_one(a: tuple[int], b: tuple[int]) -> tuple[int]:
    return b if b[0] else a


def itself(value: int) -> tuple[int]:
    return (value,)


def one_of(a: tuple[int]) -> tuple[int]:
    return (a[0],)


ONLY = Summary("only", ("int",), ("int",), (0,), itself, last_one, one_of, ("int",))


@pytest.mark.parametrize("method", ["auto", "slices"])
def test_what_is_not_commutative_though_it_was_declared_so_is_refused(method: Method) -> None:
    query = Query("only", tumbling(10), summarised(ONLY, commutative=True))
    columnar = ColumnarOperator(LATE, method=method)
    asked(columnar, query)
    columnar.take_columns([1, 12], [5, 7], None, 3)
    carry(columnar, asked(Scotty(LATE), query))
    columnar.take_columns([2], [6])
    words = "query 'only' cannot be taken .*: only was kept as if it were commutative; remove"
    if COMPILED:
        refused(asked(Scotty(LATE), query), columnar.snapshot(), words)
    else:  # it runs on a Scotty, which has found out
        restore(asked(Scotty(LATE), query), columnar.snapshot())


def test_squares_beyond_the_floats_are_refused() -> None:
    query = Query("spread", tumbling(10), named("var_pop"))
    columnar = ColumnarOperator(LATE)
    asked(columnar, query)
    columnar.take_columns([1, 2], [1e200, -1e200])
    words = "query 'spread' cannot be taken over from columns: the squares of its values are beyond"
    refused(asked(Scotty(LATE), query), columnar.snapshot(), words)


def test_sums_of_any_size_and_values_that_are_not_finite_are_taken_over() -> None:
    queries = [Query(name, tumbling(10), named(name)) for name in ("sum", "max", "var_pop", "mean")]
    values = np.array([2**62, 2**62, 2**62], np.int64)
    for batch in (values, np.array([math.inf, 1.0, 2.0]), np.array([math.nan, 1.0, 2.0])):
        columnar, scotty = ColumnarOperator(LATE), Scotty(LATE)
        asked(columnar, *queries)
        asked(scotty, *queries)
        columnar.take_columns([1, 2, 12], batch, None, 3)
        carry(columnar, scotty)
        step = Step((Event(3, 1),), 25)
        said, wanted = (one.take(step).results for one in (scotty, columnar))
        assert len(said) == 8
        assert repr(said) == repr(wanted)


def test_events_that_columns_keep_are_taken_over() -> None:
    """What has no form is kept by events, if records are asked for."""
    queries = [
        Query("all", tumbling(10), named("collect")),
        Query("s", Session(4), named("concat")),
    ]
    for values in ([1, 2, 3], ["x", "y", "z"]):
        some = queries[: 1 if values[0] == 1 else 2]
        columnar, scotty = ColumnarOperator(LATE, method="records"), Scotty(LATE)
        asked(columnar, *some)
        asked(scotty, *some)
        events = [Event(t, v) for t, v in zip((3, 1, 12), values, strict=True)]
        columnar.take(Step(tuple(events), 7))
        carry(columnar, scotty)
        step = Step((Event(2, values[0]), Event(1, values[2])), 25)
        assert scotty.take(step) == columnar.take(step)


@pytest.mark.parametrize("rows", [True, False])
def test_a_query_over_a_measure_needs_the_last_event_of_each_key(*, rows: bool) -> None:
    """Rows that came as columns are not kept: the error says so, and the operator goes on."""
    denoted, columnar, scotty = Denoted(LATE), ColumnarOperator(LATE), Scotty(LATE)
    for one in (denoted, columnar, scotty):
        asked(one, TENS)
    step = Step((Event(1, 5, "a"), Event(12, 7, "b")), 3)
    denoted.take(step)
    if rows:
        columnar.take(step)
    else:
        columnar.take_columns([1, 12], [5, 7], ["a", "b"], 3)
    carry(columnar, scotty)
    later = Query("m", tumbling(9, 0, DOUBLED), named("count"))
    if not rows:
        with pytest.raises(UnsupportedError, match=r"query 'm' can't be added .* 'doubled' begin"):
            scotty.add(later)
        again = asked(Scotty(LATE), TENS)
        carry(scotty, again)
        with pytest.raises(UnsupportedError, match=r"query 'm' can't be added"):
            again.add(later)
        later = replace(later, window=tumbling(9))
    for one in (denoted, scotty):
        one.add(later)
    for step in (Step((Event(13, 1, "b"), Event(14, 2, "a")), 9), Step((Event(30, 1, "a"),), END)):
        assert scotty.take(step) == denoted.take(step)


def test_every_flipped_byte_is_found() -> None:
    scotty, data = asked(Scotty(LATE)), columns().snapshot()
    before = snapshot(scotty)
    for at in range(0, len(data), 7):
        with pytest.raises(SnapshotError):
            restore(scotty, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(SnapshotError):
            restore(scotty, data[:at])
    assert snapshot(scotty) == before
    restore(scotty, data)


def nothing(*_: object, **__: object) -> dict[object, object]:
    return {}


def test_windows_that_slices_do_not_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state that was forged, or read wrongly: what was told tells."""
    scotty, data = asked(Scotty(LATE)), columns().snapshot()
    kept = "muntin.kernels.slicing.handing_over.Handing"
    with monkeypatch.context() as patch:
        patch.setattr(f"{kept}._slices", nothing)
        refused(scotty, data, "damaged: query 'tens' was told of windows of the key 'a' that")
    with monkeypatch.context() as patch:
        patch.setattr(f"{kept}._told", nothing)
        refused(
            scotty, data, r"damaged: query '.*' was not told of Interval\(.* of the key 'a', wh"
        )
    restore(scotty, data)


ALONE = """
import sys
from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import SnapshotError
try:
    Scotty().restore(open(sys.argv[1], "rb").read())
except SnapshotError as error:
    print(error)
import muntin.kernels.slicing.operator
Scotty().restore(open(sys.argv[1], "rb").read())
"""


def test_a_process_that_does_not_know_columns_says_what_to_import(tmp_path: Path) -> None:
    path = tmp_path / "columns.bin"
    path.write_bytes(ColumnarOperator().snapshot())
    run = subprocess.run(  # noqa: S603 - it is this Python
        [sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=True
    )
    assert "Scotty here; import the module of the former, if it can hand over" in run.stdout
