"""Queries that the columnar engine supports and queries that it does not, in one operator."""

from dataclasses import replace

import numpy as np
import pytest

from muntin.columnar.engine.kernel_language import COMPILED
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.over import over
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import SnapshotError, encode, restore, snapshot
from muntin.snapshot.binary_format import Writer
from muntin.snapshot.envelope import FORMAT, Envelope, pack_envelope
from muntin.snapshot.object_graph import GraphNode
from muntin.snapshot.operator_snapshots import graph_of
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError, UserCodeError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.frames import Threshold
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.user_defined import UserWindow

SETTINGS = Settings(allowed_lateness=6)
DOUBLED = Measure("doubled", lambda event: 2 * event.time)
QUERIES = [
    Query("tens", tumbling(10), named("sum")),
    Query("three", LastNEvery(3, 10), named("max")),
    Query("calm", Session(3), named("mean")),
    Query("high", Threshold(4, 1), named("count")),
    Query("all", Sliding(20, 10), named("collect")),
    Query("far", tumbling(2**60), named("sum")),
]


def pairs_off(state: object, _: Event) -> tuple[object, int, int]:
    """Begin a window with every second event; the next event ends it."""
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 2 == 0), n % 2


def steps(number: int) -> list[Step]:
    """Steps of two events, of two keys, some of them late."""
    items: list[Step] = []
    for n in range(number):
        times = (5 * n, 5 * n - n * 7 % 17)
        events = [Event(t, (t * 7 + n) % 9, "k" if n % 3 else None) for t in times]
        items.append(Step(tuple(events), 5 * n - 4))
    return items


def with_queries(operator: Operator, queries: list[Query]) -> Operator:
    for query in queries:
        operator.add(query)
    return operator


@pytest.mark.parametrize("dialect", [Dialect(), Dialect(lateness="window")])
def test_one_output_in_the_right_order_and_one_list_of_late_events(dialect: Dialect) -> None:
    settings = Settings(1, dialect=dialect)
    kept = Query("kept", tumbling(10), named("collect"))
    by_event = dialect.lateness == "event"
    queries = QUERIES[:-1] if by_event else [QUERIES[0], kept, QUERIES[2]]
    specified, columnar = (
        with_queries(one, queries)
        for one in (SpecificationOperator(settings), ColumnarOperator(settings))
    )
    late = 0
    for step in [*steps(40), Step((), END)]:
        expected = specified.take(step)
        assert not response_difference(expected, columnar.take(step))
        late += len(expected.late)
    assert late > 0


def test_explain_names_the_method_of_each_query_and_why() -> None:
    operator = ColumnarOperator(SETTINGS, method="slices")
    with_queries(operator, QUERIES)
    sums = "sum by prefix sums of integers, a flat tree of floats; count by prefix sums"
    too_long = f"the size of tumbling windows is {2**60}; on columns it must lie within"
    remedy = "take a greater unit of time, or a shorter window"
    assert operator.explain().splitlines() == [
        f"tens: tumbling of sum: slices (it was asked for); {sums}",
        "three: last_n_every of max: generic (last_n_every windows have no form over columns)",
        f"calm: session of mean: slices (it was asked for); {sums}",
        "high: threshold of count: generic (threshold windows have no form over columns)",
        "all: sliding of collect: records (collect has no form over columns); by definition",
        f"far: tumbling of sum: generic ({too_long} {2**60 - 1} of 0: {remedy})",
    ]
    kept = "compiled" if COMPILED else "generic"
    assert f"collect: {kept}" in with_query("all").explain()


def with_query(name: str) -> ColumnarOperator:
    operator = ColumnarOperator(SETTINGS)
    with_queries(operator, [query for query in QUERIES if query.id == name])
    return operator


def test_queries_come_and_go_on_both_sides() -> None:
    specified, columnar = SpecificationOperator(SETTINGS), ColumnarOperator(SETTINGS)
    outputs: list[list[Output]] = [[], []]
    for emitted, one in zip(outputs, (specified, columnar), strict=True):
        pending = iter(steps(30))
        for query in QUERIES[:-1]:
            one.add(query)
            emitted += [one.take(next(pending)) for _ in range(4)]
        for query in QUERIES[:-1]:
            one.remove(query.id)
            emitted += [one.take(next(pending))]
    for expected, actual in zip(*outputs, strict=True):
        assert not response_difference(expected, actual)
    assert columnar.generic is None, "it goes with its last query"


def test_columns_go_to_both() -> None:
    specified, columnar = (
        with_queries(one, QUERIES[:-1])
        for one in (SpecificationOperator(SETTINGS), ColumnarOperator(SETTINGS))
    )
    assert isinstance(columnar, ColumnarOperator)
    for step in steps(20):
        expected = specified.take(step)
        keys = np.array([event.key for event in step.events], np.object_)
        times, values = (np.array([e.time for e in step.events]), [e.value for e in step.events])
        answered = columnar.take_columns(times, values, keys, step.watermark)
        output = Output(answered.results(), tuple(step.events[int(i)] for i in answered.late))
        assert not response_difference(expected, output)
        for name, lines in answered.by_query().items():
            mine = [r for r in output.results if r.query == name]
            assert lines.start.tolist() == [r.start for r in mine]
            assert lines.value.objects().tolist() == [r.value for r in mine]
            assert [answered.keys(number) for number in lines.key.tolist()] == [r.key for r in mine]


def test_a_window_that_nothing_has_ended_ends_at_last() -> None:
    operator = with_query("high")
    operator.add(Query("two", UserWindow(pairs_off), named("sum")))
    answered = operator.take_columns([1, 2, 3], [1, 2, 4], None, END)
    items = [(r.start, r.end, r.value) for r in answered.results() if r.query == "two"]
    assert items == [(0, 2, 3), (2, END, 4)] or len(items) == 2
    lines = answered.of("two")
    assert lines
    assert lines.end.tolist()[-1] in {2**62, items[-1][1]}


def test_the_user_s_mistakes_change_nothing() -> None:
    operator = with_query("tens")
    picky = Query("picky", Threshold(4, 1), named("geomean"))
    operator.add(picky)
    assert not operator.take(Step((Event(1, 2),))).results
    with pytest.raises((UserCodeError, InvalidInputError), match="picky"):
        operator.take(Step((Event(3, 5), Event(4, -1), Event(5, 0)), 20))
    with pytest.raises(InvalidInputError, match="values must be as many as the 2 times"):
        with_query("high").take_columns([1, 2], [1], None, None)
    emitted = operator.take(Step((Event(3, 5), Event(4, 1)), 20)).results
    assert [r.query for r in emitted] == ["picky", "tens"]
    assert emitted[1].value == 8


def test_a_window_over_a_measure_must_be_added_before_columns_come() -> None:
    operator = with_query("tens")
    operator.take(Step((Event(3, 1),)))
    measured = Query("m", tumbling(4, 0, DOUBLED), named("sum"))
    operator.add(measured)
    operator.remove("m")
    operator.take_columns([4], [1])
    with pytest.raises(UnsupportedError, match=r"query 'm' can't be .* 'doubled' .* add it before"):
        operator.add(measured)


def test_the_generic_part_can_be_read_by_the_generic_operator() -> None:
    """Slices of columns have their own partials; the fallback operator is a plain Scotty."""
    operator = ColumnarOperator(SETTINGS)
    with_queries(operator, QUERIES[:4])
    for step in steps(12):
        operator.take(step)
    again = ColumnarOperator(SETTINGS)
    with_queries(again, QUERIES[:4])
    restore(again, snapshot(operator))
    assert again.generic
    alone = Scotty(SETTINGS)
    with_queries(alone, [QUERIES[1], QUERIES[3]])
    restore(alone, snapshot(again.generic))
    for step in steps(30)[12:]:
        output = operator.take(step)
        results = tuple(r for r in output.results if r.query in {"three", "high"})
        assert not response_difference(Output(results, output.late), alone.take(step))


class Shifted(Sliding):
    """A subclass of a supported type: its own methods define its windows."""


def test_a_type_that_derives_from_a_known_one_goes_on() -> None:
    """Scotty stores it under another type than the query has; a snapshot holds both."""
    queries = [Query("derived", Shifted(10, 5), named("sum")), QUERIES[0]]
    before, after = (with_queries(ColumnarOperator(SETTINGS), queries) for _ in range(2))
    specified = with_queries(SpecificationOperator(SETTINGS), queries)
    for step in steps(6):
        assert not response_difference(specified.take(step), before.take(step))
    restore(after, snapshot(before))
    for step in steps(12)[6:]:
        assert not response_difference(specified.take(step), after.take(step))


def test_a_forged_snapshot_of_columns_is_refused() -> None:
    operator = ColumnarOperator(SETTINGS)
    with_queries(operator, QUERIES[:4])
    for step in steps(12):
        operator.take(step)
    before = snapshot(operator)
    tree = graph_of(before)
    arrays = [at for at, node in enumerate(tree.nodes) if node.kind == "value"]
    assert arrays
    other = GraphNode("value", ("numpy array", encode(("<i8", [3], b"too short"))))
    for at, node in [(0, GraphNode("object", (1, "auto"))), (arrays[0], other)]:
        nodes = (*tree.nodes[:at], node, *tree.nodes[at + 1 :])
        with pytest.raises(SnapshotError):
            restore(
                operator,
                pack_envelope(
                    Envelope(FORMAT, "9", Writer().write_graph(replace(tree, nodes=nodes)))
                ),
            )
        assert snapshot(operator) == before


def test_nulls_pass_an_arg_min_that_runs_on_the_generic_operator() -> None:
    operator = ColumnarOperator()
    operator.add(Query("tens", tumbling(10), over("x", named("sum"))))
    operator.add(Query("best", LastNEvery(2, 10), over(("x", "y"), named("argmin"))))
    columns = {"x": np.array([3, None, 5], np.object_), "y": np.array([None, 2, 1], np.object_)}
    items = operator.take_columns(np.array([1, 2, 3]), columns, None, 10).results()
    assert [(line.query, line.value) for line in items] == [("tens", 8), ("best", 1)]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="'fast' is none of auto, compiled, slices"):
        ColumnarOperator(method="fast")  # type: ignore[arg-type] # the test is about it
