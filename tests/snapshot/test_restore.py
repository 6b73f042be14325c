"""A restored operator continues as the old one; a different one refuses and is unchanged."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import methodcaller

import pytest

from muntin.reference.bucket_stores import AggregateBuckets
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.reference.window_store import WindowStore
from muntin.registry.implementations import OPERATORS
from muntin.snapshot import Persistent, SnapshotError, register_state, restore, snapshot
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import OURS
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import Sliding, tumbling
from snapshot.runs import BUILD, IN_ORDER, LATE, made, run, stream

QUERY = Query("tens", tumbling(10), named("sum"))


@pytest.mark.parametrize("name", BUILD)
@pytest.mark.parametrize("before", [0, 1, 15])
def test_a_restored_operator_continues_equally(name: str, before: int) -> None:
    old, new = made(name), made(name)
    stream_steps = stream(old, 30)
    run(old, stream_steps[:before])
    data = snapshot(old)
    restore(new, data)
    assert snapshot(new) == data
    outputs = run(new, stream_steps[before:])
    assert snapshot(old) == data, "a step of the new operator does not change the old one"
    assert outputs == run(old, stream_steps[before:])
    assert sum(len(output.results) for output in outputs) > 10


@pytest.mark.parametrize("name", BUILD)
def test_a_used_operator_can_be_set_back(name: str) -> None:
    one = made(name)
    stream_steps = stream(one, 20)
    run(one, stream_steps[:10])
    data = snapshot(one)
    first = run(one, stream_steps[10:])
    restore(one, data)
    assert run(one, stream_steps[10:]) == first


def naive(
    query: Query = QUERY, settings: Settings = LATE, store: type[WindowStore] = TupleBuffer
) -> NaiveOperator:
    """An operator in the middle of a stream."""
    operator = NaiveOperator(store, settings)
    operator.add(query)
    operator.step([Event(3, 1), Event(17, 2)], 12)
    return operator


def of_two(name: str, *queries: Query) -> Operator:
    """An operator with these queries, over a stream in order if it requires that."""
    settings = IN_ORDER if name in ORDERED else LATE
    operator = BUILD[name](settings)
    for query in queries:
        operator.add(query)
    return operator


ORDERED = {entry.name for entry in OPERATORS if entry.in_order_only}


FIRST = named("sum")
LATER = {
    "the same": FIRST,
    "made again": named("sum"),
    "lowered otherwise": replace(FIRST, name="text", lower=repr),
    "made again and lowered otherwise": replace(named("sum"), name="text", lower=repr),
}


@pytest.mark.parametrize("name", BUILD)
@pytest.mark.parametrize("kept", LATER.values(), ids=LATER)
def test_what_a_removed_query_has_shared_is_written(
    name: str, kept: Aggregate[object, object, object]
) -> None:
    """`named` makes new functions at each call, and the first of two equal ones may serve both."""
    first, second = Query("a", Sliding(20, 5), FIRST), Query("b", Sliding(20, 5), kept)
    old, new = of_two(name, first, second), of_two(name, second)
    stream_steps = stream(old, 30)
    run(old, stream_steps[:8])
    old.remove("a")
    run(old, stream_steps[8:15])
    restore(new, snapshot(old))
    assert run(new, stream_steps[15:]) == run(old, stream_steps[15:])


OTHERS: list[tuple[Operator, str]] = [
    (
        BUILD["spec"](LATE),
        "operator is muntin.reference.naive_operator:NaiveOperator in it, expected ",
    ),
    (naive(store=AggregateBuckets), "configuration '_store' is TupleBuffer in it, expected Aggr"),
    (naive(settings=Settings(3)), "settings is Settings(allowed_lateness=7,"),
    (naive(replace(QUERY, id="other")), "query 'other' is none in it, expected Sliding("),
    (
        naive(replace(QUERY, window=tumbling(20))),
        "query 'tens' is Sliding(measure='time', offset=0",
    ),
    (naive(replace(QUERY, window=Sliding(10, 10, 0, COUNT))), "query 'tens' is "),
    (naive(replace(QUERY, aggregate=named("max"))), "=10) of sum in it, expected "),
]


@pytest.mark.parametrize(("other", "words"), OTHERS)
def test_another_operator_refuses_and_says_why(other: Operator, words: str) -> None:
    before = snapshot(other)
    with pytest.raises(SnapshotError) as caught:
        restore(other, snapshot(naive()))
    assert f"{caught.value}".startswith("the snapshot is of another operator: ")
    assert words in f"{caught.value}"
    assert snapshot(other) == before


def test_a_query_too_many_or_too_few_is_named() -> None:
    two = naive()
    two.add(Query("gaps", Session(3), named("max")))
    with pytest.raises(SnapshotError, match=r"query 'gaps' is none in it, expected Session\(gap=3"):
        restore(two, snapshot(naive()))
    with pytest.raises(SnapshotError, match=r"query 'gaps' is Session\(.* in it, expected none;"):
        restore(naive(), snapshot(two))


def test_functions_come_from_the_query_that_is_there() -> None:
    calls: list[int] = []
    doubled = Measure("doubled", lambda event: 2 * event.time)

    def counted(event: Event) -> int:
        calls.append(event.time)
        return 2 * event.time

    other = Measure("doubled", counted)
    query = Query("d", tumbling(10, 0, doubled), named("sum"))
    new = naive(replace(query, window=tumbling(10, 0, other)))
    restore(new, snapshot(naive(query)))
    calls.clear()
    new.step([Event(30, 1)], 40)
    assert 30 in calls


@dataclass(frozen=True)
class How:
    """The configuration of a custom operator."""

    call: Callable[[int], int] = abs
    unit: str = "seconds"


class Plain(Persistent):
    """A custom operator that holds any state."""

    configuration = ("how",)

    def __init__(self, held: object = None, how: How | None = None) -> None:
        self.held, self.how = held, how or How()
        self.queries: list[Query] = []

    def add(self, query: Query) -> None:
        self.queries.append(query)

    def remove(self, name: str) -> None:
        self.queries = [one for one in self.queries if one.id != name]

    def take(self, step: Step, /) -> Output:
        self.held = step
        return Output()


@register_state
class Part:
    """A custom state class."""

    __slots__ = ("inner", "owner")

    def __init__(self, owner: object) -> None:
        self.owner = owner  # and `inner` is not set


class Unknown:
    """An unregistered class."""


def table(held: object) -> dict[object, tuple[object, ...]]:
    assert isinstance(held, dict)
    return dict(methodcaller("items")(held))


def test_operators_of_users_have_methods_for_it() -> None:
    old, new = Plain(), Plain()
    part = Part(old)
    old.held = {"part": (part,), part: ("part",), "constants": (TIME, COUNT, OURS)}
    new.restore(old.snapshot())
    held = table(new.held)
    (copy,) = held["part"]
    assert isinstance(copy, Part)
    assert copy is not part
    assert copy.owner is new
    assert not hasattr(copy, "inner")
    assert held[copy] == ("part",)
    assert [a is b for a, b in zip(held["constants"], (TIME, COUNT, OURS), strict=True)]


def test_an_instance_in_a_tuple_that_it_holds_itself() -> None:
    """It is made before the tuple, and gets its field after that."""
    old, new = Plain(), Plain()
    part = Part(None)
    part.owner = old.held = (part, (part,))
    new.restore(old.snapshot())
    (copy, (again,)) = pair(new.held)
    assert isinstance(copy, Part)
    assert again is copy
    assert copy.owner is new.held


def pair(held: object) -> tuple[object, tuple[object]]:
    first, second = methodcaller("__iter__")(held)
    return first, second


def test_configuration_is_kept_and_may_hold_functions() -> None:
    old, same = Plain(), Plain()
    old.held = [old.how, old.how.call]
    same.restore(old.snapshot())
    assert same.how is not old.how
    assert same.held == [same.how, abs]
    for other in (How(unit="days"), How(lambda x: x)):
        with pytest.raises(SnapshotError, match=r"configuration 'how' is How\(call=abs, unit='sec"):
            Plain(how=other).restore(old.snapshot())


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (
            {"f": [len]},
            r"Plain.held\['f'\]\[0\] holds <built-in function len>, a function outside of",
        ),
        ([lambda: 0], r"Plain.held\[0\] holds <function <lambda> .*; functions are never"),
        (
            [naive().take],
            r"Plain.held\[0\] holds <bound method NaiveOperator.take .*; functions are never",
        ),
        ((named("max").monoid,), r"Plain.held\[0\] holds the Monoid .*, which belongs to no query"),
        (
            Part([Unknown()]),
            r"Plain.held.owner\[0\] holds .*of the unregistered type Unknown: for a value type",
        ),
        (
            {1: SnapshotError},
            r"Plain.held\[1\] holds <class '.*SnapshotError'>, a function outside of",
        ),
        (iter([1]), r"Plain.held holds <list_iterator .*> of the unregistered type list_iterator"),
    ],
)
def test_what_cannot_be_written_is_named_with_its_place(held: object, words: str) -> None:
    with pytest.raises(SnapshotError, match=words):
        snapshot(Plain(held))


def test_two_queries_of_one_name_are_refused() -> None:
    operator = Plain()
    operator.add(QUERY)
    operator.add(replace(QUERY, window=tumbling(20)))
    with pytest.raises(
        SnapshotError, match="two different objects of the operator are called query 'tens'"
    ):
        operator.snapshot()


def test_a_state_of_other_fields_is_refused() -> None:
    old, new = naive(), naive()
    vars(new)["later"] = 1
    with pytest.raises(
        SnapshotError,
        match=r"NaiveOperator has the fields _arr.* in the snapshot, expected .*later;",
    ):
        restore(new, snapshot(old))
