"""The tests of kernels also pass with compilation switched off."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
KERNELS = ("aggregates", "columns")
COLUMNAR = (
    "compaction", "custom", "empty_input", "engine_sessions", "fallback_queries",
    "gap_and_punctuation_columns", "numeric_edge_cases", "operator", "ordered_partials", "records",
    "table", "table_types",
)  # fmt: skip
LOCKSTEP = "test_compiled_tree_runs_in_lockstep_with_the_definition"
"""The other tests of this machine never compile."""
RUNS = {
    "kernels": [f"kernels/test_{name}.py" for name in KERNELS],
    "columnar": [f"columnar/test_{name}.py" for name in COLUMNAR],
    "structures": ["structures/test_finger_tree.py"],
    "machines": [
        "machines/test_columns.py",
        f"machines/test_finger_tree.py::{LOCKSTEP}",
        "machines/test_operators.py::test_operator_runs_in_lockstep_with_the_denotation[kernels]",
    ],
}


UNSUPPORTED = 3
"""The exit status of `muntin replay` without an error, but with an unsupported query."""
REPLAY = "import sys; from muntin.cli.main import main; sys.exit(main())"


def switched_off(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this Python without compilation."""
    return subprocess.run(  # noqa: S603 - our own words
        [sys.executable, *arguments],
        cwd=TESTS, check=False, capture_output=True, text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "MUNTIN_PROFILE": "dev"},
    )  # fmt: skip


@pytest.mark.parametrize("what", RUNS)
def test_what_holds_of_compiled_kernels_holds_of_their_sources(what: str) -> None:
    done = switched_off("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", *RUNS[what])
    assert done.returncode == 0, done.stdout
    assert not {"deselected", "skipped"} & {*done.stdout.replace(",", "").split()}


def test_kernels_that_are_not_compiled_agree_with_every_vector() -> None:
    files = sorted(str(path) for path in (TESTS / "vectors").rglob("*.json"))
    done = switched_off("-c", REPLAY, "replay", *files, "--with", "kernels", "--check")
    assert done.returncode == UNSUPPORTED, done.stdout
    assert done.stdout.count("ok: ") > len(files) // 2
