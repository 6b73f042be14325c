"""A snapshot of another format, class or fields is refused, and the error says what to do."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import pytest

from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.snapshot import SnapshotError, register_state, restore, snapshot
from muntin.snapshot.envelope import FORMAT, framed, unframed
from muntin.snapshot.inspection import shown
from muntin.snapshot.object_graph import ClassLayout
from muntin.snapshot.operator_snapshots import restore_tree, tree_of
from muntin.spec.algebra.catalogue import named
from muntin.spec.operator import Operator
from muntin.spec.query import Query
from muntin.spec.stream import Event, Step
from muntin.spec.windows.periodic import tumbling
from snapshot.runs import LATE

ASKED = Query("tens", tumbling(10), named("sum"))


def used(operator: Operator) -> Operator:
    """Return an operator in the middle of a stream."""
    operator.add(ASKED)
    operator.take(Step((Event(3, 1), Event(17, 2)), 12))
    return operator


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_another_format_is_refused(number: int) -> None:
    """The body is not looked at: it may mean anything."""
    operator = used(NaiveOperator(TupleBuffer, LATE))
    before = snapshot(operator)
    data = framed(unframed(before)._replace(format=number, body=b"of another form"))
    words = f"of format {number}; this version of muntin, .*, reads format {FORMAT} only: restore"
    with pytest.raises(SnapshotError, match=f"{words} it with the version of muntin that wrote it"):
        restore(operator, data)
    with pytest.raises(SnapshotError, match=words):
        list(shown(data))
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
    tree = tree_of(before)
    forms = [ClassLayout(one, ("old", *f[1:]) if one == name else f) for one, f in tree.forms]
    assert forms != [*tree.forms]
    words = f"{name.partition(':')[2]} has the fields .* here, but old, .* in the snapshot: restore"
    with pytest.raises(SnapshotError, match=words):
        restore_tree(operator, replace(tree, forms=tuple(forms)))
    assert snapshot(operator) == before


def test_a_class_that_had_another_name_is_refused() -> None:
    operator = used(NaiveOperator(TupleBuffer, LATE))
    tree = tree_of(snapshot(operator))
    forms = [ClassLayout(one.replace(":NaiveEmission", ":Reported"), f) for one, f in tree.forms]
    assert forms != [*tree.forms]
    with pytest.raises(
        SnapshotError, match=r"naive_operator:Reported', which is none .* here; import its"
    ):
        restore_tree(operator, replace(tree, forms=tuple(forms)))


@register_state
class Stricter(ColumnarOperator):
    """An operator of the user's own, which may mean more by its state than columns do."""

    def __init__(self) -> None:
        """Start with the settings of these tests."""
        super().__init__(LATE)


CLASSES: list[Callable[[], Operator]] = [
    lambda: ColumnarOperator(LATE),
    lambda: Scotty(LATE),
    lambda: NaiveOperator(TupleBuffer, LATE),
    Stricter,
]


@pytest.mark.parametrize(("made_by", "here"), list(permutations(CLASSES, 2)))
def test_an_operator_of_another_class_refuses(
    made_by: Callable[[], Operator], here: Callable[[], Operator]
) -> None:
    old, new = used(made_by()), used(here())
    before, names = snapshot(new), [type(one).__name__ for one in (old, new)]
    words = rf"of another operator; operator: \S*:{names[0]} in the snapshot, \S*:{names[1]} here; "
    with pytest.raises(SnapshotError, match=f"{words}restore it into an operator of the class"):
        restore(new, snapshot(old))
    assert snapshot(new) == before
