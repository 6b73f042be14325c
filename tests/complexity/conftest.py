"""What counts the looks at slices."""

import pytest

from muntin.optimized.scotty.slices.slice import Slice


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return where slices are noted that are asked how far they reach."""
    asked, reach = list[int](), Slice.session_end

    def noted(one: Slice, gap: int) -> int | float:
        asked.append(one.first)
        return reach(one, gap)

    monkeypatch.setattr(Slice, "session_end", noted)
    return asked
