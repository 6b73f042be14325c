"""Sessions of a stream in which lateness is by window: a row may come too late for its session.

What is final takes no row any more, and none merges with it, so sessions depend on when rows came.
Rows of a key of which none is behind its limit are not late, and its sessions are those of a batch.
"""

import numpy as np

from muntin.kernels.slicing.arrays import Ints

Live = list[list[int]]
"""The sessions of a key that are not final: start, end with the gap, and number."""


def numbered_sessions(key: Ints, time: Ints, limit: Ints, gap: int, reach: int) -> Ints:
    """The number of the session of each row; -1 if it comes too late. `reach` is 1 to merge at gap.

    >>> times, limits = np.array([0, 9, 1, 7]), np.array([-5, 0, 9, 9])
    >>> numbered_sessions(np.zeros(4, np.int64), times, limits, gap=3, reach=0).tolist()
    [0, 1, -1, 1]
    """
    order = np.argsort(key, kind="stable")
    sessions = np.empty(time.size, np.int64)
    parents = list[int]()
    live, current = Live(), None
    columns = (key[order].tolist(), time[order].tolist(), limit[order].tolist())
    numbers = list[int]()
    for of, at, final in zip(*columns, strict=True):
        if of != current:
            live, current = Live(), of
        live = [session for session in live if session[1] > final]
        numbers.append(_placed(live, at, at + gap, reach, final, parents))
    roots = np.asarray(_roots(parents), np.int64)
    placed = np.asarray(numbers, np.int64)
    sessions[order] = np.where(placed < 0, -1, roots[placed]) if roots.size else placed
    return sessions


def _placed(  # noqa: PLR0913, PLR0917 - called for each row, so nothing is packed
    live: Live, start: int, end: int, reach: int, limit: int, parents: list[int]
) -> int:
    """Add a row to the sessions of its key: the number of its session, or -1."""
    touching = [s for s in live if s[0] < end + reach and start < s[1] + reach]
    if not touching:
        if end <= limit:
            return -1
        live.append([start, end, len(parents)])
        parents.append(len(parents))
        return len(parents) - 1
    first = touching[0]
    first[0], first[1] = min(first[0], start), max(first[1], end)
    for session in touching[1:]:
        first[0], first[1] = min(first[0], session[0]), max(first[1], session[1])
        parents[session[2]] = first[2]
        live.remove(session)
    return first[2]


def _roots(parents: list[int]) -> list[int]:
    """For each number the one that its session has at last."""
    for number in range(len(parents)):
        root = number
        while parents[root] != root:
            root = parents[root]
        parents[number] = root
    return parents
