"""Windows over records: random traces against the denotation, and named faults."""

import os
import subprocess
import sys
from random import Random

import numpy as np
import pytest

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.plan import reads_records
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import punctuation, rolling, slide_by_tuple
from muntin.spec.windows.window import WindowType
from support.record_invariants import check_records
from support.record_trace import KINDS, MODES, OTHERS, RecordPair, RecordTrace, counted


def engine_of(operator: ColumnarOperator) -> ColumnarEngine:
    """The one engine of an operator."""
    (group,) = operator.groups.values()
    assert isinstance(group, EngineGroup)
    assert group.engine
    return group.engine


def settings_of(random: Random) -> Settings:
    """Lateness and a mode."""
    return Settings(random.choice([0, 5, 30, 200]), output=random.choice(MODES))


@pytest.mark.parametrize("seed", range(10))
def test_random_traces_answer_as_the_denotation_does(seed: int) -> None:
    lines = 0
    for case in range(8):
        random = Random(1000 * seed + case)  # noqa: S311 nothing secret
        pool = random.choice([KINDS, (*KINDS, *OTHERS), (random.choice(KINDS),)])
        pair, trace = RecordPair(random, settings_of(random), pool), RecordTrace(random)
        for _ in range(random.randrange(1, 4)):
            pair.add()
        for _ in range(random.randrange(1, 12)):
            if random.random() < 0.1:
                pair.add()
            if random.random() < 0.05 and len(pair.queries) > 1:
                pair.remove()
            if random.random() < 0.1:
                pair.transfer()
            lines += len(pair.take(trace.step()).results)
    assert lines > 0


@pytest.mark.parametrize("kind", KINDS)
def test_each_window_type_answers_late_rows_as_the_denotation_does(kind: WindowType) -> None:
    kinds = set[str]()
    for mode in MODES:
        random = Random(KINDS.index(kind))  # noqa: S311 nothing secret
        pair = RecordPair(random, Settings(200, output=mode), (kind,))
        pair.add()
        pair.add()
        for n in range(12):
            times = [
                100 * n + 10 * random.randrange(-15, 10) for _ in range(random.choice([3, 12]))
            ]
            events = [
                Event(time, random.randrange(100), random.randrange(2), None, random.random() < 0.3)
                for time in times
            ]
            output = pair.take(Step(tuple(events), 100 * n + 20))
            kinds |= {line.kind for line in output.results}
        by_records = reads_records(kind, mode)
        assert pair.operator.explain().count("compiled") == 2 * by_records
        assert by_records or kind.name == "slide_by_tuple"
    assert kinds > {"new"}


@pytest.mark.parametrize("cut", [1, 7, 10_000])
def test_cuts_of_a_batch_change_no_final_line(cut: int) -> None:
    random = Random(5)  # noqa: S311 nothing secret
    times = np.array([2 * i + random.randrange(-60, 1) for i in range(700)])
    values, keys = np.arange(700) % 97, np.arange(700) % 3
    marks = np.arange(700) % 11 == 0
    kinds = [rolling(50), slide_by_tuple(50, 3), counted(20, 7), punctuation()]
    lines = list[list[tuple[str, str, float, float, str]]]()
    for size in (cut, 100):
        operator = ColumnarOperator(Settings(100, output="final"), method="compiled")
        for n, kind in enumerate(kinds):
            operator.add(Query(f"q{n}", kind, named("m4")))
        found = list[Result]()
        for begin in range(0, 700, size):
            at = slice(begin, begin + size)
            mark = int(2 * begin)
            answered = operator.take_columns(times[at], values[at], keys[at], mark, marks=marks[at])
            found += answered.results()
        found += operator.take_columns(times[:0], values[:0], keys[:0], 5000).results()
        lines.append(sorted((o.query, str(o.key), o.start, o.end, str(o.value)) for o in found))
    assert lines[0] == lines[1]
    assert len(lines[0]) > 1000


def test_deep_trees_fold_as_arrays_do() -> None:
    random = np.random.default_rng(3)
    n, size = 6000, 700
    times, values = np.arange(n) * 3, random.integers(-1000, 1000, n)
    order = np.argsort(times + random.integers(0, 900, n), kind="stable")
    operator = ColumnarOperator(Settings(10**6, output="accumulate"), method="compiled")
    operator.add(Query("r", rolling(size), named("sum")))
    operator.add(Query("c", counted(1000, 13), named("max")))
    for begin in range(0, n, 500):
        at = order[begin : begin + 500]
        assert not len(operator.take_columns(times[at], values[at], None, None))
    check_records(engine_of(operator))
    answered = operator.take_columns(times[:0], values[:0], None, 3 * n)
    rolled, sums = answered.of("r"), np.append(0, np.cumsum(values))
    assert rolled is not None
    first = np.searchsorted(times, rolled.start)
    at = np.searchsorted(times, rolled.end)
    assert rolled.end.size == n
    assert (rolled.value.columns[0] == sums[at] - sums[first]).all()
    windows = answered.of("c")
    assert windows is not None
    assert windows.start.tolist() == [*range(0, n - 999, 13)]
    expected = [values[s : s + 1000].max() for s in windows.start.tolist()]
    assert windows.value.columns[0].tolist() == expected


def test_more_lines_than_have_room_come_once_each() -> None:
    operator = ColumnarOperator(Settings(10**6, output="accumulate"), method="compiled")
    operator.add(Query("q", counted(3, 1), named("sum")))
    times = np.arange(10, 3010)
    operator.take_columns(times, times, None, 4000)
    for revision in (1, 2):
        answered = operator.take_columns(np.array([5 - revision]), np.array([1]), None, None)
        lines = answered.of("q")
        assert lines is not None
        assert lines.end.size == 2998 + revision
        assert lines.start.tolist() == [*range(2998 + revision)]
        assert lines.revision[:2000].tolist() == [revision] * 2000


def test_keys_and_rows_that_no_window_needs_are_let_go() -> None:
    operator = ColumnarOperator(Settings(100, output="accumulate"), method="compiled")
    operator.add(Query("q", rolling(50), named("sum")))
    most = 0
    for wave in range(40):
        times = 1000 * wave + np.arange(500) % 200
        keys = 500 * wave + np.arange(500)
        operator.take_columns(times, times, keys, 1000 * wave + 900)
        engine = engine_of(operator)
        assert engine.records
        most = max(most, len(operator.keys), engine.records.room)
        check_records(engine)
    assert engine_of(operator).live == 0
    assert most <= 1 << 13


def test_ranks_go_on_where_rows_are_forgotten() -> None:
    operator = ColumnarOperator(Settings(0, output="accumulate"), method="compiled")
    operator.add(Query("q", counted(10, 10), named("count")))
    answered = operator.take_columns(np.zeros(0, np.int64), np.zeros(0, np.int64), None, None)
    for begin in range(0, 5000, 50):
        answered = operator.take_columns(
            np.arange(begin, begin + 50), np.arange(50), None, begin + 50
        )
    assert [line.start for line in answered.results()] == [4950, 4960, 4970, 4980, 4990]
    assert engine_of(operator).live <= 10 + 2 * r.FAN


def test_a_watermark_that_creeps_or_jumps_meets_each_row_once() -> None:
    for step in (1, 37, 10**12):
        operator = ColumnarOperator(Settings(5, output="accumulate"), method="compiled")
        operator.add(Query("q", rolling(10_000), named("count")))
        times, keys = np.arange(0, 3000, 10), np.arange(300) % 50
        operator.take_columns(times, times, keys, -1)
        ends: list[float] = []
        for mark in range(0, 3100, step):
            answered = operator.take_columns(times[:0], times[:0], keys[:0], mark)
            ends += [line.end for line in answered.results()]
            check_records(engine_of(operator))
        if step == 10**12:
            answered = operator.take_columns(times[:0], times[:0], keys[:0], step)
            ends += [line.end for line in answered.results()]
        assert sorted(ends) == [time + 1 for time in times.tolist()]


def test_a_removed_query_lets_rows_go_that_only_it_needed() -> None:
    operator = ColumnarOperator(Settings(0, output="accumulate"), method="compiled")
    operator.add(Query("r", rolling(10), named("sum")))
    operator.add(Query("c", counted(1000, 1000), named("sum")))
    for begin in range(0, 900, 100):
        times = np.arange(begin, begin + 100)
        operator.take_columns(times, times, times % 2, begin + 100)
    assert engine_of(operator).live == 900
    operator.remove("c")
    none = np.zeros(0, np.int64)
    operator.take_columns(none, none, none, 2000)
    assert engine_of(operator).live == 0


def test_a_retraction_has_the_value_that_was_reported() -> None:
    settings = Settings(100, output="accumulate-retract")
    operator = ColumnarOperator(settings, method="compiled")
    operator.add(Query("q", punctuation(), named("sum")))
    marks = np.array([True, False, True])
    operator.take_columns(np.array([0, 5, 10]), np.array([1, 2, 4]), None, 10, marks=marks)
    answered = operator.take_columns(
        np.array([3]), np.array([100]), None, None, marks=np.array([True])
    )
    lines = [(line.kind, line.start, line.end, line.value) for line in answered.results()]
    assert lines == [("retracted", 0, 10, 3), ("new", 0, 3, 1), ("new", 3, 10, 102)]


@pytest.mark.parametrize("begin", [-(2**61), 1_700_000_000_000_000, 2**61])
def test_revisions_of_far_times_are_counted(begin: int) -> None:
    operator = ColumnarOperator(Settings(100, output="accumulate"), method="compiled")
    operator.add(Query("q", rolling(20), named("sum")))
    operator.take_columns(np.array([begin, begin + 9]), np.array([1, 2]), None, begin + 10)
    for revision in (1, 2, 3):
        answered = operator.take_columns(np.array([begin]), np.array([1]), None, None)
        lines = [(line.end - begin, line.value, line.revision) for line in answered.results()]
        assert lines == [(1, 1 + revision, revision), (10, 3 + revision, revision)]
        transferred = ColumnarOperator(Settings(100, output="accumulate"), method="compiled")
        transferred.add(Query("q", rolling(20), named("sum")))
        transfer_state(operator, transferred)
        operator = transferred


@pytest.mark.parametrize("fast", [True, False])
def test_revisions_go_on_where_keys_are_numbered_anew(*, fast: bool) -> None:
    operator = ColumnarOperator(Settings(1000, output="accumulate"), method="compiled")
    operator.add(Query("q", rolling(5), named("sum")))
    most = 0
    for wave in range(9):
        times = 3000 * wave + np.zeros(1500, np.int64)
        own, keys = times[:1], 1500 * wave + np.arange(1500)
        name = keys[:1] if fast else ["own"]
        operator.take_columns(own, own * 0 + 1, name, 3000 * wave + 10)
        for revision in (1, 2):
            answered = operator.take_columns(own, own * 0 + 1, name, None)
            lines = [(line.key, line.value, line.revision) for line in answered.results()]
            assert lines == [(name[0], 1 + revision, revision)]
            some = keys[1:] if fast else [*map(str, keys[1:].tolist())]
            operator.take_columns(times[1:] + 20 * revision, times[1:], some, None)
            check_records(engine_of(operator))
        operator.take_columns(own, own, name, 3000 * wave + 2000)
        most = max(most, len(operator.keys))
    assert most < 1500 * 9


def test_the_method_that_checkpoints_hold_keeps_the_engine_out() -> None:
    operator = ColumnarOperator(method="slices")
    operator.add(Query("q", rolling(5), named("sum")))
    assert operator.explain().startswith("q: rolling of sum: records (")


def test_a_store_takes_no_row_twice_after_nothing_was_due() -> None:
    operator = ColumnarOperator(Settings(0, output="accumulate"), method="compiled")
    operator.add(Query("q", rolling(10), named("sum")))
    operator.take_columns(np.array([5]), np.array([1]), None, None)
    assert engine_of(operator).scalars[d.OUT] == 0
    answered = operator.take_columns(np.array([5]), np.array([2]), None, 6)
    assert [(line.start, line.end, line.value) for line in answered.results()] == [(-4, 6, 3)]


WORK = """
import sys
import numpy as np
from muntin.columnar.operator import ColumnarOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import punctuation, rolling, slide_by_tuple
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Sliding

KINDS = {
    "rolling": rolling(30), "counted": Sliding(20, 5, 0, COUNT),
    "nth": slide_by_tuple(30, 5), "marked": punctuation(),
}

def lines_of_a_step(kind, retained):
    operator = ColumnarOperator(Settings(retained, output="accumulate-retract"), method="compiled")
    operator.add(Query("q", kind, named("max")))
    for begin in range(0, 2 * retained, 100):
        times = np.arange(begin, begin + 100)
        operator.take_columns(times, times % 17, None, begin + 100, marks=times % 10 == 0)
    counted = [0]
    def count(frame, event, argument):
        counted[0] += event == "line" and "engine" in frame.f_code.co_filename
        return count
    end = 2 * retained
    late = {"rolling": end - retained // 2, "marked": end - retained // 2}
    times = np.append(np.arange(end, end + 20), late.get(sys.argv[1], end - 20))
    marks = np.zeros(21, bool)
    sys.settrace(count)
    answered = operator.take_columns(times, times % 17, None, end + 20, marks=marks)
    sys.settrace(None)
    return counted[0], len(answered)

print(*lines_of_a_step(KINDS[sys.argv[1]], 1000), *lines_of_a_step(KINDS[sys.argv[1]], 4000))
"""


@pytest.mark.parametrize("kind", ["rolling", "counted", "nth", "marked"])
def test_a_step_costs_what_changes_not_what_is_retained(kind: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", WORK, kind],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    few, few_lines, many, many_lines = map(int, done.stdout.split())
    assert 0 < few_lines == many_lines
    assert many < 1.5 * few
