"""Checkpoints that are damaged, can't be written, or are on a full disk."""

import re
import resource
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from spark_support.faults.query import QUERY_ERRORS, START_ERROR, committed_files, run, sink_errors

ROWS, MORE = 500, 750
FILE_LIMIT = 2000
"""The largest file, in bytes, on a full disk: a state takes more."""


@pytest.fixture(scope="module")
def finished(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a query that has come to the end of its trace."""
    folder = tmp_path_factory.mktemp("finished")
    run(spark, folder, ROWS)
    assert sink_errors(folder / "sink", ROWS) == ""
    return folder


def copy_truncated(folder: Path, to: Path, kind: str) -> Path:
    """Copy the folder of a query, and truncate its files of a kind to half their size."""
    copy = Path(shutil.copytree(folder, to))
    paths = [path for path in (copy / "checkpoint").rglob("*") if path.is_file()]
    files = [path for path in paths if kind in path.parts and path.suffix != ".crc"]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    return copy


@pytest.mark.parametrize("kind", ["metadata", "offsets", "commits", "_metadata"])
def test_a_truncated_checkpoint_is_refused(
    spark: SparkSession, finished: Path, tmp_path: Path, kind: str
) -> None:
    copy = copy_truncated(finished, tmp_path / "copy", kind)
    before = sorted(committed_files(copy / "sink"))
    with pytest.raises(QUERY_ERRORS):
        run(spark, copy, MORE)
    assert sorted(committed_files(copy / "sink")) == before


@pytest.mark.parametrize(
    ("kind", "digit"), [("offsets", r'"row": (\d)'), ("offsets", r"WatermarkMs\":(\d)")]
)
def test_another_digit_in_the_offsets_is_refused(
    spark: SparkSession, finished: Path, tmp_path: Path, kind: str, digit: str
) -> None:
    copy = Path(shutil.copytree(finished, tmp_path / "copy"))
    last = max((copy / "checkpoint" / kind).glob("[0-9]*"), key=lambda path: int(path.name))
    text = last.read_text()
    (match,) = re.finditer(digit, text)
    place = match.start(1)
    last.write_text(f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}")
    before = sorted(committed_files(copy / "sink"))
    with pytest.raises(QUERY_ERRORS, match=f"Checksum error: file:.*{kind}"):
        run(spark, copy, MORE)
    assert sorted(committed_files(copy / "sink")) == before


def test_a_file_that_spark_does_not_read_again_does_no_harm(
    spark: SparkSession, finished: Path, tmp_path: Path
) -> None:
    copy = copy_truncated(finished, tmp_path / "copy", "_stateSchema")
    run(spark, copy, MORE)
    assert sink_errors(copy / "sink", MORE) == ""


def test_a_checkpoint_that_can_not_be_written_is_named(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(START_ERROR, match=r"Parent path is not a directory: file:.*/file"):
        run(spark, tmp_path, ROWS, file / "checkpoint")


@contextmanager
def full_disk(spark: SparkSession) -> Generator[None]:
    """Limit the size of the files that Spark writes."""
    java = int(str(getattr(spark, "_jvm").java.lang.ProcessHandle.current().pid()))  # noqa: B009 - it is half typed
    before = resource.prlimit(java, resource.RLIMIT_FSIZE)
    resource.prlimit(java, resource.RLIMIT_FSIZE, (FILE_LIMIT, before[1]))
    try:
        yield
    finally:
        resource.prlimit(java, resource.RLIMIT_FSIZE, before)


def test_a_full_disk_stops_the_query_and_it_resumes_when_there_is_room(
    spark: SparkSession, tmp_path: Path
) -> None:
    with (
        full_disk(spark),
        pytest.raises(StreamingQueryException, match=r"File too large|STATE_STORE"),
    ):
        run(spark, tmp_path, ROWS)
    run(spark, tmp_path, ROWS)
    assert sink_errors(tmp_path / "sink", ROWS) == ""
