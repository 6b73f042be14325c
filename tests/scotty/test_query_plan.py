"""What `explain` says: characteristics, tuples, splits, removal, sharing."""

import pytest

from muntin.optimized.scotty.operator import Scotty
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Sliding, count, tumbling
from muntin.spec.windows.window import WindowType

STORED, NOT_STORED = "tuples are stored", "tuples are not stored"
SPLIT, NEVER_SPLIT = "slices are split where tuples move edges", "slices are never split"
NEVER = "no tuple is ever removed from a slice"
INVERT = "a tuple is removed from a slice by invert"
RECOMPUTE = "a tuple is removed from a slice by computing the slice anew"


@pytest.mark.parametrize(
    ("window", "aggregate", "settings", "expected"),
    [
        (tumbling(5), "sum", Settings(), [NOT_STORED, NEVER_SPLIT, NEVER]),
        (tumbling(5), "concat", Settings(), [STORED, NEVER_SPLIT, NEVER]),
        (tumbling(5), "concat", Settings(in_order=True), [NOT_STORED, NEVER_SPLIT, NEVER]),
        (Session(5), "sum", Settings(), [NOT_STORED, NEVER_SPLIT, NEVER]),
        (Session(5), "sum", Settings(output="discard"), [NOT_STORED, NEVER_SPLIT, NEVER]),
        (Punctuation(), "sum", Settings(), [STORED, SPLIT, NEVER]),
        (Rolling(5), "sum", Settings(in_order=True), [STORED, SPLIT, NEVER]),
        (count(5), "sum", Settings(), [STORED, NEVER_SPLIT, INVERT]),
        (count(5), "max", Settings(), [STORED, NEVER_SPLIT, RECOMPUTE]),
        (count(5), "max", Settings(in_order=True), [NOT_STORED, NEVER_SPLIT, NEVER]),
        (
            count(5),
            "sum",
            Settings(dialect=Dialect(count_order="arrival")),
            [f"{NOT_STORED}: ranks in order of arrival never move", NEVER_SPLIT, NEVER],
        ),
        (
            count(5),
            "sum",
            Settings(dialect=Dialect(lateness="window")),
            [STORED, NEVER_SPLIT, INVERT],
        ),
    ],
)
def test_explain_gives_the_decisions_of_the_trees(
    window: WindowType, aggregate: str, settings: Settings, expected: list[str]
) -> None:
    operator = Scotty(settings, letters=("a", "b") if aggregate == "concat" else (2, 5))
    operator.add(Query("q", window, named(aggregate)))
    first, _, *lines, shares = operator.explain().splitlines()
    assert (first, shares) == ("query 'q'", "  slices of its own")
    assert [line.strip() for line in lines] == expected


def test_explain_gives_the_characteristics_in_words() -> None:
    operator = Scotty()
    operator.add(Query("a", Sliding(6, 2), named("sum")))
    operator.add(Query("b", Session(3), named("sum")))
    operator.add(Query("c", tumbling(4), named("max")))
    assert operator.explain().splitlines()[:6] == [
        "query 'a'",
        "  out of order; sliding in time, context free; sum, distributive; commutative; invertible",
        "  tuples are not stored",
        "  slices are never split",
        "  no tuple is ever removed from a slice",
        "  slices are shared with 'b'",
    ]
    assert "session in time, a session; sum" in operator.explain()
    assert operator.explain().endswith("slices of its own")


def test_sessions_with_lateness_by_window_and_frames_share_no_slices() -> None:
    by_window = Scotty(Settings(dialect=Dialect(lateness="window")))
    frames = Scotty()
    for operator, window in ((by_window, Session(3)), (frames, Punctuation())):
        operator.add(Query("a", window, named("sum")))
        operator.add(Query("b", window, named("sum")))
        assert len(operator.groups) == 2


def test_a_window_in_the_measure_of_a_user_needs_tuples() -> None:
    operator = Scotty()
    operator.add(Query("km", tumbling(5, 0, Measure("km", lambda event: event.time)), named("sum")))
    assert "tumbling in km, context free" in operator.explain()
    assert STORED in operator.explain()
