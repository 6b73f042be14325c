"""Random streams and queries that reach the corners, as Hypothesis strategies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from muntin.conformance.machines import random_choices as choices
from muntin.conformance.machines.random_choices import RandomSource

P = ParamSpec("P")
T = TypeVar("T")

BASES = st.sampled_from(choices.BASES)
"""Where the times of a run lie."""

NARROW_BASES = st.sampled_from([0, 0, -37, 10**18, -(10**18)])
"""The same, where times must fit into 64 bits."""


@dataclass(frozen=True)
class HypothesisSource:
    """Choices of Hypothesis, which shrinks them when a test fails."""

    draw: DrawFn

    def integer(self, least: int, most: int, /) -> int:
        """Choose an integer, both ends included."""
        return self.draw(st.integers(least, most))

    def choice(self, options: Sequence[T], /) -> T:
        """Choose one of these."""
        return self.draw(st.sampled_from(options))


def drawn(choose: Callable[Concatenate[RandomSource, P], T]) -> Callable[P, SearchStrategy[T]]:
    """The strategy that makes a random choice with the choices of Hypothesis."""

    @st.composite
    def strategy(draw: DrawFn, /, *arguments: P.args, **options: P.kwargs) -> T:
        return choose(HypothesisSource(draw), *arguments, **options)

    return strategy


window_types = drawn(choices.window_type)
periodic = drawn(choices.periodic)
dialects = drawn(choices.dialect)
settings = drawn(choices.settings)
corners = drawn(choices.corner)
drafts = drawn(choices.draft)
