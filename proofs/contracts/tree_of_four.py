"""Lemmas on FlatFAT: the real tree of four values, for every place of an update or query.

The places are symbolic, the values are letters of the free monoid.
"""

from muntin.optimized.flatfat.flatfat import FlatFat, height, largest_capacity, touched_nodes
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Meter, Operation

LETTERS: list[Word] = [(0,), (1,), (2,), (3,)]


def tree(meter: Meter | None = None) -> FlatFat[Word]:
    """A tree of four letters."""
    meter = Meter() if meter is None else meter
    return FlatFat(meter.watch(FREE), LETTERS, meter)


def children_know_their_parent(node: int) -> None:
    """Equation 4.1: halving the number of either child gives the node, which is smaller."""
    assert node >= 1

    assert (2 * node) // 2 == node == (2 * node + 1) // 2
    assert node < 2 * node < 2 * node + 1


def queries_fold_what_was_written(place: int, queried: int) -> None:
    """P2: after an update at any place."""
    assert 0 <= place < 4
    assert 0 <= queried < 4

    fat, plain = tree(), list(LETTERS)
    fat.update([(place, (7,))])
    plain[place] = (7,)
    assert fat.aggregate() == FREE.fold(plain)
    assert fat.prefix(queried) == FREE.fold(plain[: queried + 1])
    assert fat.suffix(queried) == FREE.fold(plain[queried:])
    assert all(holds for _, holds in fat.invariants(plain))


def ranges_fold_what_lies_in_them(first: int, last: int) -> None:
    """P2: empty ranges too."""
    assert 0 <= first < 4
    assert 0 <= last < 4

    assert tree().range(first, last) == FREE.fold(LETTERS[first : last + 1])


def queries_cost_at_most_the_height(queried: int) -> None:
    """T3: prefix and suffix climb two levels, and combine at most once on each."""
    assert 0 <= queried < 4

    meter = Meter()
    fat = tree(meter)
    built = meter.combines
    fat.prefix(queried)
    prefix = meter.combines - built
    fat.suffix(queried)
    assert prefix <= FlatFat.bound(Operation("prefix", 4)).combines
    assert meter.combines - built - prefix <= FlatFat.bound(Operation("suffix", 4)).combines


def an_update_of_two_costs_at_most_the_union_of_their_paths(first: int, second: int) -> None:
    """T2: two writes to four values recompute three nodes, or two where they are neighbours."""
    assert 0 <= first < second < 4

    meter = Meter()
    fat = tree(meter)
    built = meter.combines
    fat.update([(first, (7,)), (second, (8,))])
    neighbours = first // 2 == second // 2
    assert meter.combines - built == (2 if neighbours else 3) <= touched_nodes(4, 2)


def the_height_is_the_logarithm(capacity: int) -> None:
    """T3: of a capacity up to 2^10, rounded down."""
    assert 1 <= capacity <= 1024

    assert 2 ** height(capacity) <= capacity < 2 ** (height(capacity) + 1)


def the_largest_capacity_is_the_largest_power_of_two_up_to_four_times_the_size(size: int) -> None:
    """S5: so at least a quarter of a ring of that capacity holds items."""
    assert 1 <= size <= 256

    capacity = largest_capacity(size)
    assert capacity <= 4 * size < 2 * capacity
