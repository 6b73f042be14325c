"""The facts that an aggregate declares, as far as small words do not refute them."""

from collections.abc import Sequence
from dataclasses import replace

from muntin.spec.algebra import laws
from muntin.spec.algebra.aggregate import Aggregate, R, V
from muntin.spec.algebra.monoid import A


def without_refuted_facts(
    aggregate: Aggregate[V, A, R],
    letters: Sequence[V],
    longest: int = 3,
    equal: laws.Same = laws.is_same,
) -> Aggregate[V, A, R]:
    """The same aggregate without the declared facts that small words refute.

    An engine may then rely on all that is left: on order that does not matter, on inverses.
    """
    refuted = {each.law for each in laws.counterexamples(aggregate, letters, longest, equal)}
    inner = aggregate.monoid
    invert = None if laws.INVERT in refuted else inner.invert
    invert_first = None if laws.INVERT_FIRST in refuted else inner.invert_first
    monoid = replace(inner, invert=invert, invert_first=invert_first)
    commutative = aggregate.commutative and laws.COMMUTATIVE not in refuted
    return replace(aggregate, monoid=monoid, commutative=commutative)
