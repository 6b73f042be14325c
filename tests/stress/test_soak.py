"""State stays bounded in long streams: a short one here, ten million events by `make soak`."""

import os

import pytest

from muntin.optimized.scotty.operator import Scotty
from muntin.registry.state_size import StateSize, state_size
from muntin.spec.query import Settings
from muntin.spec.windows.periodic import Sliding
from stress import soak as soaking
from stress.soak import bound, builder_of, edges, main, run_soak

NIGHTLY = 10_000_000
EVENTS = {"dev": 8_000, "nightly": NIGHTLY}.get(os.environ.get("MUNTIN_PROFILE", "dev"), 30_000)
MAX_DRIFT = 8.0
"""Megabytes: the allocator returns pages late."""


def test_there_are_twenty_queries() -> None:
    assert len(soaking.QUERIES) == 20
    assert len({type(query.window) for query in soaking.QUERIES}) == 5


@pytest.mark.parametrize(
    ("name", "in_order"),
    [("scotty-lazy", True), ("scotty-lazy", False), ("cutty-lazy", True)],
)
def test_slices_stay_within_their_bound_and_memory_flat(name: str, *, in_order: bool) -> None:
    seen = run_soak(builder_of(name), EVENTS, in_order=in_order)
    assert seen.events == EVENTS
    assert seen.peak.slices > 20
    assert seen.peak_share > 0.15
    assert (seen.late > 0) == (not in_order)
    assert seen.memory_drift() < MAX_DRIFT


class HoardingScotty(Scotty):
    """Scotty with a lateness so large that no window becomes final."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(Settings(10**9, in_order=settings.in_order))


def test_an_operator_that_evicts_nothing_exceeds_the_bound() -> None:
    with pytest.raises(AssertionError, match=r"StateSize\(slices"):
        run_soak(HoardingScotty, 20_000, in_order=False)


def test_edges_and_bounds() -> None:
    assert sorted(edge for edge in edges(Sliding(30, 100), 0, 231) if 0 <= edge <= 230) == [
        0, 30, 100, 130, 200, 230,
    ]  # fmt: skip
    assert bound(1000, 1500, in_order=True).slices < bound(1000, 1500).slices / 2
    assert bound(1000, 1500).slices < bound(1000, 2500).slices < 3 * bound(1000, 1500).slices


def test_the_command_prints_its_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events", "2500", "--with", "scotty-fiba"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "scotty-fiba, in order", "scotty-fiba, out order",
    ]  # fmt: skip
    assert all("2500 events" in line and "of the bound" in line for line in lines)


def test_an_operator_without_queries_holds_no_state() -> None:
    assert state_size(Scotty(Settings())) == StateSize(0, 0)
