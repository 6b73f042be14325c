"""Subclasses of the known window types: serialized with all attributes, evaluated row by row."""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.registry.dataframes.native_windows import native_query
from muntin.spark.batch.strategy import evaluation_task
from muntin.spark.call.window_arguments import serialize
from muntin.spark.execution.evaluation import columnar_windows
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
from spark_support.micro_batches import MicroBatch, check_micro_batches
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
    """Five of every seven windows."""

    def intervals(self, timeline: Events, /) -> Iterable[Interval]:
        """Leave two out."""
        windows = super().intervals(timeline)
        return {window for window in windows if window.start // self.slide % 7 < 5}


@dataclass(frozen=True)
class Wide(Sliding):
    """Windows that begin earlier, and end between the edges of others."""

    more: int = 30

    def intervals(self, timeline: Events, /) -> Iterable[Interval]:
        """Let each begin earlier and end later."""
        for window in super().intervals(timeline):
            yield Interval(window.start - self.more, int(window.end) + 1)


@dataclass(frozen=True)
class Capped(Session):
    """Sessions split at a maximum length."""

    longest: int = 3

    def intervals(self, timeline: Events, /) -> Iterable[Interval]:
        """Split long sessions."""
        for window in super().intervals(timeline):
            for start in range(window.start, int(window.end), self.longest):
                yield Interval(start, min(start + self.longest, int(window.end)))


@dataclass(frozen=True)
class Repeated(Band):
    """An interval, and a later one of the same length."""

    def intervals(self, timeline: Events, /) -> Iterable[Interval]:
        """Repeat the interval after a pause."""
        yield from super().intervals(timeline)
        yield Interval(self.end + 20, 2 * self.end - self.start + 20)


SUBCLASSES = (Weekdays(4, 3, 1), Weekdays(2, 2), Wide(3, 4), Capped(3, longest=2), Repeated(0, 10))
TRACES = st.lists(st.tuples(rows(6), st.integers(0, 15)), min_size=1, max_size=4)
SETTINGS = st.sampled_from([DEFAULTS, Settings(5), Settings(3, "final"), Settings(0, "discard")])


@given(st.sampled_from(SUBCLASSES), SETTINGS, TRACES)
def test_each_micro_batch_of_a_subclass(
    kind: WindowType, settings: Settings, trace: list[MicroBatch]
) -> None:
    later: list[MicroBatch] = [([], 30), ([], 40)]
    windows = {"own": kind, "known": tumbling(10)}
    check_micro_batches(plan_of(windows, MERGED, settings), [*trace, *later])


@given(st.sampled_from(SUBCLASSES), rows())
def test_a_batch_of_a_subclass(kind: WindowType, input_rows: list[Row]) -> None:
    plan = plan_of({"own": kind}, MERGED)
    assert columnar_windows(plan) == set()
    answer = in_full(plan, evaluation_task(plan)([table_of(input_rows)]))
    assert same(answer, in_batch(plan, input_rows))


@pytest.mark.parametrize("kind", SUBCLASSES, ids=lambda kind: type(kind).__name__)
def test_timers_infer_nothing_from_the_superclass(kind: WindowType) -> None:
    rules = TimerRules((kind,), DEFAULTS)
    assert rules.next_emission(13) == 14
    assert rules.expiry(13, 0) == END


def test_spark_does_not_evaluate_subclasses() -> None:
    translation = native_query(Query("q", Weekdays(4, 3, 1), named("sum")))
    assert translation == "Spark does not know what Weekdays makes of sliding windows"


def test_a_subclass_is_serialized_with_all_its_attributes() -> None:
    class Titled(Sliding):
        """Has an attribute besides the fields of the dataclass."""

        def __init__(self, size: int, title: str) -> None:
            super().__init__(size, size)
            object.__setattr__(self, "title", title)

    deserialized = serialize("w", Titled(5, "five")).kind()
    assert isinstance(deserialized, Titled)
    assert vars(deserialized) == {**vars(Sliding(5, 5)), "title": "five"}


def test_queries_that_no_operator_supports_are_refused_before_a_job_starts() -> None:
    by_window = Settings(dialect=Dialect(lateness="window"))
    with pytest.raises(UnsupportedError, match="query 'own': Capped derives from Session, not"):
        plan_of({"own": Capped(3)}, OF_ONE, by_window)
    cluster = Cluster(plan_of({"known": Session(3)}, OF_ONE, by_window))
    input_rows: list[Row] = [("a", 0, 1, 1, None, None, None, False)]
    assert cluster.step(input_rows, 1) == []
    assert [line.end for line in cluster.step([], 9)] == [4]
