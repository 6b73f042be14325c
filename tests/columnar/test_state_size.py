"""What the operator over columns keeps, in bytes: no more after ten million events than after some.

`make soak-columns` lets a thousand million pass, and so does MUNTIN_PROFILE=nightly here.
"""

import os

import pytest

from muntin.kernels.slicing.dense.group import DenseGroup
from muntin.kernels.slicing.keyed.group import KeyedGroup
from stress.soak_columns import LOADS, MILLION, main, run_soak

MILLIONS = 1000 if os.environ.get("MUNTIN_PROFILE") == "nightly" else 10


@pytest.mark.parametrize(("windows", "keys"), LOADS)
def test_state_is_at_most_twice_its_slices_and_does_not_grow(windows: int, keys: int) -> None:
    seen = run_soak(windows, keys, MILLIONS)
    assert seen.events == MILLIONS * MILLION
    assert seen.peak_bytes <= seen.bound
    assert seen.peak_bytes == seen.first_quarter_bytes


def forget_nothing(_: DenseGroup, held: object, __: object) -> object:
    return held


@pytest.mark.parametrize(
    ("keys", "kind", "forget"), [(0, DenseGroup, "_forget"), (9, KeyedGroup, "_fewer")]
)
def test_what_forgets_nothing_is_found_out(
    keys: int, kind: type[DenseGroup], forget: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, forget, forget_nothing)
    seen = run_soak(1, keys, 16)
    assert seen.peak_bytes > seen.first_quarter_bytes
    assert not seen.is_flat


def test_the_command_prints_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events", f"{4 * MILLION}"]) == 0
    said = capsys.readouterr().out.splitlines()
    loads = [(1, 1), (20, 1), (300, 1), (1, 500)]
    wanted = [f"PASS  windows {windows}, keys {keys}" for windows, keys in loads]
    assert [line.split(":")[0] for line in said] == wanted
    assert all(f"{4 * MILLION} events" in line and "of the bound" in line for line in said)
