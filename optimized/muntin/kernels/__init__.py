"""One window over one aggregate, compiled by Numba if it is installed, else plain Python.

`aggregator` holds the window over columns; `finger_btree` the kernel sources, which `compiler`
specializes to an aggregate. Queries, watermarks and keys belong to `muntin.columnar`.
"""
