"""Values of any type as integers, that partials of such a column hold instead of them.

A value keeps its number as long as a row may hold it. Where values are ordered, numbers are in
their order, with room between them for values to come; if there is none left, all get new ones.
Values are compared when they come first, and never in a step.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import nan
from typing import Protocol, TypeGuard

import numpy as np

from muntin.columnar.engine.kernel_language import Ints
from muntin.kernels.slicing.arrays import Objects
from muntin.kernels.slicing.batch import Values, objects
from muntin.spec.algebra.values import ORDER, sort_key
from muntin.spec.errors import InvalidInputError, UnsupportedError

PLAIN = frozenset({str, bytes, bool, date, timedelta})
"""Types whose equal values are alike, and that are in the order of the specification."""
COMPARABLE = frozenset({*PLAIN, datetime, time, Decimal, Fraction, int, float})
"""Types whose equal values have one place in the order."""
STEP = 1 << 32
"""Between the numbers of values that come in order."""
BOUND = 1 << 61
CHUNK = 512
LEAST = 1024


class Ordered(Protocol):
    """What has an order."""

    def __lt__(self, other: "Ordered", /) -> bool:
        """Whether it comes before another."""
        ...


class ValueCodes:
    """Numbers of the values of a column: in order, or as they come."""

    def __init__(self, column: object, *, is_ordered: bool) -> None:
        """Know no value."""
        self.column, self.is_ordered = column, is_ordered
        self.limit, self.next = LEAST, 1
        self.values: dict[int, object] = {}
        self.numbers: dict[object, int] = {}
        self.order: type | None = None
        self._kind: type | None = None
        self._keys: list[list[Ordered]] = []
        self._codes: list[list[int]] = []
        self.moves: list[tuple[Ints, Ints]] = []

    @property
    def size(self) -> int:
        """How many values have numbers."""
        return len(self.values)

    def encode(self, values: Values) -> Ints:
        """The numbers of values, 0 for a null; what cannot be ordered is refused."""
        data = values.data.tolist()
        if values.valid is None:
            return self._encode(data, None)
        places = np.flatnonzero(values.valid)
        codes: Ints = np.zeros(len(data), np.int64)
        codes[places] = self._encode([data[i] for i in places.tolist()], places)
        return codes

    def _encode(self, data: list[object], places: Ints | None) -> Ints:
        kinds = {*map(type, data)}
        if len(kinds) == 1 and self._is_usual(*kinds):
            try:
                return self._known(data)
            except KeyError:
                self._add([value for value in dict.fromkeys(data) if value not in self.numbers])
                return self._known(data)
        codes, spreads = list[int](), len(self.moves)
        try:
            codes.extend(map(self._number, data))
        except _NoOrderError as error:
            at = len(codes)  # of those before it
            raise self._refusal(error, at if places is None else int(places[at])) from error
        if len(self.moves) > spreads:  # some got their numbers before all got others
            return self._encode(data, places)
        return np.array(codes, np.int64)

    def _is_usual(self, kind: type) -> bool:
        """Whether values of a type are looked up, and have the type that is known."""
        if kind not in PLAIN or self._kind not in (None, kind):
            return False
        if self.is_ordered and self.order not in (None, kind):
            return False
        self._kind = kind
        self.order = kind if self.is_ordered else None
        return True

    def _known(self, data: list[object]) -> Ints:
        return np.fromiter(map(self.numbers.__getitem__, data), np.int64, len(data))

    def _add(self, values: list[object]) -> None:
        for value in values:
            code = self._place(value, value)  # which may give all the others new numbers
            self.numbers[value] = code

    def _number(self, value: object) -> int:
        """The number of a value of any type."""
        if not self.is_ordered:
            return self._place(value, value)
        kind, is_nan, _ = sort_key(value)
        value = nan if is_nan else value
        known = type(value) in COMPARABLE
        if not known or type(value) is Decimal:
            _check_order(value)
        if self.order not in (None, kind):
            raise _NoOrderError(value)
        if known and (code := self.numbers.get(value)) is not None:
            return code
        self.order = kind
        natural = type(value) in PLAIN
        code = self._place(value if natural else ORDER(value), value)
        if known:
            self.numbers[value] = code
        return code

    def _place(self, key: object, value: object) -> int:
        """A new number for a value, or that of its equal."""
        if self.is_ordered:
            code = self._place_between(key)
        else:
            code, self.next = self.next, self.next + 1
        self.values.setdefault(code, value)
        return code

    def _place_between(self, key: object) -> int:
        if not is_ordered_key(key):
            raise AssertionError
        keys, codes = self._keys, self._codes
        try:
            nth = bisect_left(keys, key, key=lambda chunk: chunk[-1])
            nth = min(nth, len(keys) - 1)
            at = bisect_left(keys[nth], key) if keys else 0
            if keys and at < len(keys[nth]) and not key < keys[nth][at]:
                return codes[nth][at]
        except (InvalidInputError, TypeError, ValueError, ArithmeticError) as cause:
            raise _NoOrderError(getattr(key, "obj", key)) from cause
        if not keys:
            keys.append([key])
            codes.append([STEP])
            return STEP
        code = self._code_between(nth, at)
        if code is None:
            self._spread()
            return self._place_between(key)
        keys[nth].insert(at, key)
        codes[nth].insert(at, code)
        if len(keys[nth]) > CHUNK:
            half = CHUNK // 2
            keys[nth : nth + 1] = [keys[nth][:half], keys[nth][half:]]
            codes[nth : nth + 1] = [codes[nth][:half], codes[nth][half:]]
        return code

    def _code_between(self, nth: int, at: int) -> int | None:
        """A number between those of two neighbours, if there is one."""
        codes = self._codes
        before = codes[nth][at - 1] if at else codes[nth - 1][-1] if nth else None
        after = codes[nth][at] if at < len(codes[nth]) else None  # only behind the last of all
        if before is None:
            code = (after or 0) - STEP
        else:
            code = before + STEP if after is None else (before + after) // 2
        return code if code != before and abs(code) < BOUND else None

    def _spread(self) -> None:
        """Give all values new numbers, far from each other; columns are to follow."""
        old = [code for chunk in self._codes for code in chunk]
        new = range(STEP, STEP * (len(old) + 1), STEP)
        renamed, following = dict(zip(old, new, strict=True)), iter(new)
        self._codes = [[next(following) for _ in chunk] for chunk in self._codes]
        self.values = {renamed[code]: value for code, value in self.values.items()}
        self.numbers = {value: renamed[code] for value, code in self.numbers.items()}
        self.moves.append((np.array(old, np.int64), np.array([*new], np.int64)))

    def retain(self, live: Iterable[int]) -> None:
        """Know no other values than those of some numbers; results of before have the others."""
        kept = self.values.keys() & {*live}
        self.values = {code: self.values[code] for code in kept}
        self.numbers = {value: code for value, code in self.numbers.items() if code in kept}
        pairs = [
            [(key, code) for key, code in zip(keys, codes, strict=True) if code in kept]
            for keys, codes in zip(self._keys, self._codes, strict=True)
        ]
        self._keys = [[key for key, _ in chunk] for chunk in pairs if chunk]
        self._codes = [[code for _, code in chunk] for chunk in pairs if chunk]
        self.limit = max(LEAST, 2 * len(self.values))

    def _refusal(self, error: "_NoOrderError", row: int) -> Exception:
        what = "the values" if self.column is None else f"the column {self.column!r}"
        where = f"in row {row} of {what} "
        kind, remedy = type(error.value).__name__, "give it values of one type that can be compared"
        if error.is_alone:
            kind = f"{where}{error.value!r} is of a type that has no order; {remedy}"
            return InvalidInputError(kind)
        return UnsupportedError(
            f"{where}{error.value!r} ({kind}) has no order with the values of type "
            f"{self.order.__name__ if self.order else kind} before it; {remedy}"
        )


class _NoOrderError(Exception):
    """A value that cannot be compared with those before it, or with any."""

    def __init__(self, value: object, *, is_alone: bool = False) -> None:
        super().__init__(value)
        self.value, self.is_alone = value, is_alone


def _check_order(value: object) -> None:
    """Refuse a value of a type without an order."""
    compare: Callable[[object], object] | None = getattr(value, "__lt__", None)
    try:
        if compare is not None and compare(value) is not NotImplemented:
            return
    except (TypeError, ValueError, ArithmeticError) as cause:
        raise _NoOrderError(value, is_alone=True) from cause
    raise _NoOrderError(value, is_alone=True)


def is_ordered_key(key: object) -> TypeGuard[Ordered]:
    """Whether a value can be asked whether it is less than others."""
    return hasattr(key, "__lt__")


def decoded(column: Ints, values: Mapping[int, object]) -> Objects:
    """The values of some numbers; of one that no value has, None."""
    return objects([*map(values.get, column.tolist())])


def moved(column: Ints, moves: list[tuple[Ints, Ints]]) -> Ints:
    """The new numbers of values whose old ones a column has; other numbers stay."""
    for old, new in moves:
        at = np.minimum(np.searchsorted(old, column), old.size - 1)
        column = np.where(old[at] == column, new[at], column)
    return column
