"""FiBA in flat arrays: where everything stands.

A node is a row: of children, of times, of values, and its aggregate. Entries stand in every node,
as in [Tangwongsan19]: FAN is twice the smallest arity, and a node with FAN entries is about to be
split. Facts, bounds and proofs: proofs/flat_fiba.md.
"""

from muntin.kernels.binding import FAN

LEAST = FAN // 2
"""The smallest arity."""

PARENT, LEVEL, SIDES = FAN + 1, FAN + 2, FAN + 3  # behind the children of a node
WIDTH = FAN + 4
COUNT = FAN  # behind the times of a node

ON_LEFT, ON_RIGHT = 1, 2
"""Sides: the spines that a node is on. The root is on none."""

ROOT, SIZE, HEIGHT = 0, 1, 2
LEFT, RIGHT = 3, 4  # fingers
FREE, FRESH, SPARE = 5, 6, 7  # rows: the last that was freed, the first never used, unused ones
ROWS = 8
SCALARS = 9
