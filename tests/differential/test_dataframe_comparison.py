"""Whole DataFrames: what answers all rows at once, against each other and the specification."""

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
from muntin.differential.dataframe_comparison import TableAnswer, differing_keys
from muntin.differential.inputs.sources import made_whole
from muntin.differential.journal import Journal
from muntin.differential.plan import DiffPlan, contenders
from muntin.differential.run import DiffRun
from muntin.differential.spark.driver import run_chunks
from muntin.differential.tally import Tally
from muntin.differential.verdict import verdict
from muntin.registry.dataframes import engines as views
from muntin.registry.dataframes.engines import Digest, refusal
from muntin.registry.dataframes.generated_rows import DELAYS, GeneratedRows
from muntin.registry.dataframes.session import Session
from muntin.spark.call import aggregation as operator
from muntin.spec.dialect import OURS

PLAN = DiffPlan(
    "tumbling:60:sum,sliding:240:60:max,session:20:count,sliding:70:20:mean",
    contenders("scotty-fiba=10%,spec=10%,kernels-table,spark,spark-native"),
    rows=4000,
    keys=20,
    whole=True,
)
AGGREGATE = operator.aggregate


def run(spark: Session, plan: DiffPlan) -> Tally:
    return run_chunks(made_whole(spark, plan), plan, lambda _: None)


def test_all_agree_on_whole_dataframes(spark: Session) -> None:
    tally = run(spark, PLAN)
    assert (tally.wrong, tally.refused) == ([], {})
    assert (tally.of()["rows"], tally.of()["traces"]) == (4000, 20)
    judged = {one.name: tally.of(one.name) for one in PLAN.against}
    assert [counts["rows"] for counts in judged.values()][2:] == [4000] * 3
    assert 0 < judged["spec"]["rows"] == judged["scotty-fiba"]["rows"] < 1000
    assert judged["spark"]["windows"] == judged["spark-native"]["windows"] > 1000


def test_a_dialect_of_spark_is_asked_of_whole_dataframes_too(spark: Session) -> None:
    plan = replace(PLAN, windows="session:20:count", rows=1000, keys=5)
    ours, merged = run(spark, plan), run(spark, replace(plan, dialect="spark"))
    assert ours.wrong == merged.wrong == []
    assert merged.of("spark")["windows"] < ours.of("spark")["windows"]
    assert [*merged.refused] == ["kernels-table: session:20:count"]
    assert merged.of("kernels-table")["rows"] == 0


@pytest.mark.parametrize(
    ("windows", "against", "judged"),
    [
        ("tumbling:60:sum,count:5:1:sum", "kernels-table,spark", [1000, 1000]),
        ("tumbling:60:first,tumbling:60:sum", "kernels-table,spark", [1000, 1000]),
        ("tumbling:60:median,tumbling:60:collect", "spark,spark-native", [0, 0]),
        ("tumbling:60:median,tumbling:60:sum", "spark-native,spec=10%", [173, 173]),
        ("tumbling:60:median", "spark,spec=10%", [173, 173]),
    ],
)
def test_rows_are_judged_where_two_answer_a_query(
    spark: Session, windows: str, against: str, judged: list[int]
) -> None:
    plan = DiffPlan(windows, contenders(against), rows=1000, keys=5, whole=True)
    tally = run(spark, plan)
    assert tally.wrong == []
    assert [tally.of(one.name)["rows"] for one in plan.against] == judged
    assert tally.of(plan.against[0].name)["taken"] == 1000


def test_rows_that_no_two_answer_are_no_agreement(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = DiffPlan("tumbling:60:first,rolling:5:sum", contenders("kernels-table,tuple-buckets"))
    plan = replace(plan, rows=2000, keys=2, seed=3, whole=True)
    found = DiffRun(plan, tmp_path, spark).run([made_whole(spark, plan)])
    assert not verdict(found).agrees
    said = capsys.readouterr().out
    assert "NOTHING WAS JUDGED of the rows made from seed 3" in said
    assert "100.0%" not in said


def losing(condition: str) -> object:
    """Return the operator with a fault: it loses rows."""

    def aggregate(rows: DataFrame, **asked: object) -> DataFrame:
        return AGGREGATE(rows.where(condition), **asked)  # type: ignore[arg-type]  # as they came

    return aggregate


def test_a_fault_in_the_operator_is_found_made_small_and_replayed(
    spark: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @contextmanager
    def here(_: str) -> Generator[Session]:
        yield spark

    monkeypatch.setattr("muntin.registry.dataframes.operator.session", here)
    monkeypatch.setattr(views, "aggregate", losing("pmod(t, 500) != 77"))
    plan = replace(PLAN, windows="tumbling:60:sum", rows=600, keys=6)
    plan = replace(plan, against=contenders("spark,spark-native"))
    (came,) = DiffRun(plan, tmp_path, spark).run([made_whole(spark, plan)])
    (found,) = came.mismatches
    assert (found.name, found.events) == ("spark", 1)
    assert came.tally.of("spark")["mismatches"] > 1
    assert came.tally.of("spark-native")["mismatches"] == 0
    said = capsys.readouterr().out
    assert "MISMATCH: spark, key" in said
    (file,) = tmp_path.glob("mismatch-spark-*.json")
    assert main(["replay", str(file), "--check"]) == 0
    assert main(["replay", str(file), "--check", "--with", "spark-native"]) == 0
    assert main(["replay", str(file), "--check", "--with", "spark"]) == 1


def test_a_fault_that_needs_other_keys_is_told_with_the_whole_trace(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "aggregate", losing("key != 102 or t % 2 = 0"))
    plan = replace(PLAN, windows="tumbling:60:sum", rows=2060, keys=103)
    plan = replace(plan, against=contenders("spark,kernels-table"))
    (came,) = DiffRun(plan, tmp_path, spark).run([made_whole(spark, plan)])
    (found,) = came.mismatches
    assert "beside the rows of other keys" in found.what
    told = parse(json.dumps(found.transcript))
    assert isinstance(told, OperatorTranscript)
    assert found.events > 8


def digested(name: str, found: Mapping[tuple[int, str], Digest]) -> TableAnswer:
    (by,) = [one for one in contenders(f"{name},x") if one.name == name]
    return TableAnswer(by, {"q", "r"}, dict(found), 0.0)


def test_digests_that_differ_are_partings() -> None:
    one, other = Digest(2, 5, 7), Digest(2, 5, 8)
    first = digested("kernels-table", {(1, "q"): one, (2, "q"): one, (2, "r"): one})
    same = digested("spark-native", {(1, "q"): one, (2, "q"): one, (2, "r"): one})
    less = digested("spark", {(1, "q"): one, (2, "q"): other})
    assert differing_keys([first, same]) == {}
    assert differing_keys([first, same, less]) == {2: {"spark"}}
    missing = digested("spark", {(1, "q"): one, (2, "q"): one})
    assert (
        differing_keys([first, missing]) == differing_keys([first, same, missing]) == {2: {"spark"}}
    )
    assert differing_keys([missing, first]) == {2: {"kernels-table"}}
    assert differing_keys(
        [first, digested("spec", {(1, "q"): other, (2, "q"): one, (2, "r"): one})]
    ) == {1: {"kernels-table"}}


def test_chunks_of_whole_dataframes_are_noted_in_a_journal(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muntin.differential.inputs.sources.WHOLE_CHUNK", 1500)
    plan = replace(PLAN, against=contenders("spec=10%,kernels-table"))
    source, path, parts = made_whole(spark, plan), tmp_path / "journal.jsonl", list[int]()
    tally = run_chunks(
        source,
        plan,
        lambda part: parts.append(part.of()["rows"]),
        Journal(path, source.run),
    )
    assert parts == [1400, 1400, 1200]
    assert tally.of("kernels-table")["taken"] == 4000
    assert 0 < tally.of("kernels-table")["rows"] == tally.of("spec")["rows"] < 1000
    again = run_chunks(source, plan, lambda _: None, Journal(path, source.run))
    assert again.counts == tally.counts
    assert len(path.read_text().splitlines()) == 3


def rows_of(
    spark: Session, made: GeneratedRows, tasks: int
) -> list[tuple[int, int, int, int | None]]:
    rows = made.frame(spark, tasks).collect()
    return [(row["key"], row["id"], row["t"], row["v"]) for row in rows]


@pytest.mark.parametrize("shape", [*DELAYS, "real"])
def test_rows_follow_from_seed_and_number_and_come_out_of_order(spark: Session, shape: str) -> None:
    made = GeneratedRows(600, range(3, 5), 1, shape)
    rows = rows_of(spark, made, 1)
    assert sorted(row[:3] for row in rows_of(spark, made, 3)) == sorted(row[:3] for row in rows)
    assert rows_of(spark, replace(made, seed=2), 1) != rows
    assert {key for key, *_ in rows} == {3, 4}
    times = [[time for key, _, time, _ in rows if key == mine] for mine in (3, 4)]
    backwards = [b < a for mine in times for a, b in pairwise(mine)]
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
def test_what_has_no_view_is_refused(name: str, query: str, why: str) -> None:
    assert why in refusal(name, DiffPlan(query).queries()[0], OURS)


def test_what_makes_no_sense_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, why in (
        (["--against", "spec,spark"], "say --whole"),
        (["--whole", "--against", "spec,spark=10%"], "not 10.0% of them"),
        (["--whole", "--flights"], "leave --input, --flights, --streaming out"),
    ):
        assert main(["diff", *arguments]) == 2
        assert why in capsys.readouterr().err
