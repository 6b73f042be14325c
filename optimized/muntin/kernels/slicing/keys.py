"""Dense numbers for keys, in the order of first appearance."""

from collections.abc import Hashable, Sequence

import numpy as np

from muntin.kernels.slicing.arrays import Ints, ints, varies
from muntin.spec.errors import InvalidInputError


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

    def number(self, key: Hashable) -> int:
        """Return the number of one key."""
        known = self._ids.get(key)
        return int(self.of([key])[0]) if known is None else known

    def of_column(self, keys: object, n: int) -> Ints:
        """Return the number of each key of a column; new ones are numbered as they come."""
        column = np.asarray(keys)
        if column.shape != (n,):
            raise InvalidInputError(f"the keys have the shape {column.shape}, for {n} times")
        if column.dtype.kind == "O":
            return self.of(column.tolist())
        known, first, places = np.unique(column, return_index=True, return_inverse=True)
        order = np.argsort(first)
        numbers = np.empty(known.size, np.int64)
        numbers[order] = self.of(known[order].tolist())
        return numbers[places]

    def key(self, number: int) -> Hashable:
        """Return the key that has a number."""
        return self._keys[number]


def births(birth: Ints, key: Ints) -> Ints:
    """Number the keys in the order in which their first events were taken."""
    if key.size == 0 or (not varies(key) and key[0] < birth.size and birth[key[0]] >= 0):
        return birth
    grown = np.full(max(birth.size, int(key.max()) + 1), -1, np.int64)
    grown[: birth.size] = birth
    unborn = key[grown[key] < 0]
    if unborn.size:
        new, first = np.unique(unborn, return_index=True)
        grown[new[np.argsort(first)]] = np.arange(new.size) + (grown >= 0).sum()
    return grown
