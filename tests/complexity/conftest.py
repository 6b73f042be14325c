"""What counts the looks at slices."""

import pytest

from muntin.optimized.scotty.slices.slice import Slice


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where slices are noted that are asked how far they reach."""
    asked, reach = list[int](), Slice.reach

    def noted(one: Slice, gap: int) -> int | float:
        asked.append(one.first)
        return reach(one, gap)

    monkeypatch.setattr(Slice, "reach", noted)
    return asked
