"""Bad input is refused with a message that helps, before any state changes (section 8)."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from muntin.conformance.output_comparison import response_difference
from muntin.registry.implementations import OPERATORS, STRUCTURES, OperatorEntry, StructureEntry
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.monoid import FREE, Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, MuntinError, UserCodeError
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, Threshold
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow

LOOSE = json.loads(
    '{"half": 7.5, "nan": NaN, "text": "7", "true": true, "null": null, "list": [1]}'
)
"""Values that no type checker has seen."""

WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: Event(LOOSE["half"], 1), "the time of an event must be an integer, not 7.5 (float)"),
    (lambda: Event(LOOSE["nan"], 1), "the time of an event must be an integer, not nan (float)"),
    (lambda: Event(LOOSE["text"], 1), "the time of an event must be an integer, not '7' (str)"),
    (lambda: Event(LOOSE["true"], 1), "the time of an event must be an integer, not True (bool)"),
    (lambda: Event(LOOSE["null"], 1), "the time of an event must be an integer, not None"),
    (lambda: Event(3, 1, gap=0), "the gap of the event at 3 must be greater than 0, not 0"),
    (lambda: Step((), LOOSE["half"]), "a watermark must be an integer, not 7.5"),
    (lambda: Step((), LOOSE["nan"]), "a watermark must be an integer, not nan"),
    (lambda: Step((LOOSE["list"],)), "a step takes events: Event(time, value), not [1]"),
    (lambda: tumbling(0), "the size of a window must be greater than 0, not 0"),
    (lambda: Sliding(4, -2), "the slide of a window must be greater than 0, not -2"),
    (lambda: Sliding(4, 2, LOOSE["half"]), "the offset of a window must be an integer, not 7.5"),
    (lambda: count(-1), "the size of a window must be greater than 0, not -1"),
    (lambda: Session(0), "the gap of a session must be greater than 0, not 0"),
    (lambda: Rolling(0), "the size of a window must be greater than 0"),
    (lambda: Rolling(1, 0), "the number of events between windows must be greater than 0"),
    (lambda: LastNEvery(0, 1), "the number of events must be greater than 0"),
    (lambda: LastNEvery(1, 0), "the period must be greater than 0"),
    (lambda: Landmark(0, 0), "the period of a landmark window must be greater than 0"),
    (lambda: Landmark(LOOSE["half"], 1), "the landmark must be an integer"),
    (lambda: Cumulate(10, 3), "the step 3 must divide the size 10"),
    (lambda: Cumulate(10, 0), "the step must be greater than 0"),
    (lambda: Band(5, 5), "the band [5, 5) must end after its start"),
    (lambda: Threshold(1, 0), "the least number of events in a frame must be greater than 0"),
    (lambda: Event(3, 1, LOOSE["list"]), "the key [1] cannot be hashed"),
    (lambda: Settings(-1), "the allowed lateness must be greater than -1, not -1"),
    (lambda: Settings(LOOSE["half"]), "the allowed lateness must be an integer"),
    (lambda: Settings(output=LOOSE["text"]), "output '7' is none of accumulate-retract, "),
    (
        lambda: Dialect(lateness=LOOSE["text"]),
        "lateness must be one of ('event', 'window', 'never')",
    ),
    (lambda: Dialect(closing=2), "closing must be one of (0, 1, -1), not 2"),
    (
        lambda: Dialect(closing={"session": LOOSE["half"]}),
        "closing must be one of (0, 1, -1), not 7.5",
    ),
]


@pytest.mark.parametrize(("make", "message"), WRONG, ids=[message for _, message in WRONG])
def test_nonsense_cannot_be_made(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        make()


def falling(event: Event) -> int:
    """A measure that is not monotone where the value says so."""
    return event.time if event.value != 13 else -event.time


def tripping(value: object) -> tuple[object, ...]:
    """A lift that fails on one value."""
    if value == 13:
        raise ZeroDivisionError
    return (value,)


FUSSY: Mapping[object, tuple[object, int, int]] = {
    14: (None, 1, 5),
    15: (None, -1, 0),
    16: LOOSE["null"],
}
COORDINATES: Mapping[object, int] = {13: LOOSE["half"], 14: LOOSE["null"]}


def fussy(state: object, event: Event) -> tuple[object, int, int]:
    """A machine that fails on one value, and returns nonsense on others."""
    if event.value == 13:
        raise ZeroDivisionError
    return FUSSY.get(event.value, (state, 1, 0))


def loose(event: Event) -> int:
    """A measure that is no integer where the value says so."""
    return COORDINATES.get(event.value, event.time)


def picky(event: Event) -> bool:
    """A mark that fails on one value."""
    if event.value == 13:
        raise ZeroDivisionError
    return event.punctuation


WORDS = Monoid[tuple[object, ...]]((), lambda left, right: tuple(sorted(map(str, left + right))))
TRIPS = Aggregate("trips", tripping, WORDS, len, commutative=True, kind="algebraic")
SUM = named("sum")
GOOD = Event(20, 1)
BAD: list[tuple[Query, Settings, list[Event], type[MuntinError], str]] = [
    (
        Query("q", tumbling(5), SUM),
        Settings(in_order=True),
        [Event(7, 13)],
        InvalidInputError,
        "time 7 follows 22",
    ),
    (
        Query("q", tumbling(5, 0, Measure("km", falling)), SUM),
        Settings(9),
        [Event(25, 13)],
        InvalidInputError,
        "'km' falls from 22 to -25 at Event(time=25, value=13",
    ),
    (
        Query("q", Delta(1), SUM),
        Settings(9),
        [Event(25, "x")],
        InvalidInputError,
        "not 'x' at Event(time=25",
    ),
    (
        Query("q", UserWindow(fussy), SUM),
        Settings(9),
        [Event(25, 13)],
        UserCodeError,
        "a user-defined window at Event(time=25, value=13",
    ),
    (
        Query("q", UserWindow(fussy), SUM),
        Settings(9),
        [Event(25, 14)],
        UserCodeError,
        "ends at Event(time=25, value=14",
    ),
    (
        Query("q", UserWindow(fussy), SUM),
        Settings(9),
        [Event(25, 15)],
        UserCodeError,
        "Event(time=25, value=15",
    ),
    (
        Query("q", UserWindow(fussy), SUM),
        Settings(9),
        [Event(25, 16)],
        UserCodeError,
        "Event(time=25, value=16, key=None, gap=None, punctuation=False) failed: TypeError",
    ),
    (
        Query("q", UserTrigger(fussy), SUM),
        Settings(9),
        [Event(26, 15)],
        UserCodeError,
        "Event(time=26, value=15",
    ),
    (
        Query("q", tumbling(5, 0, Measure("km", loose)), SUM),
        Settings(9),
        [Event(25, 13)],
        InvalidInputError,
        "must be an integer, not 7.5",
    ),
    (
        Query("q", Session(5, Measure("km", loose)), SUM),
        Settings(9),
        [Event(25, 14)],
        InvalidInputError,
        "Event(time=25, value=14, key=None, gap=None, punctuation=False) must be an integer",
    ),
    (
        Query("q", Punctuation(picky), SUM),
        Settings(9),
        [Event(25, 13)],
        UserCodeError,
        "Event(time=25, value=13, key=None, gap=None, punctuation=False): ",
    ),
    (
        Query("q", tumbling(5), TRIPS.erase_types()),
        Settings(9),
        [Event(25, 13)],
        UserCodeError,
        "query 'q'",
    ),
    (Query("q", tumbling(5), SUM), Settings(9), [Event(25, "x")], InvalidInputError, "query 'q'"),
]


def queries(entry: OperatorEntry, query: Query, settings: Settings) -> Operator | None:
    """Return the operator with the query, or None if it does not serve it."""
    operator = entry.build(replace(settings, in_order=settings.in_order or entry.in_order_only))
    try:
        operator.add(query)
    except MuntinError:
        return None
    return operator


@pytest.mark.parametrize(
    ("query", "settings", "events", "kind", "message"), BAD, ids=[one[4] for one in BAD]
)
@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_a_step_that_fails_leaves_no_trace(  # noqa: PLR0913, PLR0917 - a row of the table
    entry: OperatorEntry,
    query: Query,
    settings: Settings,
    events: list[Event],
    kind: type[MuntinError],
    message: str,
) -> None:
    operator, twin = queries(entry, query, settings), queries(entry, query, settings)
    if operator is None or twin is None:
        assert entry.name.endswith("buckets") or entry.name in {
            "panes",
            "pairs",
            "pairs-plus",
            "kernels",
        }
        return
    for one in (operator, twin):
        one.step([GOOD], 15)
    with pytest.raises(kind, match=re.escape(message)):
        operator.step([Event(22, 2), *events, Event(30, 3)], END)
    rest = [Event(24, 4), Event(24, 5)]
    assert not response_difference(twin.step(rest, 40), operator.step(rest, 40))
    assert not response_difference(twin.step([], END), operator.step([], END))


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_queries_are_named_once_and_removed_once(entry: OperatorEntry) -> None:
    operator = entry.build(Settings(in_order=entry.in_order_only))
    operator.add(Query("q", tumbling(5), SUM))
    with pytest.raises(InvalidInputError, match="there is a query 'q' already"):
        operator.add(Query("q", tumbling(7), SUM))
    with pytest.raises(InvalidInputError, match="there is no query 'r' to remove"):
        operator.remove("r")
    [result] = operator.step([Event(3, 4)], 10).results
    assert (result.start, result.end, result.value) == (0, 5, 4)


@pytest.mark.parametrize("entry", STRUCTURES, ids=lambda entry: entry.name)
def test_a_structure_refuses_a_batch_before_taking_any_of_it(entry: StructureEntry) -> None:
    structure = entry.build(FREE)
    structure.insert(5, (1,))
    for batch in ([(7, (2,)), (6, (3,))], [(8, (2,)), (LOOSE["half"], (3,))]):
        with pytest.raises(InvalidInputError):
            structure.bulk_insert(batch)
    with pytest.raises(InvalidInputError, match="must be an integer, not '7'"):
        structure.insert(LOOSE["text"], (4,))
    assert list(structure.items()) == [(5, (1,))]
    assert structure.query() == (1,)
