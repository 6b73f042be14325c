"""Workload characteristics, and what follows from them: Figures 4, 5 and 6 of [Traub20].

The figures are pure functions of the characteristics, and are tabulated in the tests.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from muntin.optimized.common.aggregate_facts import without_refuted_facts
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import NAMES, named, named_keeping_nulls
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import Context

Erased = Aggregate[object, object, object]
Removal = Literal["none", "invert", "recompute"]
LETTERS = (2, 5)
"""Values on which declared facts are checked, unless the user gives better ones."""
CATALOGUE = frozenset(id(one) for name in NAMES for one in (named_keeping_nulls(name), named(name)))
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
    kind, facts = query.window, query.aggregate
    if not settings.in_order and (facts.commutative or kind.measure is COUNT):
        facts = without_refuted_claims(facts, letters)
    return Characteristics(
        settings.in_order,
        facts.commutative,
        facts.monoid.invert is not None,
        kind.context,
        isinstance(kind, Session) and kind.measure is TIME,
        kind.measure is COUNT,
    )


def stores_tuples(of: Characteristics) -> bool:
    """Whether tuples have to be kept besides partial aggregates (Figure 4)."""
    if of.in_order:
        return of.context == "FCA"
    aware = of.context != "CF" and not of.session
    return not of.commutative or aware or of.count_measure


SliceKind = Literal["times", "ranks", "arrivals", "begins", "tuples"]
"""Where slices lie: between edges in time, or gaps; between ranks, in event order or of arrivals;
between the begins of windows of an ordered stream; between any tuples."""


def keeps_tuples(of: Characteristics, place: SliceKind) -> bool:
    """Whether tuples are stored: Figure 4, but for the reasons of `deviation_from_figure_4`."""
    if place in ("begins", "arrivals"):
        return False
    return place == "tuples" or stores_tuples(of)


def splits(of: Characteristics) -> bool:
    """Whether slices may have to be split, so that values are recomputed (Figure 5)."""
    if of.in_order:
        return of.context == "FCA"
    return of.context != "CF" and not of.session


def removal(of: Characteristics) -> Removal:
    """How tuples are taken out of slices (Figure 6)."""
    if of.in_order or not of.count_measure:
        return "none"
    return "invert" if of.invertible else "recompute"


def without_refuted_claims(aggregate: Erased, letters: tuple[object, ...]) -> Erased:
    """Return the aggregate without the claims that small words refute.

    Letters that the aggregate does not take refute nothing. What the catalogue claims of integers
    is true; of letters that the user gives it is checked, for floats have no inverse.
    """
    if letters is LETTERS and id(aggregate) in CATALOGUE:
        return aggregate
    return _unrefuted(_Claims(aggregate, letters))


@dataclass(frozen=True, eq=False)
class _Claims:
    """What is checked once: claims are the same if they are made of the same functions."""

    aggregate: Erased
    letters: tuple[object, ...]

    def _made_of(self) -> tuple[object, ...]:
        whole, monoid = self.aggregate, self.aggregate.monoid
        functions = (whole.lift, monoid.combine, whole.lower, monoid.invert, monoid.invert_first)
        return *map(id, functions), whole.commutative, id(monoid.identity), repr(self.letters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Claims) and self._made_of() == other._made_of()

    def __hash__(self) -> int:
        return hash(self._made_of())


@lru_cache(maxsize=256)
def _unrefuted(claims: _Claims) -> Erased:
    try:
        return without_refuted_facts(claims.aggregate, claims.letters, longest=2)
    except Exception:  # noqa: BLE001 - whatever the user's code raises on foreign values
        return claims.aggregate
