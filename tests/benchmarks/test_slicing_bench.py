"""The benchmark of slicing on few events: what it compares is right. No test is of time."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

import slicing
from muntin.optimized.scotty.operator import Scotty
from muntin.registry.implementations import OPERATORS
from muntin.spec.query import Output
from muntin.spec.stream import Step
from muntin.spec.windows.periodic import Sliding
from rounds.clock import DisagreementError
from rounds.report import Claim
from slicing_rounds.claims import claims
from slicing_rounds.figures import figures
from slicing_rounds.implementations import BASELINES, MeasuredOperator, measured_operators
from slicing_rounds.measure import QUICK, SlicingPlan, cell, sweep
from slicing_rounds.results import SlicingResults
from slicing_rounds.workload import BATCH, SECOND, Workload

TINY = SlicingPlan(
    turn=0,
    turns=1,
    filling=0,
    windows=(1, 100),
    shares=(0.0, 0.9),
    delays=((0, SECOND), (SECOND, 2 * SECOND)),
    aggregates=("sum", "median"),
    longest_step=10**9,
)
BY_NAME = {one.name: one for one in measured_operators()}


def test_all_baselines_and_all_that_slice_take_part() -> None:
    assert {*BASELINES} < set(BY_NAME) < {one.name for one in OPERATORS}
    assert {"scotty-lazy", "scotty-eager", "scotty-fiba", "pairs", "cutty-lazy"} < set(BY_NAME)


@pytest.mark.parametrize("batch", [1, BATCH])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_stream_has_the_requested_disorder_and_keeps_its_watermarks(
    share: float, batch: int
) -> None:
    workload = Workload("", share=share, batch=batch, session=True)
    steps = list(islice(workload.steps(), 4000 // batch))
    events = [event for step in steps for event in step.events]
    assert len(events) == 4000
    times = [event.time for event in events]
    behind = sum(time < max(times[: nth + 1]) for nth, time in enumerate(times)) / 4000
    assert abs(behind - share) < 0.05
    watermark = float("-inf")
    for step in steps:
        assert all(event.time >= watermark for event in step.events)
        watermark = max(watermark, step.watermark if step.watermark is not None else watermark)
    assert sum(step.watermark is not None for step in steps) == 4000 // BATCH


def periodic(workload: Workload) -> list[Sliding]:
    kinds = [query.window for query in workload.queries()]
    return [kind for kind in kinds if isinstance(kind, Sliding)]


def test_the_requested_number_of_windows_is_concurrent() -> None:
    for shape in ("queries", "sliding"):
        for windows in (1, 10, 100, 1000):
            kinds = periodic(Workload("", windows, shape))
            assert sum(kind.size // kind.slide for kind in kinds) == windows
            assert max(kind.size for kind in kinds) == 20 * SECOND
    assert min(kind.size for kind in periodic(Workload("", 100))) == SECOND


class Forgetful(Scotty):
    """Scotty without results."""

    def take(self, step: Step, /) -> Output:
        return super().take(step)._replace(results=())


def test_a_sabotaged_implementation_is_detected() -> None:
    implementations = [BY_NAME["scotty-lazy"], MeasuredOperator("forgetful", Forgetful)]
    plan = replace(TINY, fill=2000, filling=10**9)
    workload = Workload("", 3)
    with pytest.raises(DisagreementError, match="forgetful does not answer step"):
        cell(workload, implementations, plan)


def test_implementations_that_refuse_a_query_are_left_out() -> None:
    rows = cell(Workload("", 2, measure="count", share=0.2), measured_operators(), TINY)
    assert {row.implementation for row in rows} == {
        "scotty-lazy", "scotty-eager", "scotty-fiba", "tuple-buffer", "aggregate-tree",
    }  # fmt: skip


def test_slow_implementations_are_left_out_of_larger_windows() -> None:
    plan, implementations = replace(TINY, longest_step=0), [BY_NAME["scotty-lazy"]]
    rows = sweep([Workload("", 1), Workload("", 10)], implementations, plan)
    assert [row.workload.windows for row in rows] == [1]


def test_a_claim_without_rows_fails() -> None:
    results = claims(SlicingResults([(figure, []) for figure in figures(QUICK)]))
    assert len(results) == 8
    assert not any(claim.holds for claim in results)


@pytest.mark.parametrize(("rate", "holds"), [(110.0, True), (140.0, True), (160.0, False)])
def test_a_claim_holds_up_to_its_threshold(rate: float, *, holds: bool) -> None:
    figure = figures(QUICK)[0]
    row = cell(figure.workloads[0], [BY_NAME["scotty-lazy"]], TINY)[0]
    at = {
        windows: replace(row, workload=replace(row.workload, windows=windows))
        for windows in (1, 10, 100)
    }
    rows = [replace(at[1], rate=rate), replace(at[10], rate=120.0), replace(at[100], rate=100.0)]
    rows += [replace(at[100], implementation="tuple-buckets", rate=rate / 16)]
    flat, fast, _, _, _ = claims(SlicingResults([(figure, rows)]))
    assert isinstance(flat, Claim)
    assert flat.holds is holds
    assert fast.holds is (1600 / rate >= 10)


def test_a_run_compares_reports_and_writes_its_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("scotty-lazy", "cutty-lazy", "aggregate-buckets", "tuple-buffer")
    monkeypatch.setattr(slicing, "measured_operators", lambda: [BY_NAME[name] for name in names])
    monkeypatch.setattr(slicing, "QUICK", TINY)
    assert slicing.main(["--quick", "--out", str(tmp_path)]) in {0, 1}
    text = capsys.readouterr().out
    assert "PASS  all implementations give the same answers" in text
    text = (tmp_path / "benchmarks-slicing.md").read_text()
    for figure in figures(TINY):
        assert f"## Figure {figure.name}: {figure.title}" in text
        assert f"images/slicing-{figure.name}.svg" in text
        assert (tmp_path / "images" / f"slicing-{figure.name}.svg").stat().st_size > 1000


def test_a_run_with_a_wrong_implementation_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [BY_NAME["scotty-lazy"], MeasuredOperator("forgetful", Forgetful)]
    monkeypatch.setattr(slicing, "QUICK", replace(TINY, fill=2000, filling=10**9))
    monkeypatch.setattr(slicing, "measured_operators", lambda: wrong)
    assert slicing.main(["--quick"]) == 1
    assert capsys.readouterr().out.startswith(
        "FAIL  all implementations give the same answers: forgetful"
    )
