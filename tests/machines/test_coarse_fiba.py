"""Coarse-grained FiBA is the plain window on times rounded down."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.optimized.btree.coarse_fiba import CoarseFiba
from muntin.spec.algebra.monoid import FREE
from muntin.spec.structure import TimedWindow

TIMES = st.integers(-100, 100)


@given(st.lists(TIMES), st.lists(TIMES), TIMES, st.integers(1, 30))
def test_a_coarse_window_holds_one_item_for_each_slice(
    single: list[int], batch: list[int], start: int, slide: int
) -> None:
    tree, window = CoarseFiba(FREE, None, 2, slide), TimedWindow(FREE)
    for letter, time in enumerate(single):
        tree.insert(time, (letter,))
        window = window.insert(time // slide * slide, (letter,))
    pairs = [(time, (len(single) + letter,)) for letter, time in enumerate(sorted(batch))]
    tree.bulk_insert(pairs)
    window = window.bulk_insert((time // slide * slide, value) for time, value in pairs)
    tree.evict_before(start)
    kept = tuple((time, value) for time, value in window.pairs if time + slide > start)
    assert tuple(tree.items()) == kept
    assert tree.query() == TimedWindow(FREE, kept).query()
    assert all(fact for _, fact in tree.invariants(kept))


NEAR = range(-3, 4)
INSERTS = [("insert", time) for time in NEAR]
CALLS = [(name, time) for name in ("insert", "evict", "evict_before") for time in NEAR]


@pytest.mark.parametrize("slide", [1, 2, 3, 4])
def test_every_call_after_every_two_inserts_is_that_of_the_definition(slide: int) -> None:
    for run in product(INSERTS, INSERTS, CALLS):
        tree, window = CoarseFiba(FREE, None, 2, slide), TimedWindow(FREE)
        for letter, (name, time) in enumerate(run):
            start = max(at for at in range(-8, time + 1) if at % slide == 0)
            match name:
                case "insert":
                    tree.insert(time, (letter,))
                    window = window.insert(start, (letter,))
                case "evict":
                    tree.evict(time)
                    window = window.evict(time)
                case _:
                    tree.evict_before(time)
                    window = window.bulk_evict(start - 1)
        assert tuple(tree.items()) == window.pairs, run
        for ends in product(NEAR, repeat=2):
            assert tree.query_range(*ends) == window.query_range(*ends), (run, ends)
