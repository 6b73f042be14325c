"""Window types that derive from known ones: they are shipped whole, and taken for what they say."""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.registry.dataframes.native_queries import translated
from muntin.spark.batch.records import answering
from muntin.spark.call.window_serialization import serialize
from muntin.spark.execution.columnar_support import columnar_windows
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import DEFAULTS, Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import Timeline as Events
from muntin.spec.windows.periodic import Band, Sliding, tumbling
from muntin.spec.windows.window import Interval, WindowType
from spark_support.cluster import Cluster
from spark_support.micro_batches import MicroBatch, held_to_the_denotation
from spark_support.tables import (
    MERGED,
    OF_ONE,
    Row,
    in_batch,
    in_full,
    plan_of,
    rows,
    same,
    table_of,
)

pytestmark = pytest.mark.usefixtures("one_unit_is_a_millisecond")


@dataclass(frozen=True)
class Weekdays(Sliding):
    """Of every seven windows, five."""

    def intervals(self, line: Events, /) -> Iterable[Interval]:
        """Leave two out."""
        return {one for one in super().intervals(line) if one.start // self.slide % 7 < 5}


@dataclass(frozen=True)
class Wide(Sliding):
    """Windows that reach farther back, and end between the edges of others."""

    more: int = 30

    def intervals(self, line: Events, /) -> Iterable[Interval]:
        """Let each begin earlier and end later."""
        for one in super().intervals(line):
            yield Interval(one.start - self.more, int(one.end) + 1)


@dataclass(frozen=True)
class Capped(Session):
    """Sessions that are cut every so often."""

    most: int = 3

    def intervals(self, line: Events, /) -> Iterable[Interval]:
        """Cut what is too long."""
        for one in super().intervals(line):
            for start in range(one.start, int(one.end), self.most):
                yield Interval(start, min(start + self.most, int(one.end)))


@dataclass(frozen=True)
class Repeated(Band):
    """An interval, and the same once more, later."""

    def intervals(self, line: Events, /) -> Iterable[Interval]:
        """Repeat it after a pause."""
        yield from super().intervals(line)
        yield Interval(self.end + 20, 2 * self.end - self.start + 20)


DERIVED = (Weekdays(4, 3, 1), Weekdays(2, 2), Wide(3, 4), Capped(3, most=2), Repeated(0, 10))
TRACES = st.lists(st.tuples(rows(6), st.integers(0, 15)), min_size=1, max_size=4)
SETTINGS = st.sampled_from([DEFAULTS, Settings(5), Settings(3, "final"), Settings(0, "discard")])


@given(st.sampled_from(DERIVED), SETTINGS, TRACES)
def test_each_micro_batch_of_a_derived_type(
    kind: WindowType, settings: Settings, trace: list[MicroBatch]
) -> None:
    later: list[MicroBatch] = [([], 30), ([], 40)]
    windows = {"own": kind, "known": tumbling(10)}
    held_to_the_denotation(plan_of(windows, MERGED, settings), [*trace, *later])


@given(st.sampled_from(DERIVED), rows())
def test_a_batch_of_a_derived_type(kind: WindowType, given_rows: list[Row]) -> None:
    plan = plan_of({"own": kind}, MERGED)
    assert columnar_windows(plan) == set()
    answer = in_full(plan, answering(plan)([table_of(given_rows)]))
    assert same(answer, in_batch(plan, given_rows))


@pytest.mark.parametrize("kind", DERIVED, ids=lambda kind: type(kind).__name__)
def test_nothing_follows_from_what_a_derived_type_derives_from(kind: WindowType) -> None:
    settling = TimerRules((kind,), DEFAULTS)
    assert settling.next_emission(13) == 14
    assert settling.expiry(13, 0) == END


def test_spark_is_not_asked_for_what_it_does_not_know() -> None:
    said = translated(Query("q", Weekdays(4, 3, 1), named("sum")))
    assert said == "Spark does not know what Weekdays makes of sliding windows"


def test_a_derived_type_is_shipped_with_all_that_it_holds() -> None:
    class Named(Sliding):
        """Has more than its fields, as what is no dataclass may have."""

        def __init__(self, size: int, title: str) -> None:
            super().__init__(size, size)
            object.__setattr__(self, "title", title)

    arrived = serialize("w", Named(5, "five")).kind()
    assert isinstance(arrived, Named)
    assert vars(arrived) == {**vars(Sliding(5, 5)), "title": "five"}


def test_what_no_operator_takes_is_refused_before_a_job_starts() -> None:
    by_window = Settings(dialect=Dialect(lateness="window"))
    with pytest.raises(UnsupportedError, match="query 'own': Capped derives from Session, not"):
        plan_of({"own": Capped(3)}, OF_ONE, by_window)
    cluster = Cluster(plan_of({"known": Session(3)}, OF_ONE, by_window))
    given_rows: list[Row] = [("a", 0, 1, 1, None, None, None, False)]
    assert cluster.step(given_rows, 1) == []
    assert [line.end for line in cluster.step([], 9)] == [4]
