"""Trees with coins, and the cost bound of a single call: Theorems 3 and 5, without amortising.

An amortised bound does not limit a single call. But the account of a call (Lemma 9) records its
rebalancing: the rest, searching and repairing, is bounded for each call by itself, and each step of
rebalancing by what its coin pays for. L1 to L4, explored with the same trees, bound the number of
steps by what calls are billed.
"""

from muntin.optimized.btree.amortization import AmortizationLedger, BTreeWithCoins, FibaWithCoins
from muntin.optimized.btree.cost_bound import COST_PER_CALL, CREDIT_PER_NODE
from muntin.optimized.introspection import Account
from muntin.spec.cost import Cost, Operation


class AuditedLedger(AmortizationLedger[str]):
    """A tree without its last account, which is a report: states that differ in it are one."""

    def blot(self) -> None:
        """Overwrite the account."""
        self._account = Account()

    def call_bound(self, operation: Operation) -> Cost:
        """The most that the last call may cost, given the steps of rebalancing it has made."""
        steps = len(self._account.steps)
        bound, saved = self.bound(operation), self._billed_steps(operation) - steps
        combines = (1 + self._fingers) * 2 * (2 * self._min_arity - 1)
        visits = 1 + 2 * self._fingers
        return Cost(bound.combines - combines * saved, bound.visits - visits * saved)

    def _billed_steps(self, operation: Operation) -> int:
        """The steps of rebalancing that the amortised bound allows."""
        billed = {
            "insert": COST_PER_CALL,
            "evict": COST_PER_CALL,
            "bulk_insert": COST_PER_CALL * operation.items,
            "bulk_evict": COST_PER_CALL + CREDIT_PER_NODE * (self._reach(operation) + 1),
        }
        return billed.get(operation.name, 0)


class AuditedFiba(AuditedLedger, FibaWithCoins[str]):
    """FiBA with its coins."""


class AuditedBTree(AuditedLedger, BTreeWithCoins[str]):
    """The classic tree with its coins."""
