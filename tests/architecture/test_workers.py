"""The workers of pytest-xdist keep groups of tests together."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.xdist_group("kept")
def test_workers_keep_groups(request: pytest.FixtureRequest) -> None:
    """Otherwise each worker would start its own Spark: pyproject.toml requires such a pytest."""
    name = os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)")
    in_groups = request.config.getoption("loadgroup", default=False)
    assert name.endswith("@kept") == in_groups


@pytest.mark.parametrize("file", ["Makefile", "CONTRIBUTING.md"])
def test_every_command_for_all_tests_groups_them(file: str) -> None:
    all_of_them = re.compile(r"pytest -n \S+(?! tests/)(?: .*)?$", re.MULTILINE)
    runs = all_of_them.findall((ROOT / file).read_text())
    assert runs
    assert all("--dist loadgroup" in run for run in runs)
