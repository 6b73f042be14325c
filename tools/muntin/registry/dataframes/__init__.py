"""Implementations that evaluate a whole Spark DataFrame at once, Spark's own windows among them.

`engines` runs them, `operator` makes one an operator of a single step. Imported only when one of
them is used, since it needs the extra `spark`.
"""
