"""The layout of the finger B+-tree in arrays.

Leaves hold times and values. Inner nodes hold children, the smallest time below each but the first,
and the fold of the entries below each. A finger points at either end of the window, as in
[Tangwongsan19]; the nodes above it are its spine, kept by level, so that no node has a parent
pointer. Invariants, bounds and proofs: proofs/finger_btree.md.
"""

from muntin.kernels.compiler.kernel_api import CAP, FAN

KEY, ARITY, MASK = FAN, 2 * FAN, 2 * FAN + 1

MIN_LEAF, MAX_MERGED_LEAF = CAP // 4, 3 * CAP // 4
MIN_FAN, MAX_MERGED_FAN = max(2, FAN // 4), 3 * FAN // 4
MIN_SPINE_FAN = 2
"""Children of the root and of inner nodes on a spine: with one, a search would pass no item."""

LEVELS = 16
HEIGHT = 0
INSERTED, EVICTED = 1, 15  # entries: apart, neither waits for the other in a round
HEAD = 2  # the oldest entry of the left leaf
CUT = 3  # if there is one leaf: entries before it are in suffix folds, the others in prefix folds
VALID = 4  # prefix folds of the right leaf are valid before this entry
SUFFIX_STALE, MIDDLE_STALE = 5, 6
LEFT_STALE, RIGHT_STALE = 7, 8  # a bit a level
FREE_INNER, FRESH_INNER, SPARE_INNER = 9, 10, 11
FREE_LEAF, FRESH_LEAF, SPARE_LEAF = 12, 13, 14
LEFT, RIGHT = LEVELS, 2 * LEVELS  # spines by level; level 0 is the finger, the highest the root
PATH, CHILD = 3 * LEVELS, 4 * LEVELS  # the last path, from level 1: nodes, and which child
STACK, STEP = 5 * LEVELS, 6 * LEVELS
STAGED = 7 * LEVELS  # times of a batch staged for a leaf

LEFT_INNER, RIGHT_INNER = 0, 1  # by level: the children on no spine of the node on the spine
LEFT_CHAIN, RIGHT_CHAIN = 2, 3  # the same for this level and all above, below the root
MISC = 4
SUFFIX, PREFIX = 5, 6  # of the left, and of the right leaf
STAGE = 7
ENDS = 8
IDENTITY, MIDDLE, REST = 0, 1, 2  # in MISC: the root's children on no spine; all but both leaves

INNER_WIDTH, TIMES_WIDTH = 2 * FAN + 2, CAP + 1
ENDS_WIDTH = max(CAP, LEVELS)
