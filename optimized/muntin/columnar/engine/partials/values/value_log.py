"""The log of a part as Python sees it: its arrays, what grows them, and what reads them."""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import CallbackPhase, Ints
from muntin.columnar.engine.partials.values import logs as g

LEAST_ITEMS = 1024
ITEM_ARRAYS = (g.AT_VALUES, g.AT_BEFORE)
STAMPS = (g.AT_TIMES, g.AT_NUMBERS)


class ValueLog:
    """The values that the rows of a part hold; of one that is in order, their times as well."""

    def __init__(self, directory: Directory, *, is_ordered: bool) -> None:
        """Start without values."""
        self.directory, self.is_ordered = directory, is_ordered
        self.limit = LEAST_ITEMS
        self.state: Ints = np.zeros(g.LOG_SCALARS, np.int64)
        self.base = directory.add(self.state)
        for _ in range(g.LOG_PLACES - 1):
            directory.add(np.zeros(0, np.int64))
        self._grow(LEAST_ITEMS, LEAST_ITEMS)

    def _grow(self, items: int, nodes: int) -> None:
        grow, base = self.directory.grow, self.base
        for place in (*ITEM_ARRAYS, *(STAMPS if self.is_ordered else ())):
            grow(base + place, items)
        grow(base + g.AT_NODES, g.N_FIELDS * nodes)

    def close(self) -> None:
        """Keep nothing any more."""
        for place in range(g.LOG_PLACES):
            self.directory.put(self.base + place, np.zeros(0, np.int64))

    @property
    def size(self) -> int:
        """How many items and nodes there are, whether a row reaches them or not."""
        return int(self.state[g.ITEMS] + self.state[g.NODES])

    @property
    def values(self) -> Ints:
        """All values, whether a row reaches them or not."""
        return self.directory.arrays[self.base + g.AT_VALUES][: int(self.state[g.ITEMS])]

    def select(self, heads: Ints, counts: Ints, targets: Ints) -> tuple[Ints, Ints]:
        """The values of some ranks, one for each list, and those that follow them."""
        items, most = int(self.state[g.ITEMS]), int(counts.max(initial=0))
        more = min(int(counts.sum()), items) + most
        if self.directory.arrays[self.base + g.AT_VALUES].size < items + more:
            self._grow(2 * (items + more), 0)
        self._grow(0, 2 * (int(self.state[g.NODES]) + more // g.LEAST_RUN + 2))
        bounds: Ints = np.zeros(2 * (most + 2), np.int64)
        self.directory.put(self.base + g.AT_BOUNDS, bounds)
        results: Ints = np.zeros(2 * heads.size, np.int64)
        self._lend(heads, counts)
        self.directory.put(self.base + g.AT_TARGETS, targets)
        self.directory.put(self.base + g.AT_RESULTS, results)
        g.select_rows(self.directory, self.base, heads.size)
        self._take_back()
        return results[::2], results[1::2]

    def items_of(self, heads: Ints, counts: Ints) -> tuple[Ints, Ints]:
        """The places of the items of lists, one list after the other, and the list of each."""
        items: Ints = np.zeros(int(counts.sum()), np.int64)
        sizes: Ints = np.zeros(heads.size, np.int64)
        self._lend(heads, counts)
        self.directory.put(self.base + g.AT_COUNTS, sizes)
        self.directory.put(self.base + g.AT_RESULTS, items)
        n = g.list_rows(self.directory, self.base, heads.size)
        self._take_back()
        return items[:n], np.repeat(np.arange(heads.size), sizes)

    def column(self, place: int, items: Ints) -> Ints:
        """The values, times or numbers of some items."""
        return self.directory.arrays[self.base + place][items]

    def _lend(self, heads: Ints, counts: Ints) -> None:
        put, base = self.directory.put, self.base
        put(base + g.AT_HEADS, np.ascontiguousarray(heads))
        self._lend_scratch(int(counts.max(initial=0)))

    def _lend_scratch(self, items: int) -> None:
        self.directory.put(self.base + g.AT_SCRATCH, np.zeros(2 * items + 2, np.int64))
        nodes = int(self.state[g.NODES]) + 1
        self.directory.put(self.base + g.AT_STACK, np.zeros(nodes, np.int64))

    def _take_back(self) -> None:
        for place in range(g.AT_STACK, g.LOG_PLACES):
            self.directory.put(self.base + place, np.zeros(0, np.int64))

    def put_lists(self, values: Ints, sizes: Ints, times: Ints | None = None) -> Ints:
        """Keep lists of values, given one after the other, each as a run; their heads."""
        if times is None:  # runs are sorted, where no order of arrival matters
            values = values[np.lexsort((values, np.repeat(np.arange(sizes.size), sizes)))]
        state, arrays = self.state, self.directory.arrays
        first, node = int(state[g.ITEMS]), int(state[g.NODES])
        some = np.flatnonzero(sizes)
        end, last = first + values.size, node + some.size
        self._grow(end, last)
        arrays[self.base + g.AT_VALUES][first:end] = values
        if times is not None:
            arrays[self.base + g.AT_TIMES][first:end] = times
            arrays[self.base + g.AT_NUMBERS][first:end] = np.arange(-values.size, 0)
        nodes = arrays[self.base + g.AT_NODES].reshape(-1, g.N_FIELDS)[node:last]
        nodes[:, g.N_LEFT] = (np.cumsum(sizes) - sizes)[some] + first
        nodes[:, g.N_RIGHT] = sizes[some] + g.RUN
        heads: Ints = np.zeros(sizes.size, np.int64)
        heads[some] = -1 - np.arange(node, last)
        state[g.ITEMS], state[g.NODES] = end, last
        return heads

    def compact(self, columns: Sequence[tuple[int, int]]) -> None:
        """Keep what rows reach, given the places of their heads and counts; each list is a run."""
        arrays, put, base, state = self.directory.arrays, self.directory.put, self.base, self.state
        items = sum(int(arrays[counts].sum()) for _, counts in columns)
        nodes = sum(int(np.count_nonzero(arrays[heads])) for heads, _ in columns)
        most = max((int(arrays[counts].max(initial=0)) for _, counts in columns), default=0)
        stamps = 2 * items + LEAST_ITEMS if self.is_ordered else 0
        put(base + g.NEW_VALUES, np.zeros(2 * items + LEAST_ITEMS, np.int64))
        put(base + g.NEW_TIMES, np.zeros(stamps, np.int64))
        put(base + g.NEW_NUMBERS, np.zeros(stamps, np.int64))
        put(base + g.NEW_NODES, np.zeros(g.N_FIELDS * (2 * nodes + LEAST_ITEMS), np.int64))
        state[g.NEW_ITEMS] = state[g.NEW_COUNT] = 0
        self._lend_scratch(most)
        for heads, _ in columns:
            g.move_rows(self.directory, base, heads)
        state[g.ITEMS], state[g.NODES] = state[g.NEW_ITEMS], state[g.NEW_COUNT]
        moves = (
            (g.AT_VALUES, g.NEW_VALUES), (g.AT_TIMES, g.NEW_TIMES),
            (g.AT_NUMBERS, g.NEW_NUMBERS), (g.AT_NODES, g.NEW_NODES),
        )  # fmt: skip
        for place, new in moves:
            put(base + place, arrays[base + new])
        put(base + g.AT_BEFORE, np.zeros(2 * items + LEAST_ITEMS, np.int64))
        self._take_back()
        self.limit = 2 * self.size + LEAST_ITEMS


def grow_log(t: Directory, part: int, items: int, nodes: int) -> int:
    """Make room for more items and nodes, in the midst of a step."""
    log = int(t.arrays[d.PARTS][part * d.P_FIELDS + d.P_LOG])
    state = t.arrays[log]
    for place in (*ITEM_ARRAYS, *STAMPS) if items else ():
        if t.arrays[log + place].size:
            t.grow(log + place, 2 * (int(state[g.ITEMS]) + items))
    if nodes:
        t.grow(log + g.AT_NODES, 2 * g.N_FIELDS * (int(state[g.NODES]) + nodes))
    return 0


log_room = CallbackPhase(grow_log)
