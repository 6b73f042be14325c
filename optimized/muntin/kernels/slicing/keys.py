"""Dense numbers for keys, in the order of first appearance: no deletion."""

from collections.abc import Hashable, Sequence
from math import isnan, nan
from numbers import Number
from typing import SupportsInt

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import move_keys, number_column
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import COMPILED
from muntin.kernels.aggregator.list_backend import MAX_EXACT_INT
from muntin.kernels.compiler.input_checks import check_unmasked
from muntin.kernels.slicing.arrays import NONE, Ints, ints
from muntin.kernels.slicing.batch import objects
from muntin.kernels.slicing.over import is_row
from muntin.spec.errors import InvalidInputError

BLOCK = 256
"""Keys numbered at once: the table has room for as many new ones."""
NUMBERS: tuple[type[object], ...] = (Number, np.generic)
PLAIN: tuple[type[object], ...] = (int, float, np.integer, np.floating, np.bool_)
"""Numbers that are the same as floats, unless they are wide."""


class KeyIds:
    """A number for each key that was seen. Integers of 64 bits are hashed by themselves."""

    def __init__(self) -> None:
        """Start with no key."""
        self._ids: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._table = IntegerTable()

    def __len__(self) -> int:
        """Return how many keys have a number."""
        return len(self._keys)

    @property
    def all_integers(self) -> bool:
        """Whether all keys are integers of 64 bits."""
        return not self._ids

    def integers_from(self, n: int) -> Ints:
        """The keys from a number on, which are integers."""
        return ints(self._keys[n:])

    def first(self, n: int) -> "KeyIds":
        """Return the first so many keys, with the same numbers."""
        if n == len(self):
            return self
        kept = KeyIds()
        kept.of(self._keys[:n])
        return kept

    def picked(self, numbers: Ints) -> "KeyIds":
        """The keys that have some numbers, numbered in this order."""
        kept = KeyIds()
        if self.all_integers:
            kept.of_column(ints(self._keys)[numbers], numbers.size)
        else:
            each: list[int] = numbers.tolist()
            kept.of([self._keys[number] for number in each])
        return kept

    def of(self, keys: Sequence[Hashable]) -> Ints:
        """Return the number of each key; one that is new gets the next."""
        return ints([self.number(key) for key in keys])

    def number(self, key: Hashable) -> int:
        """Return the number of one key."""
        whole = integer(key) if COMPILED else None
        if whole is not None:
            return int(self._hashed(ints([whole]))[0])
        try:
            found = self._ids.setdefault(key, len(self._keys))
        except TypeError as cause:
            raise InvalidInputError(f"the key {key!r} cannot be hashed") from cause
        if found == len(self._keys):
            self._keys.append(key)
        return found

    def of_column(self, keys: object, n: int) -> Ints:
        """Return the number of each key of a column; new ones are numbered as they come."""
        check_unmasked(keys, "keys")
        column = as_given(keys)
        if column.shape != (n,):
            raise InvalidInputError(f"the keys have the shape {column.shape}, for {n} times")
        if column.dtype.kind == "O":
            return self.of(with_one_nan(column.tolist()))
        if COMPILED and column.dtype.kind == "i":
            return self._hashed(np.asarray(column, np.int64))
        known, first, places = np.unique(column, return_index=True, return_inverse=True)
        order = np.argsort(first)
        numbers = np.empty(known.size, np.int64)
        numbers[order] = self.of(with_one_nan(known[order].tolist()))
        return numbers[places]

    def key(self, number: int) -> Hashable:
        """Return the key that has a number."""
        return self._keys[number]

    def _hashed(self, column: Ints) -> Ints:
        out, new = self._table.number(np.ascontiguousarray(column), len(self._keys))
        self._keys += new.tolist()
        return out


class IntegerTable:
    """The hash table of keys that are integers, as the engine has it."""

    def __init__(self) -> None:
        """Start with no key; arrays are made with the first."""
        self._directory: Directory | None = None

    def number(self, column: Ints, known: int) -> tuple[Ints, Ints]:
        """The number of each key, and the keys that are new, of which the first gets `known`."""
        directory = self._directory = self._directory or _key_directory()
        out, scalars = np.empty(column.size, np.int64), directory.arrays[d.SCALARS]
        directory.put(d.KEYS, column)
        directory.put(d.KEY_ID, out)
        scalars[d.KEY_COUNT] = known
        self._make_room(directory, known + BLOCK)
        while not number_column(directory, column.size):
            self._make_room(directory, 2 * int(scalars[d.KEY_COUNT]) + BLOCK)
        new = directory.arrays[d.KEY_OF][known : scalars[d.KEY_COUNT]].copy()
        for place in (d.KEYS, d.KEY_ID):
            directory.put(place, NONE)
        return out, new

    @staticmethod
    def _make_room(directory: Directory, n: int) -> None:
        """Have room for so many keys: a table is at most two thirds full."""
        bits = (3 * (n + BLOCK) // 2).bit_length()
        scalars = directory.arrays[d.SCALARS]
        if bits > scalars[d.KEY_BITS]:
            directory.grow(d.KEY_OF, 1 << bits)
            directory.put(d.INDEX, directory.arrays[d.KEY_TABLE])
            directory.put(d.KEY_TABLE, np.zeros(2 << bits, np.int64))
            scalars[d.KEY_BITS] = bits
            move_keys(directory)
            directory.put(d.INDEX, NONE)


def _key_directory() -> Directory:
    directory = Directory()
    directory.put(d.SCALARS, np.zeros(d.SCALAR_COUNT, np.int64))
    directory.put(d.KEY_SLOT, np.zeros(BLOCK, np.int64))
    return directory


def with_one_nan(keys: Sequence[Hashable]) -> list[Hashable]:
    """Return keys, of which each that is NaN is always the same object: it equals no other.

    >>> with_one_nan([1.5, float("nan")])[1] is with_one_nan([float("nan")])[0]
    True
    """
    return [nan if isinstance(key, float) and isnan(key) else key for key in keys]


def as_given(keys: object) -> NDArray[np.generic]:
    """Return keys as an array; those of a list stay what they are.

    NumPy would make texts of numbers beside texts, floats of wide integers, and cut texts.

    >>> as_given([1, "1"]).tolist(), as_given([2**63, -1]).tolist()
    ([1, '1'], [9223372036854775808, -1])
    """
    if not is_row(keys):
        return np.asarray(keys)
    if not all(issubclass(kind, PLAIN) for kind in {*map(type, keys)}):
        return objects(keys)
    column: NDArray[np.generic] = np.asarray(keys)
    wide = column.dtype.kind == "f" and (np.abs(column) >= MAX_EXACT_INT).any()
    return objects(keys) if wide else column


def integer(key: Hashable) -> int | None:
    """Return the integer of 64 bits that a key equals, of whatever type it is, if there is one.

    >>> integer(True), integer(np.float32(-3)), integer(complex(2)), integer("7"), integer(2**63)
    (1, -3, 2, None, None)
    """
    if not isinstance(key, NUMBERS):
        return None
    real: object = getattr(key, "real", key)
    try:
        found = int(real) if isinstance(real, SupportsInt) else 0
    except (ValueError, OverflowError):  # of what is not finite
        return None
    return found if key == found and -(2**63) <= found < 2**63 else None


def births(birth: Ints, key: Ints) -> Ints:
    """Number the keys in the order in which their first events were taken; -1 is of no key.

    >>> births(np.array([0]), np.array([2, 0, 2, 1])).tolist()
    [0, 2, 1]
    """
    most = int(key.max(initial=-1))
    grown = birth
    if most >= birth.size:
        grown = np.full(max(most + 1, 2 * birth.size), -1, np.int64)
        grown[: birth.size] = birth
    unborn = key[grown[key] < 0]
    if unborn.size:
        new, first = np.unique(unborn, return_index=True)
        grown = grown.copy()
        grown[new[np.argsort(first)]] = np.arange(new.size) + int(birth.max(initial=-1)) + 1
    return grown
