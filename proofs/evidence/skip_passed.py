"""A plugin for each worker of a night: it leaves out what has passed (`-p evidence.skip_passed`).

What that is stands in a file that does not change while they run, so that a worker which takes the
place of another has the same tests.
"""

import os
from pathlib import Path

import pytest

from evidence.journal import listed_tests

VARIABLE = "MUNTIN_PASSED"
"""What names the file."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed, and say so."""
    known = listed_tests(Path(os.environ[VARIABLE])) if VARIABLE in os.environ else frozenset[str]()
    passed = [item for item in items if item.nodeid in known]
    config.hook.pytest_deselected(items=passed)
    items[:] = [item for item in items if item.nodeid not in known]
