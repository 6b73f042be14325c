"""The report of a differential run, as a page."""

from dataclasses import replace

from muntin.differential.comparison import TraceComparison
from muntin.differential.inputs.generated_traces import generated_rows
from muntin.differential.inputs.sources import Source
from muntin.differential.inputs.trace import KeyTrace
from muntin.differential.plan import DiffPlan, parse_implementations
from muntin.differential.report import Bar, bars, columns, origin, page
from muntin.differential.run import SourceOutcome
from muntin.differential.shrinking import operator_mismatch
from muntin.differential.spark.native_streams import StreamOutcome
from muntin.differential.tally import COMPILING

PLANTED = "differential.planted:TieFault"
PLAN = DiffPlan(rows=600, keys=6, against=parse_implementations(f"spec,scotty-lazy,{PLANTED}"))


def outcome(plan: DiffPlan) -> SourceOutcome:
    comparison = TraceComparison(plan)
    for key in range(plan.keys):
        comparison.compare(KeyTrace(str(key), key, *generated_rows(plan, key)))
    source = Source("made & sent", plan.rows, lambda: iter(()), {"the time is null": 3})
    result = SourceOutcome(source, comparison.tally, 2.0, [(300, 1.0), (300, 0.5)])
    result.mismatches += [operator_mismatch(wrong) for wrong in comparison.tally.wrong[:1]]
    return result


def test_a_page_says_what_is_wrong_and_how_to_reproduce_it() -> None:
    text = page(PLAN, [outcome(PLAN)])
    assert f"Wrong: {PLANTED}." in text
    assert "Everything agrees" not in text
    assert "made &amp; sent" in text
    assert "left out: 3 rows: the time is null" in text
    assert f"--check --with {PLANTED}" in text
    assert "2 chunks, from 300 to 600 rows a second" in text
    assert ", bound " in text
    assert "<figure><svg" in text
    assert "event at" in text


def test_a_page_says_that_all_agree_and_loads_nothing() -> None:
    plan = replace(PLAN, against=parse_implementations("spec,scotty-lazy"))
    text = page(plan, [outcome(plan)])
    assert "Everything agrees." in text
    for text_part in ("http", "<script", "<link", "url("):
        assert text_part not in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_a_stream_that_is_wrong_makes_the_page_say_so() -> None:
    plan = replace(PLAN, against=parse_implementations("spec,scotty-lazy"))
    good, bad = (
        StreamOutcome("q", "append", 3, 5, []),
        StreamOutcome("r", "update", 3, 5, ["step 2"]),
    )
    assert "Everything agrees." in page(plan, [], [good])
    text = page(plan, [], [good, bad])
    assert "Wrong: spark-native in a stream." in text
    assert "r in update mode: 3 micro-batches, 5 windows emitted: WRONG: step 2" in text


def test_a_page_says_where_it_comes_from() -> None:
    lines = origin()
    assert lines[0].split()[0] == "muntin"
    assert "muntin 0" in lines[1]
    assert "Python 3" in lines[1]
    text = page(PLAN, [], origin=["muntin diff --rows '<5'"])
    assert "<code>muntin diff --rows &#x27;&lt;5&#x27;</code>" in text


def test_to_compile_is_not_to_answer() -> None:
    plan = replace(PLAN, windows="tumbling:7:sum", against=parse_implementations("spec,kernels"))
    comparison = TraceComparison(plan)
    for key in range(3):
        comparison.compare(KeyTrace(str(key), key, *generated_rows(plan, key)))
    tally = comparison.tally
    assert tally.seconds[f"{COMPILING}kernels"] >= 0
    assert tally.seconds[f"{COMPILING}spec"] == 0
    tally.seconds[f"{COMPILING}kernels"] = 1.5
    source = Source("few", plan.rows, lambda: iter(()), {})
    text = page(plan, [SourceOutcome(source, tally, 2.0, [(600, 1.0)])])
    assert "kernels: 1.5 s of compiling, in no time above" in text
    assert "Rows a second, by chunk" not in text


def test_charts_are_to_scale() -> None:
    drawn = bars([Bar("a", 1, "one"), Bar("b", 2, "<two>", 4)])
    assert "width:25.00%" in drawn
    assert "width:50.00%" in drawn
    assert "100.00%" in drawn
    assert "&lt;two&gt;" in drawn
    assert drawn.endswith("</div><span>&lt;two&gt;</span></div>")
    assert columns([1, 4], "rates").count("height:25.0%") == 1
