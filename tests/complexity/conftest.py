"""A fixture that counts how often a slice is compared with a gap."""

import pytest

from muntin.optimized.scotty.slices.slice import Slice


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The begins of the slices whose reach was computed, one for each call."""
    begins, reach = list[int](), Slice.reach

    def counted(visited: Slice, gap: int) -> int | float:
        begins.append(visited.first)
        return reach(visited, gap)

    monkeypatch.setattr(Slice, "reach", counted)
    return begins
