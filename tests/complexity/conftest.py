"""A fixture that counts reads of slices."""

import pytest

from muntin.optimized.scotty.slices.slice import Slice


@pytest.fixture
def slice_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The first times of the slices whose session end was read."""
    reads, session_end = list[int](), Slice.session_end

    def record_read(slice_: Slice, gap: int) -> int | float:
        reads.append(slice_.first)
        return session_end(slice_, gap)

    monkeypatch.setattr(Slice, "session_end", record_read)
    return reads
