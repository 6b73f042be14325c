"""The techniques that [Carbone16] compares, by name."""

from muntin.optimized.in_order.aggregate_store import InOrderLazyStore
from muntin.optimized.in_order.discretizer import refuses_unless_periodic
from muntin.optimized.in_order.flatfat_store import InOrderEagerStore
from muntin.optimized.in_order.group import Technique
from muntin.optimized.in_order.pane_edges import pairs, panes

PANES = Technique(InOrderLazyStore, panes, shares=False, refuses=refuses_unless_periodic)
"""Slices of gcd(size, slide) [Li05a]; each query has its own, and folds them when a window ends."""

PAIRS = Technique(InOrderLazyStore, pairs, refuses=refuses_unless_periodic)
"""Slices between the begins and ends of all windows [Krishnamurthy06]."""

PAIRS_PLUS = Technique(InOrderEagerStore, pairs, refuses=refuses_unless_periodic)
"""The same with an eager store: what pays when many queries share slices [Carbone16, 7.1]."""

CUTTY_LAZY = Technique(InOrderLazyStore)
"""Slices between the begins of all windows; a window that ends is folded slice by slice."""

CUTTY_EAGER = Technique(InOrderEagerStore)
"""The same with an eager store."""
