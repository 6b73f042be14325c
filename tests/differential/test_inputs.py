"""Parquet files as Spark reads them: types and names that it interprets differently from us."""

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import pytest
from pyspark.errors import PySparkRuntimeError

from muntin.cli.main import main
from muntin.differential.inputs.sources import (
    ParquetInput,
    Source,
    generated_dataframes,
    generated_traces,
    parquet_traces,
    write_flights,
)
from muntin.differential.plan import DiffPlan, parse_implementations
from muntin.differential.spark.parquet_footers import ColumnNames
from muntin.registry.dataframes.session import Session, session
from muntin.spec.errors import InvalidInputError, MuntinError

PLAN = DiffPlan(
    "tumbling:60:sum", parse_implementations("spec,scotty-lazy"), rows=0, keys=1, seed=1
)
NANOSECONDS = "timestamp[ns]"
NOW = 1_700_000_000_000_016_000
ODD = 2**53 + 1
"""An integer that is no double."""
FAR, BROKEN, NO_NUMBER = (
    f"the time is {what}" for what in ("beyond 62 bits", "no integer", "no number")
)
Table: TypeAlias = Mapping[str, Sequence[object]]


def written(path: Path, columns: Table, **types: str) -> Path:
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    kinds = {NANOSECONDS: pa.timestamp("ns"), "binary": pa.binary(), "": None, "day": pa.date32()}
    kinds["milliseconds"] = pa.timestamp("ms")
    arrays = {name: pa.array(row, kinds[types.get(name, "")]) for name, row in columns.items()}
    pq.write_table(pa.table(arrays), path)
    return path


def rows_read(source: Source) -> list[tuple[object, ...]]:
    frames = list(source.chunks())
    return sorted((r["key"], r["t"], r["v"]) for frame in frames for r in frame.collect())


def test_nanoseconds_are_microseconds_where_they_are_whole(spark: Session, tmp_path: Path) -> None:
    least, most = -(2**63), 2**63 - 1
    times, numbers = [NOW, None, -NOW, 1, least, most, most - 807, least + 808], [*range(1, 9)]
    columns: Table = {"at": times, "n": numbers, "other": times}
    path = written(tmp_path / "a.parquet", columns, at=NANOSECONDS, other=NANOSECONDS)
    source = parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("at", "n"), 9))
    assert source.bad == {"the time is no whole microsecond": 3, "the time is null": 1}
    micros, last = NOW // 1000, 2**63 // 1000
    assert rows_read(source) == [("all piece 0", [micros, -micros, last, -last], [1, 3, 7, 8])]


@pytest.mark.parametrize(
    ("times", "kind", "expected"),
    [
        (["5.0", "1e3", " 7 ", "5d", "", f"{ODD}.5"], "", ([7], {BROKEN: 4, NO_NUMBER: 1})),
        (["Infinity", f"{2**63}", f"{ODD}", f"{3 * 2**60}"], "", ([ODD], {FAR: 3})),
        ([Decimal(ODD), Decimal(ODD) + Decimal("0.5")], "", ([ODD], {BROKEN: 1})),
        ([Decimal("-7.5"), Decimal(-8), Decimal(9**35)], "", ([-8], {BROKEN: 1, FAR: 1})),
        ([2 * 10**9, 2, -(10**8), -1, date(1970, 1, 6)], "day", ([2, -1, 5], {FAR: 2})),
    ],
)
def test_times_are_integers_to_the_last_digit(
    spark: Session,
    tmp_path: Path,
    times: Sequence[object],
    kind: str,
    expected: tuple[Sequence[int], Mapping[str, int]],
) -> None:
    accepted, bad = expected
    path = written(tmp_path / "a.parquet", {"at": times, "n": [1 for _ in times]}, at=kind)
    source = parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("at", "n"), 9))
    unit = 86400 * 10**6 if kind else 1
    assert rows_read(source) == [
        ("all piece 0", [time * unit for time in accepted], [1] * len(accepted))
    ]
    assert source.bad == bad


def test_columns_may_have_any_name(spark: Session, tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.parquet", {"a`t": [NOW], "`": [1], "``.": ["k"]}, **{"a`t": NANOSECONDS}
    )
    source = parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("a`t", "`", "``."), 9))
    assert rows_read(source) == [("k piece 0", [NOW // 1000], [1])]
    source = parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("`", "`"), 9))
    assert rows_read(source) == [("all piece 0", [1], [1])]


NAMES = (
    "c[1].parquet",
    "c*.parquet",
    "c?.parquet",
    "c{1}.parquet",
    r"c\1.parquet",
    "[c]/d.parquet",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_name_is_no_pattern(spark: Session, tmp_path: Path, name: str) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    for other in ("c1.parquet", "c/d.parquet"):
        written(tmp_path / other, {"at": [5], "n": [1]})
    path = written(tmp_path / name, {"at": [7], "n": [2]})
    for source_path in (path, path.parent) if path.parent != tmp_path else (path,):
        source = parquet_traces(spark, PLAN, ParquetInput(source_path, ColumnNames("at", "n"), 9))
        assert rows_read(source) == [("all piece 0", [7], [2])]


def test_rows_come_in_the_order_of_names(spark: Session, tmp_path: Path) -> None:
    for index, name in enumerate(("a b", "a!b", "a%b", "a+b", "aäb")):
        written(tmp_path / f"{name}.parquet", {"at": [index, index + 9], "n": [1, 1]})
    source = parquet_traces(spark, PLAN, ParquetInput(tmp_path, ColumnNames("at", "n"), 99))
    assert rows_read(source) == [("all piece 0", [0, 9, 1, 10, 2, 11, 3, 12, 4, 13], [1] * 10)]


def test_hidden_files_are_skipped(spark: Session, tmp_path: Path) -> None:
    for name in ("_a", ".a", "b"):
        written(tmp_path / f"{name}.parquet", {"at": [5], "n": [1]})
    assert parquet_traces(spark, PLAN, ParquetInput(tmp_path, ColumnNames("at", "n"), 99)).rows == 1


@pytest.mark.parametrize(
    ("name", "time", "why"),
    [
        ("a:b", 5, "Relative path in absolute URI"),
        ("a[:]b", 5, "Relative path in absolute URI"),
        ("a", 2**60, "long overflow"),
    ],
)
def test_files_that_spark_cannot_read_are_refused(
    spark: Session, tmp_path: Path, name: str, time: int, why: str
) -> None:
    path = written(tmp_path / f"{name}.parquet", {"at": [time], "n": [1]}, at="milliseconds")
    with pytest.raises(InvalidInputError, match=f"Spark can't read .*: .*{why}"):
        parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("at", "n"), 9))


def test_columns_may_differ_in_case_only(spark: Session, tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {"at": [5], "AT": [7], "n": [1], "N": [2]})
    source = parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("AT", "n"), 9))
    assert rows_read(source) == [("all piece 0", [7], [1])]


def test_values_that_spark_cannot_cast_are_refused(spark: Session, tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {"at": [5], "n": [b"1"]}, n="binary")
    with pytest.raises(InvalidInputError, match="Spark can't read"):
        parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("at", "n"), 9))


def test_the_run_of_files_is_all_that_answers_depend_on(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.parquet", {"at": [5], "n": [1], "m": [1]})

    def run(value: str = "n", longest: int = 9, plan: DiffPlan = PLAN) -> str:
        return parquet_traces(
            spark, plan, ParquetInput(path, ColumnNames("at", value), longest)
        ).run

    first = run()
    assert run(plan=replace(PLAN, seed=7, rows=5, keys=3, disorder="none")) == first
    others = {run("m"), run(longest=8), run(plan=replace(PLAN, delay=1))}
    os.utime(path, (1, 1))
    others.add(run())
    monkeypatch.setattr("muntin.differential.inputs.sources.CHUNK_ROWS", 10)
    others.add(run())
    assert len({first, *others}) == 6


@pytest.mark.parametrize(
    ("make", "chunk"),
    [(generated_traces, "CHUNK_ROWS"), (generated_dataframes, "DATAFRAME_CHUNK_ROWS")],
)
def test_the_run_of_generated_rows_is_the_plan_and_the_chunk_size(
    spark: Session,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Session, DiffPlan], Source],
    chunk: str,
) -> None:
    plan = replace(PLAN, rows=100)
    first = make(spark, plan).run
    assert make(spark, plan).run == first
    others = {make(spark, replace(plan, seed=2)).run, make(spark, replace(plan, rows=99)).run}
    monkeypatch.setattr(f"muntin.differential.inputs.sources.{chunk}", 10)
    assert len({first, *others, make(spark, plan).run}) == 4


def test_the_flights_are_the_same_wherever_they_are_written(tmp_path: Path) -> None:
    runs = set[str]()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        file = write_flights(tmp_path / name, 50)
        runs.add(
            ParquetInput(file, ColumnNames("left", "delay", "origin"), 9, "of flights").run(PLAN)
        )
    assert len(runs) == 1


@pytest.fixture
def _shared_session(spark: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    @contextmanager
    def shared(_: str) -> Generator[Session]:
        yield spark

    monkeypatch.setattr("muntin.registry.dataframes.session.session", shared)
    monkeypatch.chdir(tmp_path)


QUERIES = ["--windows", "tumbling:60:sum", "--against", "spec,scotty-lazy"]
COMMAND = ["diff", "--input", "a.parquet", *QUERIES]


@pytest.mark.usefixtures("_shared_session")
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


@pytest.mark.usefixtures("_shared_session")
@pytest.mark.parametrize(
    ("times", "against", "bad"),
    [
        ([None, None], "spec,scotty-lazy", "left out: 2 rows: the time is null"),
        ([5000, 90000], "spec=0.1%,scotty-lazy=0.1%", "0.0%"),
    ],
)
def test_nothing_compared_is_no_agreement(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    times: Sequence[int | None],
    against: str,
    bad: str,
) -> None:
    written(tmp_path / "a.parquet", {"time": times, "value": [1, 2]}, time=NANOSECONDS)
    assert main([*COMMAND, "--against", against]) == 1
    text = capsys.readouterr().out
    assert bad in text
    for output in (text, (tmp_path / "diff" / "report.html").read_text()):
        assert "NOTHING WAS COMPARED of the rows of a.parquet." in output
        assert "Everything agrees." not in output


@pytest.mark.usefixtures("_shared_session")
def test_a_query_of_one_implementation_alone_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "a.parquet", {"time": [5, 90], "value": [1, 2]})
    queries = ["--windows", "tumbling:60:median", "--against", "spec,spark-native"]
    assert main([*COMMAND, *queries]) == 1
    assert "spark-native: tumbling:60:median: Spark has no median" in capsys.readouterr().out


def test_an_error_says_why_spark_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise PySparkRuntimeError("Java gateway process exited")

    monkeypatch.setattr("muntin.registry.dataframes.session.local_session", started)
    with (
        pytest.raises(MuntinError, match="can't be started with --master yarn: Java gateway"),
        session("yarn"),
    ):
        pass
