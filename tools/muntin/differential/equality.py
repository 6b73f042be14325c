"""Whether two answers are the same: exactly, or for floats within the bound of their rounding."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import fsum, isfinite, sqrt
from typing import TypeAlias

from muntin.conformance.machines.lockstep import Response, agree
from muntin.spec.query import Output, Query, Result

View: TypeAlias = dict[tuple[str, int, float], object]
"""The windows that stand, by query, start and end."""

ROUNDING = 2.0**-53
"""The greatest relative error of one addition of floats."""


Within: TypeAlias = Mapping[str, float]
"""How far values may lie apart, by query; those of other queries have to be equal."""


def tolerance(queries: Iterable[Query], values: Iterable[object]) -> Within:
    """Return how far the values of each query over a trace may lie apart; else they are equal.

    For a variance the sum that counts is that of the squares [Chan83]. Roots lie no farther
    apart than the root of how far their squares do.

    >>> from muntin.differential.plan import asked
    >>> list(tolerance([asked("tumbling:5:var_pop"), asked("tumbling:5:max")], [0.5]))
    ['tumbling:5:var_pop']
    """
    given = list(values)
    far = rounding_error_bound(given)
    spread = rounding_error_bound([one * one for one in given if isinstance(one, float)])
    known = {"sum": far, "mean": far}
    known |= {"var_pop": spread, "var_sample": spread}
    known |= {"std_pop": sqrt(spread), "std_sample": sqrt(spread)}
    return {one.id: known[one.aggregate.name] for one in queries if known.get(one.aggregate.name)}


def rounding_error_bound(values: Iterable[object]) -> float:
    """Return how far sums of floats, added in any order, may lie apart; 0 for exact values.

    A sum of n floats is off by less than n u A, where u is half the distance from 1 to the next
    float and A the sum of the magnitudes [Higham93]. A difference of two prefix sums is off by
    twice that, and two answers may err to either side: 4 n u A in all, over the whole trace.

    >>> rounding_error_bound([1, 2, None]), rounding_error_bound([0.5, 1.5]) < 1e-14
    (0.0, True)
    """
    floats = [one for one in values if isinstance(one, float) and isfinite(one)]
    return 4 * len(floats) * ROUNDING * fsum(map(abs, floats))


def close(wanted: object, got: object, within: float) -> bool:
    """Whether two values are the same, or near each other."""
    if isinstance(wanted, float) and isinstance(got, float) and isfinite(wanted):
        return wanted == got or abs(wanted - got) <= within
    return wanted == got or repr(wanted) == repr(got) == "nan"


def alike(wanted: Response, got: Response, within: Within) -> bool:
    """Whether two answers to a step are the same."""
    if not within or isinstance(wanted, str) or isinstance(got, str):
        return wanted == got or agree(wanted, got)
    return wanted.late == got.late and _alike(wanted.results, got.results, within)


def _alike(wanted: Sequence[Result], got: Sequence[Result], within: Within) -> bool:
    return len(wanted) == len(got) and all(
        close(a.value, b.value, within.get(a.query, 0.0))
        and a._replace(value=None) == b._replace(value=None)
        for a, b in zip(wanted, got, strict=True)
    )


def of_queries(answer: Response, names: frozenset[Hashable]) -> Response:
    """Return an answer without what is said of other queries."""
    if isinstance(answer, str):
        return answer
    return answer._replace(results=tuple(one for one in answer.results if one.query in names))


def final_windows(answers: Iterable[Response]) -> View:
    """Return the windows that stand after these answers.

    >>> final_windows([Output((Result("q", None, 0, 5, 7, "new", 0),))])
    {('q', 0, 5): 7}
    """
    view = View()
    for one in (one for answer in answers if isinstance(answer, Output) for one in answer.results):
        if one.kind == "retracted":
            view.pop((one.query, one.start, one.end), None)
        else:
            view[one.query, one.start, one.end] = one.value
    return view


def differing_windows(wanted: View, got: View, within: Within) -> View:
    """Return the windows that differ, with what is got; a text says that there is none."""
    missing = object()
    return {
        at: got.get(at, "no such window")
        for at in sorted({*wanted, *got})
        if not close(wanted.get(at, missing), got.get(at, missing), within.get(at[0], 0.0))
    }
