"""What the proofs take is counted, by every worker, and too much is a failure."""

import os
import re
import subprocess
import sys

import pytest

from evidence.checks import ROOT

RUN = """
import sys
import pytest
from evidence.cpu_budget import Spending
sys.exit(pytest.main(sys.argv[2:], plugins=[Spending(float(sys.argv[1]))]))
"""
COUNTED = "tests/proofs/test_smt.py::test_the_command_says_what_is_proved"
ELSEWHERE = "tests/errata/test_000.py"


def run(limit: str, test: str) -> tuple[int, list[str]]:
    """Run a test with a limit in minutes; return the exit status and what is said."""
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", RUN, limit, "-q", "-n", "1", "-p", "no:cacheprovider", test],
        env={**os.environ, "PYTHONPATH": str(ROOT / "proofs"), "MUNTIN_PROFILE": "ci"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, re.findall(rf"proofs: \S+ of {limit} minutes CPU.*", done.stdout)


@pytest.mark.parametrize(
    ("limit", "test", "status", "said"),
    [
        ("9.0", COUNTED, 0, r"proofs: 0\.\d\d of 9.0 minutes CPU"),
        ("0.0", COUNTED, 1, r"proofs: 0\.\d\d of 0.0 minutes CPU: TOO MUCH"),
    ],
)
def test_too_much_is_a_failure(limit: str, test: str, status: int, said: str) -> None:
    code, (line,) = run(limit, test)
    assert (code, bool(re.fullmatch(said, line))) == (status, True)


def test_other_tests_are_not_counted() -> None:
    assert run("0.0", ELSEWHERE) == (0, [])
