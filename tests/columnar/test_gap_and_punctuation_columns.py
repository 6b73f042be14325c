"""Session gaps of rows, and punctuations, as columns."""

from importlib import import_module
from random import Random

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.plan import Method
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Punctuation, Session
from muntin.spec.windows.periodic import tumbling
from support.arrow_results import aggregate

pa = import_module("pyarrow")
KINDS = {"near": Session(3), "far": Session(9), "cut": Punctuation(), "five": tumbling(5)}
QUERIES = [
    Query(f"{what} {name}", kind, named(what))
    for what in ("sum", "m4", "collect")
    for name, kind in KINDS.items()
]


@pytest.mark.parametrize("method", ["auto", "compiled", "slices", "records", "generic"])
@pytest.mark.parametrize("keys", [1, 3])
def test_own_gaps_and_marks_are_columns_as_others(method: Method, keys: int) -> None:
    random = Random(keys)  # noqa: S311 nothing secret
    tested, specified = (
        ColumnarOperator(Settings(12), method=method),
        SpecificationOperator(Settings(12)),
    )
    for query in QUERIES:
        if method in {"auto", "generic"} or "collect" not in query.id:
            tested.add(query)
            specified.add(query)
    kinds: set[str] = set()
    for step in range(18):
        times = [2 * step + random.randrange(-9, 9) for _ in range(random.randrange(5))]
        values, of = [random.randrange(9) for _ in times], [random.randrange(keys) for _ in times]
        gaps = [random.choice([None, None, 1, 2, 12]) for _ in times]
        marks = [random.random() < 0.2 for _ in times]
        rows = zip(times, values, of, gaps, marks, strict=True)
        expected = specified.take(Step(tuple(Event(*row) for row in rows), 2 * step))
        columns = np.array(times, np.int64), np.array(values, np.int64), np.array(of, np.int64)
        output = tested.take_columns(*columns, 2 * step, gaps=gaps, marks=np.array(marks, "?"))
        assert not response_difference(Output(expected.results), Output(output.results()))
        assert [times[at] for at in output.late] == [event.time for event in expected.late]
        kinds |= {result.kind for result in expected.results}
    assert not response_difference(specified.take(Step((), END)), Output(final_results(tested)))
    assert kinds == {"new", "updated", "retracted"}


def final_results(operator: ColumnarOperator) -> tuple[Result, ...]:
    return operator.take_columns([], [], None, END, gaps=[], marks=[]).results()


def test_a_table_may_have_columns_of_gaps_and_of_marks() -> None:
    gaps, marks = pa.chunked_array([[None, 30], [None, 2]]), [False, None, True, False]
    table = pa.table({"t": [1, 4, 20, 40], "x": [1, 2, 4, 8], "g": gaps, "m": marks})
    windows = [Session(4), Punctuation()]
    output = aggregate(
        table, time="t", windows=windows, aggregates={"x": ("sum", "x")}, gap="g", mark="m"
    )
    assert [tuple(row.values()) for row in output.to_pylist()] == [
        ("session", "session", 1, 34, 7),
        ("session", "session", 40, 42, 8),
        ("punctuation", "punctuation", 1, 20, 3),
    ]


def test_numpy_booleans_with_none_are_marks() -> None:
    operator = ColumnarOperator()
    operator.add(Query("p", Punctuation(), named("sum")))
    marks = [np.False_, None, np.True_]
    output = operator.take_columns([1, 2, 3], [1, 2, 4], None, 50, marks=marks).results()
    assert [(r.start, r.end, r.value) for r in output] == [(1, 3, 3)]


WRONG: list[tuple[str, object, str]] = [
    ("gaps", [3, 0], "the gap of the event at 2 must be greater than 0, not 0"),
    ("gaps", [-3, None], "the gap of the event at 1 must be greater than 0, not -3"),
    ("gaps", [2**60, 1], f"the gap of the event at 1 is {2**60}; on columns"),
    ("gaps", [2**70, 1], f"the gap of the event at 1 is {2**70}; on columns"),
    ("gaps", [1.0, 2.5], "the gaps of rows must be integers, or None"),
    ("gaps", [1], "the column of gaps has the shape"),
    ("gaps", [True, True], "the column of gaps is of bool, which is no number"),
    ("marks", [0, 1], "the marks of rows must be booleans, not 0"),
    ("marks", ["yes", None], "the marks of rows must be booleans, not 'yes'"),
    ("marks", [True], "the marks have the shape"),
    ("marks", np.ma.array([True, False], mask=[True, False]), "without a mask"),
]


@pytest.mark.parametrize(("what", "wrong", "message"), WRONG)
def test_what_is_no_gap_or_mark_is_refused_and_changes_nothing(
    what: str, wrong: object, message: str
) -> None:
    operator = ColumnarOperator()
    operator.add(Query("s", Session(3), named("sum")))
    with pytest.raises((InvalidInputError, UnsupportedError), match=message):
        operator.take_columns([1, 2], [4, 4], None, 50, **{what: wrong})
    assert [r.value for r in operator.take_columns([1], [6], None, END).results()] == [6]


def test_what_is_no_column_of_gaps_or_marks_in_a_table_is_named() -> None:
    table = {"t": [1, 2], "x": [1, 2], "f": [1.5, 2.0], "s": ["a", "b"], "b": [True, False]}
    of = {"time": "t", "windows": [Session(4), Punctuation()], "aggregates": [("sum", "x")]}
    for wrong, message in (
        ({}, "nothing marks punctuations; say mark='a column of booleans'"),
        ({"gap": "f", "mark": "b"}, "the gaps 'f' must be integers"),
        (
            {"gap": "s", "mark": "b"},
            "the gaps 's' must be integers, in the unit of the time 't'",
        ),
        ({"gap": "y", "mark": "b"}, "there must be one column 'y'"),
        ({"mark": "x"}, "the marks 'x' must be booleans, not int64"),
    ):
        with pytest.raises((InvalidInputError, UnsupportedError), match=message):
            aggregate(table, **of, **wrong)  # type: ignore[arg-type] # the test is about it
