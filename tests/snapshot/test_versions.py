"""A snapshot of another format, class or fields is refused, and the error says what to do."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.snapshot import SnapshotError, register_state, restore, snapshot
from muntin.snapshot.envelope import FORMAT, pack_envelope, unpack_envelope
from muntin.snapshot.inspection import summary_lines
from muntin.snapshot.object_graph import ClassLayout
from muntin.snapshot.operator_snapshots import graph_of, restore_graph
from muntin.spec.algebra.catalogue import named
from muntin.spec.operator import Operator
from muntin.spec.query import Query
from muntin.spec.stream import Event, Step
from muntin.spec.windows.periodic import tumbling
from snapshot.runs import LATE

QUERY = Query("tens", tumbling(10), named("sum"))


def used(operator: Operator) -> Operator:
    """An operator in the middle of a stream."""
    operator.add(QUERY)
    operator.take(Step((Event(3, 1), Event(17, 2)), 12))
    return operator


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_another_format_is_refused(number: int) -> None:
    """The body is not read: it may have any meaning."""
    operator = used(NaiveOperator(TupleBuffer, LATE))
    before = snapshot(operator)
    data = pack_envelope(unpack_envelope(before)._replace(format=number, body=b"of another form"))
    words = f"has format {number}, expected {FORMAT}, the only format that muntin .* reads; restore"
    with pytest.raises(SnapshotError, match=f"{words} it with the version of muntin that wrote it"):
        restore(operator, data)
    with pytest.raises(SnapshotError, match=words):
        list(summary_lines(data))
    assert snapshot(operator) == before


@pytest.mark.parametrize(
    "name",
    [
        "muntin.reference.naive_operator:NaiveOperator",
        "muntin.reference.naive_operator:NaiveEmission",
    ],
)
def test_a_class_that_had_other_fields_is_refused(name: str) -> None:
    operator = used(NaiveOperator(TupleBuffer, LATE))
    before = snapshot(operator)
    tree = graph_of(before)
    forms = [ClassLayout(one, ("old", *f[1:]) if one == name else f) for one, f in tree.layouts]
    assert forms != [*tree.layouts]
    words = f"{name.partition(':')[2]} has the fields old, .* in the snapshot, expected .*; restore"
    with pytest.raises(SnapshotError, match=words):
        restore_graph(operator, replace(tree, layouts=tuple(forms)))
    assert snapshot(operator) == before


def test_a_class_that_had_another_name_is_refused() -> None:
    operator = used(NaiveOperator(TupleBuffer, LATE))
    tree = graph_of(snapshot(operator))
    forms = [ClassLayout(one.replace(":NaiveEmission", ":Reported"), f) for one, f in tree.layouts]
    assert forms != [*tree.layouts]
    with pytest.raises(
        SnapshotError,
        match=r"naive_operator:Reported', which is not imported or not registered; import its",
    ):
        restore_graph(operator, replace(tree, layouts=tuple(forms)))


@register_state
class Stricter(ColumnarOperator):
    """A custom operator, whose state may mean more than that of its base class."""

    def __init__(self) -> None:
        """Use the settings of these tests."""
        super().__init__(LATE)


CLASSES: list[Callable[[], Operator]] = [
    lambda: ColumnarOperator(LATE),
    lambda: Scotty(LATE),
    lambda: NaiveOperator(TupleBuffer, LATE),
    Stricter,
]


@pytest.mark.parametrize(("build_writer", "build_restorer"), list(permutations(CLASSES, 2)))
def test_an_operator_of_another_class_refuses(
    build_writer: Callable[[], Operator], build_restorer: Callable[[], Operator]
) -> None:
    old, new = used(build_writer()), used(build_restorer())
    before, names = snapshot(new), [type(one).__name__ for one in (old, new)]
    words = rf"of another operator: operator is \S*:{names[0]} in it, expected \S*:{names[1]}; "
    with pytest.raises(SnapshotError, match=f"{words}restore into an operator of this class"):
        restore(new, snapshot(old))
    assert snapshot(new) == before
