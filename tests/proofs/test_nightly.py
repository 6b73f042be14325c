"""A nightly run reports its progress, and resumes where the one before was cut short."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evidence.checks import ROOT
from evidence.journal import SOURCES, TOP_LEVEL_FILES, NightlyJournal, digest
from nightly import PLUGIN, Progress

SMALL = """
import pytest

def test_a():
    pass

def test_a_too():
    pass

@pytest.mark.parametrize("name", ["x, long", "x"])
def test_b(name):
    assert name == "x"
"""


def write_sources(root: Path) -> Path:
    """Write small sources."""
    for name in SOURCES:
        (root / name / "of").mkdir(parents=True)
        (root / name / "of" / "it.py").write_text(name)
    for name in TOP_LEVEL_FILES:
        (root / name).write_text(name)
    return root


def end_test(progress: Progress, test: str, outcome: str) -> None:
    """End a test of three phases, the second with this outcome."""
    progress.pytest_runtest_logstart(test)
    for phase, result in (("setup", "passed"), ("call", outcome), ("teardown", "passed")):
        report = pytest.TestReport(test, ("", 0, ""), {}, result, None, phase)  # type: ignore[arg-type] # it is one of these words
        progress.pytest_runtest_logreport(report)
    progress.pytest_runtest_logfinish(test)


def test_each_test_that_ends_or_fails_is_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end_test(Progress(NightlyJournal(tmp_path)), "tests/proofs/test_a.py::test_b", "failed")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[2:5] for line in lines] == [
        ["0", "FAILED", "a.py::test_b"],
        ["1", "a.py::test_b", "(0.0"],
    ]


def test_only_tests_that_passed_are_recorded(tmp_path: Path) -> None:
    root, progress = (
        write_sources(tmp_path / "root"),
        Progress(NightlyJournal(tmp_path, tmp_path / "root")),
    )
    for test, outcome in (("good", "passed"), ("bad", "failed"), ("skipped", "skipped")):
        end_test(progress, test, outcome)
    after = NightlyJournal(tmp_path, root)
    assert after.passed == {"good"}
    assert after.skip_file.read_text() == "good\n"


@pytest.mark.parametrize("name", [*(f"{name}/of/it.py" for name in SOURCES), *TOP_LEVEL_FILES])
def test_after_a_change_no_test_counts_as_passed(tmp_path: Path, name: str) -> None:
    root = write_sources(tmp_path / "root")
    NightlyJournal(tmp_path, root).record("good")
    assert NightlyJournal(tmp_path, root).passed == {"good"}
    (root / name).write_text("else")
    assert NightlyJournal(tmp_path, root).passed == set()


@pytest.mark.parametrize(
    "generated", ["it.cpython-311.pyc", "it.add-1.py311.nbi", "it.add-1.py311.1.nbc"]
)
def test_generated_files_do_not_change_the_digest(tmp_path: Path, generated: str) -> None:
    root = write_sources(tmp_path)
    before = digest(root)
    (root / "spec" / "of" / generated).write_text("generated")
    assert digest(root) == before
    (root / "spec" / "of" / "new.toml").write_text("")
    assert digest(root) != before


def test_workers_deselect_tests_that_passed(tmp_path: Path) -> None:
    """A test whose name begins with the name of one that passed is still run."""
    (tmp_path / "test_small.py").write_text(SMALL)
    (tmp_path / "passed").write_text("test_small.py::test_a\ntest_small.py::test_b[x]\n")
    process = subprocess.run(  # noqa: S603 our own words
        [sys.executable, "-m", "pytest", "-n", "1", "-p", PLUGIN, "-rA", "."],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "proofs"),
            "MUNTIN_PASSED": str(tmp_path / "passed"),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = {line for line in process.stdout.splitlines() if "test_small" in line}
    assert {line.split(" - ")[0] for line in lines if line.startswith(("PASSED", "FAILED"))} == {
        "PASSED test_small.py::test_a_too",
        "FAILED test_small.py::test_b[x, long]",
    }
