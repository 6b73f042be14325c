"""One out-of-order window over columns: `ColumnWindow`, its backends, and the finger B+-tree.

The window runs over arrays where NumPy is there, else over lists. Queries, watermarks and keys
belong to `muntin.columnar`.
"""
