"""What FiBA and the classic tree cost, on counted visits and combines: T2 to T6, and how near."""

from copy import deepcopy
from itertools import pairwise
from random import Random

import pytest

from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.cost_bound import levels
from muntin.optimized.btree.fiba import Fiba
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation

ADD = Monoid(0, int.__add__)


class CountingSum:
    """Counts combines for a tree and its copies, which a copy of a meter would miss."""

    combines = 0

    @staticmethod
    def add(left: int, right: int) -> int:
        CountingSum.combines += 1
        return left + right


class MeasuredTree:
    """A tree over integers at even times, and what its calls cost."""

    def __init__(self, tree: type[BTree[int]], min_arity: int, size: int) -> None:
        self.meter = Meter()
        self.tree = tree(Monoid(0, CountingSum.add), self.meter, min_arity)
        self.tree.bulk_insert((2 * k, 1) for k in range(size))
        self.spent()

    def spent(self) -> Cost:
        """The cost since the last call, for this tree or another."""
        spent = Cost(CountingSum.combines, self.meter.visits)
        CountingSum.combines = self.meter.visits = 0
        return spent

    def rounds(self, distance: int, count: int) -> Cost:
        """The cost of evicting the oldest and inserting this far from the youngest."""
        for _ in range(count):
            oldest, youngest = self.tree.oldest(), self.tree.youngest()
            assert oldest is not None
            assert youngest is not None
            self.tree.evict(oldest)
            place = youngest + 2 if not distance else youngest - 2 * distance - 1
            self.tree.insert(place, 1)
            self.tree.evict(place if distance else oldest)
            self.tree.insert(youngest + 2, 1)
            self.tree.query()
        return self.spent()


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
def test_a_round_in_order_costs_the_same_whatever_the_size(min_arity: int) -> None:
    costs = [MeasuredTree(Fiba, min_arity, 2**k).rounds(0, 600) for k in (8, 11, 14)]
    for cost in costs:
        assert cost.visits <= 1.05 * costs[0].visits
        assert cost.combines <= 1.05 * costs[0].combines


def test_a_round_in_the_classic_tree_costs_by_the_size() -> None:
    small, large = (MeasuredTree(BTree, 2, 2**k).rounds(0, 300) for k in (8, 14))
    assert large.visits > 1.4 * small.visits


@pytest.mark.parametrize("min_arity", [2, 4])
def test_a_round_costs_by_the_logarithm_of_the_distance(min_arity: int) -> None:
    size, count = 2**14, 200
    visits = [
        MeasuredTree(Fiba, min_arity, size).rounds(min_arity**k, count).visits / count
        for k in range(1, levels(min_arity, size // 4))
    ]
    steps = [after - before for before, after in pairwise(visits)]
    assert all(step <= 2 * 4 + 1 for step in steps)  # two calls a round, 4 visits a level
    assert visits[-1] > visits[0] + 2 * len(steps)


def test_the_bound_of_fiba_depends_on_the_distance_and_not_on_the_size() -> None:
    tree = Fiba(ADD)
    for distance in (0, 1, 100, 10**6):
        calls = [Operation("insert", size, 1, (distance,)) for size in (10**7, 10**12)]
        assert len({tree.bound(call) for call in calls}) == 1


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
def test_a_search_attains_its_bound(min_arity: int) -> None:
    size = 2**11
    counted = MeasuredTree(Fiba, min_arity, 0)
    for k in reversed(range(size)):  # leaves the smallest nodes at the young end
        counted.tree.insert(2 * k, 1)
    counted.spent()
    attained: set[int] = set()
    for k in range(size // 2, size):
        counted.tree.evict(2 * k + 1)  # there is nothing to evict, so this only searches
        reach = levels(min_arity, size - 1 - k + 1)
        visits = counted.spent().visits
        assert visits <= 2 * reach + 3
        if visits == 2 * reach + 3:
            attained.add(reach)
    assert {0, 1, 2} <= attained


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
def test_a_repair_without_rebalancing_attains_its_bound(min_arity: int) -> None:
    size = 2**12
    counted, worst = MeasuredTree(Fiba, min_arity, 0), Cost(0, 0)
    for k in range(size):  # leaves large nodes at the young end
        counted.tree.insert(2 * k, 1)
    counted.spent()
    for k in range(size // 2, size):
        counted.tree.insert(2 * k, 1)
        reach, spent = levels(min_arity, size - 1 - k + 1), counted.spent()
        combines = 1 + (4 * min_arity - 2) * (2 * reach + 1)
        part = Cost(spent.combines / combines, spent.visits / (4 * reach + 4))
        worst = Cost(max(worst.combines, part.combines), max(worst.visits, part.visits))
    assert worst.visits == 1
    assert 0.45 < worst.combines <= 1


def test_query_takes_two_combines_and_no_more() -> None:
    counted = MeasuredTree(Fiba, 4, 10_000)
    assert counted.tree.query() == 10_000
    assert counted.spent() == Cost(combines=2, visits=3)


def greedy(tree: type[BTree[int]], min_arity: int, measure: int) -> float:
    """How near a run comes that always makes the dearest of some calls near the two ends."""
    random = Random(0)  # noqa: S311 nothing secret
    now, spent, allowed = MeasuredTree(tree, min_arity, 0), 0.0, 0.0
    for _ in range(150):
        pairs = [time for time, _ in now.tree.items()]
        calls = [("insert", len(pairs) and pairs[-1] + 2**20), ("insert", -len(pairs) * 2**20)]
        for k in range(1, min(7, len(pairs))):
            calls += [("evict", pairs[k - 1]), ("evict", pairs[-k])]
            calls += [("insert", (pairs[-k] + pairs[-k - 1]) // 2)]
        tried: list[tuple[float, MeasuredTree, float, float]] = []
        for name, time in calls if len(pairs) >= 60 else calls[:1]:
            later = MeasuredTree(tree, min_arity, 0)
            later.tree, later.meter = deepcopy((now.tree, now.meter))
            (later.tree.insert(time, 1) if name == "insert" else later.tree.evict(time))
            cost = later.spent()[measure]
            distance = min(sum(t < time for t in pairs), sum(t > time for t in pairs))
            bound = now.tree.bound(Operation(name, len(pairs), 1, (distance,)))[measure]
            tried.append((cost / bound + 0.3 * random.random(), later, cost, bound))
        _, now, cost, bound = max(tried, key=lambda trial: trial[0])
        spent, allowed = spent + cost, allowed + bound
    return spent / allowed


@pytest.mark.parametrize(
    ("tree", "min_arity", "combines", "visits"),
    [(Fiba, 2, 0.15, 0.55), (Fiba, 4, 0.15, 0.5), (BTree, 2, 0.25, 0.65), (BTree, 4, 0.2, 0.7)],
)
def test_an_adversary_comes_near_the_amortised_bound(
    tree: type[BTree[int]], min_arity: int, combines: float, visits: float
) -> None:
    near = greedy(tree, min_arity, 0), greedy(tree, min_arity, 1)
    assert combines <= near[0] <= 1
    assert visits <= near[1] <= 1


@pytest.mark.parametrize("min_arity", [2, 4])
def test_bulk_evict_costs_by_the_height_of_its_cut_beyond_the_nodes_it_drops(
    min_arity: int,
) -> None:
    size = 2**12
    for up_to in range(1, size - 1, 37):
        counted = MeasuredTree(Fiba, min_arity, size)
        counted.tree.bulk_evict(2 * up_to)
        distance = min(up_to, size - 1 - up_to)
        call = Operation("bulk_evict", size, up_to + 1, (distance,))
        assert counted.spent().is_within(counted.tree.bound(call))


@pytest.mark.parametrize("min_arity", [2, 4])
def test_bulk_insert_costs_less_than_its_items_one_by_one(min_arity: int) -> None:
    size, distance = 2**12, 1000
    for count, fewer in ((10, 1.5), (100, 4), (1000, 15)):
        times = [2 * (size - distance + k * distance // count) + 1 for k in range(count)]
        bulk, single = MeasuredTree(Fiba, min_arity, size), MeasuredTree(Fiba, min_arity, size)
        bulk.tree.bulk_insert((time, 1) for time in times)
        at_once = bulk.spent()
        for time in times:
            single.tree.insert(time, 1)
        one_by_one = single.spent()
        call = Operation("bulk_insert", size, count, tuple(size - 1 - time // 2 for time in times))
        assert at_once.is_within(bulk.tree.bound(call))
        assert at_once.visits <= 2 * count * (levels(min_arity, distance // count) + 3)
        assert at_once.visits * fewer <= one_by_one.visits


def test_a_batch_at_the_young_end_costs_a_constant_for_each_item() -> None:
    for size in (2**8, 2**14):
        counted = MeasuredTree(Fiba, 2, size)
        counted.tree.bulk_insert((2 * size + k, 1) for k in range(1000))
        assert counted.spent().visits <= 2 * 1000


def test_batches_of_one_cost_what_single_items_do_whatever_the_size() -> None:
    for size in (2**8, 2**14):
        counted = MeasuredTree(Fiba, 2, size)
        for k in range(500):
            counted.tree.bulk_insert([(2 * (size + k), 1)])
            counted.tree.bulk_insert([(-2 * k - 2, 1)])
        at_once = counted.spent()
        counted = MeasuredTree(Fiba, 2, size)
        for k in range(500):
            counted.tree.insert(2 * (size + k), 1)
            counted.tree.insert(-2 * k - 2, 1)
        assert at_once.visits <= 1.1 * counted.spent().visits
