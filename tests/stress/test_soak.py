"""State stays bounded in long streams: a short one here, ten million events by `make soak`."""

import os

import pytest

from muntin.optimized.scotty.operator import Scotty
from muntin.registry.state_size import Held, held
from muntin.spec.query import Settings
from muntin.spec.windows.periodic import Sliding
from stress import soak as soaking
from stress.soak import bound, edges, main, named, soak

NIGHTLY = 10_000_000
EVENTS = {"dev": 8_000, "nightly": NIGHTLY}.get(os.environ.get("MUNTIN_PROFILE", "dev"), 30_000)
MOST_DRIFT = 8.0
"""Megabytes: the allocator gives pages back when it likes."""


def test_there_are_twenty_queries() -> None:
    assert len(soaking.QUERIES) == 20
    assert len({type(query.window) for query in soaking.QUERIES}) == 5


@pytest.mark.parametrize(
    ("name", "in_order"),
    [("scotty-lazy", True), ("scotty-lazy", False), ("cutty-lazy", True)],
)
def test_slices_stay_within_their_bound_and_memory_flat(name: str, *, in_order: bool) -> None:
    seen = soak(named(name), EVENTS, in_order=in_order)
    assert seen.events == EVENTS
    assert seen.held.slices > 20
    assert seen.fullest > 0.15
    assert (seen.late > 0) == (not in_order)
    assert seen.drift() < MOST_DRIFT


class Hoarder(Scotty):
    """Scotty, but nothing is ever settled."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(Settings(10**9, in_order=settings.in_order))


def test_a_hoarder_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"Held\(slices"):
        soak(Hoarder, 20_000, in_order=False)


def test_edges_and_bounds() -> None:
    assert sorted(edge for edge in edges(Sliding(30, 100), 0, 231) if 0 <= edge <= 230) == [
        0, 30, 100, 130, 200, 230,
    ]  # fmt: skip
    assert bound(1000, 1500, in_order=True).slices < bound(1000, 1500).slices / 2
    assert bound(1000, 1500).slices < bound(1000, 2500).slices < 3 * bound(1000, 1500).slices


def test_the_command_prints_its_measurements(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events", "2500", "--with", "scotty-fiba"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == [
        "scotty-fiba, in order", "scotty-fiba, out order",
    ]  # fmt: skip
    assert all("2500 events" in line and "of the bound" in line for line in said)


def test_a_soak_with_nothing_held_holds_nothing() -> None:
    assert held(Scotty(Settings())) == Held(0, 0)
