"""The specification: what every implementation must compute, and at what cost.

Read `algebra`, `stream`, `dialect`, `windows`; then the meaning, `query` and `denotation`.
"""
