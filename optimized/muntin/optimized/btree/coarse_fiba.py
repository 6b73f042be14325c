"""Coarse-grained FiBA: one item for each slice of the window, as in [Tangwongsan19], section 5.3.

Items that are evicted together are kept together, so that n and d count slices and not items.
It is FiBA on times rounded down; proofs/fiba.md holds as it stands.
"""

from collections.abc import Iterable
from typing import TypeVar

from muntin.optimized.btree.fiba import Fiba
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.errors import integer, positive
from muntin.spec.structure import Pair, in_time_order

A = TypeVar("A")


class CoarseFiba(Fiba[A]):
    """FiBA for windows that begin and end at multiples of `slide`.

    Within a slice values are combined in the order of arrival: if that is not the order of time,
    the aggregate has to be commutative.

    >>> window = CoarseFiba(Monoid(0, int.__add__), slide=10)
    >>> window.bulk_insert([(12, 1), (19, 2), (23, 4), (41, 8)])
    >>> list(window.items())
    [(10, 3), (20, 4), (40, 8)]
    >>> window.evict_before(20)
    >>> window.query()
    12
    """

    def __init__(
        self,
        monoid: Monoid[A],
        meter: Meter | None = None,
        /,
        min_arity: int = 4,
        slide: int = 1,
    ) -> None:
        """Start with an empty window."""
        super().__init__(monoid, meter, min_arity)
        self._slide = positive(slide, "slide")

    def start_of_slice(self, time: int) -> int:
        """The largest multiple of the slide that is not after this time."""
        return time - integer(time, "the time") % self._slide

    def insert(self, time: int, value: A) -> None:
        """Combine a value into its slice."""
        super().insert(self.start_of_slice(time), value)

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Combine pairs that are sorted by time into their slices."""
        batch = in_time_order(pairs)
        super().bulk_insert((self.start_of_slice(time), value) for time, value in batch)

    def evict_before(self, start: int) -> None:
        """Remove every slice that ends at or before the start of a window."""
        self.bulk_evict(self.start_of_slice(start) - 1)
