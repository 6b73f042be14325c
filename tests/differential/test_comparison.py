"""Differential runs without Spark: traces, implementations, bounds, and shrinking."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import lockstep
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.differential.comparison import TraceComparison
from muntin.differential.cost_bounds import CostBounds, cost_bounds
from muntin.differential.equality import WindowView, final_windows, rounding_error_bound
from muntin.differential.implementation import memoize, run_trace
from muntin.differential.inputs.generated_traces import generated_rows
from muntin.differential.inputs.trace import KeyTrace, Number, on_time
from muntin.differential.plan import (
    DISORDERS,
    NATIVE,
    SPEC,
    DiffPlan,
    Implementation,
    parse_implementations,
    parse_query,
    parse_whole_number,
)
from muntin.differential.report import HEADER, table_rows
from muntin.differential.shrinking import operator_mismatch
from muntin.reference.specification import SpecificationOperator
from muntin.spec.denotation import denote
from muntin.spec.errors import InvalidInputError

PLANTED = "differential.planted:TieFault"
PLAN = DiffPlan(
    rows=600, keys=6, against=parse_implementations("spec,scotty-lazy,scotty-eager,kernels")
)


def compared(plan: DiffPlan) -> TraceComparison:
    comparison = TraceComparison(plan)
    for key in range(plan.keys):
        comparison.compare(KeyTrace(str(key), key, *generated_rows(plan, key)))
    return comparison


def test_all_agree_on_all_rows_and_keep_their_bounds() -> None:
    tally = compared(PLAN).tally
    assert tally.wrong == []
    assert tally.refused == {}
    for implementation in PLAN.against:
        counts = tally.counter(implementation.name)
        assert (counts["rows"], counts["mismatches"], counts["over bound"]) == (600, 0, 0)
        assert counts["windows"] == tally.counter()["windows"] > 200
    lazy = tally.counter("scotty-lazy")
    assert 0 < lazy["combines"] <= lazy["bound of combines"]
    assert 600 < lazy["lifts"] <= lazy["bound of lifts"] == 4 * 600
    assert [len(line) for line in table_rows(PLAN, tally)] == [len(HEADER)] * 4


def test_stored_tuples_are_counted_where_windows_need_them() -> None:
    names, column = ("tuple-buffer", "scotty-lazy"), HEADER.index("tuples a trace")
    for windows, stored in (("tumbling:60:sum", (True, False)), ("count:50:sum", (True, True))):
        plan = replace(PLAN, windows=windows, against=parse_implementations(",".join(names)))
        tally = compared(plan).tally
        traces = [
            KeyTrace(str(key), key, *generated_rows(plan, key)).transcript(plan) for key in range(6)
        ]
        most = {name: sum(run_trace(name, trace).tuples for trace in traces) for name in names}
        assert tuple(count > 0 for count in most.values()) == stored
        assert {row[0]: row[column] for row in table_rows(plan, tally)} == {
            name: f"{count / 6:.2f}" if count else "" for name, count in most.items()
        }


def test_a_planted_fault_is_found_shrunk_and_reproduced() -> None:
    plan = replace(PLAN, against=parse_implementations(f"spec,{PLANTED}"))
    comparison = compared(plan)
    assert comparison.tally.counter(PLANTED)["mismatches"] > 0
    mismatch = operator_mismatch(comparison.tally.wrong[0])
    assert mismatch.events == 3
    transcript = parse(json.dumps(mismatch.transcript))
    assert isinstance(transcript, OperatorTranscript)
    assert len({event.time for turn in transcript.turns for event in turn.step.events}) == 1
    assert lockstep(transcript, SpecificationOperator).divergence is None
    assert len(transcript.queries) == 1
    assert transcript.settings.allowed_lateness == 0


def test_the_specification_arbitrates_traces_outside_its_share() -> None:
    plan = replace(PLAN, against=parse_implementations(f"scotty-lazy,{PLANTED}"))
    tally = compared(plan).tally
    wrong = tally.counter(PLANTED)["mismatches"]
    assert wrong == tally.counter()["arbitrated"] > 0
    assert tally.counter("scotty-lazy")["mismatches"] == 0


def test_an_implementation_is_compared_on_its_share_only() -> None:
    tally = compared(
        replace(PLAN, against=parse_implementations("spec=50%,scotty-lazy,kernels"))
    ).tally
    assert 0 < tally.counter(SPEC)["rows"] < 600
    assert tally.counter("kernels")["rows"] == 600


def test_a_share_is_exact_per_thousand_traces() -> None:
    for share in (0.001, 0.3, 1.0):
        assert (
            sum(Implementation("spec", share).accepts(number) for number in range(7000))
            == 7000 * share
        )


def test_rows_of_one_implementation_alone_are_not_compared() -> None:
    tally = compared(replace(PLAN, against=parse_implementations("spec=1%,scotty-lazy=1%"))).tally
    assert tally.counter("scotty-lazy")["rows"] == tally.counter(SPEC)["rows"] < 600


class TightBounds(CostBounds):
    """Bounds that no operator keeps."""

    def slices(self, limit: int, newest: int, rows: int) -> int:
        return min(4, super().slices(limit, newest, rows))

    def lifts(self, rows: int) -> int:
        return min(99, super().lifts(rows))


def test_an_exceeded_bound_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = KeyTrace("0", 0, *generated_rows(PLAN, 0)).transcript(PLAN)
    run = run_trace("scotty-lazy", trace)
    assert run.violations == []
    assert run.bounds["slices"] >= run.slices > 5
    monkeypatch.setattr("muntin.differential.implementation.cost_bounds", TightBounds)
    assert {text.split(" ", 1)[1] for text in run_trace("scotty-lazy", trace).violations} >= {
        "slices exceed the bound of 4",
        "lifts exceed the bound of 99",
    }
    tally = compared(replace(PLAN, against=parse_implementations("scotty-lazy,scotty-eager"))).tally
    assert (
        tally.counter("scotty-lazy")["over bound"]
        == tally.counter("scotty-eager")["over bound"]
        == 6
    )
    assert "scotty-eager over its bound" in tally.refused


def test_queries_whose_slices_depend_on_more_than_time_have_no_bounds() -> None:
    assert cost_bounds("scotty-lazy", PLAN.queries())
    assert cost_bounds("scotty-lazy", [parse_query("rolling:5:sum")]) is None
    assert cost_bounds("kernels", PLAN.queries()) is None


@pytest.mark.parametrize("seed", range(60))
def test_memoized_windows_give_the_same_results(seed: int) -> None:
    trace = random_trace(SeededSource(f"remember {seed}"))
    if any(turn.added or turn.removed for turn in trace.turns):
        trace = replace(trace, turns=tuple(replace(t, added=(), removed=()) for t in trace.turns))
    steps = [turn.step for turn in trace.turns]
    memoized = [memoize(query) for query in trace.queries]
    answers: list[list[object]] = []
    for queries in (trace.queries, memoized):
        try:
            answers.append([*denote(queries, steps, trace.settings)])
        except InvalidInputError as error:
            answers.append([str(error)])
    assert answers[0] == answers[1]


@pytest.mark.parametrize("shape", [*DISORDERS, "real"])
def test_rows_depend_on_the_seed_and_the_key_alone(shape: str) -> None:
    plan = DiffPlan(rows=1000, keys=10, disorder=shape)
    assert generated_rows(plan, 3) == generated_rows(plan, 3)
    assert len(generated_rows(plan, 3)[0]) == 100
    assert generated_rows(plan, 3) != generated_rows(plan, 4)
    assert generated_rows(plan, 3) != generated_rows(replace(plan, seed=2), 3)
    times = [generated_rows(plan, key)[0] for key in range(10)]
    assert (
        all((arrived == sorted(arrived)) == (shape == "none") for arrived in times)
        or shape == "real"
    )


def test_rows_on_time_are_those_that_the_specification_accepts() -> None:
    plan = DiffPlan(rows=3000, keys=10, disorder="heavy", delay=10, lateness=15, batch=7)
    late = 0
    for key in range(10):
        trace = KeyTrace(str(key), key, *generated_rows(plan, key))
        transcript = trace.transcript(plan)
        steps = [turn.step for turn in transcript.turns]
        outputs = denote([], steps, transcript.settings)
        accepted = on_time(trace.times, plan)
        late_times = [event.time for output in outputs for event in output.late]
        assert late_times == [
            time for time, ok in zip(trace.times, accepted, strict=True) if not ok
        ]
        late += len(late_times)
    assert late > 50


def with_native(
    values: Sequence[Number], view: WindowView, windows: str = "tumbling:10:sum"
) -> dict[str, int]:
    plan = DiffPlan(windows, parse_implementations(f"spec,{NATIVE}"), delay=0, lateness=0)
    comparison = TraceComparison(plan)
    comparison.compare(KeyTrace("k", 0, range(len(values)), values), view)
    return comparison.tally.counter(NATIVE)


@pytest.mark.parametrize(
    ("view", "wrong"),
    [
        ({("tumbling:10:sum", 0, 10): 6}, 0),
        ({("tumbling:10:sum", 0, 10): 7}, 1),
        ({}, 1),
        ({("tumbling:10:sum", 0, 10): 6, ("tumbling:10:sum", 10, 20): None}, 1),
    ],
)
def test_windows_of_spark_are_compared_one_by_one(view: WindowView, wrong: int) -> None:
    assert with_native([1, 2, 3], view)["mismatches"] == wrong


def test_floats_may_differ_by_their_rounding_only() -> None:
    exact = 0.1 + 0.2 + 0.3
    near, far = (
        exact + rounding_error_bound([0.1, 0.2, 0.3]) / 2,
        exact + rounding_error_bound([0.1, 0.2, 0.3]) * 2,
    )
    assert rounding_error_bound([0.1, 0.2, 0.3]) < 1e-14
    for value, wrong in ((0.3 + 0.2 + 0.1, 0), (near, 0), (far, 1)):
        view: WindowView = {("tumbling:10:sum", 0, 10): value}
        assert with_native([0.1, 0.2, 0.3], view)["mismatches"] == wrong
    near, far = 0.3, 0.3 + rounding_error_bound([0.1, 0.2, 0.3]) / 2
    assert near != far
    for value, wrong in ((near, 0), (far, 1)):
        view = {("tumbling:10:max", 0, 10): value}
        assert with_native([0.1, 0.2, 0.3], view, "tumbling:10:max")["mismatches"] == wrong


def test_a_merged_session_is_no_final_window() -> None:
    plan = DiffPlan(
        "session:10:sum", parse_implementations("spec,scotty-lazy"), batch=1, delay=0, lateness=99
    )
    run = run_trace(SPEC, KeyTrace("k", 0, [0, 30, 8, 17, 25], [1, 2, 4, 8, 16]).transcript(plan))
    kinds = [
        row.kind for answer in run.answers if not isinstance(answer, str) for row in answer.results
    ]
    assert "retracted" in kinds
    assert final_windows(run.answers) == {("session:10:sum", 0, 40): 31}


def test_final_windows_hold_all_accepted_events() -> None:
    plan = replace(PLAN, windows="session:20:count")
    answers = run_trace(SPEC, KeyTrace("0", 0, *generated_rows(plan, 0)).transcript(plan)).answers
    counts = [value for value in final_windows(answers).values() if isinstance(value, int)]
    times, values = generated_rows(plan, 0)
    nulls = sum(value is None for value in values)
    assert sum(counts) == sum(on_time(times, plan)) - nulls


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "must list one or more windows"),
        ("tumbling:10:sum,tumbling:10:sum", "each once"),
        ("tumbling", "must be tumbling:size:\\[offset\\]:AGGREGATE"),
        ("tumbling:0:sum", "must be at least 1"),
        ("sliding:1:sum", "must be sliding:size:slide"),
        ("sliding:1:x:sum", "must be an integer, optionally with a unit: us"),
        ("hopping:1:sum", "must begin with one of tumbling"),
        ("tumbling:5:sums", "is not an aggregate"),
    ],
)
def test_invalid_windows_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        DiffPlan(text).queries()


@pytest.mark.parametrize("text", ["spec", "spec,spec", "spec,kernels=0%", "spec,kernels=5"])
def test_invalid_implementations_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="must"):
        parse_implementations(text)


@pytest.mark.parametrize("text", ["0", "1.5", "x", "-3", "inf", "nan"])
def test_numbers_that_are_not_whole_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="--rows must be"):
        parse_whole_number(text, "--rows")
