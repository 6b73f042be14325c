"""The benchmark of windows over columns, on tiny streams: what it says. No test is of time."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import columns
from column_windows import footprint, measure, starts, tables
from column_windows.claims import GAINS, KEYS, Report, claims
from column_windows.engine import ENGINE, OLD_ENGINE, ColumnEngine, distinct_engines, engine
from column_windows.footprint import Calls, Footprint, calls, calls_loads, footprint_loads
from column_windows.grid import Plan, grid, selection
from column_windows.limit import OneSlice, add_all, add_by_key
from column_windows.measure import (
    LoadFigures,
    Mark,
    check,
    check_counts,
    chunks,
    expectations,
    marks,
)
from column_windows.options import parse_column_options
from column_windows.page import corners, grid_tables, page, special_table
from column_windows.starts import FirstAnswer
from column_windows.tables import TableFigures, table_figures, table_loads
from column_windows.workload import DISORDERS, Load, batches, queries, stream
from muntin.spec.query import Query
from muntin.spec.windows.periodic import Sliding
from rounds.clock import DisagreementError

TINY = Plan((1, 5), (1, 2000), (1, 1000), 0.001, 1, 4000, 2000, 2000)
SLOW = LoadFigures(Load(), 1e6, 2e6, 1e9, 0.5)


def figures(plan: Plan = TINY, rate: float = 1e6, other: float | None = None) -> list[LoadFigures]:
    return [LoadFigures(load, rate, other, 1e9, 0.1) for load in grid(plan)]


def failed(report: Report) -> list[str]:
    return [claim.sentence for claim in claims(report) if not claim.holds]


@pytest.mark.parametrize("disorder", DISORDERS)
def test_late_events_are_as_late_as_they_may_be(disorder: str) -> None:
    rows = 200_000
    times, _, keys = stream(rows, disorder, 7, "even")
    late = np.maximum.accumulate(times) - times
    share, delay, lateness, very_late, pause = DISORDERS[disorder]
    assert late.max() <= lateness
    assert late.max() > (998 if pause else 0.9 * max(delay, very_late) - 1)  # none in a pause
    assert share * 0.7 <= (late > 0).mean() <= share
    assert isinstance(keys, np.ndarray)
    assert keys.max() == 6
    assert np.diff(np.sort(times[: rows // 2])).max() // 1000 == pause // 1000


def test_batches_and_watermarks_are_those_of_a_stream() -> None:
    load = Load(batch=500, keys=10, distribution="text")
    parts = list(batches(load, 2000, first=500))
    times, values, keys = stream(2000, load.disorder, 10, "text")
    assert [len(batch[0]) for batch in parts] == [500] * 3
    assert np.array_equal(np.concatenate([batch[1] for batch in parts]), values[500:])
    assert parts[-1][3] == times.max() - 2000
    assert isinstance(keys, np.ndarray)
    assert set(keys) <= {f"customer {k}" for k in range(10)}


def test_zipf_keys_are_skewed() -> None:
    keys = stream(20_000, "in order", 1000, "Zipf").keys
    assert isinstance(keys, np.ndarray)
    assert np.bincount(keys.astype(np.int64)).max() > 2000


def test_the_grid_has_every_axis_and_leaves_out_what_has_too_many_results() -> None:
    loads = grid(Plan())
    assert len(set(loads)) == len(loads)
    assert {load.disorder for load in loads} == set(DISORDERS)
    assert {load.distribution for load in loads} == {"even", "Zipf", "text"}
    assert Load(1000, session=True, batch=1) in loads
    assert Load(20, session=True, batch=1, keys=10**6) in loads
    assert Load(1000, keys=10**6) not in loads
    assert Load(100, batch=100_000, keys=10**6) not in loads


def test_only_selects_whole_parts_of_names() -> None:
    loads = grid(Plan())
    assert [load.batch for load in selection(loads, "1 window and a session, 10 keys")] == [
        *Plan().batches
    ]
    assert {load.keys for load in selection(loads, "batch 100")} == set(Plan().keys)


@pytest.mark.parametrize("disorder", DISORDERS)
@pytest.mark.parametrize("keys", [1, 50])
def test_the_engine_has_the_windows_of_plain_arrays(disorder: str, keys: int) -> None:
    check(Load(3, session=True, batch=500, keys=keys, disorder=disorder), ENGINE, 4000)


def test_expectations_are_those_of_a_small_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(*_: object) -> tuple[object, ...]:
        return np.array([0, 999, 1000, 1999, 2000]), np.arange(5), np.array([1, 1, 1, 2, 1])

    monkeypatch.setattr(measure, "stream", small)
    names = dict[str, int]()
    for name, count, total in expectations(Load(1, session=True, batch=5, keys=2), 5):
        names[name] = count
        assert total == 10
    assert names == {"w1000": 4, "session": 3}  # 2000 begins one, after a gap of just a second


def test_an_engine_with_wrong_windows_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(path: str, load: Load, output: str = "") -> ColumnEngine:
        target = engine(path, replace(load, windows=0), "final")
        target.add(Query("w1000", Sliding(1000, 500), query.aggregate))
        assert output == "final"
        return target

    query = next(queries(Load(1)))
    monkeypatch.setattr(measure, "engine", twice)
    with pytest.raises(DisagreementError, match="the sums are"):
        check(Load(1, batch=500), ENGINE, 2000)
    with pytest.raises(DisagreementError, match="results, and should be"):
        check(Load(1, batch=500, aggregate="max"), ENGINE, 2000)
    monkeypatch.setattr(columns, "QUICK", TINY)
    assert columns.main(["--quick", "--only", "1 window, batch 2,000, 1 key"]) == 1


def test_engines_whose_counts_differ_are_noticed() -> None:
    same = [Mark(10, 1.0, 5), Mark(20, 2.0, 9)]
    check_counts(Load(), [same, same[:1]])
    with pytest.raises(DisagreementError, match="after 20 rows there are"):
        check_counts(Load(), [same, [same[0], Mark(20, 1.0, 8)]])


def test_marks_count_rows_and_results_of_batches_after_the_warm_up() -> None:
    load = Load(1, batch=2000)
    warm, groups = chunks(load, TINY)
    reached = marks(engine(ENGINE, load), warm, groups, 100.0)
    assert [mark.rows for mark in reached] == [4000 * (k + 1) for k in range(len(reached))]
    assert reached[-1].results == reached[-1].rows // 2000
    assert sum(len(batch[0]) for batch in warm) >= load.warm_up
    loop = marks(OneSlice(load), warm, groups, 0.0)
    assert loop == [Mark(4000, loop[0].seconds, 0)]


def test_two_engines_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    one = measure.measure(Load(1), [ENGINE, OLD_ENGINE], TINY)
    assert one.other is not None
    assert one.gain == one.rate / one.other
    assert one.results > 0

    def slow(*_: object) -> LoadFigures:
        return SLOW

    monkeypatch.setattr(measure, "measure", slow)
    loads = [Load(), Load(keys=10), Load(disorder="heavy")]
    assert measure.measure_all(loads, [ENGINE], TINY) == [SLOW] * 3


def test_the_loop_adds_all_values_of_all_keys() -> None:
    times, values, keys = np.array([1, 3, 2]), np.array([4, 5, 6]), np.array([0, 2, 0])
    total = np.zeros(4, np.int64)
    add_all(times, values, total)
    assert total.tolist() == [15, 3, 0, 0]
    total = np.zeros(4, np.int64)
    add_by_key(times, values, keys, total)
    assert total.tolist() == [3, 10, 0, 5]


def test_an_engine_is_compared_with_another_class_only() -> None:
    assert distinct_engines(OLD_ENGINE, OLD_ENGINE) == [OLD_ENGINE]
    assert distinct_engines(ENGINE, "no.such.module:Class") == [ENGINE]
    assert distinct_engines(ENGINE, "collections:Counter") == [ENGINE, "collections:Counter"]
    options = parse_column_options(["--only", "batch 1", "--against", ""])
    assert options.paths == [ENGINE]
    assert options.out is None


def test_live_cells_are_those_of_slices_and_keys_that_may_change() -> None:
    load = Load(1, batch=500, keys=3, disorder="in order")
    assert (
        footprint.live_cells(load, 20_000) == 3 * 5
    )  # the limit is 5,999, so [5000, 6000) is open
    assert footprint.live_cells(replace(load, session=True), 20_000) == 3 * 5 + 3


def test_calls_of_a_step_are_counted() -> None:
    counted = calls(ENGINE, Load(1, batch=2000))
    assert 0 < counted.python < 10_000
    assert 0 < counted.native < 10_000
    some = calls_loads((1, 5), (1, 1000))
    assert len(set(some)) == len(some)


def test_a_footprint_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    own = footprint.footprint(ENGINE, Load(1, keys=10))
    assert own.live > 0

    def another(command: list[str], **_: object) -> object:
        assert command[3] == ENGINE
        assert Load(**json.loads(command[4])) == Load(keys=10)

        class Done:
            stdout = "[1, 2, 3]"

        return Done()

    monkeypatch.setattr("column_windows.footprint.subprocess.run", another)
    assert list(footprint.footprints(ENGINE, [Load(keys=10)])) == [
        Footprint(Load(keys=10), 1, 2, 3)
    ]
    assert len(footprint_loads((1, 10))) == 4


def test_first_answers_are_of_scripts_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts: list[str] = []

    def given(script: str) -> list[float]:
        scripts.append(script)
        return [2.0, 0.5]

    monkeypatch.setattr(starts, "first_calls", given)
    each = list(starts.first_answers(ENGINE))
    assert each[0] == FirstAnswer("one key", 2.0, 0.5)
    assert len(each) == len(scripts) == 4
    exec(scripts[-1], {})  # noqa: S102 - the script that a process would run


def test_table_engines_have_the_same_windows_and_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = table_loads((1, 5, 20), (1, 1000), 4000)
    assert {load.windows for load in loads if load.keys == 1000} == {1, 5}
    few = [load for load in loads if load.windows == 5]
    for one in table_figures(ENGINE, few, 1):
        assert set(one.rates) == {"muntin", *tables.peers()}

    def other(_: Load) -> object:
        return lambda: (1, 0.0)

    monkeypatch.setattr(tables, "peers", lambda: {"wrong": other})
    with pytest.raises(DisagreementError, match="a whole table: there are"):
        list(table_figures(ENGINE, few[:1], 1))


def test_claims_read_the_figures_that_they_name() -> None:
    best = [x._replace(rate=4e8, limit=1e9, other=1e6) for x in figures(Plan())]
    starts_of = [FirstAnswer(kind, 2.0, 0.2) for kind in starts.KINDS]
    counted = [Calls(Load(), 9, 1), Calls(Load(keys=10), 9, 2), Calls(Load(batch=1), 8, 2)]
    report = Report(best, starts_of, counted)
    assert not failed(report)

    def slower(load: Load, rate: float) -> Report:
        changed = [x._replace(rate=rate) if x.load == load else x for x in best]
        return report._replace(figures=changed)

    for load, rate, words in (
        (Load(1000, batch=2000), 1.3e8, "3 times the cost of 1 window, batch 2,000"),
        (Load(1, batch=100_000, keys=10**6), 6e7, "6 times the cost"),
        (Load(1, batch=100_000, disorder="in order"), 3e8, "a loop that adds up"),
        (Load(1, batch=1), 3e5, "less than 3,000 ns"),
        (Load(5, batch=2000, keys=1000), 1.1e7, "5 / 12 / 8 / 5 times"),
        (Load(20, session=True, batch=10), 3.9e7, "at least 40 times"),
        (Load(5, disorder="heavy"), 9e5, "slower than with the other"),
    ):
        assert any(words in sentence for sentence in failed(slower(load, rate))), words
    more = report._replace(calls=[Calls(Load(), 9, 1), Calls(Load(keys=10), 21, 2)])
    assert len(failed(more)) == 2
    late = report._replace(answers=[FirstAnswer("one key", 3.1, 0.31)])
    assert len(failed(late)) == 2
    assert len(GAINS) == 8
    assert len(KEYS) == 4


def test_the_page_shows_the_bad_corners_first() -> None:
    bad = LoadFigures(Load(disorder="heavy"), 1e3, 2e6, 1e9, 0.5)
    report = Report(
        [SLOW, bad],
        [FirstAnswer("one key", 2.0, 0.25)],
        [Calls(Load(), 9, 1)],
        [Footprint(Load(), 2**20, 2**21, 1024)],
        [TableFigures(Load(), {"muntin": 4e6, "polars": 1e6})],
    )
    text = page(report, list(claims(report)), "introduction")
    order = [
        "## What must hold",
        "## Bad corners",
        "## First answers",
        "## Whole tables",
        "## The grid",
        "## Other streams",
    ]
    assert [line for line in order if line in text] == order
    assert sorted(order, key=text.index) == order
    assert "| 4.00 | 1.00 (4.00x) |" in text
    assert "| 1.0 | 2.0 | 1,024 | 2,048 |" in text
    dearest = next(line for line in corners(report.figures) if line.startswith("| 5"))
    assert "heavy" in dearest
    assert "0.0010 (0.0005x)" in dearest
    assert "| 5 windows | 1.00 (0.500x) |" in list(grid_tables(report.figures))
    assert "| 0.0010 |" in "".join(special_table(report.figures))


def test_a_run_reports_and_writes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def given(*_: object) -> Report:
        return Report(figures(Plan((5,), (100, 2000), (1, 10)), other=1.0))

    monkeypatch.setattr(columns, "run", given)
    assert columns.main(["--out", str(tmp_path)]) == 0
    assert "PASS" in capsys.readouterr().out
    assert "| PASS |" in (tmp_path / "benchmarks-columns.md").read_text()
    assert "five windows" not in (tmp_path / "images" / "columns.svg").read_text()

    def nothing(*_: object) -> Report:
        return Report([])

    monkeypatch.setattr(columns, "run", nothing)
    assert columns.main(["--only", "no such load"]) == 1


def test_a_run_measures_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def recorder(name: str) -> Callable[..., list[str]]:
        def record(*_: object) -> list[str]:
            done.append(name)
            return []

        return record

    names = ("check_all", "measure_all", "first_answers", "calls", "footprints", "table_figures")
    for name in names:
        monkeypatch.setattr(columns, name, recorder(name))
    options = parse_column_options(["--quick", "--against", ""])
    assert columns.run(options, replace(TINY, windows=(1,), keys=(1,))).tables == []
    assert set(done) == set(names)
    done.clear()
    columns.run(options._replace(only="1 window"), TINY)
    assert done == ["check_all", "measure_all"]
