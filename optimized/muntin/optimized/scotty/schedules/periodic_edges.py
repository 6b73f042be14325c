"""The edges of periodic windows as progressions: families of starts, each shifted.

Algorithm 2 of [Traub20]: a sliding window has the edges of two tumbling ones, its starts and its
ends. Where a dialect truncates, the panes below the offset have families of their own.
"""

from muntin.optimized.scotty.schedules.spans import Periodic, edge_shift, has_unique_start, period
from muntin.optimized.scotty.slices.edges import Progression, single
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.periodic import Sliding


class PeriodicEdges:
    """The spans of the windows that start at `least` or later, of what comes after `since`."""

    def __init__(self, kind: Periodic, dialect: Dialect, least: float, since: float) -> None:
        """Take in the window type."""
        self._kind, self._least, self._since = kind, least, since
        self._opens, self._closes = edge_shift(kind, dialect)
        self._truncates = dialect.alignment == "truncate"

    def edges(self) -> list[Progression]:
        """Return where spans begin and end, and where what a query sees begins amid windows."""
        begins, offset = self._opens, self._kind.offset
        if not self._truncates:
            return [*self._family(begins), *self._ends(-END)]
        every = period(self._kind)
        early = [*self._family(begins - every + 1, high=offset)]
        found = [*early, *self._family(begins, low=offset + every)]
        if has_unique_start(self._kind):
            found += self._family(1 + self._closes, high=offset - every)
            found += self._ends(offset)
        else:
            found += self._ends(-END)
        return found if self._since == -END else [*found, single(int(self._since) + 1)]

    def _family(self, shift: int, low: float = -END, high: float = END) -> list[Progression]:
        """Return the starts from `low` to `high`, shifted, but for those before what is seen."""
        kind = self._kind
        first, last = max(max(low, self._least) + shift, self._since + 1), high + shift
        one = Progression(kind.offset + shift, period(kind), first, last)
        return [one] if first <= last else []

    def _ends(self, low: float) -> list[Progression]:
        """Return the ends of the windows that start at `low` or later."""
        kind = self._kind
        if isinstance(kind, Sliding):
            return self._family(kind.size + self._closes, low)
        first = max(low, self._least) + kind.step + self._closes
        return [Progression(kind.offset + self._closes, kind.step, first)]
