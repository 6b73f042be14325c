"""`muntin snapshot show` says what is in a snapshot, and what is wrong with it."""

from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.snapshot import snapshot
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.periodic import tumbling

EXPECTED = [
    "operator: muntin.reference.naive_operator:NaiveOperator",
    "configuration '_store': TupleBuffer",
    "query 'tens': Sliding(measure='time', offset=0, size=10, slide=10) of sum",
    "       3 muntin.spec.stream:Event (gap, key, punctuation, time, value)",
    "       1 muntin.reference.naive_operator:NaiveKeyState (published, store)",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A snapshot on disk."""
    operator = NaiveOperator(TupleBuffer, Settings(5))
    operator.add(Query("tens", tumbling(10), named("sum")))
    operator.step([Event(3, 1), Event(5, 2), Event(4, 3)])
    path = tmp_path / "state.bin"
    path.write_bytes(snapshot(operator))
    return path


def test_the_content_of_a_snapshot_is_printed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["snapshot", "show", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("snapshot of format 1, by muntin ")
    assert lines[1].startswith(f"{file.stat().st_size} bytes, ")
    assert [line for line in EXPECTED if line not in lines] == []


def test_a_damaged_snapshot_is_an_error(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(file.read_bytes()[:-3])
    assert main(["snapshot", "show", str(file)]) == 1
    assert "muntin: corrupt snapshot: " in capsys.readouterr().err
    assert main(["snapshot", "show", str(file.parent / "none")]) == 2
    assert "none: No such file or directory" in capsys.readouterr().err
