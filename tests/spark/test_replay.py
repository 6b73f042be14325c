"""Errors of the source of traces name the option or column, and no number overflows silently."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from muntin.spark.execution.arrow import pa, plain
from muntin.spark.source.replay_source import trace_of
from muntin.spark.source.trace import Recorded
from muntin.spec.errors import InvalidInputError

parquet = import_module("pyarrow.parquet")
FAR = 2**63


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"begin": f"{FAR}"}, f"'begin' must be an integer of 64 bits, not '{FAR}'"),
        ({"begin": f"{-FAR - 1}"}, f"'begin' must be an integer of 64 bits, not '{-FAR - 1}'"),
        ({"step": f"{FAR}"}, f"'step' must be an integer of 64 bits >= 1, not '{FAR}'"),
        ({"keys": f"{2**64}"}, f"'keys' must be an integer of 64 bits >= 1, not '{2**64}'"),
        ({"rows": f"{2**70}"}, f"'rows' must be an integer of 64 bits >= 0, not '{2**70}'"),
        ({"delay": f"{FAR}"}, "'delay' must be an integer of 64 bits >= 0"),
        ({"begin": f"{2**62}", "step": f"{2**62}"}, "make times from 4611686018425387904 to"),
        ({"begin": f"{1 - FAR}", "delay": "2"}, f"make times from {-1 - FAR} to"),
    ],
)
def test_numbers_that_do_not_fit_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        trace_of(options)


def test_numbers_may_go_as_far_as_columns_do() -> None:
    greatest = {"keys": f"{FAR - 1}", "seed": f"{2**80}", "disorder": "0"}
    made, _ = trace_of({**greatest, "begin": f"{FAR - 30}", "step": "10", "rows": "3"})
    (rows,) = made.read(0, 3)
    times = plain(rows.column("ts")).to_pylist()
    assert [(time - FAR) // 10 for time in times if isinstance(time, int)] == [-3, -2, -1]


@pytest.mark.parametrize("held", [b"", b"this is no Parquet file"])
def test_a_file_that_is_no_trace_is_named(held: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    path.write_bytes(held)
    with pytest.raises(InvalidInputError, match=r"trace.parquet' is no Parquet file to replay: "):
        trace_of({"path": str(path)})[0].schema()


def recorded(path: Path, column: object) -> Recorded:
    """A trace of one column."""
    parquet.write_table(pa.table({"a": column}), path)
    return Recorded(str(path))


@pytest.mark.parametrize("kind", ["uint8", "uint64", "float16"])
def test_a_column_that_spark_has_no_type_for_is_named(kind: str, tmp_path: Path) -> None:
    trace = recorded(tmp_path / "trace", pa.array(np.zeros(3, kind)))
    with pytest.raises(InvalidInputError, match=r"the column 'a' of '.*trace' is of (uint|half)"):
        trace.schema()


def test_a_decimal_that_spark_has_no_type_for_is_named(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "trace", pa.array([None], pa.decimal256(50, 2)))
    with pytest.raises(InvalidInputError, match=r"the column 'a' of '.*trace' is of decimal256"):
        trace.schema()


def test_times_are_whole_microseconds(tmp_path: Path) -> None:
    nanos = pa.timestamp("ns", "UTC")
    (whole,) = recorded(tmp_path / "whole", pa.array([1000], nanos)).read(0, 1)
    assert plain(whole.column("a")).to_pylist() == [1]
    with pytest.raises(InvalidInputError, match=r"no whole microseconds: .*lose data: 1001; round"):
        list(recorded(tmp_path / "parts", pa.array([1001], nanos)).read(0, 1))


def test_rows_that_are_damaged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    trace = recorded(path, pa.array(range(1000)))
    held = path.read_bytes()
    path.write_bytes(held[:50] + b"\xff" * 500 + held[550:])
    with pytest.raises(InvalidInputError, match=r"trace' can't be replayed: "):
        list(trace.read(0, 1))


def test_a_source_is_read_without_the_compiler() -> None:
    """Spark starts several processes that read it in each query; Numba would double their start."""
    script = "import sys, muntin.spark.source.replay_source; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0  # noqa: S603 - our own words
