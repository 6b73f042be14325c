"""Whether two answers are the same: exactly, or for floats within the bound of their rounding."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import TypeAlias

from muntin.conformance.lockstep import Answer, agree
from muntin.spec.query import Output, Result

View: TypeAlias = dict[tuple[str, int, float], object]
"""The windows that stand, by query, start and end."""

ROUNDING = 2.0**-53
"""The greatest relative error of one addition of floats."""


def slack(values: Iterable[object]) -> float:
    """Return how far sums of floats, added in any order, may lie apart; 0 for exact values.

    A sum of n floats is off by less than n u A, where u is half the distance from 1 to the next
    float and A the sum of the magnitudes [Higham93]. A difference of two prefix sums is off by
    twice that, and two answers may err to either side: 4 n u A in all, over the whole trace.

    >>> slack([1, 2, None]), slack([0.5, 1.5]) < 1e-14
    (0.0, True)
    """
    floats = [one for one in values if isinstance(one, float) and isfinite(one)]
    return 4 * len(floats) * ROUNDING * fsum(map(abs, floats))


def close(wanted: object, got: object, within: float) -> bool:
    """Whether two values are the same, or near each other."""
    if isinstance(wanted, float) and isinstance(got, float) and isfinite(wanted):
        return wanted == got or abs(wanted - got) <= within
    return wanted == got or repr(wanted) == repr(got) == "nan"


def alike(wanted: Answer, got: Answer, within: float) -> bool:
    """Whether two answers to a step are the same."""
    if within == 0 or isinstance(wanted, str) or isinstance(got, str):
        return wanted == got or agree(wanted, got)
    return wanted.late == got.late and _alike(wanted.results, got.results, within)


def _alike(wanted: Sequence[Result], got: Sequence[Result], within: float) -> bool:
    return len(wanted) == len(got) and all(
        close(a.value, b.value, within) and a._replace(value=None) == b._replace(value=None)
        for a, b in zip(wanted, got, strict=True)
    )


def of_queries(answer: Answer, names: frozenset[Hashable]) -> Answer:
    """Return an answer without what is said of other queries."""
    if isinstance(answer, str):
        return answer
    return answer._replace(results=tuple(one for one in answer.results if one.query in names))


def standing(answers: Iterable[Answer]) -> View:
    """Return the windows that stand after these answers.

    >>> standing([Output((Result("q", None, 0, 5, 7, "new", 0),))])
    {('q', 0, 5): 7}
    """
    view = View()
    for one in (one for answer in answers if isinstance(answer, Output) for one in answer.results):
        if one.kind == "retracted":
            view.pop((one.query, one.start, one.end), None)
        else:
            view[one.query, one.start, one.end] = one.value
    return view


def parting(wanted: Mapping[tuple[str, int, float], object], got: View, within: float) -> View:
    """Return the windows that differ, with what is got; a text says that there is none."""
    missing = object()
    return {
        at: got.get(at, "no such window")
        for at in sorted({*wanted, *got})
        if not close(wanted.get(at, missing), got.get(at, missing), within)
    }
