"""Comparison of engines on whole DataFrames, with each other and with the specification."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark.sql import DataFrame

from muntin.cli.main import main
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.differential.dataframe_comparison import DataFrameAnswer, differing_keys
from muntin.differential.inputs.sources import generated_dataframes
from muntin.differential.journal import Journal
from muntin.differential.plan import DiffPlan, parse_implementations
from muntin.differential.run import DiffRun
from muntin.differential.spark.driver import run_chunks
from muntin.differential.tally import Tally, outcome_of
from muntin.registry.dataframes import engines
from muntin.registry.dataframes.engines import Digest, unsupported_reason
from muntin.registry.dataframes.generated_rows import DELAYS, GeneratedRows
from muntin.registry.dataframes.session import Session
from muntin.spark.call import aggregation as operator
from muntin.spec.dialect import OURS

PLAN = DiffPlan(
    "tumbling:60:sum,sliding:240:60:max,session:20:count,sliding:70:20:mean",
    parse_implementations("scotty-fiba=10%,spec=10%,kernels-table,spark,spark-native"),
    rows=4000,
    keys=20,
    whole=True,
)
AGGREGATE = operator.aggregate


def run(spark: Session, plan: DiffPlan) -> Tally:
    return run_chunks(generated_dataframes(spark, plan), plan, lambda _: None)


def test_all_agree_on_whole_dataframes(spark: Session) -> None:
    tally = run(spark, PLAN)
    assert (tally.wrong, tally.refused) == ([], {})
    assert (tally.counter()["rows"], tally.counter()["traces"]) == (4000, 20)
    counters = {entry.name: tally.counter(entry.name) for entry in PLAN.against}
    assert [counts["rows"] for counts in counters.values()][2:] == [4000] * 3
    assert 0 < counters["spec"]["rows"] == counters["scotty-fiba"]["rows"] < 1000
    assert counters["spark"]["windows"] == counters["spark-native"]["windows"] > 1000


def test_whole_dataframes_have_the_dialect_of_spark_too(spark: Session) -> None:
    plan = replace(PLAN, windows="session:20:count", rows=1000, keys=5)
    ours, merged = run(spark, plan), run(spark, replace(plan, dialect="spark"))
    assert ours.wrong == merged.wrong == []
    assert merged.counter("spark")["windows"] < ours.counter("spark")["windows"]
    assert [*merged.refused] == ["kernels-table: session:20:count"]
    assert merged.counter("kernels-table")["rows"] == 0


@pytest.mark.parametrize(
    ("windows", "against", "rows"),
    [
        ("tumbling:60:sum,count:5:1:sum", "kernels-table,spark", [1000, 1000]),
        ("tumbling:60:first,tumbling:60:sum", "kernels-table,spark", [1000, 1000]),
        ("tumbling:60:median,tumbling:60:collect", "spark,spark-native", [0, 0]),
        ("tumbling:60:median,tumbling:60:sum", "spark-native,spec=10%", [173, 173]),
        ("tumbling:60:median", "spark,spec=10%", [173, 173]),
    ],
)
def test_rows_are_compared_where_two_implementations_share_a_query(
    spark: Session, windows: str, against: str, rows: list[int]
) -> None:
    plan = DiffPlan(windows, parse_implementations(against), rows=1000, keys=5, whole=True)
    tally = run(spark, plan)
    assert tally.wrong == []
    assert [tally.counter(entry.name)["rows"] for entry in plan.against] == rows
    assert tally.counter(plan.against[0].name)["processed"] == 1000


def test_rows_that_no_two_implementations_share_are_no_agreement(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = DiffPlan(
        "tumbling:60:first,rolling:5:sum", parse_implementations("kernels-table,tuple-buckets")
    )
    plan = replace(plan, rows=2000, keys=2, seed=3, whole=True)
    outcomes = DiffRun(plan, tmp_path, spark).run([generated_dataframes(spark, plan)])
    assert not outcome_of(outcomes).agrees
    text = capsys.readouterr().out
    assert "NOTHING WAS COMPARED of the rows made from seed 3" in text
    assert "100.0%" not in text


def losing(condition: str) -> object:
    """The operator with a fault: it loses rows."""

    def aggregate(rows: DataFrame, **arguments: object) -> DataFrame:
        return AGGREGATE(rows.where(condition), **arguments)  # type: ignore[arg-type]  # passed on unchanged

    return aggregate


def test_a_fault_in_the_operator_is_found_shrunk_and_replayed(
    spark: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @contextmanager
    def shared(_: str) -> Generator[Session]:
        yield spark

    monkeypatch.setattr("muntin.registry.dataframes.operator.session", shared)
    monkeypatch.setattr(engines, "aggregate", losing("pmod(t, 500) != 77"))
    plan = replace(PLAN, windows="tumbling:60:sum", rows=600, keys=6)
    plan = replace(plan, against=parse_implementations("spark,spark-native"))
    (outcome,) = DiffRun(plan, tmp_path, spark).run([generated_dataframes(spark, plan)])
    (mismatch,) = outcome.mismatches
    assert (mismatch.name, mismatch.events) == ("spark", 1)
    assert outcome.tally.counter("spark")["mismatches"] > 1
    assert outcome.tally.counter("spark-native")["mismatches"] == 0
    text = capsys.readouterr().out
    assert "MISMATCH: spark, key" in text
    (file,) = tmp_path.glob("mismatch-spark-*.json")
    assert main(["replay", str(file), "--check"]) == 0
    assert main(["replay", str(file), "--check", "--with", "spark-native"]) == 0
    assert main(["replay", str(file), "--check", "--with", "spark"]) == 1


def test_a_fault_that_needs_other_keys_is_reported_with_the_whole_trace(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "aggregate", losing("key != 102 or t % 2 = 0"))
    plan = replace(PLAN, windows="tumbling:60:sum", rows=2060, keys=103)
    plan = replace(plan, against=parse_implementations("spark,kernels-table"))
    (outcome,) = DiffRun(plan, tmp_path, spark).run([generated_dataframes(spark, plan)])
    (mismatch,) = outcome.mismatches
    assert "beside the rows of other keys" in mismatch.what
    transcript = parse(json.dumps(mismatch.transcript))
    assert isinstance(transcript, OperatorTranscript)
    assert mismatch.events > 8


def answer_of(name: str, digests: Mapping[tuple[int, str], Digest]) -> DataFrameAnswer:
    (entry,) = [entry for entry in parse_implementations(f"{name},x") if entry.name == name]
    return DataFrameAnswer(entry, {"q", "r"}, dict(digests), 0.0)


def test_digests_that_differ_name_the_key_and_the_implementation() -> None:
    digest, other = Digest(2, 5, 7), Digest(2, 5, 8)
    first = answer_of("kernels-table", {(1, "q"): digest, (2, "q"): digest, (2, "r"): digest})
    same = answer_of("spark-native", {(1, "q"): digest, (2, "q"): digest, (2, "r"): digest})
    wrong = answer_of("spark", {(1, "q"): digest, (2, "q"): other})
    assert differing_keys([first, same]) == {}
    assert differing_keys([first, same, wrong]) == {2: {"spark"}}
    missing = answer_of("spark", {(1, "q"): digest, (2, "q"): digest})
    assert (
        differing_keys([first, missing]) == differing_keys([first, same, missing]) == {2: {"spark"}}
    )
    assert differing_keys([missing, first]) == {2: {"kernels-table"}}
    assert differing_keys(
        [first, answer_of("spec", {(1, "q"): other, (2, "q"): digest, (2, "r"): digest})]
    ) == {1: {"kernels-table"}}


def test_chunks_of_whole_dataframes_are_in_the_journal(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muntin.differential.inputs.sources.DATAFRAME_CHUNK_ROWS", 1500)
    plan = replace(PLAN, against=parse_implementations("spec=10%,kernels-table"))
    source, path, parts = generated_dataframes(spark, plan), tmp_path / "journal.jsonl", list[int]()
    tally = run_chunks(
        source,
        plan,
        lambda part: parts.append(part.counter()["rows"]),
        Journal(path, source.run),
    )
    assert parts == [1400, 1400, 1200]
    assert tally.counter("kernels-table")["processed"] == 4000
    assert 0 < tally.counter("kernels-table")["rows"] == tally.counter("spec")["rows"] < 1000
    again = run_chunks(source, plan, lambda _: None, Journal(path, source.run))
    assert again.counts == tally.counts
    assert len(path.read_text().splitlines()) == 3


def generated_rows(
    spark: Session, generated: GeneratedRows, tasks: int
) -> list[tuple[int, int, int, int | None]]:
    rows = generated.frame(spark, tasks).collect()
    return [(row["key"], row["id"], row["t"], row["v"]) for row in rows]


@pytest.mark.parametrize("shape", [*DELAYS, "real"])
def test_rows_depend_on_seed_and_id_and_arrive_out_of_order(spark: Session, shape: str) -> None:
    generated = GeneratedRows(600, range(3, 5), 1, shape)
    rows = generated_rows(spark, generated, 1)
    assert sorted(row[:3] for row in generated_rows(spark, generated, 3)) == sorted(
        row[:3] for row in rows
    )
    assert generated_rows(spark, replace(generated, seed=2), 1) != rows
    assert {key for key, *_ in rows} == {3, 4}
    times = [[time for row_key, _, time, _ in rows if row_key == key] for key in (3, 4)]
    backwards = [b < a for arrived in times for a, b in pairwise(arrived)]
    assert any(backwards) == (shape != "none") or shape == "real"


@pytest.mark.parametrize(
    ("name", "query", "why"),
    [
        ("spark-native", "tumbling:5:median", "Spark has no median"),
        ("spark", "tumbling:5:collect", "is no number"),
        ("spark", "count:5:1:sum", "do not lie in time"),
        ("kernels-table", "tumbling:5:first", "order of arrival"),
        ("spark", "tumbling:5:argmax", "reads 2 columns"),
    ],
)
def test_queries_without_comparable_windows_are_refused(name: str, query: str, why: str) -> None:
    assert why in unsupported_reason(name, DiffPlan(query).queries()[0], OURS)


def test_contradicting_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, why in (
        (["--against", "spec,spark"], "add --whole"),
        (["--whole", "--against", "spec,spark=10%"], "not 10.0% of them"),
        (["--whole", "--flights"], "omit --input, --flights and --streaming"),
    ):
        assert main(["diff", *arguments]) == 2
        assert why in capsys.readouterr().err
