"""Parquet files as Spark reads them: types and names that it takes in another way than we do."""

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import pytest
from pyspark.errors import PySparkRuntimeError

from muntin.cli.differential.plan import Plan, contenders
from muntin.cli.differential.sources import (
    Files,
    Source,
    flights_file,
    from_parquet,
    generated,
    made_whole,
)
from muntin.cli.main import main
from muntin.spark.differential.footers import Columns
from muntin.spark.differential.session import Session, session
from muntin.spec.errors import InvalidInputError, MuntinError

PLAN = Plan("tumbling:60:sum", contenders("spec,scotty-lazy"), rows=0, keys=1, seed=1)
NANOSECONDS = "timestamp[ns]"
Table: TypeAlias = Mapping[str, Sequence[object]]


def written(path: Path, columns: Table, **types: str) -> Path:
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    kinds = {NANOSECONDS: pa.timestamp("ns"), "binary": pa.binary(), "": None}
    made = {name: pa.array(row, kinds[types.get(name, "")]) for name, row in columns.items()}
    pq.write_table(pa.table(made), path)
    return path


def rows_read(source: Source) -> list[tuple[object, ...]]:
    frames = list(source.chunks())
    return sorted((r["key"], r["t"], r["v"]) for frame in frames for r in frame.collect())


def test_nanoseconds_are_microseconds_where_they_are_whole(spark: Session, tmp_path: Path) -> None:
    times, numbers = [5000, None, -7000, 1], [1, 2, 3, 4]
    columns: Table = {"at": times, "n": numbers, "other": times}
    path = written(tmp_path / "a.parquet", columns, at=NANOSECONDS, other=NANOSECONDS)
    source = from_parquet(spark, PLAN, Files(path, Columns("at", "n"), 9))
    assert source.bad == {"the time is no whole microsecond": 1, "the time is null": 1}
    assert rows_read(source) == [("all piece 0", [5, -7], [1, 3])]


def test_columns_may_differ_in_case_only(spark: Session, tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {"at": [5], "AT": [7], "n": [1], "N": [2]})
    source = from_parquet(spark, PLAN, Files(path, Columns("AT", "n"), 9))
    assert rows_read(source) == [("all piece 0", [7], [1])]


def test_what_spark_cannot_take_for_a_number_is_refused(spark: Session, tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {"at": [5], "n": [b"1"]}, n="binary")
    with pytest.raises(InvalidInputError, match="Spark can't read"):
        from_parquet(spark, PLAN, Files(path, Columns("at", "n"), 9))


def test_the_run_of_files_is_all_that_answers_follow_from(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.parquet", {"at": [5], "n": [1], "m": [1]})

    def run(value: str = "n", longest: int = 9, plan: Plan = PLAN) -> str:
        return from_parquet(spark, plan, Files(path, Columns("at", value), longest)).run

    first = run()
    assert run(plan=replace(PLAN, seed=7, rows=5, keys=3, disorder="none")) == first
    others = {run("m"), run(longest=8), run(plan=replace(PLAN, delay=1))}
    os.utime(path, (1, 1))
    others.add(run())
    monkeypatch.setattr("muntin.cli.differential.sources.CHUNK", 10)
    others.add(run())
    assert len({first, *others}) == 6


@pytest.mark.parametrize(("make", "chunk"), [(generated, "CHUNK"), (made_whole, "WHOLE_CHUNK")])
def test_the_run_of_made_rows_is_the_plan_and_how_they_are_cut(
    spark: Session,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Session, Plan], Source],
    chunk: str,
) -> None:
    plan = replace(PLAN, rows=100)
    first = make(spark, plan).run
    assert make(spark, plan).run == first
    others = {make(spark, replace(plan, seed=2)).run, make(spark, replace(plan, rows=99)).run}
    monkeypatch.setattr(f"muntin.cli.differential.sources.{chunk}", 10)
    assert len({first, *others, make(spark, plan).run}) == 4


def test_the_flights_are_the_same_wherever_they_are_written(tmp_path: Path) -> None:
    runs = set[str]()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        file = flights_file(tmp_path / name, 50)
        runs.add(Files(file, Columns("left", "delay", "origin"), 9, "of flights").run(PLAN))
    assert len(runs) == 1


@pytest.fixture
def _here(spark: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    @contextmanager
    def here(_: str) -> Generator[Session]:
        yield spark

    monkeypatch.setattr("muntin.spark.differential.session.session", here)
    monkeypatch.chdir(tmp_path)


ASKED = ["--windows", "tumbling:60:sum", "--against", "spec,scotty-lazy"]
COMMAND = ["diff", "--input", "a.parquet", *ASKED]


@pytest.mark.usefixtures("_here")
def test_a_journal_of_files_needs_no_seed_and_knows_its_columns(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet", {"time": [5, 90], "value": [1, 2], "n": [3, 4]})
    path = tmp_path / "j"
    for _ in range(2):
        assert main([*COMMAND, "--journal", "j"]) == 0
        assert len(path.read_text().splitlines()) == 1
    for more in (["--value", "n"], ["--trace", "1"], ["--key", "n"]):
        assert main([*COMMAND, "--journal", "j", *more]) == 0
    runs = [json.loads(line)["run"] for line in path.read_text().splitlines()]
    assert len({*runs}) == 4


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    ("times", "against", "bad"),
    [
        ([None, None], "spec,scotty-lazy", "left out: 2 rows: the time is null"),
        ([5000, 90000], "spec=0.1%,scotty-lazy=0.1%", "0.0%"),
    ],
)
def test_nothing_judged_is_no_agreement(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    times: Sequence[int | None],
    against: str,
    bad: str,
) -> None:
    written(tmp_path / "a.parquet", {"time": times, "value": [1, 2]}, time=NANOSECONDS)
    assert main([*COMMAND, "--against", against]) == 1
    said = capsys.readouterr().out
    assert bad in said
    for text in (said, (tmp_path / "diff" / "report.html").read_text()):
        assert "NOTHING WAS JUDGED of the rows of a.parquet." in text
        assert "Everything agrees." not in text


@pytest.mark.usefixtures("_here")
def test_a_query_that_nobody_else_answers_is_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "a.parquet", {"time": [5, 90], "value": [1, 2]})
    asked = ["--windows", "tumbling:60:median", "--against", "spec,spark-native"]
    assert main([*COMMAND, *asked]) == 1
    assert "spark-native: tumbling:60:median: Spark has no median" in capsys.readouterr().out


def test_where_spark_does_not_start_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise PySparkRuntimeError("Java gateway process exited")

    monkeypatch.setattr("muntin.spark.differential.session.local_session", started)
    with (
        pytest.raises(MuntinError, match="can't be started with --master yarn: Java gateway"),
        session("yarn"),
    ):
        pass
