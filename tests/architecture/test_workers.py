"""The workers that tests are given to."""

import os

import pytest


@pytest.mark.xdist_group("kept")
def test_workers_keep_groups(request: pytest.FixtureRequest) -> None:
    """Or each would start Sparks of its own: pyproject.toml says with which pytest they do."""
    name = os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)")
    in_groups = request.config.getoption("loadgroup", default=False)
    assert name.endswith("@kept") == in_groups
