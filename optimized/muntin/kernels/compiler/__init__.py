"""Numba: compiled functions, and the specialization of kernel sources to one aggregate.

Nothing outside this package imports Numba. No algorithm lives here.
"""
