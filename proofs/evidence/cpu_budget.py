"""The budget of CPU time for the proofs, in all processes that they start.

CPU time is counted from the beginning of each test to its end, so the number of workers, other load
and other tests do not matter. By night there is no limit; by day every run prints the time spent,
and `make proofs` fails if it exceeds the budget.
"""

import os
from collections.abc import Generator

import pytest

MINUTES = 6
"""The CPU minutes that all tests of tests/proofs may take together."""
FOLDER = "tests/proofs/"
NAME = "cpu seconds"


def cpu_seconds() -> float:
    """CPU seconds of this process and of the children that it has awaited."""
    return sum(os.times()[:4])


class CpuBudget:
    """A plugin that reports the CPU time of a folder's tests, and may fail above the limit."""

    def __init__(self, limit: float, *, fails: bool = True) -> None:
        """Start with a limit in minutes."""
        self._limit, self._fails, self._last, self.seconds = limit, fails, cpu_seconds(), 0.0

    def pytest_runtest_logstart(self) -> None:
        """Start the clock of a test."""
        self._last = cpu_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write the CPU time of each phase into its report: workers send reports."""
        report = yield
        before, self._last = self._last, cpu_seconds()
        report.user_properties.append((NAME, self._last - before))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the CPU time of tests of the folder."""
        if report.nodeid.startswith(FOLDER):
            seconds = [value for name, value in report.user_properties if name == NAME]
            self.seconds += sum(value for value in seconds if isinstance(value, float))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail above the limit."""
        too_much = self._fails and self.seconds > 60 * self._limit
        if too_much and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the time spent."""
        if self.seconds:
            terminalreporter.write_line(summary(self.seconds, self._limit))


def summary(seconds: float, limit: float) -> str:
    """A line on the CPU time spent, in seconds, and the limit, in minutes.

    >>> summary(90, 6), summary(361.2, 6)
    ('proofs: 1.50 of 6 minutes CPU', 'proofs: 6.02 of 6 minutes CPU: TOO MUCH')
    """
    warning = ": TOO MUCH" if seconds > 60 * limit else ""
    return f"proofs: {seconds / 60:.2f} of {limit} minutes CPU{warning}"
