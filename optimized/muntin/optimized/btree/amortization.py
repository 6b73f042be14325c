"""The coins of Lemma 9 of [Tangwongsan19] as ghost state: who pays for rebalancing.

Put `AmortizationLedger` before a tree class, and each node keeps the coins that the lemma gives it,
each split, merge, move and change of height spends one, and `invariants` checks that all was paid
for. A tree without it holds no coins. L1 to L4 are proved in proofs/amortization.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.cost_bound import COST_PER_CALL, CREDIT_PER_NODE
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.btree.node import Node
from muntin.optimized.introspection import Account, TreePicture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.structure import Pair

A = TypeVar("A")


def reserve(arity: int, min_arity: int, *, is_root: bool) -> int:
    """Coins that a node of this arity holds, as in Lemma 9; 2 more for each entry too many.

    >>> [reserve(arity, 3, is_root=False) for arity in range(2, 9)]
    [2, 1, 0, 0, 2, 4, 6]
    """
    if arity >= 2 * min_arity:
        return 2 + 2 * (arity - 2 * min_arity)
    if is_root or arity > min_arity:
        return 0
    return 1 if arity == min_arity else 2


class CoinAccount(Generic[A]):
    """The coins at each node, and what is still to be billed to the present operation."""

    def __init__(self, min_arity: int) -> None:
        """Start with an empty tree."""
        self._min_arity = min_arity
        self._held: dict[Node[A], tuple[int, int]] = {}
        self.bill = 0
        self.steps: list[str] = []
        self.debts = 0

    def due(self, node: Node[A]) -> int:
        """The coins that a node has to hold."""
        return reserve(node.arity, self._min_arity, is_root=not node.parent)

    def held(self, node: Node[A]) -> int:
        """The coins of a node, after it has been billed for entries gained or lost."""
        arity, coins = self._held.get(node, (0, 0))
        if arity != node.arity:
            self.bill += self.due(node) - coins
            coins = self.due(node)
            self._held[node] = node.arity, coins
        return coins

    def take(self, *nodes: Node[A]) -> int:
        """The coins of nodes that are about to change."""
        coins = sum(map(self.held, nodes))
        for node in nodes:
            self._held[node] = node.arity, 0
        return coins

    def pay(self, steps: Sequence[str], coins: int, *nodes: Node[A]) -> int:
        """Pay for steps, give the nodes their due, and return what is left, which may be a debt."""
        self.steps += steps
        for node in nodes:
            self._held[node] = node.arity, self.due(node)
        return coins - len(steps) - sum(map(self.due, nodes))

    def audit(self, nodes: Iterable[Node[A]]) -> bool:
        """Bill each node in the tree, drop the others, and check that all have their due."""
        coins = {node: (node.arity, self.held(node)) for node in nodes}
        self._held = coins
        return all(held == self.due(node) for node, (_, held) in coins.items())


class AmortizationLedger(BTree[A]):
    """A tree that keeps account of its rebalancing."""

    def __init__(
        self, monoid: Monoid[A], meter: Meter | None = None, /, min_arity: int = 4
    ) -> None:
        """Start with an empty window and no coins."""
        super().__init__(monoid, meter, min_arity)
        self._coin_account: CoinAccount[A] = CoinAccount(min_arity)
        self._levels_cut = 0
        self._account = Account()
        self._reserves_full = self._within_bill = True

    def insert(self, time: int, value: A) -> None:
        """Insert, billed for one item."""
        super().insert(time, value)
        self._close(COST_PER_CALL)

    def evict(self, time: int) -> None:
        """Evict, billed for one item."""
        super().evict(time)
        self._close(COST_PER_CALL)

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert a batch, billed for each of its items."""
        batch = list(pairs)
        super().bulk_insert(batch)
        self._close(COST_PER_CALL * len(batch))

    def bulk_evict(self, up_to: int) -> None:
        """Evict a prefix, billed for one item and for each level of the cut."""
        super().bulk_evict(up_to)
        self._close(COST_PER_CALL + (1 + CREDIT_PER_NODE) * self._levels_cut)

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The tree's own relation, and that rebalancing is paid for."""
        yield from super().invariants(window)
        yield "L1 every node holds the coins that its arity asks for", self._reserves_full
        yield (
            "L2 splits and merges are paid by the nodes they are made of",
            not self._coin_account.debts,
        )
        yield "L3 and L4 no call is billed more than its items and levels allow", self._within_bill

    def picture(self) -> TreePicture[A]:
        """The tree, to be drawn, with the coins at each node and the last account."""
        return replace(super().picture(), account=self._account)

    def _coins(self, node: Node[A]) -> int | None:
        return self._coin_account.held(node)

    def _close(self, allowance: int) -> None:
        self._reserves_full = self._coin_account.audit(self._root.subtree())
        self._within_bill = self._coin_account.bill <= allowance
        self._account = Account(tuple(self._coin_account.steps), self._coin_account.bill)
        self._coin_account.steps.clear()
        self._coin_account.bill = self._levels_cut = 0

    def _drop_all_before(self, top: Node[A]) -> None:
        """Give back what a root need not hold."""
        coins = self._coin_account.take(top)
        super()._drop_all_before(top)
        self._coin_account.bill -= self._coin_account.pay([], coins, top)

    def _cut(self, top: Node[A], up_to: int) -> list[Node[A]]:
        path = super()._cut(top, up_to)
        self._levels_cut = len(path)
        return path

    def _split(self, parent: Node[A], node: Node[A]) -> list[Node[A]]:
        coins = self._coin_account.take(node) + self._coin_account.take(parent)
        pieces = super()._split(parent, node)
        left = self._coin_account.pay(["split"] * (len(pieces) - 1), coins, parent, *pieces)
        self._coin_account.debts += left < 0
        self._coin_account.bill -= left
        return pieces

    def _merge(self, parent: Node[A], older: int) -> Node[A]:
        coins = self._coin_account.take(parent, *parent.children[older : older + 2])
        kept = super()._merge(parent, older)
        left = self._coin_account.pay(["merge"], coins, parent, kept)
        self._coin_account.debts += left < 0 and not self._levels_cut
        self._coin_account.bill -= left
        return kept

    def _move(
        self, parent: Node[A], older: int, *, from_older: bool = False, count: int = 1
    ) -> None:
        pair = parent.children[older : older + 2]
        coins = self._coin_account.take(*pair)
        super()._move(parent, older, from_older=from_older, count=count)
        self._coin_account.bill -= self._coin_account.pay(["move"], coins, *pair)

    def _grow(self) -> Node[A]:
        """Spend a coin of the old root, whose split is to follow."""
        old = self._root
        coins = self._coin_account.take(old)
        root = super()._grow()
        self._coin_account.pay(["height increase"], coins, old)
        self._coin_account.bill += 1
        return root

    def _shrink(self, child: Node[A]) -> Node[A]:
        """Spend a coin, and give back those that a root need not hold."""
        coins = self._coin_account.take(child)
        root = super()._shrink(child)
        self._coin_account.bill -= self._coin_account.pay(["height decrease"], coins, root)
        return root


class BTreeWithCoins(AmortizationLedger[A], BTree[A]):
    """The classic tree and its account."""


class FibaWithCoins(AmortizationLedger[A], Fiba[A]):
    """FiBA and its account."""
