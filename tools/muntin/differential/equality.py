"""Whether two answers are equal: exactly, or for floats within the bound of their rounding."""

from collections.abc import Hashable, Iterable, Mapping
from math import fsum, isfinite, sqrt
from typing import TypeAlias

from muntin.conformance.output_comparison import Response, response_difference
from muntin.spec.query import Output, Query, Result

WindowView: TypeAlias = dict[tuple[str, int, float], object]
"""Values of the windows that are not retracted, by query, start and end."""

ROUNDING = 2.0**-53
"""The greatest relative error of one addition of floats."""


Tolerances: TypeAlias = Mapping[str, float]
"""The allowed difference of values, by query; values of other queries must be equal."""


def tolerances(queries: Iterable[Query], values: Iterable[object]) -> Tolerances:
    """The allowed difference for each query over a trace; queries without one are exact.

    For a variance the sum that counts is that of the squares [Chan83]. The difference of two roots
    is at most the root of the difference of their squares.

    >>> from muntin.differential.plan import parse_query
    >>> list(tolerances([parse_query("tumbling:5:var_pop"), parse_query("tumbling:5:max")], [0.5]))
    ['tumbling:5:var_pop']
    """
    listed = list(values)
    of_sum = rounding_error_bound(listed)
    of_squares = rounding_error_bound([one * one for one in listed if isinstance(one, float)])
    bounds = {"sum": of_sum, "mean": of_sum}
    bounds |= {"var_pop": of_squares, "var_sample": of_squares}
    bounds |= {"std_pop": sqrt(of_squares), "std_sample": sqrt(of_squares)}
    allowed = {query.id: bounds.get(query.aggregate.name, 0.0) for query in queries}
    return {query: bound for query, bound in allowed.items() if bound}


def rounding_error_bound(values: Iterable[object]) -> float:
    """The greatest difference of sums of floats added in any order; 0 for exact values.

    A sum of n floats is off by less than n u A, where u is half the distance from 1 to the next
    float and A the sum of the magnitudes [Higham93]. A difference of two prefix sums is off by
    twice that, and two answers may err to either side: 4 n u A in all, over the whole trace.

    >>> rounding_error_bound([1, 2, None]), rounding_error_bound([0.5, 1.5]) < 1e-14
    (0.0, True)
    """
    floats = [value for value in values if isinstance(value, float) and isfinite(value)]
    return 4 * len(floats) * ROUNDING * fsum(map(abs, floats))


def is_close(expected: object, actual: object, tolerance: float) -> bool:
    """Whether two values are equal, both NaN, or floats within the tolerance."""
    if isinstance(expected, float) and isinstance(actual, float) and isfinite(expected):
        return expected == actual or abs(expected - actual) <= tolerance
    return expected == actual or repr(expected) == repr(actual) == "nan"


def answer_difference(expected: Response, actual: Response, allowed: Tolerances) -> str:
    """The first difference of two answers, but for values within their tolerance."""

    def has_close_value(result: Result, other: Result) -> bool:
        return is_close(result.value, other.value, allowed.get(result.query, 0.0))

    return response_difference(expected, actual, has_close_value)


def restricted_to(answer: Response, queries: frozenset[Hashable]) -> Response:
    """An answer without the results of other queries."""
    if isinstance(answer, str):
        return answer
    return answer._replace(results=tuple(row for row in answer.results if row.query in queries))


def final_windows(answers: Iterable[Response]) -> WindowView:
    """The windows after these answers: the last value of each that was not retracted.

    >>> final_windows([Output((Result("q", None, 0, 5, 7, "new", 0),))])
    {('q', 0, 5): 7}
    """
    view = WindowView()
    for row in (row for answer in answers if isinstance(answer, Output) for row in answer.results):
        if row.kind == "retracted":
            view.pop((row.query, row.start, row.end), None)
        else:
            view[row.query, row.start, row.end] = row.value
    return view


def differing_windows(expected: WindowView, actual: WindowView, allowed: Tolerances) -> WindowView:
    """The windows that differ, with the actual value, or a text that the window is missing."""
    missing, windows = object(), sorted({*expected, *actual})
    pairs = ((expected.get(window, missing), actual.get(window, missing)) for window in windows)
    return {
        window: actual.get(window, "no such window")
        for window, pair in zip(windows, pairs, strict=True)
        if not is_close(*pair, allowed.get(window[0], 0.0))
    }
