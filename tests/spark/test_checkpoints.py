"""Checkpoints that are damaged, can't be written, or lie on a disk that is full."""

import re
import resource
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from spark_support.faults.here import NOT_STARTED, REFUSED, run
from spark_support.faults.query import committed, wrong

ROWS, MORE = 500, 750
SMALL = 2000
"""So few bytes may a file have on a disk that is full: less than a state takes."""


@pytest.fixture(scope="module")
def finished(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a query that has come to the end of its trace."""
    folder = tmp_path_factory.mktemp("finished")
    run(spark, folder, ROWS)
    assert wrong(folder / "sink", ROWS) == ""
    return folder


def cut(folder: Path, to: Path, what: str) -> Path:
    """Return a copy of a query whose files of a kind are only half there."""
    copy = Path(shutil.copytree(folder, to))
    inside = [one for one in (copy / "checkpoint").rglob("*") if one.is_file()]
    files = [one for one in inside if what in one.parts and one.suffix != ".crc"]
    assert files
    for one in files:
        one.write_bytes(one.read_bytes()[: one.stat().st_size // 2])
        one.with_name(f".{one.name}.crc").unlink(missing_ok=True)
    return copy


@pytest.mark.parametrize("what", ["metadata", "offsets", "commits", "_metadata"])
def test_a_checkpoint_that_was_cut_short_is_refused(
    spark: SparkSession, finished: Path, tmp_path: Path, what: str
) -> None:
    copy = cut(finished, tmp_path / "copy", what)
    before = sorted(committed(copy / "sink"))
    with pytest.raises(REFUSED):
        run(spark, copy, MORE)
    assert sorted(committed(copy / "sink")) == before


@pytest.mark.parametrize(
    ("what", "digit"), [("offsets", r'"row": (\d)'), ("offsets", r"WatermarkMs\":(\d)")]
)
def test_another_digit_in_what_spark_notes_is_refused(
    spark: SparkSession, finished: Path, tmp_path: Path, what: str, digit: str
) -> None:
    copy = Path(shutil.copytree(finished, tmp_path / "copy"))
    last = max((copy / "checkpoint" / what).glob("[0-9]*"), key=lambda one: int(one.name))
    text = last.read_text()
    (found,) = re.finditer(digit, text)
    at = found.start(1)
    last.write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}")
    before = sorted(committed(copy / "sink"))
    with pytest.raises(REFUSED, match=f"Checksum error: file:.*{what}"):
        run(spark, copy, MORE)
    assert sorted(committed(copy / "sink")) == before


def test_what_spark_does_not_read_again_does_no_harm(
    spark: SparkSession, finished: Path, tmp_path: Path
) -> None:
    copy = cut(finished, tmp_path / "copy", "_stateSchema")
    run(spark, copy, MORE)
    assert wrong(copy / "sink", MORE) == ""


def test_a_checkpoint_that_cannot_be_written_is_named(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(NOT_STARTED, match=r"Parent path is not a directory: file:.*/file"):
        run(spark, tmp_path, ROWS, file / "checkpoint")


@contextmanager
def full_disk(spark: SparkSession) -> Generator[None]:
    """Let no file that Spark writes be greater than a little."""
    java = int(str(getattr(spark, "_jvm").java.lang.ProcessHandle.current().pid()))  # noqa: B009
    before = resource.prlimit(java, resource.RLIMIT_FSIZE)
    resource.prlimit(java, resource.RLIMIT_FSIZE, (SMALL, before[1]))
    try:
        yield
    finally:
        resource.prlimit(java, resource.RLIMIT_FSIZE, before)


def test_a_full_disk_stops_the_query_and_it_goes_on_when_there_is_room(
    spark: SparkSession, tmp_path: Path
) -> None:
    with (
        full_disk(spark),
        pytest.raises(StreamingQueryException, match=r"File too large|STATE_STORE"),
    ):
        run(spark, tmp_path, ROWS)
    run(spark, tmp_path, ROWS)
    assert wrong(tmp_path / "sink", ROWS) == ""
