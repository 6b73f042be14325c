"""Structures for windows that evict in order of arrival: Two-Stacks, DABA, their Lite forms, B-Int.

Each module is one algorithm of a paper. Structures that accept out-of-order inserts live in
`btree`.
"""
