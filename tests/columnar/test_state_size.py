"""The state of the columnar operator in bytes: no more after ten million events than after some.

`make soak-columns` runs a billion events, and so does MUNTIN_PROFILE=nightly here.
"""

import os

import pytest

from muntin.columnar.engine.engine import ColumnarEngine
from stress.soak_columns import LOADS, MILLION, main, run_soak

MILLIONS = 1000 if os.environ.get("MUNTIN_PROFILE") == "nightly" else 10


@pytest.mark.parametrize(("windows", "keys"), LOADS)
def test_state_is_at_most_twice_its_slices_and_does_not_grow(windows: int, keys: int) -> None:
    measured = run_soak(windows, keys, MILLIONS)
    assert measured.events == MILLIONS * MILLION
    assert measured.peak_bytes <= measured.bound
    assert measured.peak_bytes == measured.first_quarter_bytes


def release_nothing(_: ColumnarEngine) -> int:
    return 0


@pytest.mark.parametrize("keys", [0, 9])
def test_an_engine_that_evicts_nothing_is_detected(
    keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ColumnarEngine, "release_rows", release_nothing)
    measured = run_soak(1, keys, 16)
    assert measured.peak_bytes > measured.first_quarter_bytes
    assert not measured.is_flat


def test_the_command_prints_its_measurements(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events", f"{4 * MILLION}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    loads = [(1, 1), (20, 1), (300, 1), (1, 500)]
    expected = [f"PASS  windows {windows}, keys {keys}" for windows, keys in loads]
    assert [line.split(":")[0] for line in lines] == expected
    assert all(f"{4 * MILLION} events" in line and "of the bound" in line for line in lines)
