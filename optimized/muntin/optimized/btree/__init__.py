"""B-trees with aggregates: the classic tree and FiBA [Tangwongsan19], with bulk operations.

Invariants, cost bound and amortization of the trees stand beside the code that they describe.
"""
