"""Histories of a FIFO window: inserts and evicts, every short one and some long ones."""

import random
from collections.abc import Iterator
from itertools import chain, repeat

CALLS = 20_000
"""The approximate length of long histories."""


def histories(longest: int) -> Iterator[str]:
    """Yield each history of at most `longest` calls without underflow, short ones first.

    >>> list(histories(2))
    ['', '+', '++', '+-']
    """
    prefixes = [("", 0)]
    for _ in range(longest):
        yield from (history for history, _ in prefixes)
        prefixes = [
            (history + call, size + change)
            for history, size in prefixes
            for call, change in (("+", 1), ("-", -1))
            if size + change >= 0
        ]
    yield from (history for history, _ in prefixes)


def longest_histories(calls: int) -> Iterator[str]:
    """Yield the histories of exactly `calls` calls: all shorter ones are their beginnings.

    >>> list(longest_histories(2))
    ['++', '+-']
    """
    return (history for history in histories(calls) if len(history) == calls)


def call_names(history: str) -> Iterator[str]:
    """Yield the names of the calls."""
    return ({"+": "insert", "-": "evict"}[call] for call in history)


def steady(size: int) -> Iterator[str]:
    """Fill the window, then keep its size."""
    return chain(repeat("insert", size), *repeat(("evict", "insert"), (CALLS - size) // 2))


def growing() -> Iterator[str]:
    """Two in, one out."""
    return chain.from_iterable(repeat(("insert", "insert", "evict"), CALLS // 3))


def shrinking() -> Iterator[str]:
    """Fill, then two out, one in, until nothing is left."""
    half = CALLS * 2 // 5
    return chain(repeat("insert", half), *repeat(("evict", "evict", "insert"), half))


def bursty(seed: int) -> Iterator[str]:
    """Runs of inserts, and runs of evicts, of any length."""
    rng = random.Random(seed)  # noqa: S311 reproducible, not secret
    return chain.from_iterable(
        repeat(rng.choice(["insert", "evict"]), rng.randrange(300)) for _ in range(CALLS // 150)
    )
