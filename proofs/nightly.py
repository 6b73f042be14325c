"""Runs all proofs at the scopes of the night: `make proofs-nightly`.

    python proofs/nightly.py [workers] [arguments of pytest] ...

Each test that ends is a line on stderr, and so is each minute that a test runs; failures are on
stdout, and at the end the claims by level. Tests that passed are recorded in `build/proofs-nightly`
and not run again until a source changes: a night that is cut short resumes where it stopped.
"""

import os
import sys
import time
from threading import Event, Thread

import pytest

from claims import main as count_claims
from evidence.checks import ROOT
from evidence.journal import NightlyJournal

MINUTE = 60
PLUGIN = "evidence.skip_passed"
JOURNALS = ROOT / "build" / "proofs-nightly"


class Progress:
    """A plugin that reports which tests have ended, and which are still running."""

    def __init__(self, journal: NightlyJournal) -> None:
        """Start with the tests that passed before."""
        self._journal = journal
        self._begun = time.monotonic()
        self._failed = set[str]()
        self._since: dict[str, float] = {}
        self._ended = 0
        self._has_ended = Event()

    def pytest_sessionstart(self) -> None:
        """Report running tests every minute from now on."""
        Thread(target=self._wait, daemon=True).start()

    def pytest_sessionfinish(self) -> None:
        """Stop the reports of every minute."""
        self._has_ended.set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note when a test begins."""
        self._since[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Report that a test has ended, and record it if it has passed."""
        self._ended += 1
        if nodeid not in self._failed:
            self._journal.record(nodeid)
        self._report(nodeid, self._since.pop(nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report a failure at once."""
        if not report.passed:
            self._failed.add(report.nodeid)
        if report.failed:
            self._report(f"FAILED {report.nodeid}", self._since[report.nodeid])

    def _wait(self) -> None:
        while not self._has_ended.wait(MINUTE):
            for nodeid, since in list(self._since.items()):
                self._report(f"still {nodeid}", since)

    def _report(self, event: str, since: float) -> None:
        now = time.monotonic()
        name = event.replace("tests/proofs/test_", "")
        sys.stderr.write(
            f"{now - self._begun:7.0f} s  {self._ended:5d}  {name} ({now - since:.1f} s)\n"
        )
        sys.stderr.flush()


def main(arguments: list[str]) -> int:
    """Run the command."""
    os.environ["MUNTIN_PROFILE"] = "nightly"
    workers, *others = arguments or ["auto"]
    journal = NightlyJournal(JOURNALS)
    os.environ["MUNTIN_PASSED"] = str(journal.skip_file)
    sys.stderr.write(
        f"{len(journal.passed)} tests passed before ({journal.path}) and are skipped\n"
    )
    options = ["-n", workers, "--dist", "worksteal", "-q", "--no-header", "-p", PLUGIN]
    options += ["--hypothesis-profile=proofs"]
    folder = str(ROOT / "tests" / "proofs")
    code = pytest.main([*options, *others, folder], plugins=[Progress(journal)])
    done = code == pytest.ExitCode.NO_TESTS_COLLECTED and journal.passed and not others
    return max(0 if done else int(code), count_claims([]))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
