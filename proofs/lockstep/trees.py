"""Finger trees beside the model of FiBA: the readable one node by node, the compiled one by items.

The two have other nodes, so only what they hold and answer can be compared with one model.
"""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from lockstep.comparison import Comparison
from lockstep.words import LINES, PRIME, CountedWords, letter
from muntin.kernels.aggregator.finger_btree import FingerTree
from muntin.kernels.compiler.engine import Engine, NodeShape, compiled_engine
from muntin.kernels.compiler.numeric_aggregate import Partial
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.btree.node import Node

ARITIES = (2, 2, 3, 4, 8)
SIZES = (6, 20, 60)
BULK = 1 / 8
"""Which share of inserts and of evicts are bulk calls."""
RANGES = 1 / 5
"""How many range queries there are for each other call."""


class ReadableFiba(Fiba[int]):
    """FiBA, readable."""

    def numbers(self) -> list[int]:
        """The answer to a query, and each node as the model lists it."""
        numbers = [self.query()]
        _append_node(numbers, self._root)
        return numbers


def _append_node(numbers: list[int], node: Node[int]) -> None:
    """Append the aggregate, the entries and the children of a node."""
    numbers += (node.agg, len(node.times))
    for entry in zip(node.times, node.values, strict=True):
        numbers += entry
    for child in node.children:
        _append_node(numbers, child)


def tree_calls(rng: Random, held: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield calls and their times, of a window that grows and shrinks; `held` are its times."""
    largest, growing = rng.choice(SIZES), True
    for _ in range(4 * largest):
        growing = len(held) < largest if len(held) in (0, largest) else growing
        youngest = max(held, default=0)
        if not held or rng.random() < (0.75 if growing else 0.25):
            time = rng.choice((rng.randrange(2 * largest), youngest + rng.randrange(3)))
            times = [time]
            if rng.random() < BULK:
                span = rng.choice((3, largest))
                times = sorted(time + rng.randrange(span) for _ in range(rng.randint(1, largest)))
            yield "insert" if len(times) == 1 else "bulk-insert", times
            held += set(times).difference(held)
        elif rng.random() < BULK:
            time = rng.choice((sorted(held)[len(held) // 5], rng.choice(held) + rng.randint(-1, 1)))
            yield "bulk-evict", [time]
            held[:] = [other for other in held if other > time]
        else:
            candidates = min(held), youngest, rng.choice(held), rng.randrange(2 * largest)
            time = rng.choice(candidates)
            yield "evict", [time]
            held[:] = [other for other in held if other != time]


def fiba_run(comparison: Comparison, rng: Random) -> None:
    """Compare a random run of the readable tree with the model."""
    arity = rng.choice(ARITIES)
    tree = ReadableFiba(CountedWords().monoid, None, arity)
    _run(
        comparison,
        rng,
        arity,
        Calls(
            tree.insert,
            tree.bulk_insert,
            tree.evict,
            tree.bulk_evict,
            tree.numbers,
            tree.query_range,
        ),
    )


@cache
def _engine() -> Engine[Partial]:
    return compiled_engine(LINES, NodeShape(4, 4))


def finger_tree_run(comparison: Comparison, rng: Random) -> None:
    """Compare a random run of the compiled tree with the model: answers and items."""
    tree = FingerTree(LINES.monoid(), None, _engine())

    def insert(time: int, value: int) -> None:
        tree.insert(time, divmod(value, PRIME))

    def bulk_insert(pairs: Pairs) -> None:
        tree.bulk_insert([(time, divmod(value, PRIME)) for time, value in pairs])

    def numbers() -> list[int]:
        items = list(tree.items())
        flat = [number for time, value in items for number in (time, _one_number(value))]
        return [_one_number(tree.query()), len(items), *flat]

    def query_range(first: int, last: int) -> int:
        return _one_number(tree.query_range(first, last))

    _run(
        comparison,
        rng,
        2,
        Calls(insert, bulk_insert, tree.evict, tree.bulk_evict, numbers, query_range),
    )


def _one_number(word: Partial) -> int:
    slope, height = word
    return int(slope) * PRIME + int(height)


Pairs = list[tuple[int, int]]


class Calls(NamedTuple):
    """The calls of a tree; `numbers` is what it answers and holds."""

    insert: Callable[[int, int], None]
    bulk_insert: Callable[[Pairs], None]
    evict: Callable[[int], None]
    bulk_evict: Callable[[int], None]
    numbers: Callable[[], list[int]]
    query_range: Callable[[int, int], int]


def _run(comparison: Comparison, rng: Random, arity: int, calls: Calls) -> None:
    comparison.add(f"new {arity}", calls.numbers())
    for call, times in tree_calls(rng, []):
        if rng.random() < RANGES:
            first = times[0] + rng.randint(-9, 9)
            last = first + rng.choice((0, rng.randint(-2, 9), rng.randint(0, 2 * SIZES[-1])))
            comparison.add(f"range {first} {last}", [calls.query_range(first, last)])
        if "insert" in call:
            pairs = [(time, letter(rng)) for time in times]
            calls.bulk_insert(pairs) if call == "bulk-insert" else calls.insert(*pairs[0])
            numbers = " ".join(f"{time} {value}" for time, value in pairs)
        else:
            (calls.evict if call == "evict" else calls.bulk_evict)(times[0])
            numbers = str(times[0])
        comparison.add(f"{call} {numbers}", calls.numbers())
