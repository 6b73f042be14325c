"""What the window holds, oldest first."""

from muntin.kernels.compiler.kernel_api import CAP, A, Column, Ints, kernel, load, store_one
from muntin.kernels.finger_btree.layout import ARITY, HEIGHT, LEFT, STACK, STEP
from muntin.kernels.finger_btree.records import TreeArrays
from muntin.kernels.finger_btree.search import begin


@kernel
def held(tree: TreeArrays[A], times: Ints, values: Column[A]) -> None:
    """Copy what the window holds, oldest first."""
    s, inner = tree.s, tree.inner
    top = s[HEIGHT]
    level, place, node = top, 0, s[LEFT + top]
    s[STACK + top], s[STEP + top] = node, 0
    while level <= top:
        node, at = s[STACK + level], s[STEP + level]
        if level > 0 and at < inner[node, ARITY]:
            s[STEP + level] = at + 1
            level -= 1
            s[STACK + level], s[STEP + level] = inner[node, at], 0
            continue
        if level == 0:
            for entry in range(begin(tree, node), tree.times[node, CAP]):
                times[place] = tree.times[node, entry]
                store_one(values, place, load(tree.leaves, node, entry))
                place += 1
        level += 1
