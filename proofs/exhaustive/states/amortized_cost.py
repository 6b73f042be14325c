"""Trees with coins, and what one call of theirs may cost: Theorems 3 and 5, without amortising.

A bound that is amortised says nothing of a single call. But a call's rebalancing is known from its
account (Lemma 9): so what is left, searching and repairing, is bounded for each call by itself, and
each step of rebalancing by what its coin pays for. That steps are at most what calls are billed is
L1 to L4, which are explored with the same trees.
"""

from muntin.optimized.btree.amortization import AmortizationLedger, BTreeWithCoins, FibaWithCoins
from muntin.optimized.btree.cost_bound import COST_PER_CALL, CREDIT_PER_NODE
from muntin.optimized.introspection import Account
from muntin.spec.cost import Cost, Operation


class AuditedLedger(AmortizationLedger[str]):
    """A tree whose last account, which is a report and no state, does not tell states apart."""

    def blot(self) -> None:
        """Overwrite the report."""
        self._account = Account()

    def call_bound(self, operation: Operation) -> Cost:
        """Return what the last call may have cost, given the steps of rebalancing it has made."""
        steps = len(self._account.steps)
        bound, saved = self.bound(operation), self._billed_steps(operation) - steps
        combines = (1 + self._fingers) * 2 * (2 * self._min_arity - 1)
        visits = 1 + 2 * self._fingers
        return Cost(bound.combines - combines * saved, bound.visits - visits * saved)

    def _billed_steps(self, operation: Operation) -> int:
        """The steps that the amortised bound allows for."""
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
