"""Kernel sources of the finger B+-tree: finger search, lazy folds, bulk insert, eviction.

Each function is specialized to one aggregate by `muntin.kernels.compiler`; invariants and cost
bound of the tree stand beside them.
"""
