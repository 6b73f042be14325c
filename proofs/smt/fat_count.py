"""Theorem 4.2 (ii) of [Tangwongsan15]: what an update of m values of n may recompute.

Model: `work` is the sum over the levels l from 1 to log2 n of min(m, n / 2^l), which is Claim 4.3
summed up, as `recomputed` of `muntin.optimized.flatfat.flatfat` computes it: work(1, m) = 0 and
work(2n, m) = min(m, n) + work(n, min(m, n)), for each power of two n; tests/proofs/test_smt.py
compares the two. c is ceil(log2(n / m)), given by the power p = 2^c: m p >= n, and c = 0 or m p <
2n. The bound m (1 + c) - 1, one less than printed, follows by induction on log2 n.
"""

from z3 import And, ArithRef, BoolRef, Ints, Or

from evidence.theorem import Statement, Theorem

SIZE, WRITES, WORK, LOG, POWER = Ints("n m work c power")
VALID_SIZES = And(SIZE >= 1, WRITES >= 1, LOG >= 0, POWER >= 1)


def is_least(power: ArithRef, size: ArithRef) -> BoolRef:
    """Whether this is the least power of two whose product with the writes reaches the size."""
    return And(WRITES * power >= size, Or(power == 1, WRITES * power < 2 * size))


def a_tree_of_one_value_is_never_recomputed() -> Theorem:
    """T2, the start: n = m = 1, c = 0, and no inner node."""
    given = And(SIZE == 1, WRITES == 1, LOG == 0, WORK == 0)
    then = WORK <= WRITES * (1 + LOG) - 1
    less = WORK <= WRITES * (1 + LOG) - 2
    return Theorem(given, then, {"one less suffices": Statement(given, less)})


def the_logarithm_rises_by_one_as_the_size_doubles() -> Theorem:
    """T2: where m <= n, ceil(log2(2n / m)) = 1 + ceil(log2(n / m))."""
    given = And(VALID_SIZES, WRITES <= SIZE, is_least(POWER, SIZE))
    also_more = And(VALID_SIZES, WRITES <= 2 * SIZE, is_least(POWER, SIZE))
    then = is_least(2 * POWER, 2 * SIZE)
    return Theorem(given, then, {"also where m > n": Statement(also_more, then)})


def a_level_more_costs_at_most_one_for_each_write() -> Theorem:
    """T2, the step for m <= n: the new level takes m."""
    given = And(VALID_SIZES, WRITES <= SIZE, WORK <= WRITES * (1 + LOG) - 1)
    then = WRITES + WORK <= WRITES * (1 + LOG + 1) - 1
    same = WRITES + WORK <= WRITES * (1 + LOG) - 1
    return Theorem(given, then, {"the bound need not grow": Statement(given, same)})


def more_writes_than_half_cost_at_most_the_whole_tree() -> Theorem:
    """T2, the step for n < m < 2n, where c = 1: all 2n - 1 inner nodes of 2n values."""
    given = And(VALID_SIZES, SIZE < WRITES, WRITES < 2 * SIZE, WORK == SIZE - 1)
    then = SIZE + WORK <= WRITES * 2 - 1
    half = And(VALID_SIZES, SIZE <= WRITES, WRITES <= 2 * SIZE, WORK == SIZE)
    return Theorem(given, then, {"with a node too many": Statement(half, then)})


def as_many_writes_as_values_cost_the_whole_tree() -> Theorem:
    """T2, the step for m = 2n, where c = 0; Theorem 4.2 (i) too."""
    given = And(VALID_SIZES, WRITES == 2 * SIZE, WORK == SIZE - 1)
    then = SIZE + WORK == WRITES * 1 - 1
    two_less = SIZE + WORK <= WRITES - 2
    return Theorem(given, then, {"one less suffices": Statement(given, two_less)})


def a_set_of_nodes_has_no_more_parents() -> Theorem:
    """Claim 4.3: one node more has at most one parent more, and parents are one level up."""
    nodes, parents, added, node = Ints("nodes parents added node")
    level = And(SIZE >= 1, node >= 2 * SIZE, node < 4 * SIZE)
    given = And(level, parents >= 0, parents <= nodes, added >= 0, added <= 1)
    then = And(parents + added <= nodes + 1, node / 2 >= SIZE, node / 2 < 2 * SIZE)
    below = And(level, parents >= 0, parents <= nodes, added >= 0, added <= 2)
    return Theorem(
        given,
        then,
        {
            "a node has two parents": Statement(below, parents + added <= nodes + 1),
            "the root's level is a level of leaves": Statement(given, node / 2 < SIZE),
        },
    )


def the_children_of_a_node_split_its_leaves() -> Theorem:
    """Equation 4.2: node v at height h + 1 is above leaves v 2p .. (v + 1) 2p - 1, p = 2^h."""
    node, leaf = Ints("node leaf")
    given = And(node >= 1, POWER >= 1)
    above = And(node * 2 * POWER <= leaf, leaf < (node + 1) * 2 * POWER)
    left = And(2 * node * POWER <= leaf, leaf < (2 * node + 1) * POWER)
    right = And((2 * node + 1) * POWER <= leaf, leaf < (2 * node + 2) * POWER)
    zero_based = And((2 * node + 2) * POWER <= leaf, leaf < (2 * node + 3) * POWER)
    return Theorem(
        given,
        above == Or(left, right),
        {
            "children as in an array that begins at 0": Statement(
                given, above == Or(right, zero_based)
            )
        },
    )
