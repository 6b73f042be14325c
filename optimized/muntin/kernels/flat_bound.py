"""What the calls of FiBA in flat arrays cost in combines, amortised over a run.

A single change costs what it does in the readable tree; the bulk calls are runs of single ones:
T1 to T4 in proofs/flat_fiba.md.
"""

from muntin.optimized.tree_cost import TreeCost, levels
from muntin.spec.cost import Cost, Operation


def cost_of(min_arity: int, operation: Operation) -> Cost:
    """Return what a call may cost."""
    name, items, far = operation.name, operation.items, max(operation.distances, default=0)
    single = TreeCost(min_arity, fingers=1)
    if name == "bulk_insert":
        one = single.of(Operation("insert", 0), levels(min_arity, far + items + 1))
        return Cost(items * one.combines)
    if name == "bulk_evict":
        one = single.of(Operation("evict", 0), 0)
        return Cost(items * one.combines)
    passed = sum(operation.distances)
    if name == "query_range":
        passed += items
    return Cost(single.of(operation, levels(min_arity, passed + 1)).combines)
