"""Kernel sources of the finger B+-tree: finger search, lazy folds, bulk insert, eviction.

`muntin.kernels.compiler` specializes each function to one aggregate. The invariants and the cost
bound of the tree are here too.
"""
