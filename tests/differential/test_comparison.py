"""Differential runs, without Spark: traces, contenders, bounds, and what is made small."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import lockstep
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.differential.comparison import TraceComparison
from muntin.differential.cost_bounds import Claim, claim
from muntin.differential.equality import View, final_windows, rounding_error_bound
from muntin.differential.implementation import attempt
from muntin.differential.inputs.generated_traces import rows_of
from muntin.differential.inputs.trace import GeneratedTrace, Number, on_time
from muntin.differential.memoized_windows import memoize
from muntin.differential.plan import (
    NATIVE,
    SHAPES,
    SPEC,
    DiffPlan,
    Implementation,
    asked,
    contenders,
    whole,
)
from muntin.differential.report.table import HEADER, lines
from muntin.differential.shrinking import operator_mismatch
from muntin.reference.specification import SpecificationOperator
from muntin.spec.denotation import denote
from muntin.spec.errors import InvalidInputError

PLANTED = "differential.planted:ForgetsTies"
PLAN = DiffPlan(rows=600, keys=6, against=contenders("spec,scotty-lazy,scotty-eager,kernels"))


def judged(plan: DiffPlan) -> TraceComparison:
    judge = TraceComparison(plan)
    for key in range(plan.keys):
        judge.judge(GeneratedTrace(str(key), key, *rows_of(plan, key)))
    return judge


def test_all_agree_on_all_rows_and_keep_their_bounds() -> None:
    tally = judged(PLAN).tally
    assert tally.wrong == []
    assert tally.refused == {}
    for one in PLAN.against:
        counts = tally.of(one.name)
        assert (counts["rows"], counts["mismatches"], counts["over"]) == (600, 0, 0)
        assert counts["windows"] == tally.of()["windows"] > 200
    lazy = tally.of("scotty-lazy")
    assert 0 < lazy["combines"] <= lazy["most combines"]
    assert 600 < lazy["lifts"] <= lazy["most lifts"] == 4 * 600
    assert [len(line) for line in lines(PLAN, tally)] == [len(HEADER)] * 4


def test_stored_tuples_are_counted_where_windows_need_them() -> None:
    names, at = ("tuple-buffer", "scotty-lazy"), HEADER.index("tuples a trace")
    for windows, stored in (("tumbling:60:sum", (True, False)), ("count:50:sum", (True, True))):
        plan = replace(PLAN, windows=windows, against=contenders(",".join(names)))
        tally = judged(plan).tally
        told = [
            GeneratedTrace(str(key), key, *rows_of(plan, key)).transcript(plan) for key in range(6)
        ]
        most = {name: sum(attempt(name, one).tuples for one in told) for name in names}
        assert tuple(count > 0 for count in most.values()) == stored
        assert {line[0]: line[at] for line in lines(plan, tally)} == {
            name: f"{count / 6:.2f}" if count else "" for name, count in most.items()
        }


def test_a_planted_fault_is_found_made_small_and_reproduced() -> None:
    plan = replace(PLAN, against=contenders(f"spec,{PLANTED}"))
    judge = judged(plan)
    assert judge.tally.of(PLANTED)["mismatches"] > 0
    found = operator_mismatch(judge.tally.wrong[0])
    assert found.events == 3
    told = parse(json.dumps(found.transcript))
    assert isinstance(told, OperatorTranscript)
    assert len({event.time for turn in told.turns for event in turn.step.events}) == 1
    assert lockstep(told, SpecificationOperator).divergence is None
    assert len(told.queries) == 1
    assert told.settings.allowed_lateness == 0


def test_the_specification_arbitrates_where_it_was_not_asked() -> None:
    plan = replace(PLAN, against=contenders(f"scotty-lazy,{PLANTED}"))
    tally = judged(plan).tally
    wrong = tally.of(PLANTED)["mismatches"]
    assert wrong == tally.of()["arbitrated"] > 0
    assert tally.of("scotty-lazy")["mismatches"] == 0


def test_a_share_is_judged_and_said() -> None:
    tally = judged(replace(PLAN, against=contenders("spec=50%,scotty-lazy,kernels"))).tally
    assert 0 < tally.of(SPEC)["rows"] < 600
    assert tally.of("kernels")["rows"] == 600


def test_a_share_is_so_many_of_a_thousand() -> None:
    for share in (0.001, 0.3, 1.0):
        assert sum(Implementation("spec", share).takes(nth) for nth in range(7000)) == 7000 * share


def test_who_is_alone_is_not_judged() -> None:
    tally = judged(replace(PLAN, against=contenders("spec=1%,scotty-lazy=1%"))).tally
    assert tally.of("scotty-lazy")["rows"] == tally.of(SPEC)["rows"] < 600


class Stingy(Claim):
    """Claims too much."""

    def slices(self, limit: int, newest: int, rows: int) -> int:
        return min(4, super().slices(limit, newest, rows))

    def lifts(self, rows: int) -> int:
        return min(99, super().lifts(rows))


def test_a_bound_that_is_broken_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = GeneratedTrace("0", 0, *rows_of(PLAN, 0)).transcript(PLAN)
    kept = attempt("scotty-lazy", trace)
    assert kept.over == []
    assert kept.most["slices"] >= kept.slices > 5
    monkeypatch.setattr("muntin.differential.implementation.claim", Stingy)
    assert {line.split(" ", 1)[1] for line in attempt("scotty-lazy", trace).over} >= {
        "slices, and 4 are claimed",
        "lifts, and 99 are claimed",
    }
    tally = judged(replace(PLAN, against=contenders("scotty-lazy,scotty-eager"))).tally
    assert tally.of("scotty-lazy")["over"] == tally.of("scotty-eager")["over"] == 6
    assert "scotty-eager beyond its claim" in tally.refused


def test_nothing_is_claimed_of_what_does_not_follow_from_time() -> None:
    assert claim("scotty-lazy", PLAN.queries())
    assert claim("scotty-lazy", [asked("rolling:5:sum")]) is None
    assert claim("kernels", PLAN.queries()) is None


@pytest.mark.parametrize("seed", range(60))
def test_windows_that_remember_answer_as_those_that_do_not(seed: int) -> None:
    trace = random_trace(SeededSource(f"remember {seed}"))
    if any(turn.added or turn.removed for turn in trace.turns):
        trace = replace(trace, turns=tuple(replace(t, added=(), removed=()) for t in trace.turns))
    steps = [turn.step for turn in trace.turns]
    recalled = [memoize(query) for query in trace.queries]
    answers: list[list[object]] = []
    for queries in (trace.queries, recalled):
        try:
            answers.append([*denote(queries, steps, trace.settings)])
        except InvalidInputError as error:
            answers.append([str(error)])
    assert answers[0] == answers[1]


@pytest.mark.parametrize("shape", [*SHAPES, "real"])
def test_rows_depend_on_the_seed_and_the_key_alone(shape: str) -> None:
    plan = DiffPlan(rows=1000, keys=10, disorder=shape)
    assert rows_of(plan, 3) == rows_of(plan, 3)
    assert len(rows_of(plan, 3)[0]) == 100
    assert rows_of(plan, 3) != rows_of(plan, 4)
    assert rows_of(plan, 3) != rows_of(replace(plan, seed=2), 3)
    times = [rows_of(plan, key)[0] for key in range(10)]
    assert all((one == sorted(one)) == (shape == "none") for one in times) or shape == "real"


def test_what_is_on_time_is_what_the_specification_accepts() -> None:
    plan = DiffPlan(rows=3000, keys=10, disorder="heavy", delay=10, lateness=15, batch=7)
    late = 0
    for key in range(10):
        trace = GeneratedTrace(str(key), key, *rows_of(plan, key))
        told = trace.transcript(plan)
        outputs = denote([], [turn.step for turn in told.turns], told.settings)
        kept = on_time(trace.times, plan)
        found = [event.time for output in outputs for event in output.late]
        assert found == [time for time, ok in zip(trace.times, kept, strict=True) if not ok]
        late += len(found)
    assert late > 50


def with_native(
    values: Sequence[Number], view: View, windows: str = "tumbling:10:sum"
) -> dict[str, int]:
    plan = DiffPlan(windows, contenders(f"spec,{NATIVE}"), delay=0, lateness=0)
    judge = TraceComparison(plan)
    judge.judge(GeneratedTrace("k", 0, range(len(values)), values), view)
    return judge.tally.of(NATIVE)


@pytest.mark.parametrize(
    ("view", "wrong"),
    [
        ({("tumbling:10:sum", 0, 10): 6}, 0),
        ({("tumbling:10:sum", 0, 10): 7}, 1),
        ({}, 1),
        ({("tumbling:10:sum", 0, 10): 6, ("tumbling:10:sum", 10, 20): None}, 1),
    ],
)
def test_what_spark_answers_is_compared_window_by_window(view: View, wrong: int) -> None:
    assert with_native([1, 2, 3], view)["mismatches"] == wrong


def test_floats_may_differ_by_their_rounding_and_no_more() -> None:
    exact = 0.1 + 0.2 + 0.3
    near, far = (
        exact + rounding_error_bound([0.1, 0.2, 0.3]) / 2,
        exact + rounding_error_bound([0.1, 0.2, 0.3]) * 2,
    )
    assert rounding_error_bound([0.1, 0.2, 0.3]) < 1e-14
    for value, wrong in ((0.3 + 0.2 + 0.1, 0), (near, 0), (far, 1)):
        view: View = {("tumbling:10:sum", 0, 10): value}
        assert with_native([0.1, 0.2, 0.3], view)["mismatches"] == wrong
    one, other = 0.3, 0.3 + rounding_error_bound([0.1, 0.2, 0.3]) / 2
    assert one != other
    for value, wrong in ((one, 0), (other, 1)):
        view = {("tumbling:10:max", 0, 10): value}
        assert with_native([0.1, 0.2, 0.3], view, "tumbling:10:max")["mismatches"] == wrong


def test_a_session_that_was_merged_does_not_stand() -> None:
    plan = DiffPlan("session:10:sum", contenders("spec,scotty-lazy"), batch=1, delay=0, lateness=99)
    attempted = attempt(
        SPEC, GeneratedTrace("k", 0, [0, 30, 8, 17, 25], [1, 2, 4, 8, 16]).transcript(plan)
    )
    kinds = [
        one.kind
        for answer in attempted.answers
        if not isinstance(answer, str)
        for one in answer.results
    ]
    assert "retracted" in kinds
    assert final_windows(attempted.answers) == {("session:10:sum", 0, 40): 31}


def test_a_view_is_what_stands() -> None:
    plan = replace(PLAN, windows="session:20:count")
    answers = attempt(SPEC, GeneratedTrace("0", 0, *rows_of(plan, 0)).transcript(plan)).answers
    counts = [value for value in final_windows(answers).values() if isinstance(value, int)]
    times, values = rows_of(plan, 0)
    nulls = sum(value is None for value in values)
    assert sum(counts) == sum(on_time(times, plan)) - nulls


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "must be one or more"),
        ("tumbling:10:sum,tumbling:10:sum", "that differ"),
        ("tumbling", "must be tumbling:size:\\[offset\\]:AGGREGATE"),
        ("tumbling:0:sum", "must be at least 1"),
        ("sliding:1:sum", "must be sliding:size:slide"),
        ("sliding:1:x:sum", "must be an integer, perhaps in one of us"),
        ("hopping:1:sum", "must begin with one of tumbling"),
        ("tumbling:5:sums", "is not an aggregate"),
    ],
)
def test_windows_that_make_no_sense_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        DiffPlan(text).queries()


@pytest.mark.parametrize("text", ["spec", "spec,spec", "spec,kernels=0%", "spec,kernels=5"])
def test_contenders_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="must"):
        contenders(text)


@pytest.mark.parametrize("text", ["0", "1.5", "x", "-3", "inf", "nan"])
def test_numbers_that_are_not_whole_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="--rows must be"):
        whole(text, "--rows")
