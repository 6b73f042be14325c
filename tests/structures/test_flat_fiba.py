"""FiBA in flat arrays: node for node the readable one; mutants; cost; numbers when compiled."""

from collections.abc import Callable
from random import Random

import pytest

from muntin.kernels.aggregates import named
from muntin.kernels.columns import ColumnWindow
from muntin.kernels.engine import Shape, numeric, opaque
from muntin.kernels.flat_fiba import FlatFiba, shape_of
from muntin.kernels.flat_view import FlatView
from muntin.kernels.modules import FLAT
from muntin.optimized.fiba import Fiba
from muntin.spec.cost import Meter, Operation
from muntin.spec.errors import InvalidInputError
from muntin.spec.monoid import FREE, Monoid, Word
from muntin.spec.structure import OutOfOrder

MUTANTS = {
    "the younger half of a split is on no spine": (
        "inner[younger, SIDES] = inner[node, SIDES] & ON_RIGHT",
        "inner[younger, SIDES] = 0",
    ),
    "the older half of a split stays on the right spine": (
        "inner[node, SIDES] &= ON_LEFT",
        "inner[node, SIDES] &= ON_LEFT | ON_RIGHT",
    ),
    "a freed row is lost": ("    s[SPARE] += 1", "    s[SPARE] += 0"),
    "a merge forgets the right finger": ("if s[RIGHT] == younger:", "if False:"),
    "a repair forgets the spine that it is on": ("reached = inner[top, SIDES]", "reached = 0"),
    "a repair forgets the spines that rebalancing hit": ("reached = hit", "reached = 0"),
    "a sibling's spine is not told": ("    hit |= inner[sibling, SIDES]", "    hit |= 0"),
    "the repair begins below an evicted entry": (
        "while inner[node, LEVEL] < level and",
        "while False and",
    ),
    "a left aggregate forgets its parent": (
        "total = combine(total, load(tree.folds, parent, 0))",
        "pass",
    ),
    "a right aggregate takes its parent last": (
        "total = combine(load(tree.folds, parent, 0), total)",
        "total = combine(total, load(tree.folds, parent, 0))",
    ),
    "values at one time change places": (
        "combine(load(tree.leaves, node, at), value)",
        "combine(value, load(tree.leaves, node, at))",
    ),
    "an underfull left leaf stays": ("last - gone >= LEAST - 1", "last - gone >= LEAST - 2"),
    "more goes than a leaf can spare": ("most = last - LEAST + 2", "most = last"),
    "what is cleared keeps its spare rows": (", s[SPARE] = -1, 0, s[ROWS]", ", _ = -1, 0, 0"),
    "a range forgets what is behind its first entry": (
        "found = joined((True, last_fold(tree, node)), found)",
        "pass",
    ),
    "a range forgets what is before its last entry": (
        "found = joined(found, (True, first_fold(tree, node)))",
        "pass",
    ),
}


def flat(min_arity: int) -> FlatFiba[Word]:
    """Return an empty tree over words."""
    return FlatFiba(FREE, None, opaque(FREE, shape_of(min_arity), FLAT))


def nodes(tree: FlatFiba[Word]) -> object:
    """Return what the nodes hold, parents first."""
    view = FlatView(tree.tree, tree.min_arity)
    root = next(node for node in view.nodes.values() if not node.parent)
    return [(n.height, n.times, n.values, n.agg, n.on_left, n.on_right) for n in root.subtree()]


def readable(tree: Fiba[Word]) -> object:
    """Return the same of a readable tree, in its own words."""
    kinds = {"left": (True, False), "right": (False, True), "up": (False, False)}
    waiting, found = [tree.picture().root], list[object]()
    while waiting:
        node = waiting.pop()
        times, values = [time for time, _ in node.entries], [value for _, value in node.entries]
        height, below = 0, node
        while below.children:
            height, below = height + 1, below.children[0]
        sides = kinds.get(node.kind, (False, False))
        found.append((height, times, values, node.aggregate, *sides))
        waiting.extend(node.children)
    return found


def change(structure: OutOfOrder[Word], random: Random, letter: int, growing: float) -> None:
    """Make one call for a single item."""
    first, last = structure.oldest() or 0, structure.youngest() or 0
    time = random.choice([first, last, last + 1, random.randrange(first - 2, last + 3)])
    if random.random() < growing:
        structure.insert(time, (letter,))
    else:
        structure.evict(time)


@pytest.mark.parametrize("min_arity", [2, 3, 4])
def test_single_calls_lead_to_the_tree_of_the_readable_fiba_node_for_node(min_arity: int) -> None:
    tree, other = flat(min_arity), Fiba(FREE, None, min_arity)
    highest = 0
    for step in range(1500):
        growing = 0.95 if step % 900 < 500 else 0.25
        for one in (tree, other):
            change(one, Random(step), step, growing)  # noqa: S311 nothing secret
        assert nodes(tree) == readable(other), step
        highest = max(highest, int(tree.tree.s[2]))
    assert highest >= 2, "else no spine has an inner node"


def play(seeds: range) -> None:
    """Make random calls of every kind, and look at the tree after each."""
    for seed in seeds:
        random, tree, spec = Random(seed), flat(2 + seed % 2), Fiba(FREE)  # noqa: S311 nothing secret
        for step in range(240):
            kind, near = random.random(), random.randrange(-3, 3)
            state, growing = random.getrandbits(32), 0.8 if step % 120 < 70 else 0.3
            at = (tree.oldest() or 0) + random.randrange(0, 9) + near
            batch = [(at + k // 2, (step, k)) for k in range(random.randrange(25))]
            for one in (tree, spec):
                if kind < 0.05:
                    one.bulk_insert(batch)
                elif kind < 0.15:
                    one.bulk_evict(at if kind < 0.145 else at + 500)
                else:
                    change(one, Random(state), step, growing)  # noqa: S311 nothing secret
            assert tree.query() == spec.query()
            assert tree.query_range(at, at + 20) == spec.query_range(at, at + 20)
            for fact, holds in tree.relates(list(spec.items())):
                assert holds, fact


def test_the_tree_survives_what_its_mutants_do_not() -> None:
    play(range(10))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name: str, plant: Callable[[tuple[str, ...], str, str], None]) -> None:
    plant(FLAT, *MUTANTS[name])
    with pytest.raises((AssertionError, IndexError, KeyError)):
        play(range(10))


def test_compiled_it_answers_over_numbers_as_the_readable_fiba_does() -> None:
    summary, min_arity = named("m4"), 4
    engine = numeric(summary, shape_of(min_arity), FLAT)
    tree, spec = FlatFiba(summary.monoid(), None, engine), Fiba(summary.monoid())
    random = Random(min_arity)  # noqa: S311 nothing secret
    for step in range(1200):
        time, value = step - random.randrange(1, 300), random.random()
        kind, batch = random.random(), [(time + k, summary.lift(value + k)) for k in range(40)]
        for one in (tree, spec):
            if kind < 0.03:
                one.bulk_insert(batch)
            elif kind < 0.06:
                one.bulk_evict(step - 350)
            elif kind < 0.35:
                one.evict(time)
            else:
                one.insert(time, summary.lift(value))
        assert tree.query() == spec.query()
        assert tree.query_range(time, time + 90) == spec.query_range(time, time + 90)
        assert len(tree) == len(spec)
    pairs = list(spec.items())
    assert list(tree.items()) == pairs
    assert [fact for fact, holds in tree.relates(pairs) if not holds] == []


def combines(size: int, rounds: int, distance: int) -> float:
    """Combines a round of evict, insert and query, at a distance from the youngest."""
    meter = Meter()
    monoid = meter.watch(Monoid(0, int.__add__))
    tree: FlatFiba[int] = FlatFiba(monoid, meter)
    tree.bulk_insert((k * 2**20, 1) for k in range(size))
    before = meter.combines
    for k in range(rounds):
        tree.evict(k * 2**20)
        tree.insert((size - distance) * 2**20 + (k if distance else k * 2**20), 1)
        assert tree.query() == size
    return (meter.combines - before) / rounds


def test_a_round_in_order_costs_the_same_whatever_the_size() -> None:
    costs = [combines(2**k, 300, 0) for k in (6, 8, 11, 13)]
    assert max(costs) <= 1.25 * min(costs), costs


def test_a_round_costs_by_the_distance_within_its_bound() -> None:
    tree: FlatFiba[int] = FlatFiba(Monoid(0, int.__add__))
    costs = [combines(2**12, 300, 4**k) for k in range(1, 5)]
    assert costs == sorted(costs), costs
    for k, cost in enumerate(costs, start=1):
        bounds = [
            tree.bound(Operation(name, 2**12, 1, (at,))).combines
            for name, at in (("insert", 4**k), ("evict", 0), ("query", 0))
        ]
        assert cost <= sum(bounds)


def test_a_batch_that_goes_costs_a_constant_for_each_item() -> None:
    meter = Meter()
    monoid = meter.watch(Monoid(0, int.__add__))
    tree: FlatFiba[int] = FlatFiba(monoid, meter)
    tree.bulk_insert((k, 1) for k in range(4096))
    before = meter.combines
    tree.bulk_evict(4000)
    assert (tree.query(), len(tree)) == (95, 95)
    assert meter.combines - before < 10 * 4001
    before = meter.combines
    tree.bulk_evict(4096)
    assert (tree.query(), meter.combines - before) == (0, 0)


@pytest.mark.parametrize("min_arity", [1, 0, -3])
def test_a_smallest_arity_below_two_is_refused(min_arity: int) -> None:
    with pytest.raises(InvalidInputError, match="min_arity must be at least 2"):
        shape_of(min_arity)


@pytest.mark.parametrize("shape", [Shape(), Shape(6, 7), Shape(1, 2)], ids=str)
def test_a_shape_of_another_form_is_refused(shape: Shape) -> None:
    with pytest.raises(InvalidInputError):
        ColumnWindow(named("sum"), shape, form="fiba", compiled=False)
