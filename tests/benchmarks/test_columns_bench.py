"""The benchmark of windows over columns, on tiny streams: what it says. No test is of time."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import columns
from column_windows import measure
from column_windows.claims import claims, share
from column_windows.measure import ColumnPlan, ColumnRow, Machine, loads, seconds
from column_windows.page import page
from column_windows.workload import Load, operator, stream
from muntin.columnar.operator import ColumnarOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.windows.periodic import Sliding
from rounds.clock import DisagreementError
from rounds.report import Claim

TINY = ColumnPlan(4000, 400, 1, 2000, 2**10)
MACHINE = Machine(1200.0, 2400.0)
ROWS = [
    ColumnRow(load, rate)
    for load, rate in zip(
        loads(TINY), (500, 500, 450, 450, 300, 150, 300, 3, 100, 12, 8, 40), strict=True
    )
]


def test_late_events_are_as_late_as_they_may_be() -> None:
    times, values, keys = stream(4000, 0.2, 7)
    late = np.maximum.accumulate(times) - times
    assert 0 < late.max() <= 2000
    assert 0.15 < (late > 0).mean() < 0.25
    assert keys is not None
    assert keys.max() == 6
    assert float(values.sum()).is_integer()
    assert (np.diff(stream(4000, 0.0, 0).times) >= 0).all()


def test_all_loads_have_right_results_and_take_time() -> None:
    for load in loads(TINY)[:4]:
        measure.check(replace(load, batch=500), 2000)
        assert seconds(replace(load, batch=500)) > 0


def test_a_wrong_operator_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(_: Load) -> ColumnarOperator:
        results = ColumnarOperator(Settings(2000))
        results.add(Query("w1000", Sliding(1000, 500), named("sum")))
        return results

    assert len(operator(Load("", windows=3)).explain().splitlines()) == 3
    monkeypatch.setattr(measure, "operator", twice)
    with pytest.raises(DisagreementError, match="sums of windows are"):
        measure.check(Load("w", 4000, 500), 2000)
    monkeypatch.setattr(columns, "QUICK", TINY)
    assert columns.main(["--quick"]) == 1


def test_claims_read_the_rows_that_they_name() -> None:
    assert all(claim.holds for claim in claims(ROWS, MACHINE))
    for name, worse, words in (
        ("100 windows, 20 % late", 260.0, "100 concurrent"),
        ("1000 windows, 20 % late", 130.0, "1000 concurrent"),
        ("20 windows, 20 % late", 370.0, "cost at most 25 %"),
        ("batches of 100", 1.9, "a batch of 100"),
        ("1 window, in order", 390.0, "3 times"),
        ("1 window, 10^6 keys", 9.9, "a million keys"),
    ):
        rows = [row._replace(rate=worse) if row.load.name == name else row for row in ROWS]
        failed = [claim.sentence for claim in claims(rows, MACHINE) if not claim.holds]
        assert len(failed) == 1
        assert words in failed[0]


def test_the_page_states_the_limit_and_the_share_of_it() -> None:
    results = list(claims(ROWS, MACHINE))
    text = page(ROWS, MACHINE, results, TINY)
    assert "38.4 GB a second" in share(ROWS, MACHINE)
    assert "takes 500 M: 21 % of that limit" in text
    assert all(f"| {row.load.name} |" in text for row in ROWS)


def test_a_run_reports_and_writes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def given(_: ColumnPlan) -> tuple[list[ColumnRow], Machine]:
        return ROWS, MACHINE

    def warm(script: str) -> Claim:
        assert "take_columns" in script
        return Claim(holds=True, sentence="warm", figures="0.1 s")

    monkeypatch.setattr(columns, "measure_all", given)
    monkeypatch.setattr(columns, "warm_start", warm)
    assert columns.main(["--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("PASS") == 7
    assert "| PASS |" in (tmp_path / "benchmarks-columns.md").read_text()
    assert "in order" in (tmp_path / "images" / "columns.svg").read_text()
