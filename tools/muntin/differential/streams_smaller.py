"""A stream on which Spark's own windows differ, made small: each candidate is a stream of its own.

A stream takes Spark some seconds, so there are not many candidates: rows are left out in runs that
get shorter, and then batches without rows are.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from muntin.differential.plan import NATIVE
from muntin.differential.shrinking import Mismatch, described
from muntin.differential.spark.native_streams import Arrival, Mode
from muntin.differential.stream_expectations import Batches, transcript
from muntin.spec.query import Query

TRIES = 60
"""How many streams are tried at most."""

Differences = Callable[[Batches], Sequence[str]]
"""What is wrong with what Spark tells of a stream."""


def smallest(rows: Batches, wrong: Differences) -> tuple[Batches, str]:
    """Return a stream that is wrong too, as small as so many tries make it, and what is wrong."""
    what, left, size = "", TRIES, sum(map(len, rows)) // 2
    while size and left:
        tried = list(islice(shorter(rows, size), left))
        differs = ((one, said[0]) for one in tried if (said := wrong(one)))
        smaller = next(differs, None)
        left -= tried.index(smaller[0]) + 1 if smaller else len(tried)
        size, (rows, what) = (size, smaller) if smaller else (size // 2, (rows, what))
    return rows, what or wrong(rows)[0]


def shorter(rows: Batches, size: int) -> Iterator[list[list[Arrival]]]:
    """Yield streams without so many rows in a row; batches that are empty then are gone.

    >>> one, two = Arrival("k", 1, 5), Arrival("k", 2, 6)
    >>> [*shorter([[one], [two]], 1)] == [[[two]], [[one]]]
    True
    """
    flat = [(nth, row) for nth, batch in enumerate(rows) for row in batch]
    for first in range(0, len(flat), size):
        kept = flat[:first] + flat[first + size :]
        if kept:
            yield [
                [row for at, row in kept if at == nth]
                for nth in dict.fromkeys(at for at, _ in kept)
            ]


def stream_mismatch(
    query: Query, mode: Mode, rows: Batches, delay: int, wrong: Differences
) -> Mismatch:
    """Make a stream small; its transcript says what append mode has to tell."""
    small, what = smallest(rows, wrong)
    charge = {"name": f"{NATIVE} in {mode} mode", "key": query.id, "what": what}
    return described(charge, transcript(query, small, delay), what)
