"""What the proofs take beside what they may take: CPU time, of all processes that they start.

It is counted from the beginning of each test to its end, so that it does not matter how many
workers there are, who else is busy, or whether other tests run as well. By night there is no limit;
by day every run says what it was, and `make proofs` fails if it was too much.
"""

import os
from collections.abc import Generator

import pytest

MINUTES = 6
"""What all tests of tests/proofs may take together."""
FOLDER = "tests/proofs/"
NAME = "cpu seconds"


def cpu_seconds() -> float:
    """The CPU seconds of this process and of those that it has started and awaited."""
    return sum(os.times()[:4])


class CpuBudget:
    """A plugin that says what the tests of a folder have taken, and may fail if it was too much."""

    def __init__(self, limit: float, *, fails: bool = True) -> None:
        """Begin, with a limit in minutes."""
        self._limit, self._fails, self._last, self.seconds = limit, fails, cpu_seconds(), 0.0

    def pytest_runtest_logstart(self) -> None:
        """Begin with a test."""
        self._last = cpu_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write into the report of each phase what it has taken: reports are sent by workers."""
        report = yield
        before, self._last = self._last, cpu_seconds()
        report.user_properties.append((NAME, self._last - before))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up what tests of the folder have taken."""
        if report.nodeid.startswith(FOLDER):
            taken = [value for name, value in report.user_properties if name == NAME]
            self.seconds += sum(value for value in taken if isinstance(value, float))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail if it was too much."""
        too_much = self._fails and self.seconds > 60 * self._limit
        if too_much and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what it was."""
        if self.seconds:
            terminalreporter.write_line(summary(self.seconds, self._limit))


def summary(seconds: float, limit: float) -> str:
    """A line on what was taken, in seconds, and what may be, in minutes.

    >>> said(90, 6), said(361.2, 6)
    ('proofs: 1.50 of 6 minutes CPU', 'proofs: 6.02 of 6 minutes CPU: TOO MUCH')
    """
    verdict = ": TOO MUCH" if seconds > 60 * limit else ""
    return f"proofs: {seconds / 60:.2f} of {limit} minutes CPU{verdict}"
