"""One window a key [Tangwongsan15, section 5.3]: a key is held while its window holds items."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from muntin.spec.errors import EmptyWindowError
from muntin.spec.structure import OutOfOrder, Pair, in_time_order

A = TypeVar("A")
K = TypeVar("K")


class KeyedWindows(Generic[K, A]):
    """A structure for each key that has any items; each is made, and dropped, on demand."""

    def __init__(self, build: Callable[[], OutOfOrder[A]]) -> None:
        """Say how a window for one key is made."""
        self._build = build
        self._windows: dict[K, OutOfOrder[A]] = {}

    def insert(self, key: K, time: int, value: A) -> None:
        """Add a value to the window of the key."""
        self.bulk_insert(key, [(time, value)])

    def bulk_insert(self, key: K, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time into the window of the key."""
        batch = in_time_order(pairs)
        window = self._windows[key] if key in self._windows else self._build()
        window.bulk_insert(batch)
        if batch:
            self._windows[key] = window

    def evict(self, key: K, time: int) -> None:
        """Remove what is at this time in the window of the key, if anything is."""
        if key in self._windows:
            self._windows[key].evict(time)
            self._drop_empty([key])

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time from each window."""
        for window in self._windows.values():
            window.bulk_evict(up_to)
        self._drop_empty(list(self._windows))

    def query(self, key: K) -> A:
        """Fold the window of the key, or raise EmptyWindowError."""
        return self._window(key).query()

    def query_range(self, key: K, first: int, last: int) -> A:
        """Fold what is in the window of the key with first <= time <= last."""
        return self._window(key).query_range(first, last)

    def items(self, key: K) -> Iterator[Pair[A]]:
        """Yield what is in the window of the key, oldest first."""
        return self._window(key).items()

    def __iter__(self) -> Iterator[K]:
        """Yield the keys that have items."""
        return iter(self._windows)

    def __len__(self) -> int:
        """Return the number of keys that have items."""
        return len(self._windows)

    def _drop_empty(self, keys: list[K]) -> None:
        for key in keys:
            if not len(self._windows[key]):
                del self._windows[key]

    def _window(self, key: K) -> OutOfOrder[A]:
        if key in self._windows:
            return self._windows[key]
        raise EmptyWindowError(f"there are no items at the key {key!r}")
