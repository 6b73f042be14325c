"""Wrong command lines of differential runs are refused before Spark starts."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from importlib import import_module
from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.differential.shrinking import Mismatch
from muntin.differential.spark.parquet_footers import files, files_identity

Table = Mapping[str, Sequence[object]]
ROWS: Table = {"time": [5, 90], "of": ["a", "b"], "value": [1, 2]}


@pytest.fixture(autouse=True)
def _without_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("muntin.registry.dataframes.session.session", None)
    monkeypatch.chdir(tmp_path)


def written(path: Path, columns: Table) -> Path:
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    pq.write_table(pa.table(dict(columns)), path)
    return path


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("--seed -1", "--seed must be from 0 to 9223372036854775807, not -1"),
        (f"--seed {2**63}", "--seed must be from 0"),
        ("--delay=-5", "--delay must be 0 or more, not -5"),
        ("--delay=-5m", "--delay must be 0 or more, not -5m"),
        ("--lateness=-5", "the allowed lateness must be greater than -1"),
        ("--master bogus", "--master 'bogus' is no master URL of Spark"),
        ("--master local[0]", "--master 'local[0]' is no master URL"),
        ("--against spec,os:path", "'os:path' makes no operator of Settings: TypeError"),
        ("--against spec,os:nothing", "'os:nothing' is no operator"),
        ("--against spec,.os:path", "'.os:path' makes no operator of Settings: TypeError"),
        ("--against spec,builtins:str", "and no operator: name a subclass"),
        ("--against spec,differential.planted:nothing", "makes None of Settings, and no operator"),
        ("--against spec,differential.planted:breaking", "ZeroDivisionError: by nought"),
        ("--time at", "--time at names a column of --input, which is missing"),
        ("--value n --flights", "--value n names a column of --input, which is missing"),
        ("--key k", "--key k names a column of --input"),
        ("--trace 5", "--trace 5 cuts rows of --input or --flights"),
        ("--rows 100 --journal j", "--journal j needs --seed for generated rows"),
        ("--journal j", "needs --seed for generated rows"),
        ("--input x --rows 10 --journal j", "needs --seed for generated rows"),
        ("--input x --keys 7", "--keys 7 applies to generated rows, and there are"),
        ("--flights --keys 7 --streaming", "--keys 7 applies to generated rows"),
        ("--input x --disorder none", "--disorder none applies to generated rows"),
        ("--input x --disorder real", "--disorder real applies to generated rows"),
        ("--flights --seed 4", "--seed 4 applies to generated rows"),
        ("--disorder some", "--disorder 'some' is unknown"),
    ],
)
def test_contradicting_arguments_are_refused(
    arguments: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *arguments.split()]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("columns", "arguments", "why"),
    [
        (ROWS, "--time nonexistent", "there is no column 'nonexistent' at"),
        (ROWS, "--time nonexistent", "--time must name one of time, of, value"),
        (ROWS, "--value Value", "there is no column 'Value' at"),
        (ROWS, "--key k", "there is no column 'k' at"),
        ({"time": [], "value": []}, "", "there are no rows in"),
        ({"time": [1], "value": [[1]]}, "", "the column 'value' of"),
        ({"time": [{"a": 1}], "value": [1]}, "", "--time must name a column of single values"),
    ],
)
def test_files_without_usable_columns_are_refused(
    columns: Table, arguments: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "a.parquet", columns)
    for path in ("a.parquet", "."):
        assert main(["diff", "--input", path, *arguments.split()]) == 2
        assert why in capsys.readouterr().err


@pytest.mark.parametrize("more", ["--streaming", "--rows 10 --keys 2"])
def test_options_of_generated_rows_are_accepted_where_rows_are_generated(
    more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"diff --input missing --seed 4 --disorder none {more}"
    assert main(command.split()) == 2
    assert "there are no Parquet files at missing" in capsys.readouterr().err


@pytest.mark.parametrize("unit", ["ms", "us", "ns", "day", "time", "zone"])
def test_temporal_values_are_refused(
    unit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pa = import_module("pyarrow")
    instant = datetime(2013, 1, 1, tzinfo=UTC)
    kinds = {"day": pa.date32(), "time": pa.time64("us"), "zone": pa.timestamp("us", "UTC")}
    given = {"day": date(2013, 1, 1), "time": time(5)}.get(unit, instant)
    array = pa.array([given], kinds.get(unit) or pa.timestamp(unit))
    path = tmp_path / "a.parquet"
    import_module("pyarrow.parquet").write_table(pa.table({"time": [1], "value": array}), path)
    assert main(["diff", "--input", "a.parquet"]) == 2
    assert "a.parquet holds timestamps, dates or times of day: " in capsys.readouterr().err


def test_files_that_spark_hides_are_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = ("_a.parquet", ".a.parquet", "_b/c.parquet", ".b/c.parquet", "d/_metadata.parquet")
    for name in hidden:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path / name, ROWS)
    for path in ("_a.parquet", ".a.parquet", "d"):
        assert main(["diff", "--input", path]) == 2
        assert f"there are no Parquet files at {path}: Spark hides" in capsys.readouterr().err
    assert files(tmp_path / "_b") == [tmp_path / "_b" / "c.parquet"]
    (tmp_path / "_k=1").mkdir()
    seen = [written(tmp_path / name, ROWS) for name in ("_k=1/e.parquet", "d/e.parquet")]
    assert files(tmp_path) == seen


def test_other_files_than_parquet_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "garbage").write_text("no Parquet at all")
    (tmp_path / "empty").write_text("")
    (tmp_path / "folder").mkdir()
    for path in ("garbage", "empty", "missing", "folder"):
        assert main(["diff", "--input", path]) == 2
        assert "Parquet file" in capsys.readouterr().err


def test_other_files_than_journals_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "diary").write_text("dear diary")
    assert main(["diff", "--seed", "1", "--journal", "diary"]) == 2
    assert "diary is no journal of muntin diff" in capsys.readouterr().err
    assert main(["diff", "--seed", "1", "--journal", "."]) == 2
    assert "the journal . can't be written: Is a directory" in capsys.readouterr().err
    assert (tmp_path / "diary").read_text() == "dear diary"


def test_the_identity_of_files_changes_when_they_are_written_again(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", ROWS)
    before = files_identity(path)
    assert files_identity(tmp_path) == before
    written(tmp_path / "b.parquet", ROWS)
    assert files_identity(path) == before != files_identity(tmp_path)
    written(path, ROWS)
    assert files_identity(path) != before


def test_the_file_of_a_mismatch_has_a_short_unique_name(tmp_path: Path) -> None:
    first, second = (Mismatch("spec", "k" * 5000 + end, "", {}, 1) for end in "ab")
    assert first.save(tmp_path) != second.save(tmp_path)
    assert len(first.file_name()) < 200
