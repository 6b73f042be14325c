"""One call on any tree that satisfies its invariants gives a tree that satisfies them too.

Trees are drawn by shape and not reached by calls, so they are higher than those of any run: up to
height 5 for the smallest arity 2, where runs of the machines seldom pass height 3.
"""

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from exhaustive.states.calls import TimePlaces, changes
from exhaustive.states.constructed_states import PlantedBTree, PlantedFiba, Shape
from exhaustive.states.exploration import broken_facts
from muntin.spec.algebra.monoid import Monoid

MIN_ARITIES = st.sampled_from([2, 2, 2, 3, 4])
HIGHEST = {2: 5, 3: 3, 4: 3}


@st.composite
def shapes(draw: DrawFn, min_arity: int) -> Shape:
    """Draw a shape, most of its nodes as small or as large as they may be."""

    def arities(least: int) -> SearchStrategy[int]:
        extremes = (least, least, least, min_arity + 1, 2 * min_arity)
        return st.sampled_from([max(least, arity) for arity in extremes])

    def below(height: int, least: int) -> Shape:
        arity = draw(arities(least))
        if not height:
            return arity - 1
        return tuple(below(height - 1, min_arity) for _ in range(arity))

    return below(draw(st.integers(1, HIGHEST[min_arity])), 2)


@pytest.mark.parametrize("kind", [PlantedBTree, PlantedFiba])
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data(), min_arity=MIN_ARITIES, pick=st.integers(0, 10**6))
def test_one_call_on_any_tree_keeps_the_relation(
    kind: type[PlantedBTree | PlantedFiba], data: st.DataObject, min_arity: int, pick: int
) -> None:
    tree = kind(Monoid("", str.__add__), None, min_arity)
    window = tree.plant(data.draw(shapes(min_arity)))
    assert broken_facts(tree, window) == []
    places = TimePlaces(tuple(time for time, _ in window.pairs))
    calls = list(changes(window, places, "any order", len(window.pairs) + 3, 0))
    call = calls[pick % len(calls)]
    event(call.name)
    call.apply(tree)
    assert broken_facts(tree, call.expected(window)) == [], call
