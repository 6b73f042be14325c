"""Whether two responses to a step agree: results key by key, late events in order of arrival.

Rule 11 orders the results of one key. How the keys of a step follow each other is not compared, for
an operator may forget a key and meet it anew.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeVar

from muntin.spec.query import Output, Result

T = TypeVar("T")
Response = Output | str
"""The output of an operator for a step, or its error."""

ValueComparison = Callable[[Result, Result], bool]
"""Whether an expected result and an actual one have the same value."""


def has_same_value(expected: Result, actual: Result) -> bool:
    """Whether two results have equal values; NaN is the same as NaN."""
    value = expected.value
    nan = isinstance(value, float) and value != value  # noqa: PLR0124 - NaN differs from itself
    return value == actual.value or (nan and repr(actual.value) == "nan")


def results_by_key(results: Iterable[Result]) -> dict[Hashable, list[Result]]:
    """The results of each key, in their order."""
    by_key: dict[Hashable, list[Result]] = {}
    for result in results:
        by_key.setdefault(result.key, []).append(result)
    return by_key


def response_difference(
    expected: Response, actual: Response, compare_values: ValueComparison = has_same_value
) -> str:
    """The first key whose results differ, or the first late event that does; empty if none does.

    >>> a, b = (Result("w", key, 0, 10, 5, "new", 0) for key in "ab")
    >>> response_difference(Output((a, b)), Output((b, a)))
    ''
    >>> response_difference(Output((a, b)), Output((b, a._replace(revision=1))))
    "key 'a': expected Result(query='w', ..., revision=0), got Result(query='w', ..., revision=1)"
    """
    if expected == actual:
        return ""
    if isinstance(expected, str) or isinstance(actual, str):
        return f"expected {expected}, got {actual}"
    results, actual_results = results_by_key(expected.results), results_by_key(actual.results)

    def is_same(result: Result, other: Result) -> bool:
        has_fields = result._replace(value=None) == other._replace(value=None)
        return has_fields and compare_values(result, other)

    for key in {**results, **actual_results}:
        rows, actual_rows = results.get(key, []), actual_results.get(key, [])
        if pair := _first_difference(rows, actual_rows, is_same):
            moved = len(rows) == len(actual_rows) and all(row in actual_rows for row in rows)
            return f"key {key!r}{', out of order' if moved else ''}: {pair}"
    pair = _first_difference(expected.late, actual.late, lambda event, other: event == other)
    return f"late events: {pair}" if pair else ""


def _first_difference(
    expected: Sequence[T], actual: Sequence[T], is_same: Callable[[T, T], bool]
) -> str:
    """The first items that differ at one position; empty if there are none."""
    for item, other in zip_longest(expected, actual):
        if item is None or other is None or not is_same(item, other):
            shown = ("nothing" if one is None else str(one) for one in (item, other))
            return "expected {}, got {}".format(*shown)
    return ""


def order_difference(output: Output, queries: Sequence[str]) -> str:
    """The first key whose results are not in the order of rule 11; empty if there is none.

    The queries are the registered ones, in the order in which they were added.

    >>> late, early = (Result("w", "a", start, start + 5, 1, "new", 0) for start in (5, 0))
    >>> order_difference(Output((late, early)), ["w"])
    "key 'a', out of order: expected Result(query='w', ... start=0, ..., got Result(... start=5,..."
    """
    positions = {name: position for position, name in enumerate(queries)}

    def place(result: Result) -> tuple[bool, float, int, int]:
        position = positions.get(result.query, len(positions))
        return result.kind != "retracted", result.end, result.start, position

    ordered = tuple(sorted(output.results, key=place))
    return response_difference(output._replace(results=ordered), output)
