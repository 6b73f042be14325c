"""Untrusted files, full disks, closed pipes and Ctrl-C: one line, and an exit status."""

import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.conformance.transcript.json_reader import MAX_DEPTH
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import SnapshotError, restore, snapshot
from muntin.snapshot.binary_format import Writer
from muntin.snapshot.envelope import FORMAT, MAX_BYTES, Envelope, pack_envelope
from muntin.snapshot.object_graph import GraphNode, ObjectGraph

MUNTIN = [sys.executable, "-m", "muntin.cli"]
TRACE = '{"muntin": 1, "queries": [], "steps": [{"events": [%s]}]}'


def error_of(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command that fails says, in one line."""
    assert main(argv) in {1, 2}
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    return message


@pytest.mark.parametrize(
    "body", [b"\x01\x02\xff\xfe\x00\x00\x00", b"\x00\x00\x01\x63\x00", b"\x00\x00\x01\x00\x63"]
)
def test_a_forged_snapshot_is_shown_as_corrupt(
    body: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forged.bin"
    path.write_bytes(pack_envelope(Envelope(FORMAT, "0", body)))
    assert "corrupt snapshot: " in error_of(["snapshot", "show", str(path)], capsys)


def test_control_characters_of_a_snapshot_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = (("operator", "\x1b[31mred\x07"), ("query \udfff", "a\nforged: line"))
    graph = ObjectGraph(header, (), (GraphNode("list", ()),))
    path = tmp_path / "escapes.bin"
    path.write_bytes(pack_envelope(Envelope(FORMAT, "0", Writer().write_graph(graph))))
    assert main(["snapshot", "show", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert r"operator: \x1b[31mred\x07" in lines
    assert r"query \udfff: a\nforged: line" in lines


def test_a_snapshot_that_would_fill_the_memory_is_refused() -> None:
    operator = SpecificationOperator()
    data = snapshot(operator)
    with pytest.raises(SnapshotError, match=r"more than the limit of 10; .* max_bytes="):
        restore(operator, data, max_bytes=10)
    restore(operator, data)
    assert len(zlib.compress(b"0" * 10**6)) * 1000 < MAX_BYTES, "a megabyte may hold a bomb"


@pytest.mark.parametrize("depth", [MAX_DEPTH, 3000, 200_000])
def test_what_is_nested_too_deep_is_refused(
    depth: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deep.json"
    value = "[" * depth + "]" * depth
    path.write_text(TRACE % f'{{"t": 1, "v": {value}}}')
    assert f"nested more than {MAX_DEPTH} deep" in error_of(["replay", str(path)], capsys)


def test_an_integer_of_too_many_digits_is_refused_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "digits.json"
    path.write_text(TRACE % f'{{"t": {"9" * 5000}, "v": 1}}')
    assert "has over 4300 digits, the limit" in error_of(["replay", str(path)], capsys)


def test_more_rows_than_can_be_generated_are_refused_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = error_of(["diff", "--rows", "1e30", "--keys", "1"], capsys)
    assert "--rows must be at most 1000000000000, not '1e30'" in message


def test_a_full_disk_is_an_error_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(  # noqa: S603 - our own command
            [*MUNTIN, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr == "muntin: cannot write the output: No space left on device\n"


def test_a_closed_stdout_ends_a_command() -> None:
    ended = subprocess.run(  # noqa: S603 - our own command
        ["/bin/sh", "-c", '"$@" >&-', "sh", *MUNTIN, "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("delay", [0.15, 0.3, 0.6])
def test_ctrl_c_during_the_imports_ends_in_one_line(delay: float) -> None:
    running = subprocess.Popen(  # noqa: S603 - our own command
        [*MUNTIN, "fuzz", "--steps", "100000000"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    time.sleep(delay)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode in {130, -signal.SIGINT}  # the latter before our first line runs
    assert running.returncode != 130 or errors == "muntin: interrupted\n"
