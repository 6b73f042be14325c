"""One step of rebalancing in a tree of any height: the rest of the tree is opaque.

The nodes that change and their parent are real; each other child of the parent, and each child of
the changing nodes, is a stub with a letter for its subtree. Above the parent a root puts it on the
left spine, on the right one, or between. Split, merge and move read nothing else. So what holds for
every arity and every place here holds for such a step in any tree.

Exhausted: all arities of the nodes, all places, leaves and inner nodes, all three positions, and
siblings up to a number; for moves every number of entries that bulk evict may request.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from muntin.optimized.btree import rebalance
from muntin.optimized.btree.node import Node

Position = Literal["left", "right", "between"]


class RebalanceCase(NamedTuple):
    """The nodes before the step: arities, height, and the position of their parent."""

    min_arity: int
    arities: tuple[int, ...]  # of the parent's children; 0 for a stub
    height: int  # of these children
    position: Position


@dataclass
class LetterSource:
    """A source of letters, each handed out once."""

    used: int = 0

    def next_letter(self) -> str:
        """The next letter."""
        self.used += 1
        return chr(0x100 + self.used)


def stub(height: int, letters: LetterSource) -> Node[str]:
    """A node that represents any tree of this height."""
    return Node(height, letters.next_letter())


def inner(arity: int, height: int, letters: LetterSource) -> Node[str]:
    """A node with entries, over stubs unless it is a leaf; a stub if its arity is 0."""
    if not arity:
        return stub(height, letters)
    node = Node(height, "")
    if height:
        node.adopt([stub(height - 1, letters) for _ in range(arity)])
    node.values = [letters.next_letter() for _ in range(arity - 1)]
    node.times = [ord(value) for value in node.values]
    return node


def family(case: RebalanceCase) -> Node[str]:
    """The parent of the nodes of a case, at its position below a root."""
    letters = LetterSource()
    parent = inner(len(case.arities), case.height + 1, letters)
    parent.children.clear()
    parent.adopt([inner(arity, case.height, letters) for arity in case.arities])
    root = Node(case.height + 2, "")
    spine_siblings = [Node(case.height + 1, "") for _ in range(2)]
    rows = {"left": [parent, spine_siblings[1]], "right": [spine_siblings[0], parent]}
    root.adopt(rows.get(case.position, [spine_siblings[0], parent, spine_siblings[1]]))
    parent.on_left, parent.on_right = case.position == "left", case.position == "right"
    parent.children[0].on_left = parent.on_left
    parent.children[-1].on_right = parent.on_right
    return parent


def content(node: Node[str]) -> str:
    """The letters below a node in the order of time."""
    if not node.children:
        return "".join(node.values) or node.agg
    pairs = zip(node.children, node.values, strict=False)
    return "".join(content(child) + value for child, value in pairs) + content(node.children[-1])


def faults(parent: Node[str], before: str) -> Iterator[str]:
    """Yield the facts that a step has broken."""
    if content(parent) != before:
        yield "S1 the order of the content"
    last = len(parent.children) - 1
    for place, node in enumerate(parent.children):
        if node.times != [ord(value) for value in node.values]:
            yield "S1 a time without its value"
        if node.children and len(node.children) != node.arity:
            yield "S2 an entry without its child"
        if any(child.height != node.height - 1 for child in node.children):
            yield "S3 the height of a child"
        if node.height != parent.height - 1 or (node.height and node.values and not node.children):
            yield "S3 the height of a node"
        if node.parent is not parent or any(child.parent is not node for child in node.children):
            yield "S4 a parent"
        marks = (place == 0 and parent.on_left, place == last and parent.on_right)
        if (node.on_left, node.on_right) != marks:
            yield "S7 a mark of the spines"


def positions(
    min_arity: int, pair: tuple[int, ...], siblings: int
) -> Iterator[tuple[RebalanceCase, int]]:
    """Yield each case in which these arities are side by side, and the place of the first."""
    most = min(siblings, 2 * min_arity - len(pair))
    around: tuple[Position, ...] = ("left", "right", "between")
    for position in around:
        for height in (0, 2):
            for others in range(most + 1):
                for place in range(others + 1):
                    rest = (0,) * others
                    arities = rest[:place] + pair + rest[place:]
                    if len(arities) > 1:
                        yield RebalanceCase(min_arity, arities, height, position), place


@dataclass(frozen=True)
class Split:
    """Split the child at a place."""

    place: int
    min_arity: int

    def __call__(self, parent: Node[str]) -> None:
        """Make the step."""
        rebalance.split(parent, parent.children[self.place], self.min_arity)


@dataclass(frozen=True)
class Merge:
    """Merge the children at a place and after it."""

    place: int

    def __call__(self, parent: Node[str]) -> None:
        """Make the step."""
        rebalance.merge(parent, self.place)


@dataclass(frozen=True)
class TakeOlder:
    """Move an entry from the child at a place to the one after it."""

    place: int

    def __call__(self, parent: Node[str]) -> None:
        """Make the step."""
        rebalance.take_older(parent, self.place)


@dataclass(frozen=True)
class TakeYounger:
    """Move entries to the child at a place from the one after it."""

    place: int
    entries: int

    def __call__(self, parent: Node[str]) -> None:
        """Make the step."""
        rebalance.take_younger(parent, self.place, self.entries)


def check_splits(min_arity: int, siblings: int) -> int:
    """Split every node that is too large by one entry or, after a batch, by many."""
    steps = 0
    for arity in range(2 * min_arity + 1, 6 * min_arity):
        for case, place in positions(min_arity, (arity,), siblings):
            parent = check_step(case, Split(place, min_arity))
            added = len(parent.children) - len(case.arities)
            pieces = [child.arity for child in parent.children[place : place + added + 1]]
            assert (sum(pieces), added > 0) == (arity, True), case
            assert all(min_arity <= piece <= 2 * min_arity for piece in pieces), case
            steps += 1
    return steps


def check_merges(min_arity: int, siblings: int) -> int:
    """Merge each two neighbours whose union is not too large."""
    steps = 0
    for younger in range(1, 2 * min_arity):
        for older in range(1, 2 * min_arity - younger + 1):
            for case, place in positions(min_arity, (older, younger), siblings):
                parent = check_step(case, Merge(place))
                assert parent.children[place].arity == older + younger
                steps += 1
    return steps


def check_moves(min_arity: int, siblings: int) -> int:
    """Move each number of entries that the giver can spare, in both directions."""
    steps = 0
    for lacking in range(1, min_arity + 1):
        for giver in range(min_arity + 1, 2 * min_arity + 1):
            for case, place in positions(min_arity, (giver, lacking), siblings):
                parent = check_step(case, TakeOlder(place))
                after = [child.arity for child in parent.children[place : place + 2]]
                assert after == [giver - 1, lacking + 1]
                steps += 1
            for count in range(1, giver - min_arity + 1):
                for case, place in positions(min_arity, (lacking, giver), siblings):
                    parent = check_step(case, TakeYounger(place, count))
                    after = [child.arity for child in parent.children[place : place + 2]]
                    assert after == [lacking + count, giver - count]
                    steps += 1
    return steps


def check_step(case: RebalanceCase, step: Callable[[Node[str]], None]) -> Node[str]:
    """Make a step, and check the invariants before and after it."""
    parent = family(case)
    before = content(parent)
    assert not list(faults(parent, before)), case
    step(parent)
    broken = sorted(set(faults(parent, before)))
    assert not broken, (broken, case)
    return parent
