"""Hypothesis profiles: quick at the desk, thorough in CI, long at night. And a cache of kernels.

What the proofs take is counted in every run of tests.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evidence.spending import MINUTES, Spending

os.environ.setdefault("MUNTIN_KERNELS", str(Path(__file__).parents[1] / ".kernels"))
# Each Java of a test lives for seconds: it takes a third less of them if it optimises little.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", COMMON, max_examples=25)
settings.register_profile("ci", COMMON, max_examples=100)
settings.register_profile("nightly", COMMON, max_examples=3000, stateful_step_count=100)
settings.register_profile("proofs", COMMON, max_examples=1000)  # of a night of proofs
settings.load_profile(os.environ.get("MUNTIN_PROFILE", "dev"))


ANY = 2
"""The rank of a test that needs no Spark."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker run all that needs Spark, first, as it takes long: one session serves it."""
    items.sort(key=rank)
    for item in items:
        if rank(item) < ANY:
            item.add_marker(pytest.mark.xdist_group("spark"))


def rank(item: pytest.Item) -> int:
    """Return when a test comes: by the settings of the session that is started first."""
    if "spark" not in getattr(item, "fixturenames", ()):
        return ANY
    return int(item.path.parent.name != "spark")


def pytest_configure(config: pytest.Config) -> None:
    """Count what the proofs take, but by night; `make proofs` fails if it is too much."""
    if os.environ.get("MUNTIN_PROFILE") != "nightly":
        fails = os.environ.get("MUNTIN_BUDGET") == "proofs"
        config.pluginmanager.register(Spending(MINUTES, fails=fails))
