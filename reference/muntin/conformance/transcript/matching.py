"""A greatest matching of what is wanted with what there is [Kuhn55]."""

from collections import deque
from collections.abc import Sequence


def greatest_matching(candidates: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return, for as many as possible, the candidate that each gets; none is given twice.

    >>> greatest_matching([[7, 8], [7], [7]])
    {0: 8, 1: 7}
    """
    given: dict[int, int] = {}
    owner: dict[int, int] = {}
    for seeker in range(len(candidates)):
        reached_from, free = _search(seeker, candidates, owner)
        while free is not None:
            left = reached_from[free]
            owner[free], given[left], free = left, free, given.get(left)
    return given


def _search(
    seeker: int, candidates: Sequence[Sequence[int]], owner: dict[int, int]
) -> tuple[dict[int, int], int | None]:
    """Seek a free candidate, breadth first, over those whose owners may take another."""
    reached_from: dict[int, int] = {}
    queue = deque([seeker])
    while queue:
        left = queue.popleft()
        for right in candidates[left]:
            if right not in reached_from:
                reached_from[right] = left
                if right not in owner:
                    return reached_from, right
                queue.append(owner[right])
    return reached_from, None
