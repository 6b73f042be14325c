"""The CPU time of the proofs is counted in every worker, and exceeding the budget is a failure."""

import os
import re
import subprocess
import sys

import pytest

from evidence.checks import ROOT

RUN = """
import sys
import pytest
from evidence.cpu_budget import CpuBudget
sys.exit(pytest.main(sys.argv[2:], plugins=[CpuBudget(float(sys.argv[1]))]))
"""
COUNTED = "tests/proofs/test_smt.py::test_the_command_prints_the_proved_theorems"
ELSEWHERE = "tests/errata/test_000.py"


def run(limit: str, test: str) -> tuple[int, list[str]]:
    """Run a test with a limit in minutes; the exit status and the summary lines."""
    process = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", RUN, limit, "-q", "-n", "1", "-p", "no:cacheprovider", test],
        env={**os.environ, "PYTHONPATH": str(ROOT / "proofs"), "MUNTIN_PROFILE": "ci"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return process.returncode, re.findall(rf"proofs: \S+ of {limit} minutes CPU.*", process.stdout)


@pytest.mark.parametrize(
    ("limit", "test", "status", "summary"),
    [
        ("9.0", COUNTED, 0, r"proofs: 0\.\d\d of 9.0 minutes CPU"),
        ("0.0", COUNTED, 1, r"proofs: 0\.\d\d of 0.0 minutes CPU: TOO MUCH"),
    ],
)
def test_exceeding_the_budget_is_a_failure(
    limit: str, test: str, status: int, summary: str
) -> None:
    code, (line,) = run(limit, test)
    assert (code, bool(re.fullmatch(summary, line))) == (status, True)


def test_other_tests_are_not_counted() -> None:
    assert run("0.0", ELSEWHERE) == (0, [])
