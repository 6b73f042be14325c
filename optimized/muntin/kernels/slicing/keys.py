"""Dense numbers for keys, in the order of first appearance: open addressing, no deletion."""

from collections.abc import Hashable, Sequence
from math import isnan, nan
from numbers import Number
from typing import SupportsInt

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.aggregator.list_backend import MAX_EXACT_INT
from muntin.kernels.compiler.input_checks import check_unmasked
from muntin.kernels.compiler.jit import COMPILED, inlined, kernel
from muntin.kernels.slicing.arrays import Ints, ints
from muntin.kernels.slicing.batch import objects
from muntin.kernels.slicing.over import is_row
from muntin.spec.errors import InvalidInputError

SPREAD = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio: its multiples are far apart in their highest bits."""
Slots = NDArray[np.int64]
"""Rows: a key, and its number and 1, or 0 where there is none."""


@inlined
def slot_of(key: int, slots: Slots, shift: int) -> int:
    """Return the slot that holds a key, or the empty one where it belongs."""
    slot = np.uint64(key) * np.uint64(SPREAD) >> np.uint64(shift)
    last = np.uint64(len(slots) - 1)
    while slots[slot, 1] and slots[slot, 0] != key:
        slot = slot + np.uint64(1) & last
    return np.int64(slot)  # type: ignore[return-value] # an integer, to a kernel


@kernel
def number(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    column: Ints, slots: Slots, shift: int, n: int, out: Ints, new: Ints
) -> int:
    """Write the number of each key; return how many keys there are then, of which n were known."""
    first = n
    for i in range(len(column)):
        slot = slot_of(column[i], slots, shift)
        if not slots[slot, 1]:
            new[n - first] = column[i]
            n += 1
            slots[slot, 0], slots[slot, 1] = column[i], n
        out[i] = slots[slot, 1] - 1
    return n


@kernel
def move(old: Slots, slots: Slots, shift: int) -> None:
    """Fill a larger table."""
    for at in range(len(old)):
        if old[at, 1]:
            slot = slot_of(old[at, 0], slots, shift)
            slots[slot, 0], slots[slot, 1] = old[at, 0], old[at, 1]


@kernel
def unborn(key: Ints, birth: Ints) -> bool:
    """Whether some key has no number of birth."""
    for one in key:  # noqa: SIM110 - a kernel has no generators
        if birth[one] < 0:
            return True
    return False


@kernel
def bear(key: Ints, birth: Ints, n: int) -> None:
    """Number the keys that have no number yet, in their order, from one on."""
    for one in key:
        if birth[one] < 0:
            birth[one] = n
            n += 1


CHUNK = 2**12
"""Keys numbered at once: the table has room for as many new ones."""
BITS = 64
NUMBERS: tuple[type[object], ...] = (Number, np.generic)
PLAIN: tuple[type[object], ...] = (int, float, np.integer, np.floating, np.bool_)
"""Numbers that are the same as floats, unless they are wide."""


class KeyIds:
    """A number for each key that was seen. Integers of 64 bits are hashed by themselves."""

    def __init__(self) -> None:
        """Start with no key."""
        self._ids: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._bits = 4
        self._slots: Slots = np.zeros((1 << self._bits, 2), np.int64)

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
        out = np.empty(column.size, np.int64)
        new = np.empty(min(CHUNK, column.size), np.int64)
        for begin in range(0, column.size, CHUNK):
            chunk = column[begin : begin + CHUNK]
            n = len(self._keys)
            self._grow(5 * (n + chunk.size) // 3)
            out_here = out[begin : begin + CHUNK]
            found = number(chunk, self._slots, BITS - self._bits, n, out_here, new)
            self._keys += new[: found - n].tolist()
        return out

    def _grow(self, room: int) -> None:
        if room > len(self._slots):
            self._bits = (room - 1).bit_length()
            slots: Slots = np.zeros((1 << self._bits, 2), np.int64)
            move(self._slots, slots, BITS - self._bits)
            self._slots = slots


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
    if most < birth.size and not unborn(key, birth):
        return birth
    size = birth.size if most < birth.size else max(most + 1, 2 * birth.size)
    grown = np.full(size, -1, np.int64)
    grown[: birth.size] = birth
    bear(key, grown, int(birth.max(initial=-1)) + 1)
    return grown
