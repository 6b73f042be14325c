"""Hypothesis profiles: quick at the desk, thorough in CI, long at night. And a cache of kernels.

The CPU time of the proofs is counted in every run of tests.
"""

import gc
import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evidence.cpu_budget import MINUTES, CpuBudget
from spark_support.brief_java import optimise_little

os.environ.setdefault("MUNTIN_KERNELS", str(Path(__file__).parents[1] / ".kernels"))
optimise_little()

COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", COMMON, max_examples=25)
settings.register_profile("ci", COMMON, max_examples=100)
settings.register_profile("nightly", COMMON, max_examples=3000, stateful_step_count=100)
settings.register_profile("proofs", COMMON, max_examples=1000)  # of a night of proofs
settings.load_profile(os.environ.get("MUNTIN_PROFILE", "dev"))


GC_THRESHOLD = 100_000, 20, 50
"""Allocations before a garbage collection, which takes time and frees little."""

OWN_JAVA, NO_SPARK = 2, 3
"""The ranks of a test that starts its own Java, and of one that needs no Spark."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker run all tests that need Spark first, as they take long, in one session.

    One worker runs all tests that call kernels: several would compile the same ones in a new clone.
    """
    items.sort(key=rank)
    for item in items:
        if rank(item) < OWN_JAVA:
            item.add_marker(pytest.mark.xdist_group("spark"))
        elif rank(item) == NO_SPARK and calls_kernels(item.path):
            item.add_marker(pytest.mark.xdist_group("kernels"))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Collect garbage seldom, and never among the tests themselves."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLD)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect garbage once: pytest does so five times, and should find nothing left."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Let the end of the process find what was frozen: DuckDB prints all that it does not free."""
    gc.unfreeze()


@cache
def calls_kernels(path: Path) -> bool:
    """Whether the tests of a file call kernels."""
    text = path.read_text("utf-8") if path.suffix == ".py" else ""
    return "muntin.kernels" in text or "muntin.columnar" in text or "kernel_rounds" in text


def rank(item: pytest.Item) -> int:
    """The order of a test: by the settings of the session that is started first."""
    in_folder = item.path.parent.name == "spark"
    if "spark" not in getattr(item, "fixturenames", ()):
        return OWN_JAVA if in_folder else NO_SPARK
    return int(not in_folder)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Use one worker more than cores if one has Spark: it mostly waits for it."""
    is_set = "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ
    if is_set or config.getoption("dist") != "loadgroup":
        return None
    mine = hasattr(os, "sched_getaffinity")  # macOS does not say
    return (len(os.sched_getaffinity(0)) if mine else os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Count the CPU time of the proofs, except by night; `make proofs` fails above the budget."""
    config.addinivalue_line("markers", "xdist_group(name): tests for one worker")
    if os.environ.get("MUNTIN_PROFILE") != "nightly":
        fails = os.environ.get("MUNTIN_BUDGET") == "proofs"
        config.pluginmanager.register(CpuBudget(MINUTES, fails=fails))
