"""Workload characteristics, and what follows from them: Figures 4, 5 and 6 of [Traub20].

The figures are pure functions of the characteristics, and are tabulated in the tests.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from muntin.optimized.common.aggregate_facts import without_refuted_facts
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import NAMES, named, named_keeping_nulls
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import Context

Removal = Literal["none", "invert", "recompute"]
LETTERS = (2, 5)
"""Values on which declared facts are checked, unless the user gives better ones."""
CATALOGUE_IDS = frozenset(id(one) for n in NAMES for one in (named_keeping_nulls(n), named(n)))
"""The aggregates whose claims tests/laws checks. They live as long as the process does."""


@dataclass(frozen=True)
class Characteristics:
    """What decides how a query is served (definition of [Traub20], section 4)."""

    in_order: bool
    commutative: bool
    invertible: bool
    context: Context
    session: bool
    count_measure: bool


def characteristics(
    query: Query, settings: Settings, letters: tuple[object, ...] = LETTERS
) -> Characteristics:
    """Derive the characteristics of a query; claims that would matter are checked."""
    window, aggregate = query.window, query.aggregate
    if not settings.in_order and (aggregate.commutative or window.measure is COUNT):
        aggregate = without_refuted_claims(aggregate, letters)
    return Characteristics(
        settings.in_order,
        aggregate.commutative,
        aggregate.monoid.invert is not None,
        window.context,
        isinstance(window, Session) and window.measure is TIME,
        window.measure is COUNT,
    )


def stores_tuples(traits: Characteristics) -> bool:
    """Whether tuples have to be stored besides partial aggregates (Figure 4)."""
    if traits.in_order:
        return traits.context == "FCA"
    aware = traits.context != "CF" and not traits.session
    return not traits.commutative or aware or traits.count_measure


SliceKind = Literal["times", "ranks", "arrivals", "begins", "tuples"]
"""Where slices lie: between edges in time, or gaps; between ranks, in event order or of arrivals;
between the begins of windows of an ordered stream; between any tuples."""


def keeps_tuples(traits: Characteristics, slice_kind: SliceKind) -> bool:
    """Whether tuples are stored: Figure 4, except for the reasons in `deviation_from_figure_4`."""
    if slice_kind in ("begins", "arrivals"):
        return False
    return slice_kind == "tuples" or stores_tuples(traits)


def splits(traits: Characteristics) -> bool:
    """Whether slices may have to be split, so that values are recomputed (Figure 5)."""
    if traits.in_order:
        return traits.context == "FCA"
    return traits.context != "CF" and not traits.session


def removal(traits: Characteristics) -> Removal:
    """How tuples are removed from slices (Figure 6)."""
    if traits.in_order or not traits.count_measure:
        return "none"
    return "invert" if traits.invertible else "recompute"


def without_refuted_claims(aggregate: AnyAggregate, letters: tuple[object, ...]) -> AnyAggregate:
    """The aggregate without the claims that small words refute.

    Letters that the aggregate does not take refute nothing. What the catalogue claims of integers
    is true; of letters that the user gives it is checked, for floats have no inverse.
    """
    if letters is LETTERS and id(aggregate) in CATALOGUE_IDS:
        return aggregate
    return _checked_claims(_Claims(aggregate, letters))


@dataclass(frozen=True, eq=False)
class _Claims:
    """What is checked once: claims are the same if they are made of the same functions."""

    aggregate: AnyAggregate
    letters: tuple[object, ...]

    def _function_ids(self) -> tuple[object, ...]:
        aggregate, monoid = self.aggregate, self.aggregate.monoid
        parts = monoid.identity, monoid.combine, monoid.invert, monoid.invert_first
        functions = (*parts, aggregate.lift, aggregate.lower)
        return *map(id, functions), aggregate.commutative, repr(self.letters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Claims) and self._function_ids() == other._function_ids()

    def __hash__(self) -> int:
        return hash(self._function_ids())


@lru_cache(maxsize=256)
def _checked_claims(claims: _Claims) -> AnyAggregate:
    try:
        return without_refuted_facts(claims.aggregate, claims.letters, longest=2)
    except Exception:  # noqa: BLE001 - whatever the user's code raises on foreign values
        return claims.aggregate
