"""Random streams and queries that reach the corners, as Hypothesis strategies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from muntin.conformance.machines import random_choices as choices
from muntin.conformance.machines.letter_values import BAGS, WORDS, Letter
from muntin.conformance.machines.random_choices import EdgeCaseTimes, EventDraft
from muntin.spec.dialect import Dialect
from muntin.spec.query import Settings
from muntin.spec.windows.window import WindowType

__all__ = ["BAGS", "WORDS", "EdgeCaseTimes", "EventDraft", "Letter"]

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


@st.composite
def window_types(draw: DrawFn, base: int) -> WindowType:
    """Every window type, with small parameters."""
    return choices.window_type(HypothesisSource(draw), base)


@st.composite
def periodic(draw: DrawFn, base: int) -> WindowType:
    """Windows that every operator supports."""
    return choices.periodic(HypothesisSource(draw), base)


@st.composite
def dialects(draw: DrawFn) -> Dialect:
    """Every combination of decisions; most often ours."""
    return choices.dialect(HypothesisSource(draw))


@st.composite
def settings(draw: DrawFn, *, ordered: bool = False) -> Settings:
    """Every combination of settings; most often out of order, or always in order if `ordered`."""
    return choices.settings(HypothesisSource(draw), ordered=ordered)


@st.composite
def corners(draw: DrawFn) -> EdgeCaseTimes:
    """Times near zero, near the watermark, near the lateness limit, and near the last event."""
    return choices.corner(HypothesisSource(draw))


def drafts() -> SearchStrategy[EventDraft]:
    """Event drafts: time, number, key, own gap, punctuation."""

    @st.composite
    def drawn(draw: DrawFn) -> EventDraft:
        return choices.draft(HypothesisSource(draw))

    return drawn()
