"""A plugin for the workers of a night: it skips the tests that have passed.

They are listed in a file that does not change while the workers run, so that a worker which
replaces another collects the same tests. Load it by `-p evidence.skip_passed`.
"""

import os
from pathlib import Path

import pytest

from evidence.journal import listed_tests

VARIABLE = "MUNTIN_PASSED"
"""The environment variable that names the file."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that have passed."""
    recorded = (
        listed_tests(Path(os.environ[VARIABLE])) if VARIABLE in os.environ else frozenset[str]()
    )
    passed = [item for item in items if item.nodeid in recorded]
    config.hook.pytest_deselected(items=passed)
    items[:] = [item for item in items if item.nodeid not in recorded]
