"""What counts the looks at slices."""

import pytest

from muntin.optimized.scotty.slices.slice import Slice


@pytest.fixture
def slice_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return where slices are noted that are asked how far they reach."""
    reads, session_end = list[int](), Slice.session_end

    def record_read(slice_: Slice, gap: int) -> int | float:
        reads.append(slice_.first)
        return session_end(slice_, gap)

    monkeypatch.setattr(Slice, "session_end", record_read)
    return reads
