"""Threads: how many, which rows each takes, and their work.

Keys are split, so no two threads have the same state. Machine code and NumPy run beside each other;
Python itself does not.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import numpy as np

from muntin.columnar.engine.kernel_language import ROLE
from muntin.kernels.slicing.arrays import Ints
from muntin.spec.errors import InvalidInputError

T = TypeVar("T")
VARIABLE = "MUNTIN_THREADS"
MOST_THREADS = 256
LEAST_ROWS = 1 << 15
"""Fewer rows are done before another thread has begun."""


def thread_count(threads: object = None) -> int:
    """The number of threads: as given, or of the environment, or one.

    >>> thread_count(2)
    2
    >>> thread_count(0)
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: threads must be an integer from 1 to 256, not 0
    """
    if threads is not None:
        return _checked(threads, threads, "threads")
    text = os.environ.get(VARIABLE, "1")
    return _checked(int(text) if text.isdecimal() else text, text, VARIABLE)


def _checked(number: object, shown: object, what: str) -> int:
    if type(number) is int and 1 <= number <= MOST_THREADS:
        return number
    problem = f"{what} must be an integer from 1 to {MOST_THREADS}, not {shown!r}"
    raise InvalidInputError(problem)


def split_by_key(keys: Ints | None, threads: int) -> list[Callable[[], Ints]]:
    """What finds the rows of each thread, by the numbers of keys; nothing if one has all.

    >>> [find().tolist() for find in split_by_key(np.arange(LEAST_ROWS) % 3, 2)][1][:3]
    [1, 4, 7]
    """
    if keys is None or threads == 1 or keys.size < LEAST_ROWS:
        return []
    return [partial(_places_of, keys, threads, thread) for thread in range(threads)]


def _places_of(keys: Ints, threads: int, thread: int) -> Ints:
    return np.flatnonzero(keys % threads == thread)


def run_in_threads(works: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """The results of each work, in order; if some raise, the first one's error."""
    if threads == 1 or len(works) == 1:
        return [work() for work in works]
    with ThreadPoolExecutor(threads, "muntin", _own_states) as pool:
        futures = [pool.submit(work) for work in works]
        return [future.result() for future in futures]


def _own_states() -> None:
    ROLE.owns_states = True
