"""Dense numbers for keys, in the order of first appearance."""

from collections.abc import Hashable, Sequence

import numpy as np

from muntin.kernels.slicing.arrays import Ints, ints


class KeyIds:
    """A number for each key that was seen."""

    def __init__(self) -> None:
        """Start with no key."""
        self._ids: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []

    def __len__(self) -> int:
        """Return how many keys have a number."""
        return len(self._keys)

    def of(self, keys: Sequence[Hashable]) -> Ints:
        """Return the number of each key; one that is new gets the next."""
        ids, known = self._ids, self._keys
        numbers: list[int] = []
        for key in keys:
            number = ids.setdefault(key, len(known))
            if number == len(known):
                known.append(key)
            numbers.append(number)
        return ints(numbers)

    def key(self, number: int) -> Hashable:
        """Return the key that has a number."""
        return self._keys[number]


def births(birth: Ints, key: Ints) -> Ints:
    """Number the keys in the order in which their first events were taken."""
    if key.size == 0:
        return birth
    grown = np.full(max(birth.size, int(key.max()) + 1), -1, np.int64)
    grown[: birth.size] = birth
    unborn = key[grown[key] < 0]
    if unborn.size:
        new, first = np.unique(unborn, return_index=True)
        grown[new[np.argsort(first)]] = np.arange(new.size) + (grown >= 0).sum()
    return grown
