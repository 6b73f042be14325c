"""Partials: columns of rows, and the kernels that add a batch to them, merge rows and copy rows.

A partial of several columns has them at consecutive places. The entries of a batch say to which
row its rows go: a run of rows goes to one row, all of it or what lies in an interval of time, or
each to its own. A null has no time: in the times of its partial it lies at FAR, outside all
intervals. Rows are added as they arrive, and a
partial that is ORDERED has all of a cell in one row. Where rows are merged that may hold equal
times, those of the target came earlier.
"""
